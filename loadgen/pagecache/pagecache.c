// loadgen pagecache: reads a file from its beginning to its end, again and again,
// through the page cache: what a backup, a search or a copy does to its neighbours.
// Its pages take the place of free memory first and then of other files' pages, which their
// owners have to read from the disk again. Never more than the file, which is at most a
// share of memory; all of them are given back when it pauses.

#define OPTIONS_OF struct pagecache_settings // see common/options.h

#include "io/io.h"

#include "common/cgroup.h"
#include "common/machine.h"

#include <sys/mman.h>

// How much of a file the page cache holds.

#define STEP_BYTES (256ull << 20)      // that are mapped at a time
#define MOST_PAGES (STEP_BYTES / 4096) // no system has smaller ones

// One mapping of it; mincore() reports what is there without touching it.
static uint64_t resident_in(int fd, uint64_t from, size_t bytes, unsigned char *pages)
{
    const size_t page = page_bytes();
    uint64_t count = 0;
    void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)from);
    if (memory == MAP_FAILED)
        return 0;
    if (mincore(memory, bytes, pages) == 0)
        for (size_t i = 0; i * page < bytes; i++)
            count += pages[i] & 1;
    munmap(memory, bytes);
    return count * page;
}

// Bytes of its part from `from` (a multiple of the page size) on; 0 also where the kernel
// does not say.
static uint64_t resident_bytes(int fd, uint64_t from, uint64_t bytes)
{
    static _Thread_local unsigned char pages[MOST_PAGES];
    uint64_t sum = 0;
    for (uint64_t at = 0; at < bytes; at += STEP_BYTES) {
        const uint64_t left = bytes - at;
        sum += resident_in(fd, from + at, left < STEP_BYTES ? left : STEP_BYTES, pages);
    }
    return sum;
}

// Gives up that part's pages, all that are not dirty.
static void resident_drop(int fd, uint64_t from, uint64_t bytes)
{
    (void)posix_fadvise(fd, (off_t)from, (off_t)bytes, POSIX_FADV_DONTNEED);
}

#define DEFAULT_FILE_BYTES (8.0 * 1073741824)
// The part of the free space of the file system that is left to others.
#define DISK_SPARE 0.1

struct pagecache_settings {
    uint64_t file_bytes, block_bytes;
    double share_percent;
    const char *folder;
    bool keep;
};

static const struct option_row options[] = {
    {ROW("file-size", "SIZE", OPTION_SIZE, file_bytes), .minimum = 1 << 20, .maximum = 1e18,
     .help = "size of the file, and the most that it takes of the page cache (default: --share of "
             "memory, 8 GiB at most)"},
    {ROW("share", "PERCENT", OPTION_PERCENT, share_percent), .minimum = 0.001, .maximum = 90,
     .preset = "50",
     .help = "of the memory of the machine, or of the cgroup's limit: a larger file is refused"},
    {ROW("block-size", "SIZE", OPTION_SIZE, block_bytes), .minimum = 4096, .maximum = 1 << 20,
     .preset = "128KiB", .help = "bytes of one read, a multiple of a page (4096 on most systems)"},
    {ROW("dir", "DIR", OPTION_TEXT, folder), .wrong = "no/such/folder",
     .help = "folder of the file (default: $TMPDIR, else /var/tmp)"},
    {ROW("keep", NULL, OPTION_FLAG, keep),
     .help = "leave the file for the next start, as DIR/jostle-workfile.UID, which loadgen io "
             "uses, too"},
    {0},
};

// Cumulative, but for OTHERS: the page cache that is not this load's.
enum counter { READ_BY_KERNEL, FROM_DEVICE, RECLAIMED, OTHERS };

struct pagecache_state {
    struct io_plan plan;
    struct io_file file;
    bool open;
    struct cache_room room; // as it was before the start
    double resident_bytes;  // now; while it is paused, when it was
};

static inline struct pagecache_state *state_of(const struct run *run)
{
    return run->state;
}

struct reader {
    struct io_stream stream;
    _Atomic uint64_t held_bytes; // of its part, at the last pause
};

static inline struct reader *own_of(const struct worker *worker)
{
    return worker->state;
}

// ---- options, before anything starts ----

static void check_device(struct run *run, const char *folder)
{
    struct device device;
    if (!device_of(folder, &device))
        usage_error("cannot use %s (%s): name a folder with --dir", folder, strerror(errno));
    if (device.memory)
        usage_error("%s is in memory (%s): a file there has no other place to be read from: give a "
                    "folder on a disk with --dir",
                    folder, device.file_system);
    if (device.network)
        run_warn(run, "%s is on a network (%s on %s): that is loaded, too, and its server", folder,
                 device.file_system, device.name);
}

