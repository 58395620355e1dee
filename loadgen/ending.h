#ifndef LOADGEN_ENDING_H
#define LOADGEN_ENDING_H

/* The signals that end a load. */

#include <stdbool.h>

#define ENDING_SIGNALS 3
extern const int ending_signals[ENDING_SIGNALS]; /* SIGINT, SIGTERM, SIGHUP */

/* Whether the signal does nothing: a harness (CONTROL) that starts a load with a signal
 * ignored ends the load itself, by the end of its stdin. Without one, a load in the
 * background of a script, where a shell ignores SIGINT, can be ended by it all the same. */
bool ending_is_left_out(int number, bool control);

#endif
