// The command line of stats.
#ifndef STATS_COMMAND_LINE_H
#define STATS_COMMAND_LINE_H

#include "settings.h"

#include <stdint.h>

struct command_line {
    struct settings settings;
    const char *summary;    // file, "-" for stdout, NULL for none
    bool summary_only;      // no answers, only summaries
    bool first_stop;        // records after the first stop are passed over
    bool derive;            // result.json of the operands
    const char *experiment; // folder of the experiment to be the hub of
    const char *written;    // of its experiment.json, see lock_stamp; NULL: not known
    uint64_t pid;           // of jostle, for status.json
    bool quiet;
    char **operands;
    int operand_count;
};

// Reads the command line. Wrong use ends the program with exit code 2 after one
// line; --help and --version end it with 0.
void command_line_parse(struct command_line *line, int argc, char **argv);

void command_line_free(struct command_line *line);

#endif
