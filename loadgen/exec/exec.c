// loadgen exec: any command as a load. Resumed it is started, paused it is
// ended, with everything that it has started, whatever session or group that
// moved to: both are done by the guard. With --loop it is started again whenever all of
// it has ended: a lap. It has no workers; all happens on the control plane's loop.

#define OPTIONS_OF struct exec_settings // see common/options.h
#define STATE_OF   struct exec_state    // see load.h

#include "load.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/memory_kills.h"
#include "common/tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <uv.h>

// The process that starts the command, and ends all that it has started, whatever becomes of the
// load itself:
//
//     loadgen ══ socket ══ guard ── command ── its descendants
//
// Only what can be neither ignored nor blocked ends the guard (see guard_begin() of load.h). It is
// a subreaper:
// whatever the command starts stays below it, daemons included. When loadgen is gone, be it by
// SIGKILL or for lack of memory, the socket ends, and the guard kills everything below it, and
// removes the control group. When the guard itself is killed, the kernel kills the command
// (PR_SET_PDEATHSIG) and hands its descendants to loadgen, which is a subreaper, too, and kills
// them. Only where both are killed at one blow, and there is no control group that the machine
// kills with them, can a descendant of the command survive.

enum guard_order {
    GUARD_RUN,     // start the command
    GUARD_STOP,    // end it with all its descendants: SIGTERM, after 2 s SIGKILL
    GUARD_SUSPEND, // stop them (SIGSTOP), or continue them; they do not answer
    GUARD_CONTINUE,
};

enum guard_event_kind {
    GUARD_STARTED, // answers GUARD_RUN
    GUARD_CHANGED, // the command has failed, or nothing is left of it
    GUARD_ENDED,   // answers GUARD_STOP: nothing is left
    GUARD_STUCK,   // the same: `left` processes cannot be killed
    GUARD_LOST,    // the guard itself is gone
};

struct guard_event {
    enum guard_event_kind kind;
    int error;  // STARTED: errno with which the command could not be started; 0: it was
    pid_t pid;  // STARTED: of the command
    int status; // CHANGED: the command's, as of waitpid(); 0: it ended well, or runs
    size_t left;
};

// How the CPU time of a command's whole process tree is found; by index of exec_accounting_names. A
// control group counts all of it; processes that nobody waits for (a parent that ignores SIGCHLD)
// take theirs with them, so that a walk over the tree is a lower bound.
enum exec_accounting {
    EXEC_AUTO,     // the first of the following that this machine allows
    EXEC_CGROUP2,  // a group of the unified hierarchy
    EXEC_CGROUP1,  // a group of the cpuacct hierarchy
    EXEC_PROCESSES // the processes that live, and what was waited for
};

static const char *const exec_accounting_names[] = {"auto", "cgroup2", "cgroup1", "processes",
                                                    NULL};

struct exec_settings {
    int64_t settle_ns;
    int accounting; // enum exec_accounting
    bool loop;
};

enum exec_phase { STOPPED, RUNNING, ENDING };

struct exec_state {
    enum exec_phase phase;
    pid_t pid;    // the command's, and its process group's; 0: it is not known yet
    pid_t guard;  // 0: there is none now
    int guard_fd; // readable when the guard has something to say; -1: closed
    double laps;
    int64_t memory_kills; // when the lap began, as of memory_kills_read()
    int64_t lap_start_ns;
    int64_t lap_ns;     // how long the last whole lap took, at least; 0: there was none yet
    bool starting;      // resumed, and the command is not there yet
    bool wants_a_lap;   // settled, but steady only some part of a lap after the first
    bool told_long;     // that laps are long
    struct group group; // of the command; none: the tree is walked
    bool outside;       // most of it is in another group, as of a container: it is walked, too
    int64_t walked_ns;  // what the last walk found
    int64_t sum_ns;     // what all walks found, without what has got lost between them
    int64_t paused_ns;  // what was used when it was told to end
    int64_t ending_ns;  // and while it ended, each time: that is no load
    uv_timer_t timer;
    uv_poll_t guard_says;
};

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
        group_enter(&state_of(run)->group) && cpus_pin_list(&run->cpus) == 0)
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
    *pid = group_fork(&state_of(run)->group);
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

// ---- the guard's own side ----

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
    struct group *group = &state_of(guardian->run)->group;
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
    group_kill(&state_of(run)->group);
    (void)tree_kill();
    group_remove(&state_of(run)->group);
    _exit(0);
}

// Starts the guard, and makes this process a subreaper. The command is not started yet. 0, or -1
// with errno.
static int guard_start(const struct run *run)
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

