#ifndef PROBE_REFERENCE_OPTIONS_H
#define PROBE_REFERENCE_OPTIONS_H

/* The command line of `jostle probe --reference`, which each step of it reads anew. */

#include "harness/pressure/activity_table.h"
#include "harness/pressure/kinds.h"
#include "harness/pressure/reporter_table.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct reference_choices {
    const char *place, *place_cpus, *output, *directory, *json, *file;
    const char *reporters_text, *kinds_text;
    bool reference, quick, resume, again, force, quiet;
    int64_t max_time_ns;
    uint64_t seed;
    /* Of the harness, not in --help: what to do, and in which folder. */
    const char *look, *derive;
    bool after; /* the look is the one after the experiment */
    /* What follows from them. */
    bool reporters[REPORTERS], kinds[KINDS];
    bool activities[ACTIVITIES];             /* those that this kernel shows; by reference_plan() */
    char folder[PATH_MAX], record[PATH_MAX]; /* the experiment and its quiet.json; the result */
    int64_t sample_ns, look_ns;              /* of a run; of the quiet machine before */
    double budget_s;                         /* of the experiment */
};

/* Ends the program with 2 where it is wrong, with 0 after --help. */
void reference_options(struct reference_choices *choices, int argc, char **argv);

#endif
