// loadgen neighbour: a load that is there already. Resumed, the processes run; paused, they are
// stopped (SIGSTOP). It starts nothing and ends nothing: whatever ends loadgen, they run on.
// It has no workers; all happens on the control plane's loop.

#define OPTIONS_OF struct neighbour_settings // see common/options.h

#include "load.h"

#include "common/grouping.h"
#include "common/memory.h"
#include "common/processes.h"

#include <signal.h>
#include <uv.h>

// The processes that the neighbour is made of: a process with its descendants, a control group, or
// a job of the scheduler.

struct member {
    pid_t pid;
    long long started; // with it a number that was used again is another process
};

struct neighbour {
    pid_t pid; // of a tree; 0: it is the grouping's
    long long started;
    struct grouping grouping;
    char words[128]; // "pid 4711 (xz)"
    struct processes all;
    struct member *member;
    size_t count, room;
    int64_t ticks; // CPU time of those that were there at the last look, and their waited-for
                   // children
};

// What a machine, its sessions and its jobs live by.
static const char *const vital[] = {
    "sshd",        "slurmd",         "slurmstepd",   "slurmctld",      "systemd",
    "dbus-daemon", "munged",         "sge_execd",    "containerd",     "dockerd",
    "init",        "systemd-logind", "sshd-session", "systemd-journal"};

static const struct process *find(const struct processes *all, pid_t pid)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->process[i].pid == pid)
            return &all->process[i];
    return NULL;
}

static bool has_ended(const struct process *process)
{
    return process->state == 'Z' || process->state == 'X';
}

static bool is_member(const struct neighbour *neighbour, pid_t pid)
{
    for (size_t i = 0; i < neighbour->count; i++)
        if (neighbour->member[i].pid == pid)
            return true;
    return false;
}

static bool belongs(const struct neighbour *neighbour, const struct process *process)
{
    if (process->kernel || has_ended(process))
        return false;
    if (neighbour->pid == 0)
        return grouping_has_process(&neighbour->grouping, process->pid);
    if (process->pid == neighbour->pid)
        return process->started == neighbour->started;
    return is_member(neighbour, process->parent);
}

// Looks again who belongs to it. count 0: all have ended.
static void neighbour_look(struct neighbour *neighbour)
{
    size_t before;
    processes_read(&neighbour->all);
    neighbour->count = 0;
    neighbour->ticks = 0;
    // Children may have lower numbers than their parents: once more, until nobody is added.
    do {
        before = neighbour->count;
        for (size_t i = 0; i < neighbour->all.count; i++) {
            const struct process *process = &neighbour->all.process[i];
            if (is_member(neighbour, process->pid) || !belongs(neighbour, process))
                continue;
            neighbour->member = grown(neighbour->member, neighbour->count, &neighbour->room,
                                      sizeof *neighbour->member);
            neighbour->member[neighbour->count++] =
                (struct member){.pid = process->pid, .started = process->started};
            neighbour->ticks += process->ticks + process->waited;
        }
    } while (neighbour->count > before);
}

// Whether any of them still is there: without a look at all processes, as long as it is so.
static bool neighbour_lives(struct neighbour *neighbour)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        struct process process;
        if (process_read(neighbour->member[i].pid, &process) &&
            process.started == neighbour->member[i].started && !has_ended(&process))
            return true;
    }
    neighbour_look(neighbour);
    return neighbour->count > 0;
}

// Sends a signal to all members of the last look, each if it still is that process.
static void neighbour_signal(const struct neighbour *neighbour, int signal_number)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        const struct member *member = &neighbour->member[i];
        const struct process *process = find(&neighbour->all, member->pid);
        if (process && process->started == member->started)
            (void)kill(member->pid, signal_number);
    }
}

