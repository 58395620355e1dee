// The hub of one experiment: commands on stdin, raw lines of meter and the loads
// from FIFOs, records to the folder, answers on stdout.
#ifndef STATS_SERVE_H
#define STATS_SERVE_H

#include "command_line.h"

#include <stdio.h>

// Serves the experiment in the folder command->experiment until stdin ends.
// Returns the program's exit code.
int serve_run(const struct command_line *command, FILE *output);

#endif
