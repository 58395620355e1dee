/* loadgen io: reads and writes a work file, at a rate, and past the caches.
 *
 * Nobody should need to doubt it: the file is allocated, written with data that
 * cannot be made smaller, and gone when the load is; every write is durable
 * before it counts; reads bypass the page cache; and the figures are compared
 * with the device's own. */

#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const sync_names[] = {"direct", "dsync", "data", "none", NULL};

#define FIELD(name) offsetof(struct io_settings, name)
static const struct setting settings[] = {
    {"sequential", NULL, SETTING_FLAG, FIELD(sequential), 0, 0, NULL, NULL,
     "one block after the other, each worker in a part of the file (the default)"},
    {"random", NULL, SETTING_FLAG, FIELD(random), 0, 0, NULL, NULL,
     "blocks anywhere in the file, evenly"},
    {"read", NULL, SETTING_FLAG, FIELD(read), 0, 0, NULL, NULL, "read"},
    {"write", NULL, SETTING_FLAG, FIELD(write), 0, 0, NULL, NULL, "write (the default)"},
    {"mix", "PERCENT", SETTING_PERCENT, FIELD(read_percent), 0, 100, NULL, NULL,
     "both: this share of the operations reads"},
    {"block-size", "SIZE", SETTING_SIZE, FIELD(block_bytes), 1, 1 << 30, NULL, NULL,
     "bytes of one operation (default: 1 MiB sequential; random 512 bytes, or the device's "
     "logical block if that is larger)"},
    {"depth", "N", SETTING_COUNT, FIELD(depth), 1, 4096, "1", NULL,
     "operations that each worker keeps in flight: io_uring above 1, or threads without it"},
    {"sync", "KIND", SETTING_CHOICE, FIELD(sync), 0, 0, "dsync", sync_names,
     "what a write has to reach before it counts: dsync: O_DIRECT and O_DSYNC, durable; direct: "
     "O_DIRECT, the device's cache; data: page cache and fdatasync, durable; none: page cache"},
    {"dir", "DIR", SETTING_TEXT, FIELD(folder), 0, 0, NULL, NULL,
     "folder of the work file (default: $TMPDIR, else /var/tmp)"},
    {"file-size", "SIZE", SETTING_SIZE, FIELD(file_bytes), 4096, 1e18, NULL, NULL,
     "size of the work file (default: $WORKFILE_SIZE, else 8 GiB)"},
    {"keep", NULL, SETTING_FLAG, FIELD(keep), 0, 0, NULL, NULL,
     "leave the work file for the next start, as DIR/jostle-workfile.UID"},
    {"cached", NULL, SETTING_FLAG, FIELD(cached), 0, 0, NULL, NULL,
     "read through the page cache, on purpose: a load on memory, named io-cached"},
    {"allow-memory", NULL, SETTING_FLAG, FIELD(allow_memory), 0, 0, NULL, NULL,
     "go on where the folder is in memory (tmpfs, ramfs, zram)"},
    {"calib", NULL, SETTING_FLAG, FIELD(calib), 0, 0, NULL, NULL,
     "in place of load: measure what the disk can do, SECONDS (10) for each of sequential and "
     "random writes and reads"},
    {"calibration", "FILE", SETTING_TEXT, FIELD(calibration), 0, 0, NULL, NULL,
     "calibration that --limit N% refers to (default: the newest that fits, in "
     "$XDG_CACHE_HOME/jostle/calibration); with --calib, a file to write"},
    {"show-device", NULL, SETTING_FLAG, FIELD(show_device), 0, 0, NULL, NULL,
     "in place of load: one JSON line on the device behind --dir"},
    {0},
};

static const char details[] =
    "The rate of --limit is in bytes a second for sequential and in operations a second "
    "for random blocks; 50% is of what `jostle calib` measured here.";

/* ---- names ---- */

const char *io_sync_name(enum io_sync sync)
{
    return sync_names[sync];
}

