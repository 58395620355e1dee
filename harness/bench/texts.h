/* The figures of a bench as people read them: each number with its unit and error. */
#ifndef BENCH_TEXTS_H
#define BENCH_TEXTS_H

#include <jansson.h>

/* Adds `counts` to the bench, {rows, done, skipped, failed}, and `texts` to each part: `columns`,
 * [{key, title, left, rank}], and to each row `texts` by those keys, and `numbers`: which of the
 * part's `findings` it has; `findings`:
 * [{flag, text, advice, cells}], each mark and kind of problem once; `reasons`: [{text, cells}],
 * why there is no figure; `lines`: texts; `best`: the row that is its answer (best.h). */
void bench_texts_add(json_t *bench);

/* The index of the row with the highest figure of which more is better, of those that nothing is
 * to be said against, and that are not of a cache; null: there is none. A new reference. */
json_t *best_row(const json_t *part);

#endif
