// The signals that end a load, and what they do while it begins.

#include "frame.h"

const int ending_signals[ENDING_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool ending_is_left_out(int number)
{
    struct sigaction action;
    return number != SIGTERM && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

void ending_without_core(void)
{
    const struct sigaction action = {.sa_handler = end_at_once};
    if (!ending_is_left_out(SIGQUIT))
        sigaction(SIGQUIT, &action, NULL);
}

void ending_begin(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&heard, ending_signals[i]);
    sigprocmask(SIG_UNBLOCK, &heard, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    sigaction(SIGTERM, &usual, NULL);
    ending_without_core();
}

void prefault_begin(struct prefault *prefault, unsigned workers)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    atomic_store(&prefault->left, workers);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &prefault->before[i]);
        // What the control plane has left ignored stays so.
        if (prefault->before[i].sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &usual, NULL);
    }
    ending_without_core();
}

void prefault_done(struct prefault *prefault)
{
    if (atomic_fetch_sub(&prefault->left, 1) != 1)
        return;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &prefault->before[i], NULL);
}
