#ifndef COMMON_TRUST_H
#define COMMON_TRUST_H

/* Whose a file is that is found by a name that others can guess. */

#include <stdbool.h>

/* Whether only the user and root can have written what is at path: both own it and the folder that
 * it is in, and nobody else may write to either (in a folder with the sticky bit, as /tmp, to it
 * alone). What does not exist is nobody's: true. */
bool trust_path(const char *path);
/* Says in one line that path, which is `what` ("calibration"), is not used, and why. */
void trust_complain(const char *path, const char *what);

#endif
