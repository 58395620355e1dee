// loadgen hog: holds memory, and reads and writes next to nothing: what a program with a large heap
// or a leak does to its neighbours. The page cache shrinks; where memory gets short the kernel
// reclaims, for all of the machine or of the control group.

#define OPTIONS_OF struct hog_settings // see common/options.h

#include "common/cgroup.h"
#include "load.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 // Linux 5.4
#endif

#define STEP_BYTES (1 << 20) // the most that is touched at a time
#define ROUND_S    10        // without --limit: all of it is touched once in this time

struct hog_settings {
    const char *size;
    bool leak, reclaim;
};

static const struct option_row options[] = {
    {ROW("size", "SIZE", OPTION_TEXT, size), .preset = "25%",
     .help = "how much all workers hold: 2G, or 50% of the memory of the machine or of its control "
             "group",
     .measured = true},
    {ROW("leak", NULL, OPTION_FLAG, leak),
     .help = "begin with nothing and grow to --size by --limit, then give all back and begin again",
     .measured = true},
    {ROW("reclaim", NULL, OPTION_FLAG, reclaim),
     .help = "give pages to the kernel's reclaim by --limit, and touch them again: pressure on "
             "swap, where there is any",
     .measured = true},
    {0},
};

struct hog_state {
    double bytes; // of all workers
};

static inline struct hog_state *state_of(const struct run *run)
{
    return run->state;
}

// What one worker holds.
struct heap {
    unsigned char *memory;
    size_t bytes, at, page_bytes;
    _Atomic size_t held; // read by the control plane
};

static inline struct heap *own_of(const struct worker *worker)
{
    return worker->state;
}

static double wanted_bytes(const struct hog_settings *set)
{
    double percent;
    uint64_t bytes;
    const size_t length = strlen(set->size);
    if (length > 0 && set->size[length - 1] == '%' && units_percent(set->size, &percent) == 0 &&
        percent > 0 && percent <= 100)
        return percent / 100 * cache_room().memory_bytes;
    if (length > 0 && set->size[length - 1] != '%' && units_size(set->size, &bytes) == 0 &&
        bytes > 0)
        return (double)bytes;
    usage_error("--size %s: give a size such as 2G, or a part such as 50%%", set->size);
}

static void check(struct run *run)
{
    const struct hog_settings *set = run->settings;
    if (set->leak && set->reclaim)
        usage_error("--leak and --reclaim are two ways to use memory: give one of them");
    struct sysinfo machine;
    if (set->reclaim && sysinfo(&machine) == 0 && machine.totalswap == 0)
        usage_error("--reclaim: this machine has no swap, so no page of a program can be taken: "
                    "leave it out, or add swap");
    const double bytes = state_of(run)->bytes = wanted_bytes(set);
    run->grain = (double)page_bytes();
    if (isinf(run->rate) && !run->common.calib)
        run->rate = bytes / ROUND_S;
    room_claim(run, bytes, -1, "memory to be held of", "give a smaller --size");
}

static void touch(struct heap *own, size_t from, size_t bytes)
{
    for (size_t at = from; at < from + bytes; at += own->page_bytes)
        own->memory[at]++;
}

static int begin(struct worker *worker)
{
    const struct hog_settings *set = worker->run->settings;
    struct heap *own = worker->state;
    // Whole steps, at least one.
    const double bytes = state_of(worker->run)->bytes / worker->run->threads;
    own->page_bytes = page_bytes();
    own->bytes = bytes < STEP_BYTES ? STEP_BYTES : (size_t)(bytes / STEP_BYTES) * STEP_BYTES;
    own->memory = mmap(NULL, own->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own->memory == MAP_FAILED) {
        own->memory = NULL;
        return worker_fail(worker, "no memory: %s: give a smaller --size", strerror(errno));
    }
    // One page after the other: huge pages would be taken and given back at once.
    (void)madvise(own->memory, own->bytes, MADV_NOHUGEPAGE);
    while (!set->leak && own->held < own->bytes) {
        if (own->held % room_step(worker->run) < STEP_BYTES && !room_for_more(worker->run))
            return -1;
        touch(own, own->held, STEP_BYTES);
        own->held += STEP_BYTES;
    }
    return 0;
}

static void end(struct worker *worker)
{
    if (own_of(worker)->memory)
        munmap(own_of(worker)->memory, own_of(worker)->bytes);
}

// The next bytes of a leak, as far as its end, where all is given back; -1: memory is short.
static ssize_t grow(struct worker *worker, size_t most)
{
    struct heap *own = worker->state;
    if (own->held == own->bytes) {
        (void)madvise(own->memory, own->bytes, MADV_DONTNEED);
        own->held = 0;
    }
    if (!room_for_more(worker->run))
        return -1;
    const size_t left = own->bytes - own->held, some = most < left ? most : left;
    touch(own, own->held, some);
    own->held += some;
    return (ssize_t)some;
}

// The next bytes of what it holds, as far as its end; -1: it has failed.
static ssize_t use(struct worker *worker, size_t most)
{
    struct heap *own = worker->state;
    const size_t left = own->bytes - own->at, some = most < left ? most : left;
    if (settings_of(worker->run)->reclaim &&
        madvise(own->memory + own->at, some, MADV_PAGEOUT) != 0)
        return worker_fail(worker,
                           "this kernel reclaims no pages by request: %s: leave out --reclaim",
                           strerror(errno));
    touch(own, own->at, some);
    own->at = (own->at + some) % own->bytes;
    return (ssize_t)some;
}

static double operate(struct worker *worker)
{
    const bool leak = settings_of(worker->run)->leak;
    size_t left = (size_t)worker->orders.quantum;
    while (left > 0) {
        const ssize_t done = leak ? grow(worker, left) : use(worker, left);
        if (done < 0)
            return -1;
        left -= (size_t)done;
    }
    return worker->orders.quantum;
}

// What is resident of it is the kernel's word.
static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    double held = 0;
    (void)window;
    for (unsigned i = 0; i < run->threads; i++)
        if (run->workers && run->workers[i].state)
            held += (double)own_of(&run->workers[i])->held;
    line_fixed(line, "held_bytes", held, 0);
}

static const struct load hog_load = {
    .name = "hog",
    .summary = "holds memory, and uses next to no bandwidth",
    .details = "--limit is how many bytes a second it touches (by default all of it in 10 s), "
               "grows by (--leak), or gives to reclaim (--reclaim). It is refused where the memory "
               "is not free, and ends when memory gets short.",
    LOAD_OPTIONS(options),
    .state_size = sizeof(struct hog_state),
    .worker_size = sizeof(struct heap),
    .unit = UNIT_BYTES,
    .quantum = STEP_BYTES,
    .calibrations = (const char *const[]){"--threads 1", NULL},
    .fills = true,
    .uses = USES_MEMORY,
    .check = check,
    .begin = begin,
    .operate = operate,
    .end = end,
    .fields = fields,
};
LOADGEN_REGISTER(hog_load);
