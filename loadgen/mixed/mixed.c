// loadgen mixed: one thread that computes, faults pages in, makes processes and reads memory in
// turn, as programs do: several loads at once are several runnable threads, which take more of a
// shared CPU than a single one. Each part has a share of the CPU time that the thread gets, so
// where others take half of the CPU, half of everything is done.

#define OPTIONS_OF struct mixed_settings // see common/options.h

#include "load.h"

#include "common/cgroup.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define ROUND_NS       500000 // CPU time of an operation
#define FAULTS_AT_ONCE 16
#define FAULT_PAGES    256   // faulted in one after the other, then given back
#define READ_AT_ONCE   16384 // bytes
#define COMPUTE_STEPS  2000  // a few microseconds

struct mixed_settings {
    double faults, forks;
    uint64_t stream_bytes, footprint_bytes;
};

static const struct option_row options[] = {
    {ROW("faults", "N", OPTION_REAL, faults), .minimum = 0, .maximum = 1e7, .preset = "0",
     .help = "page faults for each second of its CPU time", .measured = true},
    {ROW("forks", "N", OPTION_REAL, forks), .minimum = 0, .maximum = 1e5, .preset = "0",
     .help = "processes for each second of its CPU time, each of which ends at once",
     .measured = true},
    {ROW("stream", "SIZE", OPTION_SIZE, stream_bytes), .minimum = 0, .maximum = 1e12, .preset = "0",
     .help = "bytes of memory that it reads for each second of its CPU time", .measured = true},
    {ROW("footprint", "SIZE", OPTION_SIZE, footprint_bytes), .minimum = 65536, .maximum = 1e12,
     .preset = "16MiB", .help = "memory of each worker that --stream goes through, again and again",
     .measured = true},
    {0},
};

enum counter { FAULTS, FORKS, KERNEL_FAULTS };

struct mixer {
    unsigned char *pages, *memory; // of the faults; of --stream
    size_t page_bytes, memory_bytes;
    size_t page, at;                    // the next one of each
    uint64_t faults, forks, read_bytes; // done
    int64_t begun_ns, children_ns,
        target_ns;  // CPU time of the thread at first; of its processes; of all rounds
    uint64_t value; // computed
};

static inline struct mixer *own_of(const struct worker *worker)
{
    return worker->state;
}

static void check(struct run *run)
{
    const struct mixed_settings *set = settings_of(run);
    if (set->stream_bytes > 0)
        room_claim(run, (double)set->footprint_bytes * run->threads, -1, "memory of",
                   "give a smaller --footprint");
}

// Fresh memory of base pages, so that each page is a fault of its own. NULL with errno.
static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int begin(struct worker *worker)
{
    const struct mixed_settings *set = settings_of(worker->run);
    struct mixer *own = own_of(worker);
    own->page_bytes = page_bytes();
    own->pages = map(FAULT_PAGES * own->page_bytes);
    if (!own->pages)
        return worker_fail(worker, "no memory: %s: free some", strerror(errno));
    // A kernel without huge pages refuses, and has none.
    (void)madvise(own->pages, FAULT_PAGES * own->page_bytes, MADV_NOHUGEPAGE);
    if (set->stream_bytes > 0) {
        own->memory = map(set->footprint_bytes);
        if (!own->memory)
            return worker_fail(worker, "no memory: %s: give a smaller --footprint",
                               strerror(errno));
        own->memory_bytes = set->footprint_bytes;
        memset(own->memory, 1, own->memory_bytes);
    }
    own->begun_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    return 0;
}

static void end(struct worker *worker)
{
    struct mixer *own = own_of(worker);
    if (own->pages)
        munmap(own->pages, FAULT_PAGES * own->page_bytes);
    if (own->memory)
        munmap(own->memory, own->memory_bytes);
}

static int fault_some(struct worker *worker, struct mixer *own)
{
    for (unsigned i = 0; i < FAULTS_AT_ONCE; i++) {
        own->pages[own->page++ * own->page_bytes] = 1;
        if (own->page < FAULT_PAGES)
            continue;
        own->page = 0;
        if (madvise(own->pages, FAULT_PAGES * own->page_bytes, MADV_DONTNEED) != 0)
            return worker_fail(worker, "cannot give pages back: %s: leave out --faults",
                               strerror(errno));
    }
    own->faults += FAULTS_AT_ONCE;
    worker_add(worker, FAULTS, FAULTS_AT_ONCE);
    return 0;
}

