#ifndef EXPERIMENT_COMBINATIONS_H
#define EXPERIMENT_COMBINATIONS_H

/* What a block consists of: each variant alone and under each load. */

#include "loads.h"
#include "variants.h"

struct combination {
    const char *name; /* "new@half"; "new" alone; without variants "half" */
    size_t variant;
    const struct condition *condition;
};

/* As many as stats keeps apart. */
#define COMBINATIONS_MOST 64

/* All variants alone, then all of them under the first load, and so on: the first is what
 * the others are compared with. */
struct combinations {
    struct combination *combination;
    size_t count;
};

/* Wrong use (more than stats can keep apart) ends the program. */
void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions);
/* `conditions` of experiment.json. */
json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants);

#endif
