/* loadgen exec: any command as a load. Resumed it is started, paused it is
 * ended, with everything that it has started: as a subreaper this process
 * inherits descendants that outlive their parents, whatever session or group
 * they moved to. With --loop it is started again whenever all of it has ended: a lap. It
 * has no workers; all happens on the control plane's loop. */

#include "common/tree.h"
#include "exec/guard.h"
#include "exec/usage.h"
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#define GRACE_MS      2000 /* from SIGTERM to SIGKILL */
#define KILL_AGAIN_MS 50
#define KILL_ROUNDS   200 /* 10 s: what still lives is stuck in the kernel */

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
    pid_t pid; /* the command's, and its process group's */
    int kills;
    int guard_fd; /* -1: none */
    double laps;
    int64_t lap_start_ns;
    int64_t lap_ns;   /* how long the last whole lap took; 0: there was none yet */
    bool wants_a_lap; /* settled, but steady only some part of a lap after the first */
    struct exec_usage usage;
    uv_timer_t timer;
    uv_signal_t child_ended;
};

#define FIELD(name) offsetof(struct exec_settings, name)
static const struct option_row settings[] = {
    {.name = "settle",
     .argument = "TIME",
     .type = OPTION_TIME,
     .offset = FIELD(settle_ns),
     .minimum = 0,
     .maximum = 1e13,
     .preset = "1s",
     .help = "time from the command's start until the load counts as steady"},
    {.name = "accounting",
     .argument = "HOW",
     .type = OPTION_CHOICE,
     .offset = FIELD(accounting),
     .preset = "auto",
     .choices = exec_accounting_names,
     .help = "how the CPU time of the tree is found: cgroup2, cgroup1, processes (a lower bound), "
             "or auto: the first of these that this machine allows"},
    {.name = "loop",
     .type = OPTION_FLAG,
     .offset = FIELD(loop),
     .help =
         "start COMMAND again whenever it and its descendants have ended, its stdout discarded; "
         "steady at a random part of a lap"},
    {0},
};

static const char *command_name(const struct run *run)
{
    return run->arguments[0];
}

/* ---- the child ---- */

