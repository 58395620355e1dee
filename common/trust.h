// Whose a file is that is found by a name that others can guess.
#ifndef COMMON_TRUST_H
#define COMMON_TRUST_H

#include <stdbool.h>

// Whether only the user and root can have written what is at path: one of them owns it and the
// folder that it is in, and nobody else may write to either (in a folder with the sticky bit, as
// /tmp, to it alone). A group counts as the user where it is the primary one and has the user's
// number, and for the file where the folder lets no group in. What does not exist is nobody's:
// true.
bool trust_path(const char *path);

#endif
