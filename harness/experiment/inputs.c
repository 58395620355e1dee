#include "inputs.h"

#include "program.h"
#include "resume.h"

#include "common/changes.h"
#include "common/machine_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A command line may have thousands of files. */
enum { MOST_INPUTS = 64 };

/* Where a shell ends a word. */
static const char between[] = " \t\n|&;<>()'\"`";

struct inputs {
    json_t *list;
    int64_t budget; /* so much is read of all together */
};

static bool is_listed(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *its = json_string_value(json_object_get(json_array_get(list, i), "word"));
        if (its != NULL && strcmp(its, word) == 0)
            return true;
    }
    return false;
}

/* The file that a word names, if it is one. */
static bool add_file(struct inputs *inputs, const char *word)
{
    char path[PATH_MAX];
    struct stat status;
    if (*word == '\0' || stat(word, &status) != 0 || !S_ISREG(status.st_mode) ||
        realpath(word, path) == NULL)
        return false;
    if (is_listed(inputs->list, word) || json_array_size(inputs->list) == MOST_INPUTS)
        return true;
    json_t *file = file_to_json(path, &inputs->budget);
    json_object_set_new(file, "word", text_to_json(word));
    json_array_append_new(inputs->list, file);
    return true;
}

/* input.dat, or what is behind the = of --config=FILE and if=FILE. */
static void add_word(struct inputs *inputs, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!add_file(inputs, word) && equals != NULL)
        (void)add_file(inputs, equals + 1);
}

static void add_line(struct inputs *inputs, const char *line)
{
    char *copy = strdup(line), *rest = copy;
    for (char *word; (word = strsep(&rest, between)) != NULL;)
        add_word(inputs, word);
    free(copy);
}

static void add_variant(struct inputs *inputs, const struct variant *variant)
{
    size_t first = 0;
    while (first < variant->word_count && variant->words[first] != variant_program(variant))
        add_word(inputs, variant->words[first++]);
    for (size_t i = first + 1; i < variant->word_count; i++) {
        /* What is in the folder of a revision is known by its tree. */
        if (variant->folder != NULL && variant->words[i][0] != '/')
            continue;
        if (variant->shell != NULL && i + 1 == variant->word_count)
            add_line(inputs, variant->words[i]);
        else
            add_word(inputs, variant->words[i]);
    }
}

json_t *inputs_to_json(const struct experiment *experiment)
{
    struct inputs inputs = {.list = json_array(), .budget = PROGRAM_MOST_BYTES};
    if (experiment->input != NULL)
        (void)add_file(&inputs, experiment->input);
    for (size_t i = 0; i < experiment->variants.count; i++)
        add_variant(&inputs, &experiment->variants.variant[i]);
    if (experiment->settings.service != NULL)
        add_line(&inputs, experiment->settings.service);
    return inputs.list;
}

static bool is_as_before(const json_t *file, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           status.st_size == json_integer_value(json_object_get(file, "size_bytes")) &&
           file_mtime_ns(&status) == json_integer_value(json_object_get(file, "mtime_ns"));
}

json_t *inputs_changed(const char *folder)
{
    struct arena arena = {0};
    json_t *experiment = resume_read(&arena, folder), *changed = json_array();
    const json_t *files = changes_last_inputs(experiment);
    int64_t budget = PROGRAM_MOST_BYTES;
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *path = json_string_value(json_object_get(file, "path"));
        if (path == NULL || is_as_before(file, path))
            continue;
        json_t *now = file_to_json(path, &budget);
        json_object_set(now, "word", json_object_get(file, "word"));
        json_array_append_new(changed, now);
    }
    json_decref(experiment);
    arena_free(&arena);
    return changed;
}