// glibc has it since 2.34: none of the locks that other threads may hold is needed in the new
// process.
extern pid_t _Fork(void);
#pragma weak _Fork

static int make_process(struct worker *worker, struct mixer *own)
{
    struct rusage usage;
    int status;
    const pid_t pid = _Fork ? _Fork() : fork();
    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return worker_fail(worker, "cannot make a process: %s: raise that limit",
                           limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return worker_fail(worker, "cannot wait for a process: %s", strerror(errno));
    own->children_ns += timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
    own->forks++;
    worker_add(worker, FORKS, 1);
    return 0;
}

static void read_some(struct mixer *own)
{
    const size_t left = own->memory_bytes - own->at;
    const size_t bytes = left < READ_AT_ONCE ? left : READ_AT_ONCE;
    uint64_t sum = own->value;
    for (size_t i = 0; i < bytes; i += 64)
        sum += own->memory[own->at + i];
    own->value = sum;
    own->at = own->at + bytes < own->memory_bytes ? own->at + bytes : 0;
    own->read_bytes += bytes;
}

static void compute(struct mixer *own)
{
    uint64_t value = own->value;
    for (unsigned i = 0; i < COMPUTE_STEPS; i++) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        __asm__ volatile("" : "+r"(value));
    }
    own->value = value;
}

// One turn: of each part what it is behind by, at most one piece; the rest of the time it computes.
static int take_turn(struct worker *worker, struct mixer *own, double spent_s)
{
    const struct mixed_settings *set = settings_of(worker->run);
    if ((double)own->faults < set->faults * spent_s && fault_some(worker, own) != 0)
        return -1;
    if ((double)own->forks < set->forks * spent_s && make_process(worker, own) != 0)
        return -1;
    if ((double)own->read_bytes < (double)set->stream_bytes * spent_s)
        read_some(own);
    else
        compute(own);
    return 0;
}

// A round is over when the CPU time of all rounds has come to its end: what one took too much, the
// next takes less.
static double operate(struct worker *worker)
{
    struct mixer *own = own_of(worker);
    own->target_ns += ROUND_NS;
    for (;;) {
        const int64_t spent_ns =
            clock_of(CLOCK_THREAD_CPUTIME_ID) - own->begun_ns + own->children_ns;
        if (spent_ns >= own->target_ns)
            return 1;
        if (take_turn(worker, own, (double)spent_ns / 1e9) != 0)
            return -1;
    }
}

// With that of its processes, which have ended.
static int64_t cpu_ns(struct run *run)
{
    const int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    int64_t sum_ns = 0;
    (void)run;
    for (size_t i = 0; i < sizeof who / sizeof who[0]; i++) {
        struct rusage usage;
        if (getrusage(who[i], &usage) == 0)
            sum_ns += timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
    }
    return sum_ns;
}

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct rusage usage;
    (void)run;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        counters[KERNEL_FAULTS] = (double)usage.ru_minflt;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    (void)run;
    line_fixed(line, "faults", window->counters[FAULTS], 0);
    line_fixed(line, "processes", window->counters[FORKS], 0);
    line_fixed(line, "kernel_page_faults", window->counters[KERNEL_FAULTS], 0);
}

static const struct load mixed_load = {
    .name = "mixed",
    .summary = "computes, faults pages in, makes processes and reads memory, in turn",
    .details =
        "One operation is a round of 0.5 ms of CPU time: --limit 1000 takes half of a CPU, "
        "and without a limit each worker takes what it gets. Of each part as much is done as "
        "that CPU time asks for; what is left of it the worker computes. As other loads have "
        "one thing to do, joining them with + makes a runnable thread of each; this one has "
        "--threads of them.",
    LOAD_OPTIONS(options),
    .worker_size = sizeof(struct mixer),
    .unit = UNIT_OPS,
    .fills = true,
    .check = check,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cpu_ns = cpu_ns,
    .count = count,
    .fields = fields,
};
LOADGEN_REGISTER(mixed_load);
