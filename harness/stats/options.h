// The command line of estimate.
#ifndef STATS_OPTIONS_H
#define STATS_OPTIONS_H

#include "settings.h"

struct options {
    struct settings settings;
    const char *summary; // file, "-" for stdout, NULL for none
    bool summary_only;   // no answers, only summaries
    bool first_stop;     // records after the first stop are passed over
    const char *compare[2];
    const char *condition;  // of --compare
    bool derive;            // result.json of `folders`
    const char *experiment; // folder of the experiment to be the hub of
    unsigned long pid;      // of jostle, for status.json
    bool quiet;
    char **folders;
    int folder_count;
};

// Reads the command line. Returns false after saying on stderr what is wrong;
// *done is true after --help or --version was answered.
bool options_parse(struct options *options, int argc, char **argv, bool *done);

void options_free(struct options *options);

#endif
