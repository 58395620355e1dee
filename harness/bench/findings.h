/* What is said below a table: each thing once, with the rows that it is about. */
#ifndef BENCH_FINDINGS_H
#define BENCH_FINDINGS_H

#include <jansson.h>

/* Each mark and each kind of problem, as {flag, text, advice, cells}; puts into the row's
 * `numbers` which of them it has, from 1. */
void findings_put(json_t *findings, json_t *row);

/* Of what its peak is made, or why there is none: texts. */
void findings_put_source(json_t *lines, const json_t *row);

/* Why the row, or a peer of it, has no figure, as {text, cells}. */
void findings_put_reasons(json_t *reasons, const json_t *row);

#endif