const char *io_access_name(const struct io_plan *plan, char *text, size_t size)
{
    if (plan->read_percent <= 0 || plan->read_percent >= 100)
        snprintf(text, size, "%s", plan->read_percent > 0 ? "read" : "write");
    else
        snprintf(text, size, "mix %g", plan->read_percent);
    return text;
}

void io_set_unit(struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;

    run->unit = plan->random ? UNIT_OPS : UNIT_BYTES;
    run->quantum = plan->random ? 1 : (double)plan->block_bytes;
}

/* ---- options, before anything starts ---- */

static uint64_t file_size(const struct run *run)
{
    const char *text = getenv("WORKFILE_SIZE");
    uint64_t bytes;

    if (options_given(run, "file-size"))
        return io_settings_of(run)->file_bytes;
    if (text == NULL || *text == '\0')
        return IO_DEFAULT_FILE_BYTES;
    if (units_size(text, &bytes) != 0 || bytes < 4096 || bytes > (uint64_t)1e18)
        usage_error("WORKFILE_SIZE=%.64s: not a size of 4096 bytes or more: set one such as 2G",
                    text);
    return bytes;
}

static const char *folder_of(const struct run *run)
{
    const char *folder = io_settings_of(run)->folder;

    if (folder == NULL)
        folder = getenv("TMPDIR");
    return folder != NULL && *folder != '\0' ? folder : "/var/tmp";
}

void io_find_device(struct run *run)
{
    struct io_state *state = io_state_of(run);
    struct io_error error;

    state->file.folder = folder_of(run);
    if (io_device_of(state->file.folder, &state->device, &error) != 0)
        usage_error("%s", error.message);
}

/* A warning; in place of load there is no stream of events that it could join. */
#define warn(run, ...)                                                                             \
    (io_settings_of(run)->calib ? complain(__VA_ARGS__) : run_warn(run, __VA_ARGS__))

/* Memory and networks are no disks. */
static void check_device(struct run *run)
{
    const struct io_state *state = io_state_of(run);
    const struct io_device *device = &state->device;

    if (device->memory && !io_settings_of(run)->allow_memory)
        usage_error("%s is in memory (%s%s%s): a load there reaches no disk: give a folder on one "
                    "with --dir, or --allow-memory",
                    state->file.folder, device->file_system, device->name[0] != '\0' ? " on " : "",
                    device->name);
    if (device->memory)
        warn(run, "%s is in memory (%s): this load reaches no disk", state->file.folder,
             device->file_system);
    if (device->network)
        warn(run, "%s is on a network (%s on %s): what is loaded is the network and its server",
             state->file.folder, device->file_system, device->name);
}

static void check_exclusive(const struct run *run)
{
    const struct io_settings *set = io_settings_of(run);
    bool mix = options_given(run, "mix");

    if (set->sequential && set->random)
        usage_error("--sequential and --random: give one of them");
    if (set->read + set->write + mix > 1)
        usage_error("--read, --write and --mix: give one of them");
    if (set->cached && !set->calib && !set->read && !mix)
        usage_error("--cached is for reads: give --read or --mix (writes into the page cache are "
                    "--sync none)");
    if (set->calib && set->cached)
        usage_error("--calib measures the disk: leave out --cached");
    if (set->calib && (run->common.control || run->common.limit != NULL))
        usage_error("--calib measures without a limit, and by itself: leave out --control and "
                    "--limit");
    if (run->argument_count > 0 && !set->calib)
        usage_error("%s: an argument too many: only --calib takes SECONDS", run->arguments[0]);
}

/* What O_DIRECT wants on this file system, found out with a file that has no
 * name; where that cannot be made, the device's logical block. */
