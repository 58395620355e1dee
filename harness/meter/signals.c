// Blocks and takes the signals that meter waits for, and gives the target those that the caller
// has set.
#include "signals.h"

#include "common/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

// The calls on signals fail only for numbers that do not exist.
bool signals_take(struct signals *signals)
{
    static const int terminating[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    static const int terminal[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t stopping;
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&signals->awaited);
    (void)sigaddset(&signals->awaited, SIGCHLD);
    (void)sigaddset(&signals->awaited, SIGCONT);
    (void)sigaddset(&signals->awaited, SIGNAL_END_RUN);
    for (size_t i = 0; i < sizeof terminating / sizeof *terminating; i++) {
        struct sigaction action;
        (void)sigaction(terminating[i], NULL, &action);
        if (action.sa_handler != SIG_IGN)
            (void)sigaddset(&signals->awaited, terminating[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &signals->awaited, &signals->mask);
    (void)sigemptyset(&stopping);
    for (size_t i = 0; i < sizeof terminal / sizeof *terminal; i++)
        (void)sigaddset(&stopping, terminal[i]);
    (void)sigprocmask(SIG_BLOCK, &stopping, NULL);
    // Were it ignored, the kernel would reap the target without telling us.
    (void)sigaction(SIGCHLD, &standard, &signals->child);
    // A reader of the record that has gone is a failed write, not our end.
    (void)sigaction(SIGPIPE, &ignore, &signals->pipe);
    signals->fd = signalfd(-1, &signals->awaited, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals->fd >= 0 || complain("no signalfd: %s", strerror(errno));
}

int signals_next(const struct signals *signals, pid_t *child)
{
    struct signalfd_siginfo info;
    if (read(signals->fd, &info, sizeof info) != (ssize_t)sizeof info)
        return 0;
    if (child && info.ssi_signo == SIGCHLD)
        *child = (pid_t)info.ssi_pid;
    return (int)info.ssi_signo;
}

void signals_give_back(const struct signals *signals)
{
    (void)sigaction(SIGCHLD, &signals->child, NULL);
    (void)sigaction(SIGPIPE, &signals->pipe, NULL);
    (void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}