// Whether each of them is stopped, or will be before it runs on, by a new look after a SIGSTOP.
static bool neighbour_is_stopped(struct neighbour *neighbour)
{
    neighbour_look(neighbour);
    for (size_t i = 0; i < neighbour->count; i++) {
        const char state = find(&neighbour->all, neighbour->member[i].pid)->state;
        // In the kernel (D), such as a parent that waits for its stopped vfork(): it stops as soon
        // as it leaves.
        if (state != 'T' && state != 't' && state != 'D')
            return false;
    }
    return true;
}

// ---- whom we may pause ----

static void refuse_member(const struct neighbour *neighbour, const struct process *process,
                          bool shared)
{
    const char *words = neighbour->words;
    const int pid = (int)process->pid;
    if (process->pid == 1)
        usage_error("%s: process 1 is never paused: give the program itself", words);
    for (size_t i = 0; i < sizeof vital / sizeof *vital; i++)
        if (strcmp(process->name, vital[i]) == 0)
            usage_error("%s: pid %d is %s, which others live by: give the program itself", words,
                        pid, process->name);
    if (kill(process->pid, 0) != 0 && errno == EPERM)
        usage_error("%s: pid %d is another user's: only your own programs can be paused", words,
                    pid);
    if (!shared && (process->state == 'T' || process->state == 't'))
        usage_error("%s: pid %d is stopped already: continue it first (kill -CONT %d)", words, pid,
                    pid);
}

static void find_pid(struct neighbour *neighbour, uint64_t pid)
{
    processes_read(&neighbour->all);
    const struct process *process = pid > INT32_MAX ? NULL : find(&neighbour->all, (pid_t)pid);
    if (!process)
        usage_error("pid %llu: there is no such process, or /proc hides it (hidepid): look with ps",
                    (unsigned long long)pid);
    if (has_ended(process))
        usage_error("pid %llu: it has ended (a zombie): give one that runs",
                    (unsigned long long)pid);
    if (process->kernel)
        usage_error("pid %llu: a thread of the kernel cannot be paused: give a program",
                    (unsigned long long)pid);
    neighbour->pid = process->pid;
    neighbour->started = process->started;
    snprintf(neighbour->words, sizeof neighbour->words, "pid %d (%s)", (int)process->pid,
             process->name);
}

// Whatever ends us, the kernel continues all members at once. We have both ends of a pipe. The
// reading end is opened again for each member, and then signals SIGCONT to it (F_SETOWN, F_SETSIG,
// O_ASYNC: fcntl(2)) when the writing end closes, as it does when we end, by whatever signal: if
// that reading end is still open. A process that ends loses its descriptors by falling number,
// before Linux 4.3 by rising number (close_files() and task_work_run() of the kernel). So each
// member has a reading end above the writing one, and another below it. As nobody but us stops a
// member, none is stopped after that.
struct hold {
    int writing; // -1: it holds nobody
    int *reading;
    size_t count;
    struct member *member; // whom it holds
    size_t members;
};

#define HOLD_OF_NONE ((struct hold){.writing = -1})

// Keeps errno. Signals nobody, as the reading ends go first.
static void hold_release(struct hold *hold)
{
    const int error = errno;
    while (hold->count > 0)
        (void)close(hold->reading[--hold->count]);
    if (hold->writing >= 0)
        (void)close(hold->writing);
    free(hold->reading);
    free(hold->member);
    *hold = HOLD_OF_NONE;
    errno = error;
}

// Moves a descriptor to a number above `top`, and returns it; -1 with errno.
static int move_above(int fd, int top)
{
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, top + 1);
    const int error = errno == EINVAL ? EMFILE : errno; // such numbers are beyond ulimit -n
    (void)close(fd);
    errno = error;
    return higher;
}

// Another opening of the same end, which signals to `pid`; -1 with errno.
static int open_signalling(int reading, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", reading);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETOWN, pid) == 0 && fcntl(fd, F_SETSIG, SIGCONT) == 0 &&
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return fd;
    const int error = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = error;
    return -1;
}