static unsigned alignment_of(const struct io_state *state)
{
    int fd = open(state->file.folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    unsigned alignment = io_alignment(fd, state->device.block_bytes);

    if (fd >= 0)
        close(fd);
    return alignment;
}

static void check_block(struct run *run)
{
    struct io_state *state = io_state_of(run);
    struct io_plan *plan = &state->plan;
    const unsigned alignment = alignment_of(state);

    if (!options_given(run, "block-size")) {
        plan->block_bytes = plan->random ? IO_RANDOM_BLOCK : IO_SEQUENTIAL_BLOCK;
        if (plan->block_bytes < alignment) {
            warn(run, "random blocks of %u bytes: the logical block of %s, %llu cannot be had",
                 alignment, state->device.name, IO_RANDOM_BLOCK);
            plan->block_bytes = alignment;
        }
    }
    if (plan->block_bytes % alignment != 0)
        usage_error("--block-size %llu: no multiple of the logical block of %s, %u bytes: give one",
                    (unsigned long long)plan->block_bytes, state->device.name, alignment);
    if (plan->file_bytes / plan->block_bytes < plan->streams)
        usage_error("--file-size %llu: less than a block of %llu bytes for each of %u workers: "
                    "give a larger one",
                    (unsigned long long)plan->file_bytes, (unsigned long long)plan->block_bytes,
                    plan->streams);
}

/* One worker by default. Without io_uring, a thread for each operation in flight. */
static void choose_path(struct run *run)
{
    struct io_state *state = io_state_of(run);
    struct io_plan *plan = &state->plan;
    int forbidden;

    if (!options_given(run, "threads"))
        run->threads = 1;
    plan->depth = (unsigned)io_settings_of(run)->depth;
    state->path = "pwrite";
    if (plan->depth > 1) {
        forbidden = io_ring_forbidden();
        state->path = forbidden == 0 ? "io_uring" : "threads";
        if (forbidden != 0) {
            if (run->threads * (uint64_t)plan->depth > 4096)
                usage_error("--depth %u: io_uring cannot be used here (%s), and %llu threads are "
                            "too many: give less",
                            plan->depth, strerror(forbidden),
                            (unsigned long long)run->threads * plan->depth);
            warn(run, "io_uring cannot be used here (%s): %u threads in place of a depth of %u",
                 strerror(forbidden), run->threads * plan->depth, plan->depth);
            run->threads *= plan->depth;
            plan->depth = 1;
        }
    }
    plan->streams = run->threads;
}

static void set_plan(struct run *run)
{
    const struct io_settings *set = io_settings_of(run);
    struct io_state *state = io_state_of(run);

    state->plan = (struct io_plan){.file_bytes = file_size(run) & ~(uint64_t)4095,
                                   .block_bytes = set->block_bytes,
                                   .random = set->random,
                                   .read_percent = set->read ? 100 : set->read_percent,
                                   .sync = (enum io_sync)set->sync,
                                   .cached = set->cached,
                                   .read_fd = -1,
                                   .write_fd = -1};
    state->file.size_bytes = state->plan.file_bytes;
    state->file.keep = set->keep;
}

static void check(struct run *run)
{
    struct io_state *state = calloc(1, sizeof *state);
    struct io_error error;

    if (state == NULL)
        usage_error("out of memory: free some");
    run->state = state;
    state->file.fd = -1;
    check_exclusive(run);
    if (io_settings_of(run)->cached)
        run->load = &io_cached_load;
    io_find_device(run);
    if (io_settings_of(run)->show_device)
        return;
    check_device(run);
    set_plan(run);
    choose_path(run);
    check_block(run);
    if (io_file_check(&state->file, &error) != 0) {
        complain("%s", error.message);
        exit(error.status);
    }
    io_set_unit(run);
}

/* ---- rates ---- */

static int percent_rate(struct run *run, double percent, double *rate, char *error, size_t size)
{
    double whole;

    if (percent > 1000) {
        snprintf(error, size, "%g%%: more than anybody could mean: give 1000%% or less", percent);
        return -1;
    }
    if (io_entry_rate(run, &whole, error, size) != 0)
        return -1;
    *rate = whole * percent / 100;
    return 0;
}

static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    const bool random = io_state_of(run)->plan.random;
    const double most = random ? IO_LARGEST_RATE_OPS : IO_LARGEST_RATE_BYTES;
    struct rate given;

    if (units_rate(text, &given) != 0)
        snprintf(error, size, "%.64s: not a rate: give one such as %s, or 50%%", text,
                 random ? "5000iops" : "10MiB/s");
    else if (!(given.value > 0))
        snprintf(error, size, "%.64s: nothing would happen: give more than 0", text);
    else if (given.kind == RATE_PERCENT)
        return percent_rate(run, given.value, value, error, size);
    else if (given.kind == (random ? RATE_BYTES : RATE_OPS))
        snprintf(error, size, "%.64s: %s blocks are counted in %s: give a rate such as %s", text,
                 random ? "random" : "sequential", random ? "operations" : "bytes",
                 random ? "5000iops" : "10MiB/s");
    else if (given.value > most)
        snprintf(error, size, "%.64s: no disk does that: give %g %s or less", text, most,
                 random ? "ops/s" : "B/s");
    else {
        *value = given.value;
        return 0;
    }
    return -1;
}