// Somebody may have stopped it.
static void guard_tell(const struct exec_state *state, enum guard_order order)
{
    if (state->guard_fd < 0)
        return;
    (void)send(state->guard_fd, &order, sizeof order, MSG_NOSIGNAL);
    (void)kill(state->guard, SIGCONT);
}

static void close_socket(struct exec_state *state)
{
    if (state->guard_fd >= 0)
        close(state->guard_fd);
    state->guard_fd = -1;
}

// The next event; waits for one. After GUARD_LOST everything below this process is dead: how many
// could not be killed is in left.
static struct guard_event guard_next(struct exec_state *state)
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
        close_socket(state);
        kill(state->guard, SIGKILL); // a socket that broke otherwise: there is no such case
        state->guard = 0;
        event.left = tree_kill();
    }
    return event;
}

// ---- CPU time ----

#define NAME_PREFIX "jostle-load"
#define OUTSIDE_NS  INT64_C(20000000)

// Whether a process can be started in the group: some may be made, and not be used.
static bool is_usable(const struct group *group)
{
    int status = -1;
    const pid_t child = group_fork(group);
    if (child == 0)
        _exit(group_enter(group) ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && status == 0;
}

// Makes the group, and sees that a process can be started in it. Before anything else is
// started. False: the wanted way cannot be had (never of EXEC_AUTO).
static bool find_group(struct group *group, enum exec_accounting wanted)
{
    static const enum group_kind kinds[] = {[EXEC_CGROUP2] = GROUP_V2, [EXEC_CGROUP1] = GROUP_V1};
    for (int way = EXEC_CGROUP2; way <= EXEC_CGROUP1; way++) {
        if ((wanted != EXEC_AUTO && (int)wanted != way) ||
            !group_find(group, NAME_PREFIX, kinds[way]))
            continue;
        if (is_usable(group))
            return true;
        group_give_up(group);
    }
    return wanted == EXEC_AUTO || wanted == EXEC_PROCESSES;
}

// CPU time in ns of all that was started so far; never less than before.
static int64_t used_ns(struct exec_state *state)
{
    struct group_usage used;
    if (state->group.kind == GROUP_NONE || state->outside) {
        // What ended unnoticed between two walks makes a walk find less: only what it finds
        // more is added.
        const int64_t now_ns = tree_cpu_ns();
        if (now_ns > state->walked_ns)
            state->sum_ns += now_ns - state->walked_ns;
        state->walked_ns = now_ns;
        return state->sum_ns;
    }
    group_read(&state->group, &used);
    if (used.has_cpu && used.user_ns + used.system_ns > state->sum_ns)
        state->sum_ns = used.user_ns + used.system_ns;
    return state->sum_ns;
}

#define MOST_WAIT_NS INT64_C(20000000000) // into a lap, before it counts as steady

// The frame's counters that this load has.
enum { COUNT_LAPS };

static const struct option_row settings[] = {
    {ROW("settle", "TIME", OPTION_TIME, settle_ns), .minimum = 0, .maximum = 1e13, .preset = "1s",
     .help = "time from the command's start until the load counts as steady"},
    {ROW("accounting", "HOW", OPTION_CHOICE, accounting), .preset = "auto",
     .choices = exec_accounting_names,
     .help = "how the CPU time of the tree is found: cgroup2, cgroup1, processes (a lower bound), "
             "or auto: the first of these that this machine allows"},
    {ROW("loop", NULL, OPTION_FLAG, loop),
     .help = "start COMMAND again whenever it and its descendants have ended, its stdout "
             "discarded; steady at a random part of a lap, of its first 20 s at most"},
    {0},
};

static const char *command_name(const struct run *run)
{
    return run->arguments[0];
}

// ---- its end ----

static void finish_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->phase = STOPPED;
    state->pid = 0;
    uv_timer_stop(&state->timer);
    run_paused(run);
}

// The command is not there though it should run.
static void fail_ended(struct run *run, int status)
{
    const struct exec_state *state = run->state;
    if (memory_may_have_killed(status, state->memory_kills))
        run_fail(run,
                 "%s was killed while it should be running, " MEMORY_KILLED
                 ": give it less to do, or more memory",
                 command_name(run));
    else if (WIFSIGNALED(status))
        run_fail(run, "%s was killed by signal %d while it should be running: %s",
                 command_name(run), WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? "see dmesg whether memory ran out" : "try it alone");
    else
        run_fail(run, "%s exited with status %d while it should be running: %s", command_name(run),
                 WEXITSTATUS(status),
                 settings_of(run)->loop ? "try it twice in a row, in one folder"
                                        : "give a command that keeps running, or --loop");
}

static void begin_lap(struct exec_state *state)
{
    state->lap_start_ns = clock_ns();
    state->memory_kills = memory_kills_read();
    guard_tell(state, GUARD_RUN);
}

