#include "exec/guard.h"

#include "load.h"

#include "common/cgroup.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Source: proc_pid_stat(5): fields 48 and 49, arg_start and arg_end. */

enum { STATE = 3, ARG_START = 48 };

/* Gives this process another name, of up to 15 bytes, also as its command line in ps: the memory
 * of argv is written over, so that nothing may point there any more. */
static void title_set(const char *name)
{
    char text[2048];
    prctl(PR_SET_NAME, name);
    char *at =
        file_read(AT_FDCWD, "/proc/self/stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = STATE; at != NULL && field <= ARG_START; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL)
        return;
    const uintptr_t start = strtoull(at, &at, 10), end = strtoull(at, NULL, 10);
    const size_t length = strlen(name);
    if (start == 0 || end <= start + length) /* 0: hidden from us */
        return;
    memset((char *)start, 0, end - start);
    memcpy((char *)start, name, length);
}

/* After fork: becomes the command, or reports errno through the pipe. */
static _Noreturn void become(const struct guard_command *command, pid_t parent, int report_fd)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) /* it died before that was in force */
        _exit(127);
    headroom_volunteer(); /* if memory runs out, the load has to go, and not what it disturbs */
    /* stdin and stdout are the control plane's. What a program prints in each lap would bury
     * what the others say. */
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(command->discard ? null : STDERR_FILENO, STDOUT_FILENO) >= 0 &&
        group_enter(command->group) && cpus_pin_list(command->cpus) == 0)
        execvp(command->words[0], command->words);
    const int error = errno;
    if (write(report_fd, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Starts the command in a process group of its own, and in its control group, with /dev/null as
 * its stdin. It is killed when this process ends. 0, and its *pid; or the errno with which it
 * could not be started. */
static int start_command(const struct guard_command *command, pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = group_fork(command->group);
    if (*pid == 0)
        become(command, parent, report[1]);
    if (*pid < 0)
        error = errno;
    close(report[1]);
    if (*pid > 0 && read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* the pipe was closed by a good exec */
    close(report[0]);
    return error;
}

/* The guard's own side: see guard.h. */

/* The guard's whole life, in a new process with all signals blocked: takes orders (enum
 * guard_order) from fd, and answers with struct guard_event. */
static _Noreturn void guardian(const struct guard_command *command, int fd);

#define GRACE_NS       2000000000 /* from SIGTERM to SIGKILL */
#define SUSPEND_ROUNDS 20
#define KILL_AGAIN_NS  50000000
#define KILL_ROUNDS    200 /* 10 s: what still lives is stuck in the kernel */

/* The lowest descriptors of the guard: none of the control plane's, nor a lock of
 * whoever started us, may stay open in it. Its stderr is that of the command. */
enum { SOCKET_FD = STDERR_FILENO + 1, FOLDER_FD, FIRST_UNUSED_FD };

struct guardian {
    struct guard_command command;
    int children_fd; /* a signalfd of SIGCHLD */
    pid_t pid;       /* the command's; 0: it was never started */
    bool ending;
    int kills;
    int64_t kill_ns; /* when the next is due */
};

/* To descriptors above those first, for they may be among them. */
static bool keep_two(int fd, int folder_fd)
{
    const int null = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD, FIRST_UNUSED_FD);
    const int fd_copy = fcntl(fd, F_DUPFD, FIRST_UNUSED_FD);
    const int folder_copy = folder_fd < 0 ? null : fcntl(folder_fd, F_DUPFD, FIRST_UNUSED_FD);
    const bool kept = null >= 0 && fd_copy >= 0 && folder_copy >= 0 &&
                      dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                      dup3(fd_copy, SOCKET_FD, O_CLOEXEC) >= 0 &&
                      dup3(folder_copy, FOLDER_FD, O_CLOEXEC) >= 0;
    file_close_from(FIRST_UNUSED_FD);
    return kept;
}

/* The words of the command, which are in the memory of our title. */
static char **copy_words(char **words)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if ((copy[i] = strdup(words[i])) == NULL)
            return NULL;
    return copy;
}

static bool settle(struct guardian *guardian, int fd)
{
    struct group *group = guardian->command.group;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    guardian->command.words = copy_words(guardian->command.words);
    if (guardian->command.words == NULL)
        return false;
    title_set("jostle-guard"); /* `pkill -KILL -f loadgen` is a case for it, not its end */
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); /* nobody keeps it from its duty by stopping it */
    arrangement_apart();
    if (!keep_two(fd, group->folder_fd) || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return false;
    if (group->folder_fd >= 0)
        group->folder_fd = FOLDER_FD;
    guardian->children_fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    return guardian->children_fd >= 0;
}

/* Loadgen's end is seen by the next recv(). */
static void tell(struct guard_event event)
{
    (void)send(SOCKET_FD, &event, sizeof event, MSG_NOSIGNAL);
}

static void run(struct guardian *guardian)
{
    struct guard_event event = {.kind = GUARD_STARTED};
    guardian->ending = false;
    event.error = start_command(&guardian->command, &guardian->pid);
    event.pid = guardian->pid;
    tell(event);
}

static void stop(struct guardian *guardian)
{
    int status;
    if (!tree_reap(guardian->pid, &status)) {
        tell((struct guard_event){.kind = GUARD_ENDED});
        return;
    }
    guardian->ending = true;
    guardian->kills = 0;
    guardian->kill_ns = now_ns() + GRACE_NS;
    /* Not to the command's process group: once the command itself has ended, its number may be
     * that of strangers. */
    tree_signal(SIGTERM);
    tree_signal(SIGCONT); /* a stopped one could not obey */
}

/* Again until no more have come: one that is not stopped yet may fork behind our back. */
static void suspend(const struct guardian *guardian)
{
    size_t before = 0, now = guardian->ending ? 0 : tree_signal(SIGSTOP);
    for (int round = 0; now != before && round < SUSPEND_ROUNDS; round++) {
        before = now;
        now = tree_signal(SIGSTOP);
    }
}

/* Again and again, for those that were forked meanwhile. */
static void kill_again(struct guardian *guardian)
{
    const size_t left = tree_signal(SIGKILL);
    guardian->kill_ns = now_ns() + KILL_AGAIN_NS;
    if (++guardian->kills <= KILL_ROUNDS)
        return;
    guardian->ending = false;
    tell((struct guard_event){.kind = GUARD_STUCK, .left = left});
}

static void see_children(struct guardian *guardian)
{
    struct signalfd_siginfo ignored;
    int status = 0;
    while (read(guardian->children_fd, &ignored, sizeof ignored) > 0)
        ;
    const bool left = tree_reap(guardian->pid, &status);
    if (guardian->ending && !left) {
        guardian->ending = false;
        tell((struct guard_event){.kind = GUARD_ENDED});
    } else if (!guardian->ending && (!left || status != 0)) {
        tell((struct guard_event){.kind = GUARD_CHANGED, .status = status, .left = left});
    }
}

/* False when loadgen is gone. */
static bool obey(struct guardian *guardian)
{
    enum guard_order order;
    const ssize_t length = recv(SOCKET_FD, &order, sizeof order, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (length != (ssize_t)sizeof order)
        return false;
    switch (order) {
    case GUARD_RUN:
        run(guardian);
        break;
    case GUARD_STOP:
        stop(guardian);
        break;
    case GUARD_SUSPEND:
        suspend(guardian);
        break;
    case GUARD_CONTINUE:
        (void)tree_signal(SIGCONT);
        break;
    }
    return true;
}

/* How long poll() may wait, in ms: children that end again and again delay no kill. */
static int wait_ms(const struct guardian *guardian)
{
    const int64_t left_ns = guardian->kill_ns - now_ns();
    if (!guardian->ending)
        return -1;
    return left_ns <= 0 ? 0 : (int)((left_ns + 999999) / 1000000);
}

static void serve(struct guardian *guardian)
{
    struct pollfd polled[] = {{.fd = SOCKET_FD, .events = POLLIN},
                              {.fd = guardian->children_fd, .events = POLLIN}};
    for (;;) {
        const int ready = poll(polled, 2, wait_ms(guardian));
        if (guardian->ending && now_ns() >= guardian->kill_ns)
            kill_again(guardian);
        if (ready > 0 && polled[1].revents != 0)
            see_children(guardian);
        if (ready > 0 && polled[0].revents != 0 && !obey(guardian))
            return;
    }
}

static _Noreturn void guardian(const struct guard_command *command, int fd)
{
    struct guardian own = {.command = *command};
    if (!settle(&own, fd))
        _exit(1);
    serve(&own);
    group_kill(command->group);
    (void)tree_kill();
    group_remove(command->group);
    _exit(0);
}

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

/* Somebody may have stopped it. */
void guard_tell(const struct guard *guard, enum guard_order order)
{
    if (guard->fd < 0)
        return;
    (void)send(guard->fd, &order, sizeof order, MSG_NOSIGNAL);
    (void)kill(guard->pid, SIGCONT);
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
