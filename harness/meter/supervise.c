// Waits for the end of the main process and all its descendants, and ends them where they have
// to.
#include "supervise.h"

#include "accounting.h"
#include "ending.h"
#include "launch.h"
#include "run.h"
#include "signals.h"
#include "stalls.h"
#include "stops.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/cpus.h"
#include "common/group.h"
#include "common/text.h"
#include "common/tree.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

// How long descendants may outlive the main process by themselves: the last
// element of a pipe, say, that still has to write out what it read.
#define LINGER_NS (50 * NS_PER_MS)
// From SIGTERM to SIGKILL.
#define GRACE_NS          (2 * NS_PER_S)
#define GRACE_SURVIVOR_NS (500 * NS_PER_MS)
// A killed process may make children until it is really gone, so the tree is
// killed again and again; one that hangs in the kernel is given up in the end.
#define KILL_AGAIN_NS (10 * NS_PER_MS)
#define KILL_ROUNDS   1000
// A signal to all of us reaches meter more than once: by itself, passed on by its keeper, and as
// the end of its input by a caller that got it, too. That is one request, a later one is another.
#define SAME_REQUEST_NS (500 * NS_PER_MS)

enum phase { RUNNING, LINGERING, ENDING, KILLING, GIVEN_UP };

struct supervisor {
    const struct run *with;
    struct outcome *outcome; // of that
    enum phase phase;
    int64_t deadline_ns; // when the phase is over
    int hangup_fd;       // -1 once it has been heeded
    struct awake alive;  // the target had not ended yet
    struct awake woken;  // by the last event
    pid_t child;         // that the last event was about, 0: not known
    bool resumed;        // meter itself was continued, so may have been stopped
    int rounds;
    int64_t interrupted_ns; // when it was first
};

// A child that has ended, stopped, or been continued, which stays to be told
// until it is taken in; info->si_pid is 0 where there is none. False once there is no
// child left.
static bool next_change(siginfo_t *info)
{
    const int changes = WEXITED | WSTOPPED | WCONTINUED;
    int result;
    info->si_pid = 0;
    while ((result = waitid(P_ALL, 0, info, changes | WNOHANG | WNOWAIT)) < 0 && errno == EINTR)
        ;
    return result == 0;
}

static int64_t started_ns(const struct supervisor *supervisor)
{
    return __atomic_load_n(&supervisor->with->launch->report->start_ns, __ATOMIC_ACQUIRE);
}

// The main process has ended. What the kernel keeps of it goes with the reaping.
static void note_end(struct supervisor *supervisor)
{
    const struct run *with = supervisor->with;
    const struct launch_report *report = with->launch->report;
    struct outcome *outcome = supervisor->outcome;
    // Woken by something else, we do not know whether it had ended by then: what we waited
    // may have been before, and stays in its time.
    if (supervisor->child != with->launch->pid)
        supervisor->alive = supervisor->woken = awake_now(with->own_fd);
    outcome->cpus.count = 0;
    (void)cpus_of_thread(with->launch->pid, &outcome->cpus);
    stalls_end(&outcome->stalls, &with->launch->stalls, with->launch->pid);
    outcome->end_ns = ending_ns(&supervisor->alive, &supervisor->woken, report->start_ns,
                                &report->stalls, &outcome->stalls);
    outcome->ended = true;
    if (outcome->stops.since_ns != 0)
        stops_continued(&outcome->stops, report->start_ns, outcome->end_ns);
    counters_take(with->kernel, &outcome->after);
}

// Reaps a child.
static void take_ended(struct supervisor *supervisor, pid_t pid)
{
    const bool is_target = pid == supervisor->with->launch->pid;
    int status;
    struct rusage process;
    if (is_target && supervisor->resumed)
        stops_ended(&supervisor->outcome->stops);
    if (is_target)
        note_end(supervisor);
    if (wait4(pid, &status, 0, &process) != pid)
        return;
    if (is_target)
        supervisor->outcome->status = status;
    usage_add(&supervisor->outcome->usage, &process);
}

// Takes in that a child was stopped or continued; only the target's count.
static void take_stop(struct supervisor *supervisor, pid_t pid)
{
    struct stops *stops = &supervisor->outcome->stops;
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WCONTINUED | WNOHANG) != 0 ||
        info.si_pid != supervisor->with->launch->pid)
        return;
    if (info.si_code == CLD_CONTINUED)
        stops_continued(stops, started_ns(supervisor), supervisor->woken.at_ns);
    else
        stops_stopped(stops, info.si_status, supervisor->woken.at_ns, supervisor->resumed);
    supervisor->resumed = false; // what that missed is known now
}

// Takes in all that has happened to children. False once there is no child left.
static bool reap(struct supervisor *supervisor)
{
    siginfo_t info;
    while (next_change(&info)) {
        if (info.si_pid == 0)
            return true;
        if (info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED)
            take_stop(supervisor, info.si_pid);
        else
            take_ended(supervisor, info.si_pid);
    }
    return false;
}

