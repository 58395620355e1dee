/* What percentages refer to is measured before a campaign that says so. */
#include "command.h"
#include "output.h"
#include "plan.h"
#include "states.h"

#include "common/messages.h"
#include "common/pair.h"
#include "common/words.h"
#include "harness/experiment/loads.h"
#include "harness/experiment/placed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The CPUs that the load will have, which say what 100 % is; NULL: all that are allowed. */
static const char *load_cpus(const json_t *texts, struct arena *arena)
{
    struct settings settings;
    struct placed placed;
    experiment_settings_begin(&settings);
    settings.place = json_text_at(texts, "place");
    settings.place_cpus = json_text_at(texts, "place-cpus");
    settings.load_cpus = json_text_at(texts, "load-cpus");
    placed_find(&placed, arena, &settings);
    placed_free(&placed);
    return placed.load_cpus;
}

static void print_load(const json_t *settings, const char *part, char **words, size_t count)
{
    struct arena arena = {0};
    pair_put("load", part);
    pair_put("cpus", load_cpus(settings, &arena));
    for (size_t i = 0; i < count; i++)
        pair_put("word", words[i]);
    pair_put("end", "");
    arena_free(&arena);
}

static const char *setting(const json_t *settings, const char *name)
{
    const char *text = json_text_at(settings, name);
    return text != NULL ? text : "";
}

/* Prints a part of a load that needs it, unless it was printed with the same places. */
static void print_part(const json_t *settings, const char *part, json_t *seen)
{
    const char *error = NULL;
    size_t count;
    char **words = words_split(part, &count, &error);
    if (words == NULL)
        usage_error("load '%s': %s: close it", part, error);
    json_t *key =
        json_sprintf("%s\n%s\n%s\n%s", setting(settings, "place"), setting(settings, "place-cpus"),
                     setting(settings, "load-cpus"), part);
    const char *name = json_string_value(key);
    if (has_percent_limit((const char *const *)words, count) && name != NULL &&
        json_object_get(seen, name) == NULL) {
        json_object_set_new(seen, name, json_true());
        print_load(settings, part, words, count);
    }
    json_decref(key);
    free(words);
}

static void print_cell(const json_t *cell, json_t *seen)
{
    const char *spec = json_text_at(cell, "spec"), *node = json_text_at(cell, "node");
    /* Those of other nodes are calibrated there. */
    if (spec == NULL || (node != NULL && node[0] != '\0'))
        return;
    for (const char *rest = spec; rest != NULL;) {
        const char *start = rest;
        char *part = strndup(start, words_until_joint(start, &rest));
        if (part != NULL && part[strspn(part, " \t")] != '@')
            print_part(json_object_get(cell, "settings"), part, seen);
        free(part);
    }
}

/* Of each load with a limit in percent, once: load, cpus, word..., end; names and values
 * each ended by a 0. */
int command_calibrations(const struct command_options *options, char **operands, int count)
{
    const struct choice choice = {.only = options->only, .cells = options->cells};
    json_t *plan = plan_read(operands[0]), *seen = json_object();
    json_t *chosen = plan_choose(plan, &choice);
    struct states states = states_read(operands[1], chosen, options->retry_failed);
    (void)count;
    for (size_t i = 0; i < states.count; i++)
        if (states.list[i].todo)
            print_cell(states.list[i].cell, seen);
    states_free(&states);
    json_decref(chosen);
    json_decref(seen);
    json_decref(plan);
    return print_end();
}