// Of a long lap a run sees a moment of its first part only: nobody waits for minutes before each
// run.
static void tell_long_lap(struct run *run)
{
    struct exec_state *state = run->state;
    if (state->told_long)
        return;
    state->told_long = true;
    run_warn(
        run,
        "a lap of %s takes more than %.0f s, so that every run begins in that part of it: give "
        "it less to do, or leave out --loop where a run is shorter",
        command_name(run), MOST_WAIT_NS / 1e9);
}

// A run that always began with a lap would see its first part only.
static void wait_for_random_phase(struct run *run)
{
    struct exec_state *state = run->state;
    const int64_t most_ns = state->lap_ns < MOST_WAIT_NS ? state->lap_ns : MOST_WAIT_NS;
    uint32_t random = 0;
    uv_timer_stop(&state->timer);
    if (state->lap_ns > MOST_WAIT_NS)
        tell_long_lap(run);
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
        random = (uint32_t)clock_ns();
    const double part = random / 4294967296.0;
    state->wants_a_lap = false;
    run_steady_in(run, (int64_t)(part * (double)most_ns));
}

// The first lap is a long one.
static void on_long_lap(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct exec_state *state = run->state;
    state->lap_ns = clock_ns() - state->lap_start_ns;
    state->wants_a_lap = false;
    tell_long_lap(run);
    run_steady_in(run, 0);
}

static void on_settled(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct exec_state *state = run->state;
    // A container engine moves what it starts to a group of its own. Before any mark counts.
    const int64_t counted_ns = used_ns(state), walked_ns = tree_cpu_ns();
    if (state->group.kind != GROUP_NONE && walked_ns >= counted_ns + OUTSIDE_NS) {
        state->outside = true;
        state->walked_ns = state->sum_ns = walked_ns;
    }
    if (!settings_of(run)->loop)
        run_steady_in(run, 0);
    else if (state->lap_ns > 0)
        wait_for_random_phase(run);
    else {
        state->wants_a_lap = true;
        uv_timer_start(&state->timer, on_long_lap, MOST_WAIT_NS / 1000000, 0);
    }
}

static void on_started(struct run *run, const struct guard_event *event)
{
    struct exec_state *state = run->state;
    state->pid = event->pid;
    char why[512];
    if (event->error != 0) {
        run_fail(run, "cannot start %s: %s: check the command", command_name(run),
                 child_why(run->arguments[0], event->error, why, sizeof why));
        return;
    }
    // Only now, as the guard may have come to it late: nothing is steady that is not there.
    if (state->starting && state->phase == RUNNING)
        uv_timer_start(&state->timer, on_settled, (uint64_t)(settings_of(run)->settle_ns / 1000000),
                       0);
    state->starting = false;
}

static void on_changed(struct run *run, const struct guard_event *event)
{
    struct exec_state *state = run->state;
    if (state->phase != RUNNING)
        return;
    if (!settings_of(run)->loop || event->left != 0 || event->status != 0) {
        fail_ended(run, event->status);
        return;
    }
    state->laps += 1;
    state->lap_ns = clock_ns() - state->lap_start_ns;
    begin_lap(state);
    if (state->wants_a_lap)
        wait_for_random_phase(run);
}

// The guard is gone, and with it the command: nothing can be started any more.
static void on_lost(struct run *run, size_t left)
{
    struct exec_state *state = run->state;
    const bool ending = state->phase == ENDING;
    uv_poll_stop(&state->guard_says);
    state->pid = 0;
    if (left > 0)
        run_fail(run,
                 "the process that guards %s was killed, and %zu of its processes cannot be: check "
                 "them with ps",
                 command_name(run), left);
    else
        run_fail(run, "the process that guards %s was killed: the command has been ended, too",
                 command_name(run));
    if (ending)
        finish_pause(run);
}

static void on_guard(uv_poll_t *handle, int status, int events)
{
    struct run *run = handle->data;
    const struct guard_event event = guard_next(run->state);
    (void)status; // whatever it is, the guard's answer says it
    (void)events;
    switch (event.kind) {
    case GUARD_STARTED:
        on_started(run, &event);
        break;
    case GUARD_CHANGED:
        on_changed(run, &event);
        break;
    case GUARD_ENDED:
        finish_pause(run);
        break;
    case GUARD_STUCK:
        run_fail(run, "%s: %zu of its processes cannot be killed: check them with ps",
                 command_name(run), event.left);
        finish_pause(run);
        break;
    default:
        on_lost(run, event.left);
    }
}

static void exec_resume(struct run *run)
{
    struct exec_state *state = run->state;
    state->ending_ns += used_ns(state) - state->paused_ns;
    state->phase = RUNNING;
    state->starting = true;
    state->wants_a_lap = false;
    begin_lap(state);
}

