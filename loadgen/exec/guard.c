#include "exec/guard.h"

#include "common/tree.h"
#include "exec/guardian.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* No handler of ours may run in the child: it would write into our event loop's pipe. */
static pid_t fork_silently(const struct guard_command *command, const int ends[2])
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        guardian(command, ends[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

int guard_start(struct guard *guard, const struct guard_command *command)
{
    int ends[2];
    *guard = (struct guard){.fd = -1};
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    const pid_t pid = fork_silently(command, ends);
    const int error = errno;
    close(ends[1]);
    if (pid > 0) {
        *guard = (struct guard){.pid = pid, .fd = ends[0]};
        return 0;
    }
    close(ends[0]);
    errno = error;
    return -1;
}

/* That it is gone is found out by the answer. Somebody may have stopped it. */
static void say(const struct guard *guard, enum guard_order order)
{
    if (guard->fd < 0)
        return;
    (void)send(guard->fd, &order, sizeof order, MSG_NOSIGNAL);
    (void)kill(guard->pid, SIGCONT);
}

void guard_run(const struct guard *guard)
{
    say(guard, GUARD_RUN);
}

void guard_stop(const struct guard *guard)
{
    say(guard, GUARD_STOP);
}

void guard_suspend(const struct guard *guard, bool stopped)
{
    say(guard, stopped ? GUARD_SUSPEND : GUARD_CONTINUE);
}

static void close_socket(struct guard *guard)
{
    if (guard->fd >= 0)
        close(guard->fd);
    guard->fd = -1;
}

/* It was killed: its descendants are ours now. */
static size_t end_orphans(struct guard *guard)
{
    close_socket(guard);
    kill(guard->pid, SIGKILL); /* a socket that broke otherwise: there is no such case */
    guard->pid = 0;
    return tree_kill();
}

struct guard_event guard_next(struct guard *guard)
{
    struct guard_event event;
    ssize_t length = -1;
    while (guard->fd >= 0 && (length = recv(guard->fd, &event, sizeof event, 0)) < 0 &&
           errno == EINTR)
        ;
    if (length == (ssize_t)sizeof event)
        return event;
    event = (struct guard_event){.kind = GUARD_LOST};
    if (guard->pid > 0)
        event.left = end_orphans(guard);
    return event;
}

void guard_close(struct guard *guard)
{
    close_socket(guard);
    if (guard->pid > 0)
        (void)kill(guard->pid, SIGCONT); /* or we would wait for one that somebody stopped */
    while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}
