// loadgen fork: makes processes, and waits for their end: what build systems and
// shell scripts do to their neighbours. Page tables are copied and torn down, CPUs
// flush them from their TLBs, and the scheduler has newcomers to place.

#define OPTIONS_OF struct fork_settings // see common/options.h

#include "load.h"

#include "common/cgroup.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

struct fork_settings {
    uint64_t touch_bytes;
};

static const struct option_row options[] = {
    {ROW("touch", "SIZE", OPTION_SIZE, touch_bytes), .minimum = 0, .maximum = 1 << 30,
     .preset = "64KiB",
     .help = "memory that each process writes to before it ends: each page of it is copied, 4 KiB "
             "on most systems",
     .measured = true},
    {0},
};

// Memory that a worker shares with its processes until they write to it.
struct parent {
    unsigned char *memory;
    size_t bytes, page_bytes;
};

static inline struct parent *own_of(const struct worker *worker)
{
    return worker->state;
}

static void check(struct run *run)
{
    // A worker's own, and a copy of it.
    room_claim(run, 2.0 * (double)settings_of(run)->touch_bytes * run->threads, -1,
               "memory to be touched of", "give a smaller --touch");
}

static int begin(struct worker *worker)
{
    const struct fork_settings *set = worker->run->settings;
    struct parent *own = worker->state;
    own->page_bytes = page_bytes();
    if (set->touch_bytes == 0)
        return 0;
    own->memory =
        mmap(NULL, set->touch_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own->memory == MAP_FAILED) {
        own->memory = NULL;
        return worker_fail(worker, "no memory: %s: give a smaller --touch", strerror(errno));
    }
    own->bytes = set->touch_bytes;
    memset(own->memory, 1, own->bytes);
    return 0;
}

static void end(struct worker *worker)
{
    if (own_of(worker)->memory)
        munmap(own_of(worker)->memory, own_of(worker)->bytes);
}

// glibc has it since 2.34: none of the locks that other threads may hold is needed in the new
// process.
extern pid_t _Fork(void);
#pragma weak _Fork

// One process, from its beginning to its end.
static double operate(struct worker *worker)
{
    struct parent *own = worker->state;
    int status;
    const pid_t pid = _Fork ? _Fork() : fork();
    if (pid == 0) {
        for (size_t at = 0; at < own->bytes; at += own->page_bytes)
            own->memory[at] = 2;
        _exit(0);
    }
    if (pid < 0)
        return worker_fail(worker, "cannot make a process: %s: raise that limit",
                           limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return worker_fail(worker, "cannot wait for a process: %s", strerror(errno));
    return 1;
}

// Most of it is the processes' own, until they have ended.
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

static const struct load fork_load = {
    .name = "fork",
    .summary = "makes processes that end at once",
    .details = "One operation makes a process, which writes to --touch bytes and ends, and waits "
               "for that; the rate of --limit is in processes a second.",
    LOAD_OPTIONS(options),
    .worker_size = sizeof(struct parent),
    .unit = UNIT_OPS,
    .calibrations = (const char *const[]){"--threads 1", "", NULL},
    .fills = true,
    .pinned = true,
    .check = check,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cpu_ns = cpu_ns,
};
LOADGEN_REGISTER(fork_load);
