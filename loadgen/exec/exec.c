// loadgen exec: any command as a load. Resumed it is started, paused it is
// ended, with everything that it has started, whatever session or group that
// moved to: both are done by the guard. With --loop it is started again whenever all of
// it has ended: a lap. It has no workers; all happens on the control plane's loop.

#include "exec/exec.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/memory_kills.h"
#include "common/processes.h"
#include "common/tree.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>

#define OUTSIDE_NS   INT64_C(20000000)    // of CPU time that the group has not counted
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
    exec_guard_tell(state, GUARD_RUN);
}

// Warns that a run sees a moment of the first part of a long lap only: nobody waits for minutes
// before each run.
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
    const int64_t counted_ns = exec_used_ns(state), walked_ns = tree_cpu_ns();
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
    const struct guard_event event = exec_guard_next(run->state);
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
    state->ending_ns += exec_used_ns(state) - state->paused_ns;
    state->phase = RUNNING;
    state->starting = true;
    state->wants_a_lap = false;
    begin_lap(state);
}

static void exec_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->paused_ns = exec_used_ns(state);
    state->phase = ENDING;
    uv_timer_stop(&state->timer);
    if (state->guard_fd >= 0)
        exec_guard_tell(state, GUARD_STOP);
    else
        finish_pause(run);
}

static void exec_suspend(struct run *run, bool stopped)
{
    exec_guard_tell(run->state, stopped ? GUARD_SUSPEND : GUARD_CONTINUE);
}

static void exec_check(struct run *run)
{
    if (run->argument_count == 0)
        usage_error("exec: no command: give one, such as loadgen exec -- stress-ng --vm 1");
    room_claim_unknown(run);
    exec_state_of(run)->guard_fd = -1;
    exec_state_of(run)->group = GROUP_OF_NONE;
}

static int exec_prepare(struct run *run)
{
    const struct exec_settings *own = run->settings;
    struct exec_state *state = run->state;
    if (!exec_find_group(&state->group, (enum exec_accounting)own->accounting))
        return run_fail(run, "--accounting %s: no such group can be made here: use auto",
                        exec_accounting_names[own->accounting]);
    if (exec_guard_start(run) != 0)
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
    exec_guard_close(state);
    if (state->guard > 0)
        (void)kill(state->guard, SIGCONT); // or we would wait for one that somebody stopped
    while (state->guard > 0 && waitpid(state->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    group_give_up(&state->group);
}

static int64_t exec_cpu_ns(struct run *run)
{
    struct exec_state *state = run->state;
    return (state->phase == RUNNING ? exec_used_ns(state) : state->paused_ns) - state->ending_ns;
}

static pid_t exec_process(const struct run *run)
{
    const struct exec_state *state = run->state;
    return state->phase == RUNNING ? state->pid : 0;
}

static void exec_count(struct run *run, double counters[LOAD_COUNTERS])
{
    counters[COUNT_LAPS] = exec_state_of(run)->laps;
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
    .state_size = sizeof(struct exec_state),
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
