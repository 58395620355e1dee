/* loadgen exec: any command as a load. Resumed it is started, paused it is
 * ended, with everything that it has started, whatever session or group that
 * moved to: both are done by the guard (guard.h). With --loop it is started again whenever all of
 * it has ended: a lap. It has no workers; all happens on the control plane's loop. */

#include "exec/guard.h"
#include "load.h"

#include "common/group.h"
#include "common/processes.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

/* The CPU time of a command's whole process tree. A control group counts all of it;
 * processes that nobody waits for (a parent that ignores SIGCHLD) take theirs with them,
 * so that a walk over the tree is a lower bound. */

/* How it is found; by index of exec_accounting_names. */
enum exec_accounting {
    EXEC_AUTO,     /* the first of the following that this machine allows */
    EXEC_CGROUP2,  /* a group of the unified hierarchy */
    EXEC_CGROUP1,  /* a group of the cpuacct hierarchy */
    EXEC_PROCESSES /* the processes that live, and what was waited for */
};

struct exec_usage {
    struct group group; /* of the command; none: the tree is walked */
    bool outside;       /* most of it is in another group, as of a container: it is walked, too */
    int64_t walked_ns;  /* what the last walk found */
    int64_t sum_ns;     /* what all walks found, without what has got lost between them */
};

#define NAME_PREFIX "jostle-load"
#define OUTSIDE_NS  INT64_C(20000000)

static const char *const exec_accounting_names[] = {"auto", "cgroup2", "cgroup1", "processes",
                                                    NULL};

/* Whether a process can be started in the group: some may be made, and not be used. */
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

static bool try_group(struct exec_usage *usage, enum group_kind kind)
{
    if (!group_find(&usage->group, NAME_PREFIX, kind))
        return false;
    if (!is_usable(&usage->group))
        group_give_up(&usage->group);
    return usage->group.kind != GROUP_NONE;
}

/* Makes the group, and sees that a process can be started in it. Before anything else is
 * started. False: the wanted way cannot be had (never of EXEC_AUTO). */
static bool exec_usage_open(struct exec_usage *usage, enum exec_accounting wanted)
{
    const bool any = wanted == EXEC_AUTO;
    *usage = (struct exec_usage){.group = GROUP_OF_NONE, .walked_ns = 0};
    return ((any || wanted == EXEC_CGROUP2) && try_group(usage, GROUP_V2)) ||
           ((any || wanted == EXEC_CGROUP1) && try_group(usage, GROUP_V1)) || any ||
           wanted == EXEC_PROCESSES;
}

/* What ended unnoticed between two walks makes a walk find less: only what it finds
 * more is added. */
static int64_t walk(struct exec_usage *usage)
{
    const int64_t now_ns = tree_cpu_ns();
    if (now_ns > usage->walked_ns)
        usage->sum_ns += now_ns - usage->walked_ns;
    usage->walked_ns = now_ns;
    return usage->sum_ns;
}

/* CPU time in ns of all that was started so far; never less than before. */
static int64_t exec_usage_ns(struct exec_usage *usage)
{
    struct group_usage used;
    if (usage->group.kind == GROUP_NONE || usage->outside)
        return walk(usage);
    group_read(&usage->group, &used);
    if (used.has_cpu && used.user_ns + used.system_ns > usage->sum_ns)
        usage->sum_ns = used.user_ns + used.system_ns;
    return usage->sum_ns;
}

/* A container engine moves what it starts to a group of its own. Before any mark counts. */
static void exec_usage_check(struct exec_usage *usage)
{
    const int64_t counted_ns = exec_usage_ns(usage), walked_ns = tree_cpu_ns();
    if (usage->group.kind == GROUP_NONE || walked_ns < counted_ns + OUTSIDE_NS)
        return;
    usage->outside = true;
    usage->walked_ns = usage->sum_ns = walked_ns;
}

/* "cgroup2", "cgroup1" or "processes". */
static const char *exec_usage_name(const struct exec_usage *usage)
{
    switch (usage->outside ? GROUP_NONE : usage->group.kind) {
    case GROUP_V2:
        return exec_accounting_names[EXEC_CGROUP2];
    case GROUP_V1:
        return exec_accounting_names[EXEC_CGROUP1];
    default:
        return exec_accounting_names[EXEC_PROCESSES];
    }
}

struct exec_settings {
    int64_t settle_ns;
    int accounting; /* enum exec_accounting */
    bool loop;
};

/* The frame's counters that this load has. */
enum { COUNT_LAPS };

enum exec_phase { STOPPED, RUNNING, ENDING };

