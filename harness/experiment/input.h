#ifndef EXPERIMENT_INPUT_H
#define EXPERIMENT_INPUT_H

/* What the target reads on its stdin: the file of --input, opened anew for each run; else
 * /dev/null. Never jostle's own stdin: the first run would drain it, and all others would
 * measure a target without input. */

#include "arena.h"
#include "settings.h"

#include <stdbool.h>

/* The absolute path of --input; NULL: not given. Wrong use ends the program: a file that
 * cannot be opened again for each run, or is missing though no --prepare could make it. */
const char *input_find(const struct settings *settings, struct arena *arena);

/* Whether our stdin is one that may be meant for the target: a file or a device with
 * something left to read, a pipe or socket with data in it. A terminal, /dev/null, and a
 * pipe that is empty are what callers leave there who mean nothing by it (ssh, a CI, a
 * container, a batch system). */
bool input_on_stdin(void);

/* Refuses such a stdin. */
void input_check_stdin(void);

#endif
