// loadgen syscall: enters the kernel and returns from it, at a rate: what programs
// that read and write in small pieces do to their neighbours. Time of its CPU goes to the
// kernel, whose code and data replace others' in the small caches, and what the CPU does on
// entry against speculation attacks empties predictors, and TLBs on some.

#define OPTIONS_OF struct syscall_settings // see common/options.h

#include "load.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

// The system calls that loadgen syscall makes, each cheap and without effect.

struct call {
    const char *file; // that it is made on, open for reading and writing; NULL: none
    // Makes the call so many times. False: one failed, errno says why.
    bool (*make)(int fd, uint64_t times);
    const char *counted; // the field of /proc/PID/task/TID/io that counts them, or NULL
};

static const char *const call_names[] = {"getppid", "clock_gettime", "read", "write", "stat", NULL};

// WORKS: whether one call, which may write into `result`, was good.
#define CALL(NAME, RESULT, WORKS)                                                                  \
    static bool NAME(int fd, uint64_t times)                                                       \
    {                                                                                              \
        RESULT result = {0};                                                                       \
        (void)fd, (void)result;                                                                    \
        while (times-- > 0)                                                                        \
            if (!(WORKS))                                                                          \
                return false;                                                                      \
        return true;                                                                               \
    }

CALL(make_getppid, char, syscall(SYS_getppid) >= 0)
// It is called by its number, as the C library's function never enters the kernel.
CALL(make_clock_gettime, struct timespec, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &result) == 0)
CALL(make_read, char, read(fd, &result, 1) == 1)
CALL(make_write, char, write(fd, &result, 1) == 1)
CALL(make_stat, struct stat, stat("/", &result) == 0)

// The calls by the number that --call has; the names are in the same order, ended by NULL.
static const struct call calls[] = {
    {.make = make_getppid},
    {.make = make_clock_gettime},
    {.file = "/dev/zero", .make = make_read, .counted = "syscr"},
    {.file = "/dev/null", .make = make_write, .counted = "syscw"},
    {.make = make_stat},
};

#define MOST_IN_A_ROW 1000 // some 200 us
// This is no load on the scheduler.
#define STEPS_PER_S 2000

struct syscall_settings {
    int call; // index into calls
};

static const struct option_row options[] = {
    {ROW("call", "NAME", OPTION_CHOICE, call), .preset = "getppid", .choices = call_names,
     .help = "the system call; read takes a byte of /dev/zero, write puts one into /dev/null, stat "
             "is of /",
     .measured = true},
    {0},
};

// What the kernel counts for all workers: their calls, and the CPU time of the process.
enum counter { CALLS, USER_NS, SYSTEM_NS };

static const struct call *call_of(const struct run *run)
{
    return &calls[settings_of(run)->call];
}

// ---- workers ----

struct caller {
    int fd; // -1: none is needed
};

static inline struct caller *own_of(const struct worker *worker)
{
    return worker->state;
}

static int begin(struct worker *worker)
{
    const struct call *call = call_of(worker->run);
    own_of(worker)->fd = call->file ? open(call->file, O_RDWR | O_CLOEXEC) : -1;
    if (call->file && own_of(worker)->fd < 0)
        return worker_fail(worker, "cannot open %s: %s: choose another --call", call->file,
                           strerror(errno));
    return 0;
}

static void end(struct worker *worker)
{
    if (own_of(worker)->fd >= 0)
        close(own_of(worker)->fd);
}

static double operate(struct worker *worker)
{
    const double times = worker->orders.quantum;
    if (!call_of(worker->run)->make(own_of(worker)->fd, (uint64_t)times))
        return worker_fail(worker, "a call failed: %s: choose another --call", strerror(errno));
    return times;
}

// ---- what the kernel counts ----

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct call *call = call_of(run);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        counters[USER_NS] = (double)timeval_ns(usage.ru_utime);
        counters[SYSTEM_NS] = (double)timeval_ns(usage.ru_stime);
    }
    // The kernel is asked for the whole process at once, less this thread: to ask for each of a
    // thousand busy threads takes many seconds. What this one reads here is the same each time.
    counters[CALLS] =
        call->counted ? process_io(call->counted) - thread_io(getpid(), call->counted) : NAN;
}

// Time in the kernel / CPU time; NAN without any.
static double system_share(const struct snapshot *window)
{
    const double all_ns = window->counters[USER_NS] + window->counters[SYSTEM_NS];
    return all_ns > 0 ? window->counters[SYSTEM_NS] / all_ns : NAN;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "claimed_calls", window->amount, 0);
    line_fixed(line, "kernel_calls", window->counters[CALLS], 0);
    line_fixed(line, "kernel_ratio", per_unit(window->counters[CALLS], window), 6);
    if (!call_of(run)->counted)
        line_text(line, "kernel_reason", "the kernel counts only calls of read and write");
    line_fixed(line, "system_s", window->counters[SYSTEM_NS] / 1e9, 6);
    line_fixed(line, "system_share", system_share(window), 6);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    if (strcmp(event, "summary") != 0 || window->amount <= 0)
        return;
    report_print(&run->report, "  %.1f %% of its CPU time in the kernel",
                 100 * fmax(system_share(window), 0));
    if (call_of(run)->counted)
        report_print(&run->report, "; the kernel counted %.3f calls for each one claimed",
                     per_unit(window->counters[CALLS], window));
    report_print(&run->report, "\n");
}

static void describe(struct run *run, struct line *line)
{
    line_text(line, "call", call_names[settings_of(run)->call]);
    line_count(line, "chunk_operations", (uint64_t)engine_quantum(run));
}

static const struct load syscall_load = {
    .name = "syscall",
    .summary = "makes system calls, at a rate",
    .details = "The rate of --limit is in calls a second. Each result is checked; calls of read "
               "and write are compared with the kernel's own count. An operation is a few calls in "
               "a row, fewer at a low rate.",
    LOAD_OPTIONS(options),
    .worker_size = sizeof(struct caller),
    .unit = UNIT_OPS,
    .quantum = MOST_IN_A_ROW,
    .grain = 1,
    .steps_per_s = STEPS_PER_S,
    .calibrations = (const char *const[]){"--threads 1", NULL},
    .pinned = true,
    .begin = begin,
    .operate = operate,
    .end = end,
    .describe = describe,
    .fields = fields,
    .notes = notes,
    .count = count,
};
LOADGEN_REGISTER(syscall_load);