/* ---- file ---- */

/* A signal that waits, or a harness that is gone. */
static bool interrupted(void *context)
{
    const struct run *run = context;
    struct pollfd input = {.fd = STDIN_FILENO};
    sigset_t pending;

    if (run->common.control && poll(&input, 1, 0) == 1 && (input.revents & POLLHUP) != 0 &&
        (input.revents & POLLIN) == 0)
        return true;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
            sigismember(&pending, SIGHUP) == 1);
}

/* Signals wait while the file is written, which looks for them; afterwards they
 * are delivered, and end the load in the usual way. */
static int open_file(struct run *run, struct io_error *error)
{
    struct io_state *state = io_state_of(run);
    sigset_t ending, before;
    int failed;

    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, &before);
    state->file.interrupted = interrupted;
    state->file.context = run;
    failed = io_file_open(&state->file, error);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (failed == 0 && state->file.busy && io_settings_of(run)->keep)
        warn(run,
             "the kept work file in %s is in use by another load: this one has made one "
             "of its own, that is not kept",
             state->file.folder);
    return failed;
}

/* Read the file once, so that it is in the page cache as far as that goes. */
static void warm(const struct io_state *state)
{
    static char buffer[1 << 20];
    off_t offset = 0;
    ssize_t length;

    while ((length = pread(state->plan.read_fd, buffer, sizeof buffer, offset)) > 0)
        offset += length;
}

int io_open(struct run *run, struct io_error *error)
{
    struct io_state *state = io_state_of(run);

    state->open = true;
    state->moved = aligned_alloc(64, run->threads * sizeof *state->moved);
    if (state->moved == NULL)
        return io_error_set(error, IO_FAILED, "no memory for %u workers: give fewer --threads",
                            run->threads);
    memset(state->moved, 0, run->threads * sizeof *state->moved);
    if (state->file.fd < 0 && open_file(run, error) != 0)
        return -1;
    if (io_plan_open(&state->plan, &state->file, error) != 0)
        return -1;
    if (state->plan.drop)
        warn(run, "%s has no O_DIRECT: %s", state->file.folder,
             "through the page cache, with O_DSYNC for writes and dropped before reads");
    if (state->plan.cached)
        warm(state);
    return 0;
}

void io_close(struct run *run)
{
    struct io_state *state = io_state_of(run);

    if (state->open)
        io_plan_close(&state->plan);
    state->open = false;
    free(state->moved);
    state->moved = NULL;
}

static int prepare(struct run *run)
{
    struct io_error error;

    return io_open(run, &error) == 0 ? 0 : run_fail(run, "%s", error.message);
}

