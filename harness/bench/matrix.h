/* The cells that the parts ask for, as they are written to bench-plan.json (jostle.bench-plan/1).
 */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include "part.h"

#include <jansson.h>

struct part {
    const char *name, *title;
    void (*make)(struct matrix *matrix, const struct choice *choice);
};

/* In the order of the tables; a nameless row ends it. */
extern const struct part parts[];

struct matrix;

/* Room for the cells; `workloads` is the folder of jostle's. To be freed. */
struct matrix *matrix_new(const struct choice *choice, const char *workloads);
void matrix_free(struct matrix *matrix);

/* Adds the cells of a part. A part that makes two cells of one name, a cell without a
 * command or the like ends the program: that is a mistake of the part. */
void matrix_make(struct matrix *matrix, const struct part *part);

/* [{part, title, cells, charts}], as bench-plan.json has them. Belongs to the matrix. */
const json_t *matrix_parts(const struct matrix *matrix);

#endif
