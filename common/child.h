#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

/* Other programs, run to their end. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The path of a program that is installed where this one is, which need not exist;
 * into a buffer of PATH_MAX. Returns it. */
const char *child_path(const char *program, char path[PATH_MAX]);
/* The first of that name in PATH, as execvp() would find it: relative where PATH is.
 * False: it is not installed. */
bool child_find(const char *program, char path[PATH_MAX]);
/* Runs argv (ended by NULL). It reads from the descriptor `input`; -1: our stdin. Its
 * stdout becomes *output, to be freed; NULL: it stays ours. Returns its exit status,
 * 128 + the signal that ended it, or -1 after a message when it could not be run;
 * *output is then NULL. */
int child_run(const char *const *argv, int input, char **output);

#endif
