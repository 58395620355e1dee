#ifndef EXPERIMENT_LOADS_H
#define EXPERIMENT_LOADS_H

#include "adjust.h"
#include "arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the name of a host as ssh has it: alice@web1. */
#define HOST_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@:-"

/* The conditions of an experiment, and the loads of each, from what --load says. */

/* One load: a loadgen of its own. */
struct load {
    const char *name;   /* "half"; of several: "both.cpu", "both.cpu@node2" */
    const char *node;   /* NULL: this one */
    const char **words; /* loadgen's: "cpu" "--percent" "50" */
    size_t word_count;
    bool listens; /* others connect to it, so it must be there before them */
};

struct condition {
    const char *name;
    const char *spec; /* as it was given; NULL: no load */
    const char *bare; /* without its settings */
    struct adjustment adjustment;
    struct load *load;
    size_t load_count;
};

struct conditions {
    struct condition *condition;
    size_t count;
};

/* A condition without loads. */
void conditions_add(struct conditions *conditions, struct arena *arena, const char *name);
/* What all --load have. */
struct load_context {
    int64_t settle_ns;             /* of an exec: load */
    bool pause;                    /* programs that run already may be paused */
    const struct option_list *own; /* --setting; see adjust.h */
};
/* Adds what "NAME=SPEC", "NAME@NODES=SPEC" or "SPEC" (named by its first word) describes, with
 * settings in brackets in front of SPEC. Wrong use ends the program. */
void conditions_add_load(struct conditions *conditions, struct arena *arena, const char *text,
                         const struct load_context *context);
/* The condition with the same load and no settings; NULL: there is none, or it has none itself. */
const struct condition *conditions_unprotected(const struct conditions *conditions,
                                               const struct condition *condition);
bool conditions_have(const struct conditions *conditions, const char *name);
/* Whether one of them has a load that runs already, pid:N and the like. */
bool conditions_have_neighbour(const struct conditions *conditions);
/* `loads` of experiment.json. */
json_t *conditions_to_json(const struct conditions *conditions);

/* Has a load, by its words (io, --limit, 50%), a limit in percent of what must be
 * calibrated first? No for a program of the user's (exec:, exec ... -- COMMAND),
 * whatever its own words are. */
bool has_percent_limit(const char *const *words, size_t count);

#endif
