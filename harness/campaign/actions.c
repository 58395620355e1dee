#include "actions.h"

#include "members.h"

#include "common/visible.h"
#include "common/words.h"

#include <stdio.h>
#include <stdlib.h>

/* Each once, in the order in which they come first. */
static void say(json_t *said, const char *role, const char *text)
{
    char *line = NULL, *plain = text == NULL || *text == '\0' ? NULL : visible_copy(text);
    if (plain != NULL && asprintf(&line, "%s\t%s", role, plain) >= 0 &&
        json_object_get(said, line) == NULL) {
        puts(line);
        json_object_set_new(said, line, json_true());
    }
    free(line);
    free(plain);
}

static void say_command(json_t *said, const json_t *command)
{
    const size_t count = json_array_size(command);
    const char **words = calloc(count + 1, sizeof *words);
    for (size_t i = 0; words != NULL && i < count; i++)
        words[i] = json_string_value(json_array_get(command, i));
    char *text = words == NULL ? NULL : words_quote(words, count);
    say(said, "command", text);
    free(text);
    free(words);
}

static void say_settings(json_t *said, json_t *settings)
{
    const char *name;
    json_t *value;
    json_object_foreach(settings, name, value)
    {
        json_t *one;
        size_t i;
        say(said, name, json_string_value(value));
        json_array_foreach(value, i, one) say(said, name, json_string_value(one));
    }
}

void actions_print(const json_t *plan, const struct states *states)
{
    json_t *said = json_object();
    printf("\n");
    say(said, "session-prepare", json_text_at(plan, "session_prepare"));
    say(said, "scratch", json_text_at(plan, "scratch"));
    for (size_t i = 0; i < states->count; i++) {
        const json_t *cell = states->list[i].cell;
        if (!states->list[i].todo)
            continue;
        say_command(said, json_object_get(cell, "command"));
        say(said, "load", json_text_at(cell, "spec"));
        say_settings(said, json_object_get(cell, "settings"));
    }
    json_decref(said);
}
