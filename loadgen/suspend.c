#include "suspend.h"

#include "load.h"

#include <signal.h>

/* Stops as if nobody had caught the signal: the kernel leaves out a process group that has no
 * shell to continue it. Returns when somebody has continued us. */
static void stop_here(uv_signal_t *handle, uv_signal_cb again)
{
    uv_signal_stop(handle);
    raise(SIGTSTP);
    uv_signal_start(handle, again, SIGTSTP);
}

static void on_stop(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    (void)number;
    run->load->process->suspend(run, true);
    stop_here(handle, on_stop);
    run->load->process->suspend(run, false);
}

void suspend_watch(uv_signal_t *handle, uv_loop_t *loop, struct run *run)
{
    struct sigaction action;
    uv_signal_init(loop, handle);
    handle->data = run;
    if (run->load->process != NULL && run->load->process->suspend != NULL &&
        sigaction(SIGTSTP, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        uv_signal_start(handle, on_stop, SIGTSTP);
}
