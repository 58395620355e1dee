// The process that starts the command, and ends all that it has started, whatever becomes of the
// load itself:
//
//     loadgen ══ socket ══ guard ── command ── its descendants
//
// Only what can be neither ignored nor blocked ends the guard (see guard_begin() of load.h). It is
// a subreaper: whatever the command starts stays below it, daemons included. When loadgen is gone,
// be it by SIGKILL or for lack of memory, the socket ends, and the guard kills everything below it,
// and removes the control group. When the guard itself is killed, the kernel kills the command
// (PR_SET_PDEATHSIG) and hands its descendants to loadgen, which is a subreaper, too, and kills
// them. Only where both are killed at one blow, and there is no control group that the machine
// kills with them, can a descendant of the command survive.

#include "exec/exec.h"

#include "common/cgroup.h"
#include "common/file.h"
#include "common/processes.h"
#include "common/tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

// After fork: becomes the command, or reports errno through the pipe.
static _Noreturn void become(const struct run *run, char **words, pid_t parent, int report_fd)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) // it died before that was in force
        _exit(127);
    headroom_volunteer(); // if memory runs out, the load has to go, and not what it disturbs
    // stdin and stdout are the control plane's. What a program prints in each lap would bury
    // what the others say; else it goes to our stderr.
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out =
        settings_of(run)->loop ? open(file_sink(), O_WRONLY | O_CLOEXEC) : STDERR_FILENO;
    if (null >= 0 && out >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        group_enter(&exec_state_of(run)->group) && cpus_pin_list(&run->cpus) == 0)
        execvp(words[0], words);
    const int error = errno;
    if (write(report_fd, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

// Starts the command in a process group of its own, and in its control group, with /dev/null as
// its stdin. It is killed when this process ends. 0, and its *pid; or the errno with which it
// could not be started.
static int start_command(const struct run *run, char **words, pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = group_fork(&exec_state_of(run)->group);
    if (*pid == 0)
        become(run, words, parent, report[1]);
    if (*pid < 0)
        error = errno;
    close(report[1]);
    if (*pid > 0 && read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; // the pipe was closed by a good exec
    close(report[0]);
    return error;
}

#define GRACE_NS       2000000000 // from SIGTERM to SIGKILL
#define SUSPEND_ROUNDS 20
#define KILL_AGAIN_NS  50000000
#define KILL_ROUNDS    200 // 10 s: what still lives is stuck in the kernel

// The lowest descriptors of the guard: none of the control plane's, nor a lock of
// whoever started us, may stay open in it. Its stderr is that of the command.
enum { SOCKET_FD = STDERR_FILENO + 1, FOLDER_FD, FIRST_UNUSED_FD };

struct guardian {
    const struct run *run;
    char **words;    // of the command
    int children_fd; // a signalfd of SIGCHLD
    pid_t pid;       // the command's; 0: it was never started
    bool ending;
    int kills;
    int64_t kill_ns; // when the next is due
};

// To descriptors above those first, for they may be among them.
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

// The words of the command, which are in the memory of our title.
static char **copy_words(char **words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if ((copy[i] = strdup(words[i])) == NULL)
            return NULL;
    return copy;
}

static bool settle(struct guardian *guardian, int fd)
{
    struct group *group = &exec_state_of(guardian->run)->group;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    guardian->words = copy_words(guardian->run->arguments);
    if (!guardian->words)
        return false;
    guard_begin();
    if (!keep_two(fd, group->folder_fd) || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return false;
    if (group->folder_fd >= 0)
        group->folder_fd = FOLDER_FD;
    guardian->children_fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    return guardian->children_fd >= 0;
}

// Loadgen's end is seen by the next recv().
static void tell(struct guard_event event)
{
    (void)send(SOCKET_FD, &event, sizeof event, MSG_NOSIGNAL);
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
    guardian->kill_ns = clock_ns() + GRACE_NS;
    // Not to the command's process group: once the command itself has ended, its number may be
    // that of strangers.
    tree_signal(SIGTERM);
    tree_signal(SIGCONT); // a stopped one could not obey
}

// Again until no more have come: one that is not stopped yet may fork behind our back.
static void suspend(const struct guardian *guardian)
{
    size_t before = 0, now = guardian->ending ? 0 : tree_signal(SIGSTOP);
    for (int round = 0; now != before && round < SUSPEND_ROUNDS; round++) {
        before = now;
        now = tree_signal(SIGSTOP);
    }
}

// Again and again, for those that were forked meanwhile.
static void kill_again(struct guardian *guardian)
{
    const size_t left = tree_signal(SIGKILL);
    guardian->kill_ns = clock_ns() + KILL_AGAIN_NS;
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

// False when loadgen is gone.
static bool obey(struct guardian *guardian)
{
    enum guard_order order;
    struct guard_event event = {.kind = GUARD_STARTED};
    const ssize_t length = recv(SOCKET_FD, &order, sizeof order, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (length != (ssize_t)sizeof order)
        return false;
    switch (order) {
    case GUARD_RUN:
        guardian->ending = false;
        event.error = start_command(guardian->run, guardian->words, &guardian->pid);
        event.pid = guardian->pid;
        tell(event);
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

// The guard's whole life, in a new process with all signals blocked: takes orders (enum
// guard_order) from fd, and answers with struct guard_event.
static _Noreturn void guardian(const struct run *run, int fd)
{
    struct guardian own = {.run = run};
    if (!settle(&own, fd))
        _exit(1);
    struct pollfd polled[] = {{.fd = SOCKET_FD, .events = POLLIN},
                              {.fd = own.children_fd, .events = POLLIN}};
    for (bool is_there = true; is_there;) {
        // Children that end again and again delay no kill.
        const int64_t left_ns = own.kill_ns - clock_ns();
        const int wait_ms = left_ns <= 0 ? 0 : (int)((left_ns + 999999) / 1000000);
        const int ready = poll(polled, 2, own.ending ? wait_ms : -1);
        if (own.ending && clock_ns() >= own.kill_ns)
            kill_again(&own);
        if (ready > 0 && polled[1].revents != 0)
            see_children(&own);
        if (ready > 0 && polled[0].revents != 0)
            is_there = obey(&own);
    }
    group_kill(&exec_state_of(run)->group);
    (void)tree_kill();
    group_remove(&exec_state_of(run)->group);
    _exit(0);
}

int exec_guard_start(const struct run *run)
{
    struct exec_state *state = run->state;
    int ends[2];
    sigset_t all, before;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    // No handler of ours may run in the child: it would write into our event loop's pipe.
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        guardian(run, ends[1]);
    const int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    state->guard = pid < 0 ? 0 : pid;
    state->guard_fd = pid < 0 ? -1 : ends[0];
    errno = error;
    return pid < 0 ? -1 : 0;
}

void exec_guard_tell(const struct exec_state *state, enum guard_order order)
{
    if (state->guard_fd < 0)
        return;
    (void)send(state->guard_fd, &order, sizeof order, MSG_NOSIGNAL);
    (void)kill(state->guard, SIGCONT); // somebody may have stopped it
}

void exec_guard_close(struct exec_state *state)
{
    if (state->guard_fd >= 0)
        close(state->guard_fd);
    state->guard_fd = -1;
}

struct guard_event exec_guard_next(struct exec_state *state)
{
    struct guard_event event;
    ssize_t length = -1;
    while (state->guard_fd >= 0 && (length = recv(state->guard_fd, &event, sizeof event, 0)) < 0 &&
           errno == EINTR)
        ;
    if (length == (ssize_t)sizeof event)
        return event;
    event = (struct guard_event){.kind = GUARD_LOST};
    if (state->guard > 0) { // it was killed: its descendants are ours now
        exec_guard_close(state);
        kill(state->guard, SIGKILL); // a socket that broke otherwise: there is no such case
        state->guard = 0;
        event.left = tree_kill();
    }
    return event;
}
