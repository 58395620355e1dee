#ifndef EXPERIMENT_ADJUST_H
#define EXPERIMENT_ADJUST_H

/* Settings of the kernel as a part of a condition: on its loads, on the target, or on both. They
 * are written in brackets before a load, NAME='[cpu.weight=10 target:nice=-5] cpu --threads 2'. */

#include "arena.h"
#include "common/options.h"
#include "common/setting.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Settings as they were written: common/setting.h has their names. */
struct setting_texts {
    const char *text[SETTINGS_MOST];
    size_t count;
};

/* What a condition sets. */
struct adjustment {
    struct setting_texts load, target;
    const char *on, *off; /* commands of --setting, a line each; NULL: none */
};

/* Takes "[SETTING...]" off a spec. `own`: those of --setting, NAME=on: COMMAND; off: COMMAND.
 * Returns what follows; without brackets that is the spec. Wrong use ends the program. */
const char *adjustment_read(struct adjustment *adjustment, struct arena *arena, const char *name,
                            const char *spec, const struct option_list *own);

/* Whether this machine lets us set all of them: they are tried. False with a reason. */
bool adjustment_is_possible(const struct adjustment *adjustment, char *error, size_t size);
/* Ends the program with exit 2 where this machine does not let us set one of them. */
void adjustment_try(const struct adjustment *adjustment, const char *name);

bool adjustment_is_none(const struct adjustment *adjustment);

/* Whether the target leaves the control group in which its own time is counted. */
bool adjustment_moves_target(const struct adjustment *adjustment);

/* A row's check of --setting. */
bool adjustment_check_own(const char *text, char *error, size_t size);

/* {"load": [text, ...], "target": [...], "on": ..., "off": ...}, a new reference. */
json_t *adjustment_to_json(const struct adjustment *adjustment);

#endif
