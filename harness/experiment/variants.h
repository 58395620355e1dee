#ifndef EXPERIMENT_VARIANTS_H
#define EXPERIMENT_VARIANTS_H

#include "arena.h"
#include "loads.h"
#include "parameters.h"
#include "revisions.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The programs that are measured: one, or several variants against each other. They come
 * from TARGET or each --variant, times every combination of parameters. */

struct variant {
    const char *name;   /* NULL: the only one, which has none */
    const char *given;  /* its name without the values of parameters */
    const char **words; /* assignments for its environment, then the command */
    size_t word_count;
    const char *text;                /* the words, quoted as a shell has them */
    const char *shell;               /* "sh", which is the first word then; NULL: none */
    const struct revision *revision; /* NULL: none */
    const char *folder;              /* where it runs; NULL: here */
    size_t combination;
    const char *setup, *prepare, *conclude, *cleanup; /* NULL: none */
};

/* The first is the reference. */
struct variants {
    struct variant *variant;
    size_t count;
    bool named; /* false: one target, without a name */
    struct parameters parameters;
};

/* The program of a variant: its first word that is no assignment. */
const char *variant_program(const struct variant *variant);
/* Refuses where the program is not in the folder of a revision. */
void variants_check_built(const struct variants *variants, struct arena *arena);
/* Its file (see program.h); that of a revision by its path in there. */
json_t *variant_program_to_json(const struct variant *variant, struct arena *arena);
/* `variants` of experiment.json; null without names. */
json_t *variants_to_json(const struct variants *variants, struct arena *arena);

/* What a block consists of: each variant alone and under each load. */

struct combination {
    const char *name; /* "new@half"; "new" alone; without variants "half" */
    size_t variant;
    const struct condition *condition;
    size_t command; /* of meter: that of the variant, or one with settings of its own */
};

/* As many as stats keeps apart. */
#define COMBINATIONS_MOST 64

/* All variants alone, then all of them under the first load, and so on: the first is what
 * the others are compared with. */
struct combinations {
    struct combination *combination;
    size_t count;
    size_t commands; /* the first are those of the variants, in their order */
};

/* Wrong use (more than stats can keep apart) ends the program. */
void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions);
/* `conditions` of experiment.json. */
json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants);

#endif
