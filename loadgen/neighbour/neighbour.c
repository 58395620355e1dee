/* loadgen neighbour: a load that is there already. Resumed, the processes run; paused, they are
 * stopped (SIGSTOP). It starts nothing and ends nothing: whatever ends loadgen, they run on
 * (members.h). It has no workers; all happens on the control plane's loop. */

#include "load.h"
#include "neighbour/members.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum {
    STOP_LOOKS = 200, /* looks at whether all are stopped, a millisecond apart */
    WATCH_MS = 200,   /* how often is looked whether it is still there */
};

struct neighbour_settings {
    uint64_t pid; /* 0: not given */
    const char *cgroup, *job;
    bool pause;
    uint64_t started; /* 0: whichever has that number */
    int64_t settle_ns;
};

struct neighbour_state {
    struct neighbour neighbour;
    struct hold hold;
    bool running; /* resumed */
    int64_t cpu_ns;
    uv_timer_t settling, watching;
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct neighbour_settings, name, argument, type, member)
static const struct option_row settings[] = {
    {ROW("pid", "N", OPTION_COUNT, pid), .minimum = 1, .maximum = INT32_MAX,
     .help = "this process and its descendants"},
    {ROW("cgroup", "PATH", OPTION_TEXT, cgroup),
     .help = "all processes of this control group and of those below it"},
    {ROW("job", "ID", OPTION_TEXT, job),
     .help = "those of a scheduler's job on this node, by its control group (job_ID)"},
    {ROW("started", "TICKS", OPTION_COUNT, started), .minimum = 1, .maximum = 1e15,
     .help = "only if --pid began so many clock ticks after the machine's start (field 22 of "
             "/proc/N/stat): else another process has its number now"},
    {ROW("pause", NULL, OPTION_FLAG, pause),
     .help = "yes, stop them and continue them, again and again"},
    {ROW("settle", "TIME", OPTION_TIME, settle_ns), .minimum = 0, .maximum = 1e13,
     .preset = "200ms", .help = "time from their continuing until the load counts as steady"},
    {0},
};

static void check(struct run *run)
{
    const struct neighbour_settings *own = run->settings;
    if ((own->pid != 0) + (own->cgroup != NULL) + (own->job != NULL) != 1)
        usage_error("neighbour: who is it? Give one of --pid, --cgroup and --job");
    if (!own->pause)
        usage_error("neighbour: it would be stopped and continued, again and again: give --pause "
                    "if that is what you want");
    struct neighbour_state *state = run->state;
    state->hold = HOLD_OF_NONE;
    neighbour_find(&state->neighbour, own->pid, own->cgroup, own->job);
    if (own->started != 0 && (uint64_t)state->neighbour.started != own->started)
        usage_error("%s: another process than the one that had this number: give its pid of now",
                    state->neighbour.words);
}

static int fail_ended(struct run *run)
{
    const struct neighbour_state *state = run->state;
    return run_fail(run, "%s has ended: runs from here on have no neighbour",
                    state->neighbour.words);
}

/* Its guard was killed: from now on nobody is stopped any more. */
static int fail_lost(struct run *run)
{
    struct neighbour_state *state = run->state;
    neighbour_signal(&state->neighbour, SIGCONT);
    return run_fail(run, "the process that guards %s was killed: it runs on",
                    state->neighbour.words);
}

static bool is_lost(const struct neighbour_state *state)
{
    return state->hold.guard != 0 && !hold_is_there(&state->hold);
}

/* Stops all, also those that are forked meanwhile. Returns 0, or -1 after run_fail(). */
static int stop_all(struct run *run)
{
    struct neighbour_state *state = run->state;
    struct neighbour *neighbour = &state->neighbour;
    const struct timespec moment = {.tv_nsec = 1000000};
    for (unsigned look = 0; look < STOP_LOOKS; look++) {
        const bool stopped = neighbour_is_stopped(neighbour);
        if (look > 0 && stopped && hold_has(&state->hold, neighbour))
            break;
        if (!hold_has(&state->hold, neighbour) && !hold_take(&state->hold, neighbour))
            return run_fail(run, "%s: cannot guard %zu processes: %s: see ulimit -n and -u",
                            neighbour->words, neighbour->count, strerror(errno));
        /* The look at all processes takes a while. Once the guard is gone the kernel has continued
         * all, and nobody would do so again if we were killed next. */
        if (is_lost(state))
            return fail_lost(run);
        neighbour_signal(neighbour, SIGSTOP);
        (void)nanosleep(&moment, NULL);
    }
    if (neighbour->count == 0)
        return fail_ended(run);
    /* Just now: the kernel has continued all but those that we stopped since. */
    return is_lost(state) ? fail_lost(run) : 0;
}

