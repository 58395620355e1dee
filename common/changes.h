#ifndef COMMON_CHANGES_H
#define COMMON_CHANGES_H

// Whether two sessions measured the same program with the same variables, by the
// `program` and `variables` that their records have.

#include <jansson.h>
#include <stdbool.h>

// 1 and 1.0 are the same number, which json_equal() does not think; no value and null
// are the same.
bool changes_same(const json_t *a, const json_t *b);

// Appends {what, a, b} to `changes` where the two programs are not the same: one of them
// has another content; where that is not known, another size or time of change. False:
// one of them is not recorded.
bool changes_of_program(const json_t *a, const json_t *b, json_t *changes);

// The same for the programs of variants by their names, of two arrays of `variants`; the first
// one's is the experiment's own `program`, and left out. Revisions are left out, too: each
// session builds its own files of them.
void changes_of_variants(const json_t *a, const json_t *b, json_t *changes);

// The same for the files that both sessions know to be read, by the words that name them: the
// first as they were at its end. False: one of them has none recorded.
bool changes_of_inputs(const json_t *a, const json_t *b, json_t *changes);

// The `inputs` of the last session of an experiment.json that has some; NULL.
json_t *changes_last_inputs(const json_t *experiment);

// Whether a file of `inputs` was another one when the session ended.
bool changes_in_session(const json_t *file);

// The same for each variable whose value differs; null: not set.
bool changes_of_variables(const json_t *a, const json_t *b, json_t *changes);

// "the program (A sha256 ..., B sha256 ...), OMP_NUM_THREADS (A 1, B 4)" with names for A
// and B; to be freed. NULL: no changes.
char *changes_text(const json_t *changes, const char *a, const char *b);

#endif
