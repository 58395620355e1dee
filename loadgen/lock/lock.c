// loadgen lock: atomic additions. --contended: all workers on one cache line, which
// moves from core to core and keeps each waiting: what a lock or a counter that all
// threads share does. --split: on a word that lies across two lines; for each the CPU
// locks the bus, and every core of the machine waits. So neither is done unless it is
// named.

#define OPTIONS_OF struct lock_settings // see common/options.h

#include "load.h"

#include "common/cgroup.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

// A counter that is changed by locked instructions: in one cache line, or split
// across two, which locks the bus of the whole machine.

#define LOCK_WORD_BYTES 4096 // of memory for one, aligned to as much: nobody else's line

enum split_state {
    SPLIT_WORKS,
    SPLIT_SLOW,    // the kernel delays each one by milliseconds
    SPLIT_FATAL,   // the kernel ends a program that does it
    SPLIT_UNKNOWN, // it could not be tried; errno
    SPLIT_NONE     // this CPU has no such instruction
};

// Far more than a split lock takes, some us; the kernel's delay is 10 ms.
#define SLOW_NS 1000000

// Adds 1 so many times.
static void word_add(void *memory, uint64_t times)
{
    _Atomic uint64_t *word = memory;
    while (times-- > 0)
        atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

// What it has come to; atomic, also while others add.
static uint64_t word_read(void *memory)
{
    return atomic_load_explicit((_Atomic uint64_t *)memory, memory_order_relaxed);
}

#if defined(__x86_64__)

// A line has 64 bytes on every x86-64 CPU; half of the word is on either side of its end.
#define SPLIT_AT (64 - sizeof(uint64_t) / 2)

// Adds to a word that lies across two cache lines. Each of these additions is a split lock.
static void word_add_split(void *memory, uint64_t times)
{
    char *at = (char *)memory + SPLIT_AT;
    while (times-- > 0)
        __asm__ volatile("lock addq $1, (%0)" : : "r"(at) : "memory", "cc");
}

static uint64_t word_read_split(void *memory)
{
    char *at = (char *)memory + SPLIT_AT;
    uint64_t value = 0;
    __asm__ volatile("lock xaddq %0, (%1)" : "+r"(value) : "r"(at) : "memory", "cc");
    return value;
}

// In the child.
static _Noreturn void try_once(void *memory)
{
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGBUS, SIG_DFL);
    const int64_t start_ns = clock_ns();
    word_add_split(memory, 1);
    _exit(clock_ns() - start_ns > SLOW_NS ? SPLIT_SLOW : SPLIT_WORKS);
}

// Tries it, in a process of its own; twice, as a CPU that was taken away for a moment is slow, too.
static enum split_state word_try_split(void)
{
    void *memory = aligned_alloc(LOCK_WORD_BYTES, LOCK_WORD_BYTES);
    enum split_state state = memory ? SPLIT_SLOW : SPLIT_UNKNOWN;
    for (int i = 0; i < 2 && state == SPLIT_SLOW; i++) {
        int status = 0;
        const pid_t pid = fork();
        if (pid == 0)
            try_once(memory);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            state = SPLIT_UNKNOWN;
        else if (WIFSIGNALED(status))
            state = WTERMSIG(status) == SIGBUS ? SPLIT_FATAL : SPLIT_UNKNOWN;
        else
            state = (enum split_state)WEXITSTATUS(status);
    }
    free(memory);
    return state;
}

#else

#define word_add_split  word_add
#define word_read_split word_read

static enum split_state word_try_split(void)
{
    return SPLIT_NONE;
}

#endif

// Additions in a row: some 200 us of each.
#define MOST_CONTENDED 2000
#define MOST_SPLIT     200
#define STEPS_PER_S    2000

struct lock_settings {
    bool contended, split;
};

static const struct option_row options[] = {
    {ROW("contended", NULL, OPTION_FLAG, contended),
     .help = "all workers add to one word: its cache line moves between their CPUs",
     .measured = true},
    {ROW("split", NULL, OPTION_FLAG, split),
     .help = "each worker (default: one) adds to a word across two cache lines: every CPU of the "
             "machine waits for it, whoever owns the machine; x86-64 only",
     .measured = true},
    {0},
};

enum counter { COUNTED };

struct lock_state {
    bool split;
    unsigned words; // one, or one for each worker
    unsigned char *memory;
    double alone_ns; // of an addition to a word of one's own in one line
};

static inline struct lock_state *state_of(const struct run *run)
{
    return run->state;
}

static unsigned char *word_of(const struct lock_state *state, unsigned worker)
{
    return state->memory + (size_t)(worker % state->words) * LOCK_WORD_BYTES;
}

// ---- options, before anything starts ----

static void check_contended(struct run *run)
{
    if (run->cpus.count < 2)
        usage_error(
            "--contended: one CPU is allowed here, and nobody contends: give two with --cpus");
    if (run->threads < 2 && options_given(run->options, "threads"))
        usage_error("--contended: one worker contends with nobody: give --threads 2 or more");
    if (run->threads < 2)
        run->threads = 2;
    run->quantum = MOST_CONTENDED;
}

