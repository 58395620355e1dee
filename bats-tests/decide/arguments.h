// The command line of decide: an experiment by options.
#ifndef DECIDE_ARGUMENTS_H
#define DECIDE_ARGUMENTS_H

#include "harness/record/settings.h"

struct arguments {
    struct settings settings;
    struct metric made[MAX_METRICS + 1]; // what the definitions of --metric are
    const char *summary;                 // file, "-" for stdout, NULL for none
    bool summary_only;                   // no answers, only summaries
    bool first_stop;                     // records after the first stop are passed over
};

// Reads the command line. Wrong use ends the program with exit code 2 after one
// line; --help and --version end it with 0.
void decide_arguments_parse(struct arguments *line, int argc, char **argv);

void arguments_free(struct arguments *line);

#endif