// The file: as large as the option says, or as may be.
static uint64_t choose_size(const struct run *run, const struct cache_room *room)
{
    const struct pagecache_settings *set = run->settings;
    const double most = room->memory_bytes * set->share_percent / 100;
    const bool given = options_given(run->options, "file-size");
    const double bytes = given ? (double)set->file_bytes : fmin(most, DEFAULT_FILE_BYTES);
    char wanted[32], memory[32], allowed[32];
    if (bytes > most)
        usage_error(
            "--file-size %s: more than %g %% of the %s %s: give %s or less, or a larger --share",
            units_format_size(bytes, wanted, sizeof wanted), set->share_percent,
            units_format_size(room->memory_bytes, memory, sizeof memory),
            room->group ? "that the cgroup may use" : "of memory of this machine",
            units_format_size(most, allowed, sizeof allowed));
    return (uint64_t)bytes / page_bytes() * page_bytes();
}

static void check(struct run *run)
{
    const struct pagecache_settings *set = run->settings;
    struct pagecache_state *state = run->state;
    if (set->block_bytes % page_bytes() != 0)
        usage_error("--block-size %llu: not a multiple of %zu: give one",
                    (unsigned long long)set->block_bytes, page_bytes());
    state->room = cache_room();
    state->file = (struct io_file){.fd = -1,
                                   .folder = io_folder(set->folder),
                                   .size_bytes = choose_size(run, &state->room),
                                   .spare = DISK_SPARE,
                                   .force = run->common.force,
                                   .keep = set->keep};
    state->plan = (struct io_plan){.file_bytes = state->file.size_bytes,
                                   .block_bytes = set->block_bytes,
                                   .read_percent = 100,
                                   .cached = true,
                                   .depth = 1,
                                   .streams = run->threads,
                                   .read_fd = -1,
                                   .write_fd = -1};
    check_device(run, state->file.folder);
    if (state->file.size_bytes / set->block_bytes < run->threads)
        usage_error("--%s: less than a block for each worker (%u): give more, or less --threads",
                    options_given(run->options, "file-size") ? "file-size" : "share", run->threads);
    (void)io_file_check(run, &state->file);
    run->cached_bytes = (double)state->file.size_bytes;
    run->quantum = (double)set->block_bytes;
}

// ---- from start to end ----

// What the file needs beyond the memory that was free before the start.
static double needed(const struct pagecache_state *state)
{
    return fmax((double)state->file.size_bytes - state->room.free_bytes, 0);
}

static int prepare(struct run *run)
{
    struct pagecache_state *state = run->state;
    state->open = true;
    if (io_file_open(run, &state->file) != 0 || io_plan_open(run, &state->plan, &state->file) != 0)
        return -1;
    resident_drop(state->plan.read_fd, 0, state->plan.file_bytes);
    state->room = cache_room();
    const struct cache_room *room = &state->room;
    char file[32], unused[32], cached[32], limit[32];
    units_format_size((double)state->file.size_bytes, file, sizeof file);
    units_format_size(room->free_bytes, unused, sizeof unused);
    units_format_size(room->cached_bytes, cached, sizeof cached);
    units_format_size(room->memory_bytes, limit, sizeof limit);
    if (room->group)
        run_warn(run,
                 "in a cgroup that may use %s: only pages of that group can be evicted (%s of them "
                 "now, %s free), and none of any other",
                 limit, cached, unused);
    if (needed(state) <= 0)
        run_warn(run,
                 "%s are free and the file has %s: nothing has to be evicted for it: give a larger "
                 "--file-size, and --share",
                 unused, file);
    return 0;
}

static void cleanup(struct run *run)
{
    struct pagecache_state *state = run->state;
    if (!state->open)
        return;
    if (state->plan.read_fd >= 0)
        resident_drop(state->plan.read_fd, 0, state->plan.file_bytes);
    io_plan_close(&state->plan);
    io_file_close(&state->file);
}

static int begin(struct worker *worker)
{
    return io_stream_open(worker->run, &own_of(worker)->stream, &state_of(worker->run)->plan,
                          worker->index);
}

static void end(struct worker *worker)
{
    io_stream_close(&own_of(worker)->stream);
}