static void continue_all(struct neighbour_state *state)
{
    (void)neighbour_look(&state->neighbour);
    neighbour_signal(&state->neighbour, SIGCONT);
}

static void on_settled(uv_timer_t *timer)
{
    run_steady(timer->data);
}

static void on_watch(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct neighbour_state *state = run->state;
    if (!neighbour_lives(&state->neighbour)) {
        uv_timer_stop(timer);
        (void)fail_ended(run);
    } else if (is_lost(state)) {
        uv_timer_stop(timer);
        (void)fail_lost(run);
    }
}

static void resume(struct run *run)
{
    struct neighbour_state *state = run->state;
    const struct neighbour_settings *own = run->settings;
    state->running = true;
    continue_all(state);
    if (state->neighbour.count == 0)
        (void)fail_ended(run);
    else
        uv_timer_start(&state->settling, on_settled, (uint64_t)(own->settle_ns / 1000000), 0);
}

static void pause_all(struct run *run)
{
    struct neighbour_state *state = run->state;
    state->running = false;
    uv_timer_stop(&state->settling);
    (void)stop_all(run);
    run_paused(run);
}

static int prepare(struct run *run)
{
    struct neighbour_state *state = run->state;
    uv_timer_init(run->loop, &state->settling);
    uv_timer_init(run->loop, &state->watching);
    state->settling.data = state->watching.data = run;
    if (stop_all(run) != 0)
        return -1;
    return uv_timer_start(&state->watching, on_watch, WATCH_MS, WATCH_MS);
}

static void cleanup(struct run *run)
{
    struct neighbour_state *state = run->state;
    continue_all(state);
    hold_release(&state->hold);
    neighbour_free(&state->neighbour);
}

static int64_t cpu_ns(struct run *run)
{
    struct neighbour_state *state = run->state;
    const int64_t now_ns = neighbour_cpu_ns(&state->neighbour);
    state->cpu_ns = now_ns > state->cpu_ns ? now_ns : state->cpu_ns;
    return state->cpu_ns;
}

static double delivered(struct run *run)
{
    (void)run;
    return NAN;
}

static pid_t process(const struct run *run)
{
    const struct neighbour_state *state = run->state;
    return state->running && state->neighbour.count > 0 ? state->neighbour.member[0].pid : 0;
}

/* Ctrl-Z of ours is no reason to stop a neighbour. */
static void suspend(struct run *run, bool stopped)
{
    struct neighbour_state *state = run->state;
    if (!state->running && stopped)
        continue_all(state);
    else if (!state->running)
        (void)stop_all(run);
}

static void describe(struct run *run, struct line *line)
{
    const struct neighbour_state *state = run->state;
    line_text(line, "neighbour", state->neighbour.words);
    line_count(line, "processes", state->neighbour.count);
    line_count(line, "started_ticks", (uint64_t)state->neighbour.started);
}

static const struct load_process processes = {
    .resume = resume, .pause = pause_all, .process = process, .suspend = suspend};

static const struct load neighbour_load = {
    .name = "neighbour",
    .summary = "pauses and continues programs that run already",
    .details =
        "Resumed, the processes run; paused, they are stopped (SIGSTOP), with all that they have "
        "started. They are yours, or you are root; never your shell or what started it. Whatever "
        "ends loadgen, the kernel continues them at once. cpu_s is their CPU time.",
    .options = settings,
    .options_size = sizeof(struct neighbour_settings),
    .state_size = sizeof(struct neighbour_state),
    .check = check,
    .prepare = prepare,
    .cleanup = cleanup,
    .describe = describe,
    .delivered = delivered,
    .cpu_ns = cpu_ns,
    .process = &processes,
    .without = "threads limit cpus nice sched",
};
LOADGEN_REGISTER(neighbour_load);