// A reading end for each member, above *top, which is the highest then. False with errno.
static bool add_reading(struct hold *hold, const struct neighbour *neighbour, int reading, int *top)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        int fd = open_signalling(reading, neighbour->member[i].pid);
        if (fd < 0 && errno == ESRCH)
            continue; // it has just ended
        if (fd >= 0)
            fd = move_above(fd, *top);
        if (fd < 0)
            return false;
        hold->reading[hold->count++] = *top = fd;
    }
    return true;
}

// From now on these members are continued when we end. To be called before any of them is stopped,
// and again when others have come. False with errno.
static bool hold_take(struct hold *hold, const struct neighbour *neighbour)
{
    struct hold taken = HOLD_OF_NONE;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    int top = taken.writing = ends[1];
    taken.reading = calloc(2 * neighbour->count + 1, sizeof *taken.reading);
    taken.member = calloc(neighbour->count + 1, sizeof *taken.member);
    bool ready = taken.reading && taken.member && add_reading(&taken, neighbour, ends[0], &top);
    if (ready)
        top = taken.writing = move_above(taken.writing, top);
    ready = ready && top >= 0 && add_reading(&taken, neighbour, ends[0], &top);
    if (!ready)
        hold_release(&taken);
    (void)close(ends[0]);
    if (!ready)
        return false;
    memcpy(taken.member, neighbour->member, neighbour->count * sizeof *taken.member);
    taken.members = neighbour->count;
    hold_release(hold);
    *hold = taken;
    return true;
}

// Whether it holds all members of the last look.
static bool hold_has(const struct hold *hold, const struct neighbour *neighbour)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        bool has = false;
        for (size_t k = 0; k < hold->members && !has; k++)
            has = hold->member[k].pid == neighbour->member[i].pid &&
                  hold->member[k].started == neighbour->member[i].started;
        if (!has)
            return false;
    }
    return true;
}

// ---- the load ----

enum {
    STOP_LOOKS = 200, // looks at whether all are stopped, a millisecond apart
    WATCH_MS = 200,   // how often is looked whether it is still there
};

struct neighbour_settings {
    uint64_t pid; // 0: not given
    const char *cgroup, *job;
    bool pause, shared;
    uint64_t started; // 0: whichever has that number
    int64_t settle_ns;
};

struct neighbour_state {
    struct neighbour neighbour;
    struct hold hold;
    bool running; // resumed
    int64_t cpu_ns;
    uv_timer_t watching;
};

static inline struct neighbour_state *state_of(const struct run *run)
{
    return run->state;
}

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
    {ROW("shared", NULL, OPTION_FLAG, shared),
     .help = "another loadgen pauses it as well: it may be stopped already"},
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
    // Ends the program with exit 2 where there is no such neighbour, or it may not be paused:
    // another user's, the kernel's, our own ancestors, what the machine or the session lives by,
    // what is stopped already.
    struct neighbour *neighbour = &state->neighbour;
    *neighbour = (struct neighbour){.pid = 0};
    if (own->cgroup) {
        grouping_cgroup(&neighbour->grouping, "cgroup", own->cgroup);
        snprintf(neighbour->words, sizeof neighbour->words, "cgroup %.100s", own->cgroup);
    } else if (own->job) {
        grouping_job(&neighbour->grouping, "job", own->job);
        snprintf(neighbour->words, sizeof neighbour->words, "job %.100s", own->job);
    } else {
        find_pid(neighbour, own->pid);
    }
    neighbour_look(neighbour);
    // Ourselves, who started us, and who started them: a shell, a terminal.
    const struct process *process = find(&neighbour->all, getpid());
    for (; process; process = find(&neighbour->all, process->parent))
        if (is_member(neighbour, process->pid))
            usage_error(
                "%s: jostle itself was started from there (pid %d, %s): give another program",
                neighbour->words, (int)process->pid, process->name);
    for (size_t i = 0; i < neighbour->count; i++)
        refuse_member(neighbour, find(&neighbour->all, neighbour->member[i].pid), own->shared);
    if (own->started != 0 && (uint64_t)state->neighbour.started != own->started)
        usage_error("%s: another process than the one that had this number: give its pid of now",
                    state->neighbour.words);
}