// Until a pause; then the worker's part is given back, so that what is measured without
// this load has that memory.
static void work(struct worker *worker)
{
    const struct pagecache_state *state = worker->run->state;
    const uint64_t block_bytes = state->plan.block_bytes;
    struct reader *own = worker->state;
    const uint64_t first = own->stream.first * block_bytes, bytes = own->stream.count * block_bytes;
    int64_t due_ns;
    int error = 0;
    while (error == 0 && worker_wait_due(worker, &due_ns)) {
        const struct io_request request = io_stream_next(&own->stream, 0);
        const int64_t start_ns = clock_ns();
        error = io_stream_do(&own->stream, &request);
        if (error == 0)
            worker_done(worker, due_ns, start_ns, clock_ns(), worker->run->quantum);
        else
            worker_fail(
                worker, "reading at byte %llu of the work file in %s: %s: check the kernel log",
                (unsigned long long)request.offset_bytes, state->file.folder, strerror(error));
    }
    if (error != 0)
        worker_sleep_until(worker, INT64_MAX);
    atomic_store(&own->held_bytes, resident_bytes(state->plan.read_fd, first, bytes));
    resident_drop(state->plan.read_fd, first, bytes);
}

// ---- reporting ----

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct pagecache_state *state = run->state;
    uint64_t held = 0;
    char text[32];
    if (state->plan.read_fd < 0)
        return;
    for (unsigned i = 0; run->workers && i < run->threads; i++) {
        const struct reader *own = run->workers[i].state;
        const pid_t id = run->workers[i].id;
        counters[READ_BY_KERNEL] += thread_io(id, "rchar");
        counters[FROM_DEVICE] += thread_io(id, "read_bytes");
        held += own ? atomic_load(&own->held_bytes) : 0;
    }
    const double now = (double)resident_bytes(state->plan.read_fd, 0, state->plan.file_bytes);
    state->resident_bytes = now > 0 ? now : (double)held;
    // Pages of files that the kernel took from anybody since boot.
    const bool known = machine_field("/proc/vmstat", "pgsteal_file", " ", text, sizeof text);
    counters[RECLAIMED] = known ? strtod(text, NULL) * (double)page_bytes() : (double)NAN;
    counters[OTHERS] = cache_room().cached_bytes - now;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct pagecache_state *state = run->state;
    const double *counters = window->counters;
    line_fixed(line, "claimed_bytes", window->amount, 0);
    line_fixed(line, "kernel_bytes", grown_by(counters[READ_BY_KERNEL]), 0);
    line_fixed(line, "device_bytes", grown_by(counters[FROM_DEVICE]), 0);
    line_fixed(line, "resident_bytes", state->resident_bytes, 0);
    line_fixed(line, "reclaimed_bytes", grown_by(counters[RECLAIMED]), 0);
    line_fixed(line, "others_cached_change_bytes", counters[OTHERS], 0);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct pagecache_state *state = run->state;
    char resident[32], reclaimed[32], others[32];
    if (strcmp(event, "summary") != 0 || window->amount <= 0)
        return;
    report_print(
        &run->report,
        "  %s of the file in the page cache; the kernel reclaimed %s of files' pages; the "
        "page cache of others %s by %s\n",
        units_format_size(state->resident_bytes, resident, sizeof resident),
        units_format_size(grown_by(window->counters[RECLAIMED]), reclaimed, sizeof reclaimed),
        window->counters[OTHERS] < 0 ? "shrank" : "grew",
        units_format_size(fabs(window->counters[OTHERS]), others, sizeof others));
}

static void describe(struct run *run, struct line *line)
{
    const struct pagecache_state *state = run->state;
    char folder[512]; // a line of the report has room for that
    snprintf(folder, sizeof folder, "%s", state->file.folder);
    line_text(line, "dir", folder);
    line_count(line, "file_bytes", state->plan.file_bytes);
    line_count(line, "block_bytes", state->plan.block_bytes);
    line_bool(line, "file_reused", state->file.reused);
    line_text(line, "memory_of", state->room.group ? "cgroup" : "machine");
    line_fixed(line, "memory_bytes", state->room.memory_bytes, 0);
    line_fixed(line, "free_bytes", state->room.free_bytes, 0);
    line_fixed(line, "needed_bytes", needed(state), 0);
    line_fixed(line, "evictable_bytes", state->room.cached_bytes, 0);
}

static const struct load pagecache_load = {
    .name = "pagecache",
    .summary = "reads a file through the page cache, so that other files' pages are evicted",
    .details = "The rate of --limit is in bytes a second; all pages of the file are read once in "
               "its size divided by that. They take free memory first. Pages are given back at "
               "each pause, and the file is gone at the end, unless it is kept.",
    LOAD_OPTIONS(options),
    .state_size = sizeof(struct pagecache_state),
    .worker_size = sizeof(struct reader),
    .unit = UNIT_BYTES,
    .threads = 1,
    .timed = true,
    .uses = USES_DISK | USES_MEMORY,
    .check = check,
    .prepare = prepare,
    .begin = begin,
    .work = work,
    .end = end,
    .cleanup = cleanup,
    .describe = describe,
    .fields = fields,
    .notes = notes,
    .count = count,
};
LOADGEN_REGISTER(pagecache_load);
