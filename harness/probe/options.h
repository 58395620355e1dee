#ifndef PROBE_OPTIONS_H
#define PROBE_OPTIONS_H

/* The options of `jostle probe`, also with --watch. */

#include <stdbool.h>
#include <stdint.h>

struct probe_options {
    int64_t duration_ns, interval_ns;
    double confidence;
    bool limited;   /* --at-most was given: */
    double at_most; /* a level as a fraction; with --for a slowdown */
    const char *at_most_text;
    const char *sensitivity; /* --for */
    const char *json, *table;
    const char *reference, *directory, *reporters, *target_cpus;
    int place; /* index into probe_places */
    bool watch, quiet;
    bool make; /* a reference: in --help, and answered by another subcommand */
    uint64_t seed;
    const char *sample, *facts; /* readings made elsewhere: nothing is measured */
};

/* As --place of the other commands has them, ended by NULL. */
extern const char *const probe_places[];

/* Ends the program with --help, and with exit 2 for wrong use. */
void probe_options_parse(struct probe_options *options, int argc, char **argv);

#endif