static void enter(struct supervisor *supervisor, enum phase phase, int64_t length_ns)
{
    supervisor->phase = phase;
    supervisor->deadline_ns = clock_ns() + length_ns;
}

static size_t terminate(struct supervisor *supervisor, int64_t grace_ns)
{
    const size_t living = tree_signal(SIGTERM);
    (void)tree_signal(SIGCONT); // a stopped one would not notice
    enter(supervisor, ENDING, grace_ns);
    return living;
}

static void kill_tree(struct supervisor *supervisor)
{
    group_kill(supervisor->with->group);
    const size_t living = tree_signal(SIGKILL);
    enter(supervisor, KILLING, KILL_AGAIN_NS);
    if (++supervisor->rounds < KILL_ROUNDS)
        return;
    supervisor->outcome->unkillable = living;
    supervisor->phase = GIVEN_UP;
}

// The time counts from when the target became itself, which the deadline,
// set before it was forked, could not know.
static void time_out(struct supervisor *supervisor)
{
    const int64_t now_ns = clock_ns();
    const int64_t start_ns = started_ns(supervisor);
    supervisor->deadline_ns = (start_ns == 0 ? now_ns : start_ns) + supervisor->with->timeout_ns;
    if (now_ns < supervisor->deadline_ns)
        return;
    supervisor->outcome->timed_out = true;
    supervisor->outcome->timed_out_ns = now_ns - start_ns;
    (void)terminate(supervisor, GRACE_NS);
}

// Goes on to what comes when the phase's time is over.
static void advance(struct supervisor *supervisor)
{
    switch (supervisor->phase) {
    case RUNNING:
        time_out(supervisor);
        break;
    case LINGERING:
        supervisor->outcome->survivors = terminate(supervisor, GRACE_SURVIVOR_NS);
        break;
    default:
        kill_tree(supervisor);
        break;
    }
}

static void interrupt(struct supervisor *supervisor, int signal_number)
{
    const bool runs = supervisor->phase == RUNNING || supervisor->phase == LINGERING;
    if (signal_number == SIGNAL_END_RUN) { // of no more use; the next run may be
        if (runs)
            (void)terminate(supervisor, GRACE_NS);
        return;
    }
    if (supervisor->outcome->interrupted != 0) {
        if (clock_ns() - supervisor->interrupted_ns > SAME_REQUEST_NS)
            kill_tree(supervisor); // asked twice: at once
        return;
    }
    supervisor->outcome->interrupted = signal_number;
    supervisor->interrupted_ns = clock_ns();
    if (runs)
        (void)terminate(supervisor, GRACE_NS);
}

// Until a signal comes, the caller hangs up, or the phase is over.
static void wait_event(struct supervisor *supervisor)
{
    struct pollfd files[] = {{.fd = supervisor->with->signals->fd, .events = POLLIN},
                             {.fd = supervisor->hangup_fd}};
    struct timespec left;
    const bool forever = supervisor->deadline_ns == INT64_MAX;
    int64_t left_ns = forever ? 0 : supervisor->deadline_ns - clock_ns();
    if (left_ns < 0)
        left_ns = 0;
    left = (struct timespec){.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
    supervisor->alive = awake_now(supervisor->with->own_fd);
    launch_watched(supervisor->with->launch);
    const int events = ppoll(files, 2, forever ? NULL : &left, NULL);
    supervisor->woken = awake_now(supervisor->with->own_fd);
    supervisor->child = -1;
    supervisor->resumed = false;
    if (events <= 0)
        return;
    for (int number; (number = signals_next(supervisor->with->signals, &supervisor->child)) > 0;) {
        supervisor->resumed = supervisor->resumed || number == SIGCONT;
        if (number != SIGCHLD && number != SIGCONT)
            interrupt(supervisor, number);
    }
    if (files[1].revents != 0) {
        supervisor->hangup_fd = -1;
        interrupt(supervisor, SIGHUP);
    }
}

void supervise(struct run *run)
{
    struct outcome *outcome = &run->outcome;
    struct supervisor supervisor = {
        .outcome = outcome,
        .with = run,
        .hangup_fd = run->hangup_fd,
        .woken = awake_now(run->own_fd),
        .deadline_ns = run->timeout_ns == 0 ? INT64_MAX : clock_ns() + run->timeout_ns};
    *outcome = (struct outcome){.stops = {.total_known = true}};
    while (reap(&supervisor) && supervisor.phase != GIVEN_UP) {
        if (outcome->ended && supervisor.phase == RUNNING)
            enter(&supervisor, LINGERING, LINGER_NS);
        if (outcome->stops.terminal != 0 && supervisor.phase == RUNNING)
            (void)terminate(&supervisor, GRACE_NS);
        wait_event(&supervisor);
        // By the clock, not by a time-out of poll: a flood of SIGCHLD must not put it off.
        if (clock_ns() >= supervisor.deadline_ns)
            advance(&supervisor);
    }
}
