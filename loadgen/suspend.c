// Ctrl-Z (SIGTSTP) and `fg` (SIGCONT), for a load that is another process.

#include "frame.h"

static void on_stop(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    (void)number;
    run->load->process->suspend(run, true);
    // Stops as if nobody had caught the signal: the kernel leaves out a process group that has no
    // shell to continue it. Returns when somebody has continued us.
    uv_signal_stop(handle);
    raise(SIGTSTP);
    uv_signal_start(handle, on_stop, SIGTSTP);
    run->load->process->suspend(run, false);
}

void suspend_watch(uv_signal_t *handle, struct run *run)
{
    const struct load_process *process = run->load->process;
    struct sigaction action;
    uv_signal_init(run->loop, handle);
    handle->data = run;
    if (process && process->suspend && sigaction(SIGTSTP, NULL, &action) == 0 &&
        action.sa_handler != SIG_IGN)
        uv_signal_start(handle, on_stop, SIGTSTP);
}
