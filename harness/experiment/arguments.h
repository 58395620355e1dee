#ifndef EXPERIMENT_ARGUMENTS_H
#define EXPERIMENT_ARGUMENTS_H

/* The command lines of jostle run, slowdown and capacity. */

#include "experiment.h"

/* What sets the two apart. */
struct command {
    const char *word, *name, *intro, *details;
    bool slowdown; /* a baseline, and any number of loads */
    bool protect;  /* and the loads once more, with settings that protect the target */
    bool capacity; /* and no load, too: a search instead of slowdowns */
};

/* NULL: no such command. */
const struct command *command_find(const char *word);
/* For --list-options: a line for each. */
bool commands_list(void);
/* Fills session, settings (presets first), given and target. Answers --help; wrong
 * use ends the program. */
void arguments_parse(struct experiment *experiment, const struct command *command, int argc,
                     char **argv);

#endif
