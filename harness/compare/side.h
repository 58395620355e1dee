// One of the two experiments that are compared, judged by its own settings.
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "harness/stats/experiment.h"
#include "harness/stats/session.h"

#include <jansson.h>
#include <stddef.h>

struct side {
    struct experiment experiment;
    struct session session; // its runs, used and left out as in its own result
    json_t *summary;        // what its own table shows
    bool is_second;         // B
};

// Reads what was measured in FOLDER, and then its runs: in between more metrics may be
// added to its settings. Ends the program with wrong use where there is no experiment;
// false after a message on stderr where it cannot be read. To be freed in either case.
bool side_open(struct side *side, const char *folder);
bool side_read(struct side *side, const char *folder);

// Whether it has the condition of that name, which may be a pair, "one of A:one of B".
bool side_has(const struct side *side, const char *name);

// The index of that condition, which it has.
size_t side_condition(const struct side *side, const char *name);

// How far the baseline measured against itself (--aa) may be from 1, else the error of
// the condition's own figure. *from_aa: which of the two.
double side_floor(struct side *side, size_t condition, size_t metric, bool *from_aa);

// A new `a` or `b` of a jostle.comparison/1: the figures of its own table.
json_t *side_to_json(struct side *side, size_t condition, size_t metric);

// What its own table says of its runs that failed, a new reference; null: none did.
json_t *side_failed(const struct side *side);

// Appends the flags of its problems that bias a ratio.
void side_add_biases(const struct side *side, json_t *flags);

void side_free(struct side *side);

#endif
