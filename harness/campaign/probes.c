// Targets of whose time nothing is known: what the shell is to run once, and what that said.

#include "campaign.h"

#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Prints for each target, with its parameters, of whose time nothing is known: step LABEL, number,
// setup, prepare, conclude, cleanup, timeout, input (each may be ""), word..., end. Clients are
// left out: their service would have to be there.
int command_probes(struct campaign *campaign)
{
    static const char *const names[] = {"setup",   "prepare", "conclude",
                                        "cleanup", "timeout", "input"};
    bool failed = false;
    json_auto_t *plan = remaining_of(campaign, &failed), *seen = json_object();
    const json_t *cells = json_object_get(plan, "cells");
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = json_array_get(cells, i);
        const json_t *settings = json_object_get(campaign->states.list[i].cell, "settings");
        const char *label = json_text_at(cell, "label");
        if (!campaign->states.list[i].todo || json_is_object(json_object_get(cell, "estimate_s")) ||
            json_object_get(seen, label) || json_text_at(settings, "service"))
            continue;
        json_object_set_new(seen, label, json_true());
        OWNED char *number = text_of("%.0f", number_of(cell, "number", 0));
        pair_put("step", label);
        pair_put("number", number);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            pair_put(names[k], json_text_or_empty(settings, names[k]));
        // Of a shell's command line, with the shell in front.
        const char *shell = json_text_at(settings, "shell");
        if (shell && strcmp(shell, "none") != 0) {
            pair_put("word", strcmp(shell, "default") == 0 ? "sh" : shell);
            pair_put("word", "-c");
        }
        put_step_words(json_object_get(cell, "command"));
    }
    return print_end();
}
