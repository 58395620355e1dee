#ifndef LOADGEN_ENDING_H
#define LOADGEN_ENDING_H

/* The signals that end a load. */

#include <stdbool.h>

#define ENDING_SIGNALS 4
extern const int ending_signals[ENDING_SIGNALS]; /* SIGINT, SIGTERM, SIGHUP, SIGQUIT */

/* Whether the signal does nothing: whoever starts a program with a signal ignored wants it so
 * (nohup SIGHUP; a shell without job control SIGINT and SIGQUIT of what it starts with &), as
 * with every POSIX utility. SIGTERM ends a load always. */
bool ending_is_left_out(int number);

/* Where nothing better is in force, SIGQUIT ends the program at once, with exit status 131
 * (128 + 3, as a shell would show it) but without its core. */
void ending_without_core(void);

/* First in main(): whoever started us may have blocked these signals, or have ignored SIGCHLD, so
 * that no child could be waited for. And ending_without_core(). */
void ending_begin(void);

#endif