static void check_split(struct run *run)
{
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    run->quantum = MOST_SPLIT;
    switch (word_try_split()) {
    case SPLIT_WORKS:
        return;
    case SPLIT_SLOW:
        run->quantum = 1;
        run_warn(run, "the kernel delays each split lock by some 10 ms, so there will be few: "
                      "sysctl kernel.split_lock_mitigate=0 lets them through");
        return;
    case SPLIT_FATAL:
        usage_error("--split: the kernel ends a program that makes a split lock "
                    "(split_lock_detect=fatal): give --contended, or start the kernel without it");
    case SPLIT_NONE:
        usage_error(
            "--split: only x86-64 has locked instructions across cache lines: give --contended");
    case SPLIT_UNKNOWN:
        usage_error("--split: cannot try one: %s: raise that limit",
                    limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    }
}

static void check(struct run *run)
{
    const struct lock_settings *set = run->settings;
    if (set->contended == set->split)
        usage_error("lock: %s: give --contended (one cache line, between the CPUs of this load) or "
                    "--split (every CPU of the machine waits)",
                    set->split ? "--contended and --split are two loads" : "neither kind is named");
    if (set->split)
        check_split(run);
    else
        check_contended(run);
}

// ---- memory and workers ----

static int prepare(struct run *run)
{
    struct lock_state *state = run->state;
    state->split = settings_of(run)->split;
    state->words = state->split ? run->threads : 1;
    state->memory = aligned_alloc(LOCK_WORD_BYTES, (size_t)state->words * LOCK_WORD_BYTES);
    if (!state->memory)
        return run_fail(run, "out of memory: free some");
    memset(state->memory, 0, (size_t)state->words * LOCK_WORD_BYTES);
    return 0;
}

static void cleanup(struct run *run)
{
    free(state_of(run)->memory);
}

// The first worker finds out what an addition takes that nobody contends for: the least
// of some batches, as others may use this CPU.
static int begin(struct worker *worker)
{
    enum { BATCHES = 20, ADDITIONS = 500 };
    struct lock_state *state = worker->run->state;
    static _Alignas(128) _Thread_local uint64_t own[16];
    double least_ns = INFINITY;
    for (int i = 0; i < BATCHES && worker->index == 0; i++) {
        const int64_t start_ns = clock_ns();
        word_add(own, ADDITIONS);
        least_ns = fmin(least_ns, (double)(clock_ns() - start_ns) / ADDITIONS);
    }
    if (worker->index == 0)
        state->alone_ns = least_ns;
    return 0;
}

static double operate(struct worker *worker)
{
    const struct lock_state *state = worker->run->state;
    const double times = worker->orders.quantum;
    unsigned char *word = word_of(state, worker->index);
    if (state->split)
        word_add_split(word, (uint64_t)times);
    else
        word_add(word, (uint64_t)times);
    return times;
}

// ---- reporting ----

// What the words have come to.
static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct lock_state *state = run->state;
    for (unsigned i = 0; state && state->memory && i < state->words; i++) {
        unsigned char *word = word_of(state, i);
        counters[COUNTED] += (double)(state->split ? word_read_split(word) : word_read(word));
    }
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    (void)run;
    line_fixed(line, "claimed_additions", window->amount, 0);
    line_fixed(line, "counted_additions", window->counters[COUNTED], 0);
    line_fixed(line, "counter_ratio", per_unit(window->counters[COUNTED], window), 6);
    line_fixed(line, "addition_ns", per_unit((double)window->cpu_ns, window), 3);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    if (strcmp(event, "summary") == 0 && window->amount > 0)
        report_print(&run->report,
                     "  %.0f additions claimed, the counter has grown by %.0f; %.1f ns of CPU time "
                     "each, %.1f ns for one that nobody contends for\n",
                     window->amount, window->counters[COUNTED],
                     per_unit((double)window->cpu_ns, window), state_of(run)->alone_ns);
}

static void describe(struct run *run, struct line *line)
{
    const struct lock_state *state = run->state;
    line_text(line, "kind", state->split ? "split" : "contended");
    line_count(line, "chunk_operations", (uint64_t)engine_quantum(run));
    line_fixed(line, "alone_ns", state->alone_ns, 3);
}

static const struct load lock_load = {
    .name = "lock",
    .summary = "adds to a word by locked instructions: contended, or split across cache lines",
    .details = "Neither is done unless it is named. The rate of --limit is in additions a second. "
               "The report has what was claimed, and what the counter has come to.",
    LOAD_OPTIONS(options),
    .state_size = sizeof(struct lock_state),
    .grain = 1,
    .steps_per_s = STEPS_PER_S,
    .unit = UNIT_OPS,
    // `jostle calib` measures none of it; `loadgen lock --contended --calib` does.
    .calibrations = (const char *const[]){NULL},
    .pinned = true,
    .check = check,
    .prepare = prepare,
    .begin = begin,
    .operate = operate,
    .cleanup = cleanup,
    .describe = describe,
    .fields = fields,
    .notes = notes,
    .count = count,
};
LOADGEN_REGISTER(lock_load);
