// What percentages refer to: the loads that have to be calibrated before a campaign.

#include "campaign.h"

#include "common/memory.h"
#include "common/text.h"
#include "harness/experiment/describe.h"
#include "harness/experiment/loads.h"

#include <string.h>

// Prints a part of a load that needs it, unless it was printed with the same places: with the CPUs
// that it will have, which say what 100 % is ("": all that are allowed).
static void print_part(const json_t *texts, const char *part, json_t *seen)
{
    struct arena arena = {0};
    struct settings settings;
    struct placed placed;
    struct option_list words = {0};
    OWNED char *key = text_of("%s\n%s\n%s\n%s", json_text_or_empty(texts, "place"),
                              json_text_or_empty(texts, "place-cpus"),
                              json_text_or_empty(texts, "load-cpus"), part);
    if (json_object_get(seen, key))
        return;
    json_object_set_new(seen, key, json_true());
    if (!spec_has_percent(&arena, part, &words)) {
        arena_free(&arena);
        return;
    }
    json_auto_t *list = texts_to_json(words.item, words.count);
    experiment_settings_begin(&settings);
    settings.place = json_text_at(texts, "place");
    settings.place_cpus = json_text_at(texts, "place-cpus");
    settings.load_cpus = json_text_at(texts, "load-cpus");
    placed_find(&placed, &arena, &settings);
    pair_put("step", part);
    pair_put("cpus", placed.load_cpus ? placed.load_cpus : "");
    put_step_words(list);
    placed_free(&placed);
    arena_free(&arena);
}

// Prints for each load with a limit in percent, once: step LOAD, cpus, word..., end; names and
// values are each ended by a 0. Loads of other nodes are calibrated there.
int command_calibrations(struct campaign *campaign)
{
    json_auto_t *seen = json_object();
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = campaign->states.list[i].cell;
        const bool here = *json_text_or_empty(cell, "node") == '\0';
        const char *rest =
            campaign->states.list[i].todo && here ? json_text_at(cell, "spec") : NULL;
        while (rest) {
            const char *start = rest;
            OWNED char *part = must(strndup(start, words_until_joint(start, &rest)));
            if (part[strspn(part, " \t")] != '@')
                print_part(json_object_get(cell, "settings"), part, seen);
        }
    }
    return print_end();
}
