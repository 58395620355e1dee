#include "cell.h"

#include "common/messages.h"
#include "common/record_json.h"

#include <stdio.h>
#include <string.h>

json_t *cell_read(const char *file)
{
    json_error_t error;
    json_t *cell = json_read_record(file, 0, &error);
    if (cell == NULL)
        usage_error(
            "--cell %s: it is no JSON file that can be read (%s): give a cell of a campaign", file,
            error.text);
    if (!json_is_string(json_object_get(cell, "name")))
        usage_error("--cell %s: it has no name: give a cell of a campaign", file);
    return cell;
}

static void set(struct settings *settings, const char *name, const char *text)
{
    char error[512];
    if (!settings_set(settings, name, text, error, sizeof error))
        usage_error("--cell: %s %s: %s", name, text, error);
}

/* A list has an item a line. */
static void set_each_line(struct settings *settings, const char *name, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        set(settings, name, line);
}

void cell_apply(const json_t *cell, struct arena *arena, struct settings *settings,
                const struct options *given)
{
    json_t *texts = json_object_get(cell, "settings"), *value;
    const char *name;
    json_object_foreach(texts, name, value)
    {
        const struct option_row *row = option_find(settings_rows, name);
        const char *text = json_string_value(value);
        if (text == NULL)
            usage_error("--cell: %s: not a text: write settings as they are on a command line",
                        name);
        if (options_given(given, name))
            continue;
        if (row != NULL && row->type == OPTION_LIST)
            set_each_line(settings, name, arena_format(arena, "%s", text));
        else
            set(settings, name, text);
    }
}

const char **cell_command(const json_t *cell, struct arena *arena, size_t *count)
{
    const json_t *command = json_object_get(cell, "command");
    *count = json_array_size(command);
    if (*count == 0)
        return NULL;
    const char **words = arena_take(arena, (*count + 1) * sizeof *words);
    for (size_t i = 0; i < *count; i++) {
        words[i] = json_string_value(json_array_get(command, i));
        if (words[i] == NULL)
            usage_error("--cell: command: not all words are texts: write them as strings");
    }
    return words;
}

struct option_list cell_loads(const json_t *cell, struct arena *arena)
{
    const json_t *loads = json_object_get(cell, "loads");
    const char *node = json_string_value(json_object_get(cell, "node"));
    struct option_list list = {
        .item = arena_take(arena, (json_array_size(loads) + 1) * sizeof *list.item)};
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const json_t *load = json_array_get(loads, i);
        const char *name = json_string_value(json_object_get(load, "name"));
        const char *spec = json_string_value(json_object_get(load, "spec"));
        if (name == NULL || spec == NULL)
            usage_error("--cell: loads: give each a name and a spec");
        list.item[list.count++] =
            arena_format(arena, "%s%s=%s", name, node == NULL ? "" : node, spec);
    }
    return list;
}
