// Other programs, found and run to their end.
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The path of a program that is installed where this one is, which need not exist;
// into a buffer of PATH_MAX. Returns it.
const char *child_path(const char *program, char path[PATH_MAX]);
// The first of that name in PATH, as execvp() would find it: relative where PATH is.
// False: it is not installed.
bool child_find(const char *program, char path[PATH_MAX]);
// Whether that path is a file that may be executed.
bool child_is_program(const char *path);
// Why execvp() of that word failed, of its errno, into text; returns it: "not found", "not
// executable", what of a program that is there is missing (its interpreter, its loader), or as
// strerror().
const char *child_why(const char *word, int error, char *text, size_t size);
// Runs argv (ended by NULL). It reads from the descriptor `input`; -1: our stdin. Its
// stdout becomes *output, to be freed; NULL: it stays ours. Returns its exit status,
// 128 + the signal that ended it, or -1 after a message when it could not be run;
// *output is then NULL.
int child_run(const char *const *argv, int input, char **output);

#endif
