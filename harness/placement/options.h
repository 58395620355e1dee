#ifndef PLACEMENT_OPTIONS_H
#define PLACEMENT_OPTIONS_H

#include "place.h"

struct options {
    bool placed; /* --place was given */
    enum place place;
    unsigned targets, loads; /* cores of each */
    const char *target_cpus, *load_cpus;
    const char *synthetic, *allowed;
    bool draw;
};

/* False after a message; *done: help or version was printed, nothing is left to do. */
bool options_parse(struct options *options, int argc, char **argv, bool *done);

#endif
