/* The stages of a pack: experiments below DIR/stages, whose variants are numbers of copies. */
#ifndef PACK_STAGES_H
#define PACK_STAGES_H

#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { STAGES_MOST = 16 };

/* The reference of every stage: one copy; of a mix each program alone, in turn. */
#define STAGE_REFERENCE "1"

struct stages {
    struct measured stage[STAGES_MOST];
    size_t count;
};

/* Those that have records, in their order. False after a message: records that cannot be read. To
 * be freed in any case. */
bool stages_read(struct stages *stages, const char *dir);
void stages_free(struct stages *stages);

/* How many copies a condition is of; 0: the reference. */
size_t stage_copies(const struct measured *stage, size_t condition);

/* How long it took. */
double stage_spent_s(const struct measured *stage);

/* Writes DIR/stages/NUMBER/cell.json: these numbers of copies against the reference, for so many
 * seconds, with intervals of that confidence. The folder's path, to be freed; NULL after a
 * message. */
char *stage_write(const json_t *plan, const char *dir, size_t number, const size_t *count,
                  size_t counts, double seconds, double confidence, size_t min_runs);

#endif
