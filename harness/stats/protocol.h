// The dialogue on standard input and output: records in, decisions out.
#ifndef STATS_PROTOCOL_H
#define STATS_PROTOCOL_H

#include "command_line.h"

#include <stdio.h>

// Runs the dialogue until `input` ends or a line says stop. Returns the
// program's exit code: 0, or 1 after saying on stderr what failed.
int protocol_run(const struct command_line *command, FILE *input, FILE *output);

#endif
