#include "reproduce.h"

#include "memory.h"

#include "common/words.h"

#include <stdlib.h>
#include <string.h>

struct words {
    const char **item;
    size_t count, allocated;
};

/* Takes text. */
static void add(struct words *words, char *text)
{
    words->item = grown(words->item, words->count, &words->allocated, sizeof *words->item);
    words->item[words->count++] = text;
}

static char *plain_text(const struct value *value)
{
    return view_is(value, VIEW_STRING) ? must(view_string(value)) : must(view_copy(value));
}

static char *joined(const struct value *list)
{
    char *all = must(strdup(""));
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        char *text = plain_text(item),
             *more = text_of("%s%s%s", all, *all == '\0' ? "" : ",", text);
        free(text);
        free(all);
        all = more;
    }
    return all;
}

/* "load_cpus" -> --load-cpus, "settle_s" -> --settle */
static char *option_name(const struct value *setting)
{
    char *name = text_of("--%.*s", (int)setting->key_length, setting->key);
    const size_t length = strlen(name);
    if (strcmp(name + length - 2, "_s") == 0)
        name[length - 2] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return name;
}

/* Not given, or what is so without it. */
static bool preset(const char *option, const struct value *setting)
{
    const char *text = setting->text;
    const size_t length = setting->length;
    const bool nothing = setting->type == VIEW_NULL || setting->type == VIEW_FALSE ||
                         (length == 2 && (*text == '"' || *text == '[')) ||
                         (setting->type == VIEW_NUMBER && view_number(setting, 0) == 0);
    return nothing || (strcmp(option, "--engine") == 0 && view_equals(setting, "meter")) ||
           (strcmp(option, "--washout") == 0 && view_equals(setting, "auto")) ||
           (strcmp(option, "--settle") == 0 && view_number(setting, 0) == 1) ||
           (strcmp(option, "--metric") == 0 && length == strlen("[\"wall_s\"]") &&
            view_equals(view_first(setting), "wall_s"));
}

static void add_setting(struct words *words, const struct value *setting)
{
    char *option = option_name(setting);
    if (preset(option, setting)) {
        free(option);
        return;
    }
    if (strcmp(option, "--cold-path") == 0) {
        for (const struct value *path = view_first(setting); path != NULL;
             path = view_next(setting, path)) {
            add(words, must(strdup(option)));
            add(words, plain_text(path));
        }
        free(option);
        return;
    }
    add(words, option);
    if (setting->type == VIEW_ARRAY)
        add(words, joined(setting));
    else if (setting->type != VIEW_TRUE)
        add(words, plain_text(setting));
}

char *reproduce_command(const struct cell *cell)
{
    const struct value *record = cell->of->record.top, *loads = view_get(record, "loads"),
                       *settings = cell->of->settings;
    const struct value *command = view_get(record, "command");
    struct words words = {0};
    add(&words, must(strdup("jostle")));
    add(&words, must(strdup(cell->loaded == NULL ? "run" : "slowdown")));
    for (const struct value *load = view_first(loads); load != NULL;
         load = view_next(loads, load)) {
        char *name = view_string(view_get(load, "name")),
             *spec = view_string(view_get(load, "spec"));
        if (name != NULL && spec != NULL) {
            add(&words, must(strdup("--load")));
            add(&words, text_of("%s=%s", name, spec));
        }
        free(name);
        free(spec);
    }
    for (const struct value *setting = view_first(settings); setting != NULL;
         setting = view_next(settings, setting))
        add_setting(&words, setting);
    add(&words, must(strdup("--")));
    for (const struct value *word = view_first(command); word != NULL;
         word = view_next(command, word))
        add(&words, plain_text(word));
    char *text = must(words_quote(words.item, words.count));
    for (size_t i = 0; i < words.count; i++)
        free((char *)(uintptr_t)words.item[i]);
    free(words.item);
    return text;
}
