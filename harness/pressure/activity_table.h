#ifndef PRESSURE_ACTIVITY_TABLE_H
#define PRESSURE_ACTIVITY_TABLE_H

/* What others do on this machine, as the kernel counts it without root: signs of a second sort
 * beside the reporters. A reporter shows what a program would feel, whoever causes it, and its
 * figures have spells; an activity shows who does what in this machine, nearly without noise, and
 * nothing of what other guests of its host do. */

#include "harness/pressure/reporter_table.h"

#include <stdbool.h>
#include <stddef.h>

enum activity {
    ACTIVITY_CPU,     /* CPU time, in CPUs */
    ACTIVITY_FAULTS,  /* page faults, per second */
    ACTIVITY_DISK,    /* bytes to and from the probe's disk, per second */
    ACTIVITY_PACKETS, /* of loopback and all links of this network namespace, per second */
    ACTIVITIES
};

/* Reporters and activities are one list where levels are searched: the reporters come first. */
enum { SIGNS = REPORTERS + ACTIVITIES };

struct activity_row {
    const char *name, *unit;
    const char *what; /* it counts, for people */
    double least;     /* in the unit: a sample states no less, as a metric needs more than 0 */
    bool machine;     /* it counts all CPUs alike, so that it says nothing about a place on some of
                         them */
};

extern const struct activity_row activities[ACTIVITIES];

/* Whether it says something about loads at a place ("machine", "core", ...). */
bool activity_holds(enum activity activity, const char *place);

/* The activity as a metric of an experiment whose target is `probe sample`: a text for --metric.
 * Returns text. */
const char *activity_metric(enum activity activity, char *text, size_t size);

#endif
