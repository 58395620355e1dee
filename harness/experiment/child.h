#ifndef EXPERIMENT_CHILD_H
#define EXPERIMENT_CHILD_H

/* Other programs of jostle, run to their end. */

#include "arena.h"

/* The path of a program that is installed where this one is; it need not exist. */
const char *child_path(struct arena *arena, const char *program);
/* Runs argv (ended by NULL). Its stdout becomes *output, in the arena; NULL: it
 * stays ours. Returns its exit status, 128 + the signal that ended it, or -1 after
 * a message when it could not be started. */
int child_run(struct arena *arena, const char *const *argv, char **output);

#endif
