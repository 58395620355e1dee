#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

// What studies share, which put one answer together from several experiments (bench, pack,
// profile): the runs of one of them, and their figures.

#include "harness/stats/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct measured {
    char *folder;   // of its records; taken over
    json_t *status; // jostle.status/1; NULL: none
    bool has_runs;  // what follows was read
    struct experiment experiment;
    struct session session;
    json_t *summary; // of stats, with its warnings
};

// Reads the runs of an experiment of which the folder is set, where it has some. False after a
// message: records that cannot be read. To be freed in any case.
bool measured_read(struct measured *measured);
void measured_free(struct measured *measured);
// Whether it has a result.
bool measured_is_done(const struct measured *measured);

// The index of a figure; MAX_METRICS: it was not measured.
size_t measured_metric(const struct measured *measured, const char *name);
// How many values there are; condition -1: none.
size_t measured_count(const struct measured *measured, int condition, size_t metric);
// Without bounds from fewer than two runs.
struct interval measured_figure(struct measured *measured, int condition, size_t metric);
// Of the run of a condition in a block, from 0 on; NAN: there is none that counts.
double measured_value(const struct measured *measured, size_t block, size_t condition,
                      size_t metric);

// {NAME: center, ci} of an interval, a new reference.
json_t *figure_json(const char *name, struct interval interval);
struct interval interval_scaled(struct interval interval, double factor);

// A member of a record for people: "18.4 ± 0.5 GB/s", "18.4 [17.0, 21.2] GB/s", "18.4 GB/s" where
// no interval is known; "93.2 %" of a unit "fraction".
json_t *study_figure_text(const json_t *object, const char *unit);
// "1.021 [1.010, 1.032]" of the ratio that the member NAME is, "1.021 ± ?", "-"; to be freed.
char *study_ratio_text(const json_t *object, const char *name);

#endif
