#ifndef LOADGEN_SIGNALS_H
#define LOADGEN_SIGNALS_H

/* The signals that end a load. */

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

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

/* While workers fill their memory in begin(), which takes long, the control plane
 * waits for them and hears no signal: until all are done, a signal ends the process
 * as it would any other. Nothing is left behind by that. */

struct prefault {
    _Atomic unsigned left;                   /* workers that have not filled yet */
    struct sigaction before[ENDING_SIGNALS]; /* what was in force */
};

/* Main thread, before they begin. */
void prefault_begin(struct prefault *prefault, unsigned workers);
/* Each worker, at the end of its begin(); the last one puts all back. */
void prefault_done(struct prefault *prefault);

/* Ctrl-Z (SIGTSTP) and `fg` (SIGCONT). A load with workers needs nothing of this: the kernel stops
 * and continues its threads. One that is another process, out of the terminal's reach, is stopped
 * before loadgen itself stops, and continued with it. SIGSTOP cannot be noticed. */

struct run;

/* From now on until the loop is closed. Does nothing for a load that cannot suspend, and where
 * whoever started us ignores SIGTSTP, as a shell without job control does. */
void suspend_watch(uv_signal_t *handle, uv_loop_t *loop, struct run *run);

#endif
