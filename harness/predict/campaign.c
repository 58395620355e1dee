#include "campaign.h"

#include "common/messages.h"
#include "common/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A value as the campaign file wants it: in double quotes, as git config reads them; braces,
// which would be placeholders, twice.
static void write_value(FILE *file, const char *text)
{
    (void)fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            (void)fputc('\\', file);
        else if (*text == '{' || *text == '}')
            (void)fputc(*text, file);
        if (*text == '\n')
            (void)fputs("\\n", file);
        else
            (void)fputc(*text, file);
    }
    (void)fputs("\"\n", file);
}

static void write_key(FILE *file, const char *key, const char *text)
{
    (void)fprintf(file, "    %s = ", key);
    write_value(file, text);
}

// The words of a command line, quoted for a shell; NULL: the profile does not have them, or
// no memory. To be freed.
static char *command_of(const json_t *program)
{
    const json_t *words = json_object_get(program, "words");
    const size_t count = json_array_size(words);
    const char **word = calloc(count + 1, sizeof *word);
    char *text = NULL;
    bool good = word != NULL && count > 0;
    for (size_t i = 0; good && i < count; i++)
        good = (word[i] = json_string_value(json_array_get(words, i))) != NULL;
    if (good)
        text = words_quote(word, count);
    free(word);
    return text;
}

// What loadgen runs again and again. A load has no stdin of its own, so a shell gives it.
static bool write_load(FILE *file, const struct program_entry *entry, const char *command,
                       const char *input)
{
    char *spec = NULL, *quoted = input ? words_quote(&input, 1) : NULL;
    char *script = NULL, *script_quoted = NULL;
    bool good = true;
    if (input) {
        good = quoted && asprintf(&script, "exec %s <%s", command, quoted) >= 0;
        const char *const one = script;
        script_quoted = good ? words_quote(&one, 1) : NULL;
        good = script_quoted &&
               asprintf(&spec, "exec --loop --settle 0.1s -- sh -c %s", script_quoted) >= 0;
    } else {
        good = asprintf(&spec, "exec --loop --settle 0.1s -- %s", command) >= 0;
    }
    if (good) {
        (void)fprintf(file, "[load \"%s\"]\n", entry->name);
        write_key(file, "spec", spec);
    }
    free(script_quoted);
    free(script);
    free(quoted);
    free(spec);
    return good;
}

static void write_target(FILE *file, const struct program_list *list, size_t index,
                         const char *command, const struct campaign_settings *settings)
{
    const struct program_entry *entry = &list->entry[index];
    const json_t *program = json_object_get(entry->profile.record, "program");
    const char *input = json_string_value(json_object_get(program, "input"));
    const char *prepare = json_string_value(json_object_get(program, "prepare"));
    (void)fprintf(file, "[target \"%s\"]\n", entry->name);
    write_key(file, "command", command);
    if (input)
        write_key(file, "input", input);
    if (prepare)
        write_key(file, "prepare", prepare);
    for (size_t i = 0; i < list->count; i++)
        if (i != index || settings->with_itself)
            (void)fprintf(file, "    loads = %s\n", list->entry[i].name);
}

static bool write_program(FILE *file, const struct program_list *list, size_t index,
                          const struct campaign_settings *settings)
{
    const struct program_entry *entry = &list->entry[index];
    const json_t *program = json_object_get(entry->profile.record, "program");
    char *command = command_of(program);
    if (!command)
        return complain("%s: does not say how its program is run: make the profile again",
                        entry->path);
    write_target(file, list, index, command, settings);
    const bool good =
        write_load(file, entry, command, json_string_value(json_object_get(program, "input")));
    free(command);
    return good || complain("no memory for the campaign: free some");
}

static void write_head(FILE *file, const struct program_list *list,
                       const struct campaign_settings *settings)
{
    (void)fprintf(file,
                  "; Made by jostle predict --check: each program beside each other one, which "
                  "runs again and again.\n"
                  "[campaign]\n    name = pairs\n    place = %s\n    min-runs = %llu\n"
                  "    max-runs = %llu\n    max-time = %.0fs\n",
                  list->entry[0].profile.place, (unsigned long long)settings->min_runs,
                  (unsigned long long)settings->max_runs, settings->max_time_s);
}

bool campaign_write(const struct program_list *list, const struct campaign_settings *settings,
                    const char *path)
{
    for (size_t i = 1; i < list->count; i++)
        if (strcmp(list->entry[i].profile.place, list->entry[0].profile.place) != 0)
            return complain("--check measures at one place, and %s is of %s, %s of %s: give "
                            "--place",
                            list->entry[0].path, list->entry[0].profile.place, list->entry[i].path,
                            list->entry[i].profile.place);
    FILE *file = fopen(path, "w");
    if (!file)
        return complain("%s cannot be written (%s): give another file", path, strerror(errno));
    write_head(file, list, settings);
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++)
        good = write_program(file, list, i, settings);
    const bool written = !ferror(file);
    if (fclose(file) != 0 || !written)
        return complain("%s cannot be written: is the disk full?", path);
    return good;
}
