#ifndef BLAME_OPTIONS_H
#define BLAME_OPTIONS_H

/* The options of `jostle blame`. */

#include "harness/blame/victim.h"

#include <stdbool.h>
#include <stdint.h>

struct blame_options {
    uint64_t pid;
    const char *cgroup, *job, *json;
    int64_t duration_ns, interval_ns; /* duration 0: until the program ends */
    double at_most;                   /* --at-most, 0 to 1; NAN: not given */
    bool watch, quiet;
    char **program; /* ended by NULL; NULL: none */
};

/* Ends the program with --help, and with exit 2 for wrong use. Finds the victim, too. */
void options_read(struct blame_options *options, struct victim *victim, int argc, char **argv);

#endif