static void cleanup(struct run *run)
{
    struct io_state *state = io_state_of(run);

    if (state == NULL)
        return;
    io_close(run);
    io_file_close(&state->file);
    free(state);
    run->state = NULL;
}

/* ---- workers ---- */

struct io_worker {
    struct io_stream stream;
    struct io_ring *ring; /* NULL: one at a time */
};

static int begin(struct worker *worker)
{
    const struct io_plan *plan = &io_state_of(worker->run)->plan;
    struct io_worker *own = calloc(1, sizeof *own);
    struct io_error error;

    worker->state = own;
    if (own == NULL)
        return worker_fail(worker, "out of memory: free some");
    if (io_stream_open(&own->stream, plan, worker->index, &error) != 0)
        return worker_fail(worker, "%s", error.message);
    if (plan->depth > 1 && (own->ring = io_ring_open(&own->stream, &error)) == NULL)
        return worker_fail(worker, "%s", error.message);
    return 0;
}

static void end(struct worker *worker)
{
    struct io_worker *own = worker->state;

    if (own == NULL)
        return;
    io_ring_close(own->ring);
    io_stream_close(&own->stream);
    free(own);
    worker->state = NULL;
}

static void fail(struct worker *worker, const struct io_request *request, int error)
{
    const struct io_state *state = io_state_of(worker->run);

    worker_fail(worker, "%s at byte %llu of the work file in %s: %s%s",
                request->read ? "reading" : "writing", (unsigned long long)request->offset_bytes,
                state->file.folder, strerror(error),
                error == ENOSPC || error == EDQUOT
                    ? ": free some space, or give another --dir"
                    : ": look into the kernel's log, or give another --dir");
}

/* One operation is done. False: it failed, and the load with it. */
static bool finish(struct worker *worker, const struct io_done *done, int64_t end_ns)
{
    const struct io_state *state = io_state_of(worker->run);
    const struct io_plan *plan = &state->plan;
    struct io_moved *moved = &state->moved[worker->index];
    _Atomic uint64_t *bytes = done->request.read ? &moved->read_bytes : &moved->written_bytes;

    if (done->error != 0) {
        fail(worker, &done->request, done->error);
        return false;
    }
    /* One writer: no read-modify-write is needed. */
    atomic_store_explicit(bytes,
                          atomic_load_explicit(bytes, memory_order_relaxed) + plan->block_bytes,
                          memory_order_relaxed);
    worker_done(worker, done->due_ns, done->start_ns, end_ns,
                plan->random ? 1 : (double)plan->block_bytes);
    return true;
}

static void work_alone(struct worker *worker, struct io_stream *stream)
{
    struct io_done done;
    bool fine = true;

    while (fine && worker_wait_due(worker, &done.due_ns)) {
        done.request = io_stream_next(stream, 0);
        done.start_ns = now_ns();
        done.error = io_stream_do(stream, &done.request);
        fine = finish(worker, &done, now_ns());
    }
}

/* Start all that are due, as far as there is room. Returns how long may be
 * waited for a completion: until the next is due, or (negative) for ever. */
static int64_t start_due(struct worker *worker, struct io_ring *ring)
{
    int64_t at_ns = now_ns(), due_ns;

    while (io_ring_has_room(ring)) {
        if (!worker_take_due(worker, at_ns, &due_ns))
            return due_ns == INT64_MAX ? -1 : due_ns - at_ns;
        io_ring_start(ring, due_ns, at_ns);
    }
    return -1;
}

/* Take what is done. False: one of them failed. */
static bool take_done(struct worker *worker, struct io_ring *ring)
{
    const int64_t end_ns = now_ns();
    struct io_done done;
    bool fine = true;

    while (io_ring_take(ring, &done))
        fine = fine && finish(worker, &done, end_ns);
    return fine;
}