/* After fork: becomes the command, or reports errno through the pipe. */
static void become_command(struct run *run, const struct group *group, int report_fd)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    const struct exec_settings *own = run->settings;
    /* stdin and stdout are the control plane's. What a program prints in each lap would bury
     * what the others say. */
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(own->loop ? null : STDERR_FILENO, STDOUT_FILENO) >= 0 && group_enter(group) &&
        cpus_pin_list(&run->cpus) == 0)
        execvp(run->arguments[0], run->arguments);
    const int error = errno;
    if (write(report_fd, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* 0, or the errno with which the command could not be started. */
static int start_command(struct run *run, struct exec_state *state)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    state->pid = group_fork(&state->usage.group);
    if (state->pid == 0)
        become_command(run, &state->usage.group, report[1]);
    close(report[1]);
    if (state->pid < 0)
        error = errno;
    else if (read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* the pipe was closed by a good exec */
    close(report[0]);
    return error;
}

/* ---- its end ---- */

static void finish_pause(struct run *run)
{
    struct exec_state *state = run->state;
    state->phase = STOPPED;
    uv_timer_stop(&state->timer);
    run_paused(run);
}

static void on_kill_time(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct exec_state *state = run->state;
    /* Again and again, for those that were forked meanwhile. */
    const size_t living = tree_signal(SIGKILL);
    if (++state->kills > KILL_ROUNDS) {
        run_fail(run, "%s: %zu of its processes cannot be killed: check them with ps",
                 command_name(run), living);
        finish_pause(run);
        return;
    }
    uv_timer_start(timer, on_kill_time, KILL_AGAIN_MS, 0);
}

/* Waits for everything that has ended. Returns whether anything is left;
 * *status is the command's own, if it was among them. */
static bool reap(const struct exec_state *state, int *status)
{
    for (;;) {
        int one;
        const pid_t pid = waitpid(-1, &one, WNOHANG);
        if (pid == 0)
            return true;
        if (pid < 0 && errno != EINTR)
            return false;
        if (pid == state->pid)
            *status = one;
    }
}

/* The command is not there though it should run. */
static void fail_ended(struct run *run, int status)
{
    const struct exec_settings *own = run->settings;
    if (WIFSIGNALED(status))
        run_fail(run, "%s was killed by signal %d while it should be running: try it alone",
                 command_name(run), WTERMSIG(status));
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
    const int error = start_command(run, state);
    if (error != 0)
        run_fail(run, "cannot start %s: %s: check the command", command_name(run), strerror(error));
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

static void on_child_ended(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    int status = 0;
    (void)number;
    const bool left = reap(state, &status);
    if (state->phase == ENDING && !left)
        finish_pause(run);
    else if (state->phase == RUNNING && own->loop && !left && status == 0)
        next_lap(run);
    else if (state->phase == RUNNING && (!left || status != 0)) /* else it became a daemon */
        fail_ended(run, status);
}

static void on_settled(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    if (!own->loop)
        run_steady(run);
    else if (state->lap_ns > 0)
        wait_for_random_phase(run);
    else
        state->wants_a_lap = true;
}

static void exec_resume(struct run *run)
{
    struct exec_state *state = run->state;
    const struct exec_settings *own = run->settings;
    state->phase = RUNNING;
    state->kills = 0;
    state->wants_a_lap = false;
    uv_timer_start(&state->timer, on_settled, (uint64_t)(own->settle_ns / 1000000), 0);
    begin_lap(run);
}

static void exec_pause(struct run *run)
{
    struct exec_state *state = run->state;
    int status;
    state->phase = ENDING;
    if (!reap(state, &status)) {
        finish_pause(run);
        return;
    }
    if (state->pid > 0)
        kill(-state->pid, SIGTERM);
    tree_signal(SIGTERM);
    tree_signal(SIGCONT); /* a stopped one could not obey */
    uv_timer_start(&state->timer, on_kill_time, GRACE_MS, 0);
}

/* ---- the load ---- */

static void exec_check(struct run *run)
{
    if (run->argument_count == 0)
        usage_error("exec: no command: give one, such as loadgen exec -- stress-ng --vm 1");
}

/* The guard has to be started before this process becomes a subreaper. */
static int count_usage(struct run *run, struct exec_state *state)
{
    const struct exec_settings *own = run->settings;
    state->guard_fd = -1;
    if (!exec_usage_open(&state->usage, (enum exec_accounting)own->accounting))
        return run_fail(run, "--accounting %s: no such group can be made here: use auto",
                        exec_accounting_names[own->accounting]);
    if (state->usage.group.kind != GROUP_NONE)
        state->guard_fd = guard_start(&state->usage.group);
    return 0;
}

static int exec_prepare(struct run *run)
{
    struct exec_state *state = calloc(1, sizeof *state);
    run->state = state;
    if (state == NULL)
        return run_fail(run, "out of memory: free some");
    if (count_usage(run, state) != 0)
        return -1;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return run_fail(run, "cannot become a subreaper: %s", strerror(errno));
    uv_timer_init(run->loop, &state->timer);
    state->timer.data = run;
    uv_signal_init(run->loop, &state->child_ended);
    state->child_ended.data = run;
    return uv_signal_start(&state->child_ended, on_child_ended, SIGCHLD) == 0
               ? 0
               : run_fail(run, "cannot watch child processes");
}

/* After the loop has closed its handles, which live in the state. The guard, if it
 * wakes up, finds the group removed. */
static void exec_cleanup(struct run *run)
{
    struct exec_state *state = run->state;
    if (state == NULL)
        return;
    exec_usage_close(&state->usage);
    if (state->guard_fd >= 0)
        close(state->guard_fd);
    free(state);
    run->state = NULL;
}

static int64_t exec_cpu_ns(struct run *run)
{
    struct exec_state *state = run->state;
    return exec_usage_ns(&state->usage);
}

static pid_t exec_process(const struct run *run)
{
    const struct exec_state *state = run->state;
    return state->phase == RUNNING ? state->pid : 0;
}

static double exec_delivered(struct run *run)
{
    (void)run;
    return NAN;
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

static const struct load_report reports = {.describe = exec_describe, .fields = exec_fields};
static const struct load_accounting accounting = {
    .delivered = exec_delivered, .cpu_ns = exec_cpu_ns, .count = exec_count};
static const struct load_process process = {
    .resume = exec_resume, .pause = exec_pause, .process = exec_process};
static const struct load_special special = {.arguments = "-- COMMAND...",
                                            .without = "threads limit"};

static const struct load exec_load = {
    .name = "exec",
    .summary = "runs any command as a load, and ends all its processes",
    .details = "Resumed, COMMAND is started in a process group of its own, with /dev/null as "
               "stdin and its output on stderr. Paused, it is ended with all its descendants, "
               "including those in other sessions: SIGTERM, then SIGKILL after 2 s. A command "
               "that exits by itself is an error; with --loop one that fails. cpu_s is that of its "
               "whole process tree, counted by "
               "a cgroup where one can be made; \"accounting\" in the report says how.",
    .options = settings,
    .options_size = sizeof(struct exec_settings),
    .check = exec_check,
    .prepare = exec_prepare,
    .cleanup = exec_cleanup,
    .report = &reports,
    .accounting = &accounting,
    .process = &process,
    .special = &special,
};
LOADGEN_REGISTER(exec_load);
