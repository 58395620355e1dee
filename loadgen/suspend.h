#ifndef LOADGEN_SUSPEND_H
#define LOADGEN_SUSPEND_H

/* Ctrl-Z (SIGTSTP) and `fg` (SIGCONT). A load with workers needs nothing of this: the kernel stops
 * and continues its threads. One that is another process, out of the terminal's reach, is stopped
 * before loadgen itself stops, and continued with it. SIGSTOP cannot be noticed. */

#include <uv.h>

struct run;

/* From now on until the loop is closed. Does nothing for a load that cannot suspend, and where
 * whoever started us ignores SIGTSTP, as a shell without job control does. */
void suspend_watch(uv_signal_t *handle, uv_loop_t *loop, struct run *run);

#endif