static bool wait_done(struct worker *worker, struct io_ring *ring, int64_t timeout_ns)
{
    const int error = io_ring_wait(ring, timeout_ns);

    if (error != 0)
        worker_fail(worker, "io_uring gave up: %s: try --depth 1", strerror(error));
    return error == 0 && take_done(worker, ring);
}

static void work_ring(struct worker *worker, struct io_ring *ring)
{
    bool fine = true;

    while (fine && worker_running(worker)) {
        const int64_t wait_ns = start_due(worker, ring);

        if (io_ring_in_flight(ring) > 0)
            fine = wait_done(worker, ring, wait_ns);
        else
            worker_sleep_until(worker, wait_ns < 0 ? INT64_MAX : now_ns() + wait_ns);
    }
    while (io_ring_in_flight(ring) > 0 && io_ring_wait(ring, -1) == 0)
        take_done(worker, ring);
}

static void work(struct worker *worker)
{
    struct io_worker *own = worker->state;

    if (own->ring != NULL)
        work_ring(worker, own->ring);
    else
        work_alone(worker, &own->stream);
    /* After a failure there is nothing more to do than to wait for the end. */
    if (worker_running(worker))
        worker_sleep_until(worker, INT64_MAX);
}

/* ---- what it says of itself ---- */

static void add_device(struct line *line, const struct io_state *state)
{
    const struct io_device *device = &state->device;
    char folder[512]; /* a line of the report has room for that */

    snprintf(folder, sizeof folder, "%s", state->file.folder);
    line_text(line, "dir", folder);
    line_text(line, "file_system", device->file_system);
    line_text(line, "device", device->name);
    line_text(line, "disks", device->disks);
    line_flag(line, "memory", device->memory);
    line_flag(line, "network", device->network);
    line_flag(line, "virtual_disk", device->virtual_disk);
}

static void describe(struct run *run, struct line *line)
{
    const struct io_state *state = io_state_of(run);
    char access[32];

    add_device(line, state);
    line_text(line, "pattern", state->plan.random ? "random" : "sequential");
    line_text(line, "access", io_access_name(&state->plan, access, sizeof access));
    line_count(line, "block_bytes", state->plan.block_bytes);
    line_count(line, "file_bytes", state->plan.file_bytes);
    line_count(line, "depth", state->plan.depth);
    line_text(line, "sync", io_sync_name(state->plan.sync));
    line_flag(line, "cached", state->plan.cached);
    line_text(line, "path", state->path);
    line_flag(line, "file_reused", state->file.reused);
    if (state->calibration[0] != '\0') {
        line_text(line, "calibration", state->calibration);
        line_real(line, "calibration_age_s", state->calibration_age_s);
    }
}

static int show_device(struct run *run)
{
    struct line line;

    line_open(&line);
    line_text(&line, "schema", "jostle.device/1");
    add_device(&line, io_state_of(run));
    line_close(&line);
    report_write(&run->report, &line);
    cleanup(run);
    return run->report.broken ? 1 : 0;
}

static int instead(struct run *run)
{
    int status;

    if (io_settings_of(run)->show_device)
        return show_device(run);
    if (!io_settings_of(run)->calib)
        return -1;
    status = io_calibrate(run);
    cleanup(run);
    return status;
}

#define IO_LOAD(own_name, own_summary)                                                             \
    {                                                                                              \
        .name = own_name, .summary = own_summary, .details = details, .arguments = "[SECONDS]",    \
        .settings = settings, .settings_size = sizeof(struct io_settings), .timed = true,          \
        .settle_ns = 20000000, .check = check, .instead = instead, .prepare = prepare,             \
        .rate = rate, .begin = begin, .work = work, .end = end, .cleanup = cleanup,                \
        .count = io_count, .fields = io_fields, .notes = io_notes, .describe = describe            \
    }

const struct load io_load =
    IO_LOAD("io", "reads or writes a work file on disk, past the caches, and checks itself");
const struct load io_cached_load = IO_LOAD("io-cached", "reads a work file in the page cache");