struct exec_state {
    enum exec_phase phase;
    pid_t pid; /* the command's, and its process group's; 0: it is not known yet */
    struct guard guard;
    struct guard_command command;
    double laps;
    int64_t lap_start_ns;
    int64_t lap_ns;   /* how long the last whole lap took; 0: there was none yet */
    bool starting;    /* resumed, and the command is not there yet */
    bool wants_a_lap; /* settled, but steady only some part of a lap after the first */
    struct exec_usage usage;
    int64_t paused_ns; /* what was used when it was told to end */
    int64_t ending_ns; /* and while it ended, each time: that is no load */
    uv_timer_t timer;
    uv_poll_t guard_says;
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct exec_settings, name, argument, type, member)
static const struct option_row settings[] = {
    {ROW("settle", "TIME", OPTION_TIME, settle_ns), .minimum = 0, .maximum = 1e13, .preset = "1s",
     .help = "time from the command's start until the load counts as steady"},
    {ROW("accounting", "HOW", OPTION_CHOICE, accounting), .preset = "auto",
     .choices = exec_accounting_names,
     .help = "how the CPU time of the tree is found: cgroup2, cgroup1, processes (a lower bound), "
             "or auto: the first of these that this machine allows"},
    {ROW("loop", NULL, OPTION_FLAG, loop),
     .help = "start COMMAND again whenever it and its descendants have ended, its stdout "
             "discarded; steady at a random part of a lap"},
    {0},
};

static const char *command_name(const struct run *run)
{
    return run->arguments[0];
}

/* ---- its end ---- */

static void finish_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->phase = STOPPED;
    state->pid = 0;
    uv_timer_stop(&state->timer);
    run_paused(run);
}

/* The command is not there though it should run. */
static void fail_ended(struct run *run, int status)
{
    const struct exec_settings *own = run->settings;
    if (WIFSIGNALED(status))
        run_fail(run, "%s was killed by signal %d while it should be running: %s",
                 command_name(run), WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? "see dmesg whether memory ran out" : "try it alone");
    else
        run_fail(run, "%s exited with status %d while it should be running: %s", command_name(run),
                 WEXITSTATUS(status),
                 own->loop ? "try it twice in a row, in one folder"
                           : "give a command that keeps running, or --loop");
}

static void begin_lap(struct run *run)
{
    struct exec_state *state = run->state;
    state->lap_start_ns = now_ns();
    guard_tell(&state->guard, GUARD_RUN);
}

static void on_phase(uv_timer_t *timer)
{
    run_steady(timer->data);
}

/* A run that always began with a lap would see its first part only. */
static void wait_for_random_phase(struct run *run)
{
    struct exec_state *state = run->state;
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
        random = (uint32_t)now_ns();
    const double part = random / 4294967296.0;
    state->wants_a_lap = false;
    uv_timer_start(&state->timer, on_phase, (uint64_t)(part * (double)state->lap_ns / 1e6), 0);
}

static void next_lap(struct run *run)
{
    struct exec_state *state = run->state;
    state->laps += 1;
    state->lap_ns = now_ns() - state->lap_start_ns;
    begin_lap(run);
    if (state->wants_a_lap)
        wait_for_random_phase(run);
}

static void on_settled(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    exec_usage_check(&state->usage);
    if (!own->loop)
        run_steady(run);
    else if (state->lap_ns > 0)
        wait_for_random_phase(run);
    else
        state->wants_a_lap = true;
}

/* Only now, as the guard may have come to it late: nothing is steady that is not there. */
static void begin_settling(struct run *run)
{
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    if (state->starting && state->phase == RUNNING)
        uv_timer_start(&state->timer, on_settled, (uint64_t)(own->settle_ns / 1000000), 0);
    state->starting = false;
}

static void on_started(struct run *run, const struct guard_event *event)
{
    struct exec_state *state = run->state;
    state->pid = event->pid;
    if (event->error == 0)
        begin_settling(run);
    else
        run_fail(run, "cannot start %s: %s: check the command", command_name(run),
                 strerror(event->error));
}

static void on_changed(struct run *run, const struct guard_event *event)
{
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    if (state->phase != RUNNING)
        return;
    if (own->loop && event->left == 0 && event->status == 0)
        next_lap(run);
    else
        fail_ended(run, event->status);
}

/* The guard is gone, and with it the command: nothing can be started any more. */
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
    struct exec_state *state = run->state;
    const struct guard_event event = guard_next(&state->guard);
    (void)status; /* whatever it is, the guard's answer says it */
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
    state->ending_ns += exec_usage_ns(&state->usage) - state->paused_ns;
    state->phase = RUNNING;
    state->starting = true;
    state->wants_a_lap = false;
    begin_lap(run);
}

