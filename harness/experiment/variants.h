#ifndef EXPERIMENT_VARIANTS_H
#define EXPERIMENT_VARIANTS_H

/* The programs that are measured: one, or several variants against each other. */

#include "arena.h"

#include "common/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct variant {
    const char *name; /* NULL: the only one, which has none */
    const char **words;
    size_t word_count;
    const char *text; /* the words, quoted as a shell has them */
};

/* The first is the reference. */
struct variants {
    struct variant *variant;
    size_t count;
    bool named; /* false: one target, without --variant */
};

/* One target without a name. */
void variants_set_target(struct variants *variants, struct arena *arena, const char **words,
                         size_t count);
/* Adds what each "NAME=COMMAND" or "COMMAND" says; the words of a command are split as a
 * shell splits them, and nothing is expanded. Wrong use ends the program. */
void variants_add(struct variants *variants, struct arena *arena, const struct option_list *texts);
/* `variants` of experiment.json; null without names. */
json_t *variants_to_json(const struct variants *variants);

#endif