static void exec_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->paused_ns = used_ns(state);
    state->phase = ENDING;
    uv_timer_stop(&state->timer);
    if (state->guard_fd >= 0)
        guard_tell(state, GUARD_STOP);
    else
        finish_pause(run);
}

static void exec_suspend(struct run *run, bool stopped)
{
    guard_tell(run->state, stopped ? GUARD_SUSPEND : GUARD_CONTINUE);
}

// ---- the load ----

static void exec_check(struct run *run)
{
    if (run->argument_count == 0)
        usage_error("exec: no command: give one, such as loadgen exec -- stress-ng --vm 1");
    room_claim_unknown(run);
    state_of(run)->guard_fd = -1;
    state_of(run)->group = GROUP_OF_NONE;
}

static int exec_prepare(struct run *run)
{
    const struct exec_settings *own = run->settings;
    struct exec_state *state = run->state;
    if (!find_group(&state->group, (enum exec_accounting)own->accounting))
        return run_fail(run, "--accounting %s: no such group can be made here: use auto",
                        exec_accounting_names[own->accounting]);
    if (guard_start(run) != 0)
        return run_fail(run, "cannot start a process: %s: raise that limit",
                        limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    uv_timer_init(run->loop, &state->timer);
    state->timer.data = state->guard_says.data = run;
    if (uv_poll_init(run->loop, &state->guard_says, state->guard_fd) != 0 ||
        uv_poll_start(&state->guard_says, UV_READABLE, on_guard) != 0)
        return run_fail(run, "cannot watch a process: too few descriptors: see ulimit -n");
    return 0;
}

// After the loop has closed its handles, which live in the state.
static void exec_cleanup(struct run *run)
{
    struct exec_state *state = run->state;
    // The end: what is left of the command is killed; returns when that is so.
    close_socket(state);
    if (state->guard > 0)
        (void)kill(state->guard, SIGCONT); // or we would wait for one that somebody stopped
    while (state->guard > 0 && waitpid(state->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    group_give_up(&state->group);
}

static int64_t exec_cpu_ns(struct run *run)
{
    struct exec_state *state = run->state;
    return (state->phase == RUNNING ? used_ns(state) : state->paused_ns) - state->ending_ns;
}

static pid_t exec_process(const struct run *run)
{
    const struct exec_state *state = run->state;
    return state->phase == RUNNING ? state->pid : 0;
}

static void exec_count(struct run *run, double counters[LOAD_COUNTERS])
{
    counters[COUNT_LAPS] = state_of(run)->laps;
}

static void add_accounting(struct run *run, struct line *line)
{
    static const enum exec_accounting ways[] = {
        [GROUP_NONE] = EXEC_PROCESSES, [GROUP_V1] = EXEC_CGROUP1, [GROUP_V2] = EXEC_CGROUP2};
    const struct exec_state *state = run->state;
    line_text(line, "accounting",
              exec_accounting_names[ways[state->outside ? GROUP_NONE : state->group.kind]]);
}

static void exec_describe(struct run *run, struct line *line)
{
    line_text(line, "command", command_name(run));
    add_accounting(run, line);
}

static void exec_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    add_accounting(run, line);
    if (settings_of(run)->loop)
        line_count(line, "laps", (uint64_t)window->counters[COUNT_LAPS]);
}

static const struct load_process process = {
    .resume = exec_resume, .pause = exec_pause, .process = exec_process, .suspend = exec_suspend};

static const struct load exec_load = {
    .name = "exec",
    .summary = "runs any command as a load, and ends all its processes",
    .details = "Resumed, COMMAND is started in a process group of its own, with /dev/null as stdin "
               "and its output on stderr (with --loop that of stdout is discarded). Paused, it is "
               "ended with all its descendants, including "
               "those in other sessions: SIGTERM, then SIGKILL after 2 s; by SIGKILL at once if "
               "loadgen itself is killed. A command that exits by itself is an error; with --loop "
               "one that fails. cpu_s is that of its whole process tree, counted by a cgroup where "
               "one can be made; \"accounting\" in the report says how.",
    LOAD_OPTIONS(settings),
    .check = exec_check,
    .prepare = exec_prepare,
    .cleanup = exec_cleanup,
    .describe = exec_describe,
    .fields = exec_fields,
    .cpu_ns = exec_cpu_ns,
    .count = exec_count,
    .process = &process,
    .uses = USES_UNKNOWN,
    .arguments = "-- COMMAND...",
    .without = (const char *const[]){"threads", "limit", "stages", "arrivals", "phase", NULL},
};
LOADGEN_REGISTER(exec_load);
