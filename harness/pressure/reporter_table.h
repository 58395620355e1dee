#ifndef PRESSURE_REPORTER_TABLE_H
#define PRESSURE_REPORTER_TABLE_H

/* Which reporters there are, and how an experiment measures them; without their kernels. */

#include "harness/pressure/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reporter { REPORTER_GAP, REPORTER_L2, REPORTER_MEMORY, REPORTER_FAULTS, REPORTERS };

struct reporter_row {
    const char *name, *unit;
    const char *what;      /* it measures, for people */
    bool higher_is_better; /* of the value: a bandwidth */
    enum kind witness;     /* the kind of load that it is the first witness of; KINDS: of none */
    int64_t window_ns;
};

extern const struct reporter_row reporters[REPORTERS];

/* By name; REPORTERS: there is no such reporter. */
enum reporter reporter_find(const char *name);
/* Reads "gap,memory" into wanted, all where list is NULL. False, after a message: one is
 * unknown. */
bool reporters_choose(const char *list, bool wanted[REPORTERS]);
/* The log ratio of a value to a reference, positive where the value is worse. */
double reporter_log_ratio(enum reporter reporter, double value, double reference);

/* The reporter as a metric of an experiment whose target is `probe sample`: a text for --metric,
 * such as gap=stdout:/.../,unit=ns,better=lower. Returns text. */
const char *reporter_metric(enum reporter reporter, char *text, size_t size);

#endif
