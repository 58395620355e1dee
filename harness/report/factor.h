#ifndef REPORT_FACTOR_H
#define REPORT_FACTOR_H

/* The machine's factor (harness/stats/machine_factor.h) in reports: what it explains within an
 * experiment, and in what the machines of several nodes or sessions differ. Nothing is corrected.
 */

#include "view.h"

#include "common/json.h"

#include <stddef.h>

enum { FACTORS_MOST = 16 };

/* The mean of each reporter over one experiment, as a logarithm that is larger where the machine
 * is worse. */
struct factor_levels {
    size_t count; /* 0: there was no probe */
    struct factor_mean {
        char name[24];
        double mean, error, df;
    } item[FACTORS_MOST];
};

/* From `machine_factor` of a result. */
void factor_read(struct factor_levels *levels, const struct value *machine_factor);
/* Adds another experiment of the same node, which is the parts-th, to the mean. */
void factor_add(struct factor_levels *to, const struct factor_levels *more, size_t parts);

/* Several nodes or sessions: their levels, and the logarithm of what the target took on each. */
struct factor_groups {
    const struct factor_levels **levels;
    const double *figure;
    size_t count;
    const char *what; /* "nodes" */
};

/* In what they differ and how much of the figures that explains, to be freed; NULL: none has a
 * probe. */
char *factor_between(const struct factor_groups *groups);
/* The same as member "machine" of an object: null where some have none, nothing where all. */
void factor_put_between(struct line *json, const struct factor_groups *groups);

/* "machine: ...", what it explains of the baseline within one experiment, to be freed; NULL:
 * nothing that can be told from 0. */
char *factor_text(const struct value *machine_factor);

/* What is said of an experiment, which may be one of several sessions (sessions_result.h), by its
 * result: one of the two texts, to be freed; NULL: nothing. */
char *factor_line(const struct value *result);

#endif
