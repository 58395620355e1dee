#include "signals.h"

#include <stddef.h>

// These calls fail only for signal numbers that do not exist.
void signals_take(struct signals *signals)
{
    static const int terminating[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&signals->awaited);
    (void)sigaddset(&signals->awaited, SIGCHLD);
    for (size_t i = 0; i < sizeof terminating / sizeof *terminating; i++) {
        struct sigaction action;
        (void)sigaction(terminating[i], NULL, &action);
        if (action.sa_handler != SIG_IGN)
            (void)sigaddset(&signals->awaited, terminating[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &signals->awaited, &signals->mask);
    // Were it ignored, the kernel would reap the target without telling us.
    (void)sigaction(SIGCHLD, &standard, &signals->child);
    // A reader of the record that has gone is a failed write, not our end.
    (void)sigaction(SIGPIPE, &ignore, &signals->pipe);
}

void signals_give_back(const struct signals *signals)
{
    (void)sigaction(SIGCHLD, &signals->child, NULL);
    (void)sigaction(SIGPIPE, &signals->pipe, NULL);
    (void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}
