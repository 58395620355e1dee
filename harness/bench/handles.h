/* What the files of part.h share: what its handles are. */
#ifndef BENCH_HANDLES_H
#define BENCH_HANDLES_H

#include "part.h"

#include <jansson.h>
#include <stdarg.h>

/* Kept as JSON from the first word on: the plan is these objects. */
struct cell {
    json_t *json;
    struct matrix *matrix;
};

struct peer {
    json_t *json;
};

struct chart {
    json_t *json;
};

struct matrix {
    const struct choice *choice;
    const char *workloads;
    json_t *parts, *part; /* part: the one that is being made, one of parts */
    json_t *names;        /* of cells: who made it */
    void **handle;        /* of cells, peers and charts */
    size_t handle_count, allocated;
};

/* A handle of that size, zeroed, which is freed with the matrix. */
void *matrix_handle(struct matrix *matrix, size_t size);

/* A text as printf makes it. A new reference. */
json_t *matrix_format(const char *format, va_list list);

/* The text that a function with `format, ...` was given, into `made`. */
#define FORMATTED(made, format)                                                                    \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    json_t *made = matrix_format(format, list);                                                    \
    va_end(list)

#endif