static int fail_ended(struct run *run)
{
    return run_fail(run, "%s has ended: runs from here on have no neighbour",
                    state_of(run)->neighbour.words);
}

// Stops all, also those that are forked meanwhile. Returns 0, or -1 after run_fail().
static int stop_all(struct run *run)
{
    struct neighbour_state *state = run->state;
    struct neighbour *neighbour = &state->neighbour;
    const struct timespec moment = {.tv_nsec = 1000000};
    for (unsigned look = 0; look < STOP_LOOKS; look++) {
        const bool stopped = neighbour_is_stopped(neighbour);
        const bool held = hold_has(&state->hold, neighbour);
        if (look > 0 && stopped && held)
            break;
        if (!held && !hold_take(&state->hold, neighbour))
            return run_fail(run,
                            "%s: is not stopped, as nothing would continue it if jostle was "
                            "killed: %s: see ulimit -n",
                            neighbour->words, strerror(errno));
        neighbour_signal(neighbour, SIGSTOP);
        (void)nanosleep(&moment, NULL);
    }
    return neighbour->count == 0 ? fail_ended(run) : 0;
}

static void continue_all(struct neighbour_state *state)
{
    neighbour_look(&state->neighbour);
    neighbour_signal(&state->neighbour, SIGCONT);
}

static void on_watch(uv_timer_t *timer)
{
    struct run *run = timer->data;
    struct neighbour_state *state = run->state;
    if (neighbour_lives(&state->neighbour))
        return;
    uv_timer_stop(timer);
    (void)fail_ended(run);
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
        run_steady_in(run, own->settle_ns);
}

static void pause_all(struct run *run)
{
    struct neighbour_state *state = run->state;
    state->running = false;
    (void)stop_all(run);
    run_paused(run);
}

static int prepare(struct run *run)
{
    struct neighbour_state *state = run->state;
    uv_timer_init(run->loop, &state->watching);
    state->watching.data = run;
    if (stop_all(run) != 0)
        return -1;
    return uv_timer_start(&state->watching, on_watch, WATCH_MS, WATCH_MS);
}

static void cleanup(struct run *run)
{
    struct neighbour_state *state = run->state;
    if (state->hold.writing >= 0) // else none was stopped
        continue_all(state);
    hold_release(&state->hold);
    processes_free(&state->neighbour.all);
    free(state->neighbour.member);
    state->neighbour.member = NULL;
    state->neighbour.count = state->neighbour.room = 0;
}

static int64_t cpu_ns(struct run *run)
{
    struct neighbour_state *state = run->state;
    // Its CPU time so far in ns, never less than before; of what has ended only what was waited
    // for.
    neighbour_look(&state->neighbour);
    const int64_t now_ns = state->neighbour.ticks * PROCESS_TICK_US * 1000;
    state->cpu_ns = now_ns > state->cpu_ns ? now_ns : state->cpu_ns;
    return state->cpu_ns;
}

static pid_t process(const struct run *run)
{
    const struct neighbour_state *state = run->state;
    return state->running && state->neighbour.count > 0 ? state->neighbour.member[0].pid : 0;
}

// Ctrl-Z of ours is no reason to stop a neighbour.
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
    const struct neighbour *neighbour = &state_of(run)->neighbour;
    line_text(line, "neighbour", neighbour->words);
    line_count(line, "processes", neighbour->count);
    line_count(line, "started_ticks", (uint64_t)neighbour->started);
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
    LOAD_OPTIONS(settings),
    .state_size = sizeof(struct neighbour_state),
    .check = check,
    .prepare = prepare,
    .cleanup = cleanup,
    .describe = describe,
    .cpu_ns = cpu_ns,
    .process = &processes,
    .without = (const char *const[]){"threads", "limit", "stages", "arrivals", "phase", "cpus",
                                     "nice", "sched", NULL},
};
LOADGEN_REGISTER(neighbour_load);
