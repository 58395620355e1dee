#ifndef PACK_ROWS_H
#define PACK_ROWS_H

#include "stages.h"

#include "harness/stats/interval.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What was measured of each number of copies, over all stages. */

enum row_verdict { ROW_UNDECIDED, ROW_BELOW, ROW_ABOVE };
extern const char *const row_verdict_names[];

/* Figures of a run that only a ratio is made of. */
enum row_figure {
    FIGURE_THROUGHPUT, /* copies / makespan */
    FIGURE_POWER,      /* throughput / mean time of a copy */
};

struct row {
    size_t copies;            /* 1: the reference */
    size_t stage;             /* index into the stages */
    size_t condition;         /* of the stage's session */
    size_t runs;              /* blocks that count */
    struct interval slowdown; /* of the mean time of a copy; of a mix that of the program which
                                 suffers most, and the widest of the bounds */
    enum row_verdict verdict;
    struct interval speedup; /* throughput by that of the reference */
    struct interval power;   /* by that of the reference */
    bool in_knee;            /* the power of no other number is surely higher */
};

struct rows {
    struct row *row; /* ascending; the first is the reference, of the first stage */
    size_t count;
};

/* at_most: the limit of the slowdown; confidence: of the search for the knee. */
void pack_rows_make(struct rows *rows, struct stages *stages, double at_most, double confidence);
void rows_free(struct rows *rows);

/* A figure of a row itself, by its name; without bounds from fewer than two runs. */
struct interval row_value(const struct row *row, struct stages *stages, const char *name);
/* How many times the reference's it is, of the same stage; above 1: more. */
struct interval row_ratio(const struct row *row, struct stages *stages, const char *name);

/* What there is to know of a pack beside its figures: why it ended where it did, and what the
 * statistics warn of. */

/* [{flag, severity, text, advice}], problems first; each once. `smooth`: as of search.h. */
json_t *findings_json(const json_t *plan, const struct stages *stages, const struct rows *rows,
                      bool smooth);

/* The record of a pack as people read it. */

/* Adds `texts` to each row, by the keys of `columns` ([{key, title, left, rank}], of which a narrow
 * terminal leaves out those of the highest rank first), and `lines`: the answers, each a
 * sentence. */
void pack_texts_add(json_t *pack);

#endif