static void exec_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->paused_ns = exec_usage_ns(&state->usage);
    state->phase = ENDING;
    uv_timer_stop(&state->timer);
    if (state->guard.fd >= 0)
        guard_tell(&state->guard, GUARD_STOP);
    else
        finish_pause(run);
}

static void exec_suspend(struct run *run, bool stopped)
{
    const struct exec_state *state = run->state;
    guard_tell(&state->guard, stopped ? GUARD_SUSPEND : GUARD_CONTINUE);
}

/* ---- the load ---- */

static void exec_check(struct run *run)
{
    if (run->argument_count == 0)
        usage_error("exec: no command: give one, such as loadgen exec -- stress-ng --vm 1");
    room_claim_unknown(run);
}

static int count_usage(struct run *run, struct exec_state *state)
{
    const struct exec_settings *own = run->settings;
    if (exec_usage_open(&state->usage, (enum exec_accounting)own->accounting))
        return 0;
    return run_fail(run, "--accounting %s: no such group can be made here: use auto",
                    exec_accounting_names[own->accounting]);
}

static int watch_guard(struct run *run, struct exec_state *state)
{
    uv_timer_init(run->loop, &state->timer);
    state->timer.data = run;
    if (uv_poll_init(run->loop, &state->guard_says, state->guard.fd) != 0)
        return -1;
    state->guard_says.data = run;
    return uv_poll_start(&state->guard_says, UV_READABLE, on_guard);
}

static int exec_prepare(struct run *run)
{
    const struct exec_settings *own = run->settings;
    struct exec_state *state = calloc(1, sizeof *state);
    run->state = state;
    if (state == NULL)
        return run_fail(run, "out of memory: free some");
    state->guard = (struct guard){.fd = -1};
    if (count_usage(run, state) != 0)
        return -1;
    state->command = (struct guard_command){.words = run->arguments,
                                            .cpus = &run->cpus,
                                            .group = &state->usage.group,
                                            .discard = own->loop};
    if (guard_start(&state->guard, &state->command) != 0)
        return run_fail(run, "cannot start a process: %s: see ulimit -u", strerror(errno));
    if (watch_guard(run, state) != 0)
        return run_fail(run, "cannot watch a process: too few descriptors: see ulimit -n");
    return 0;
}

/* After the loop has closed its handles, which live in the state. */
static void exec_cleanup(struct run *run)
{
    struct exec_state *state = run->state;
    if (state == NULL)
        return;
    guard_close(&state->guard);
    group_give_up(&state->usage.group);
    free(state);
    run->state = NULL;
}

static int64_t exec_cpu_ns(struct run *run)
{
    struct exec_state *state = run->state;
    const int64_t used_ns =
        state->phase == RUNNING ? exec_usage_ns(&state->usage) : state->paused_ns;
    return used_ns - state->ending_ns;
}

static pid_t exec_process(const struct run *run)
{
    const struct exec_state *state = run->state;
    return state->phase == RUNNING ? state->pid : 0;
}

static void exec_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct exec_state *state = run->state;
    counters[COUNT_LAPS] = state->laps;
}

static void exec_describe(struct run *run, struct line *line)
{
    const struct exec_state *state = run->state;
    line_text(line, "command", command_name(run));
    line_text(line, "accounting", exec_usage_name(&state->usage));
}

static void exec_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    line_text(line, "accounting", exec_usage_name(&state->usage));
    if (own->loop)
        line_count(line, "laps", (uint64_t)window->counters[COUNT_LAPS]);
}

static const struct load_process process = {
    .resume = exec_resume, .pause = exec_pause, .process = exec_process, .suspend = exec_suspend};

static const struct load exec_load = {
    .name = "exec",
    .summary = "runs any command as a load, and ends all its processes",
    .details = "Resumed, COMMAND is started in a process group of its own, with /dev/null as stdin "
               "and its output on stderr. Paused, it is ended with all its descendants, including "
               "those in other sessions: SIGTERM, then SIGKILL after 2 s; by SIGKILL at once if "
               "loadgen itself is killed. A command that exits by itself is an error; with --loop "
               "one that fails. cpu_s is that of its whole process tree, counted by a cgroup where "
               "one can be made; \"accounting\" in the report says how.",
    .options = settings,
    .options_size = sizeof(struct exec_settings),
    .check = exec_check,
    .prepare = exec_prepare,
    .cleanup = exec_cleanup,
    .describe = exec_describe,
    .fields = exec_fields,
    .cpu_ns = exec_cpu_ns,
    .count = exec_count,
    .process = &process,
    .arguments = "-- COMMAND...",
    .without = (const char *const[]){"threads", "limit", NULL},
};
LOADGEN_REGISTER(exec_load);
