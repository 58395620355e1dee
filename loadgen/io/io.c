// loadgen io: reads and writes a work file, at a rate, and past the caches.
//
// Its figures can be trusted: the file is allocated, written with data that
// cannot be made smaller, and gone when the load is; every write is durable
// before it counts; reads bypass the page cache; and the figures are compared
// with those of the device.

#include "io/io.h"

#include "common/cgroup.h"
#include "common/schemas.h"

static const char details[] =
    "The rate of --limit is in bytes a second for sequential and in operations a second for random "
    "blocks; 50% is of what `jostle calib` measured here.";

static const struct load io_cached_load;

// Reads of the page cache are a load of their own.
static void check(struct run *run)
{
    if (settings_of(run)->cached)
        run->load = &io_cached_load;
    io_check(run);
}

// Writes the work file if there is none yet, and opens it as the plan says.
static int prepare(struct run *run)
{
    struct io_state *state = io_state_of(run);
    char size[32];
    headroom_volunteer();
    if (!options_given(run->options, "file-size"))
        report_print(&run->report, "io: takes %s of %s, written before it begins\n",
                     units_format_size((double)state->file.size_bytes, size, sizeof size),
                     state->file.folder);
    state->open = true;
    if (io_file_open(run, &state->file) != 0 || io_plan_open(run, &state->plan, &state->file) != 0)
        return -1;
    if (state->plan.drop)
        run_warn(run, "%s has no O_DIRECT: %s", state->file.folder,
                 "through the page cache, with O_DSYNC for writes and dropped before reads");
    // Reads the file once, so that as much of it as fits is in the page cache.
    static char buffer[1 << 20];
    ssize_t length = state->plan.cached;
    for (off_t offset = 0; length > 0; offset += length)
        length = pread(state->plan.read_fd, buffer, sizeof buffer, offset);
    return 0;
}

static void cleanup(struct run *run)
{
    struct io_state *state = io_state_of(run);
    if (state->open)
        io_plan_close(&state->plan);
    io_file_close(&state->file);
}

// ---- workers ----

struct io_worker {
    struct io_stream stream;
    struct io_ring *ring; // NULL: one at a time
};

static int begin(struct worker *worker)
{
    const struct io_plan *plan = &io_state_of(worker->run)->plan;
    struct io_worker *own = worker->state;
    if (io_stream_open(worker->run, &own->stream, plan, worker->index) != 0)
        return -1;
    if (worker->index == 0)
        mem_pages_count(&io_state_of(worker->run)->pages, own->stream.area.memory);
    if (plan->depth > 1)
        own->ring = io_ring_open(worker->run, &own->stream);
    return plan->depth > 1 && !own->ring ? -1 : 0;
}

static void end(struct worker *worker)
{
    struct io_worker *own = worker->state;
    if (own->ring)
        io_ring_close(own->ring);
    io_stream_close(&own->stream);
}

// One operation is done. False: it failed, and the load with it.
static bool finish(struct worker *worker, const struct io_done *done, int64_t end_ns)
{
    const struct io_plan *plan = &io_state_of(worker->run)->plan;
    if (done->error != 0) {
        const struct io_state *state = io_state_of(worker->run);
        worker_fail(worker, "%s at byte %llu of the work file in %s: %s%s",
                    done->request.read ? "reading" : "writing",
                    (unsigned long long)done->request.offset_bytes, state->file.folder,
                    strerror(done->error),
                    done->error == ENOSPC || done->error == EDQUOT
                        ? ": free some space, or give another --dir"
                        : ": check the kernel log, or give another --dir");
        return false;
    }
    worker_add(worker, done->request.read ? IO_CLAIMED_READ : IO_CLAIMED_WRITTEN,
               plan->block_bytes);
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
        done.start_ns = clock_ns();
        done.error = io_stream_do(stream, &done.request);
        fine = finish(worker, &done, clock_ns());
    }
}

// Take what is done. False: one of them failed.
static bool take_done(struct worker *worker, struct io_ring *ring)
{
    const int64_t end_ns = clock_ns();
    struct io_done done;
    bool fine = true;
    while (io_ring_take(ring, &done))
        fine = fine && finish(worker, &done, end_ns);
    return fine;
}

static void work_ring(struct worker *worker, struct io_ring *ring)
{
    bool fine = true;
    while (fine && worker_running(worker)) {
        const int64_t at_ns = clock_ns();
        int64_t due_ns = at_ns; // of the next that may not start yet
        // Start all that are due, as far as there is room.
        while (io_ring_has_room(ring) && worker_take_due(worker, at_ns, &due_ns))
            io_ring_start(ring, due_ns, at_ns);
        const bool full = !io_ring_has_room(ring);
        if (io_ring_in_flight(ring) == 0) {
            worker_sleep_until(worker, due_ns);
            continue;
        }
        // How long may be waited: until the next is due, or (negative) without end.
        const int error = io_ring_wait(ring, full || due_ns == INT64_MAX ? -1 : due_ns - at_ns);
        if (error != 0)
            worker_fail(worker, "io_uring failed: %s: try --depth 1", strerror(error));
        fine = error == 0 && take_done(worker, ring);
    }
    while (io_ring_in_flight(ring) > 0 && io_ring_wait(ring, -1) == 0)
        take_done(worker, ring);
}

static void work(struct worker *worker)
{
    struct io_worker *own = worker->state;
    if (own->ring)
        work_ring(worker, own->ring);
    else
        work_alone(worker, &own->stream);
    // After a failure all that remains is to wait for the end.
    if (worker_running(worker))
        worker_sleep_until(worker, INT64_MAX);
}

// ---- reporting ----

static void add_device(struct line *line, const struct io_state *state)
{
    const struct device *device = &state->device;
    char folder[512]; // a line of the report has room for that
    snprintf(folder, sizeof folder, "%s", state->file.folder);
    line_text(line, "dir", folder);
    line_text(line, "file_system", device->file_system);
    line_text(line, "device", device->name);
    line_text(line, "disks", device->disks);
    line_text(line, "identity", device->identity[0] != '\0' ? device->identity : NULL);
    line_bool(line, "memory", device->memory);
    line_bool(line, "network", device->network);
    line_bool(line, "virtual_disk", device->virtual_disk);
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
    line_text(line, "sync", io_sync_names[state->plan.sync]);
    line_bool(line, "cached", state->plan.cached);
    line_text(line, "path", state->engine);
    line_text(line, "pages", mem_pages_name(&state->pages));
    line_bool(line, "file_reused", state->file.reused);
}

static int show_device(struct run *run)
{
    struct link_speed link;
    struct line line = {0};
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_DEVICE);
    add_device(&line, io_state_of(run));
    link_speed_of(&io_state_of(run)->device, &link);
    line_fixed(&line, "link_bytes_per_s", link.bytes_per_s, 0);
    line_text(&line, "link", link.source);
    report_write(&run->report, &line);
    return run->report.broken ? 1 : 0;
}

static int instead(struct run *run)
{
    if (settings_of(run)->show_device)
        return show_device(run);
    return settings_of(run)->phases ? io_phases(run) : -1;
}

#define IO_LOAD                                                                                    \
    .details = details, LOAD_OPTIONS(io_options), .state_size = sizeof(struct io_state),           \
    .worker_size = sizeof(struct io_worker), .timed = true, .check = check, .prepare = prepare,    \
    .begin = begin, .work = work, .end = end, .cleanup = cleanup, .uses = USES_DISK,               \
    .describe = describe, .fields = io_fields, .notes = io_notes, .count = io_count,               \
    .instead = instead, .by_hand = (const char *const[])                                           \
    {                                                                                              \
        "show-device", NULL                                                                        \
    }

static const struct load io_load = {
    IO_LOAD, .name = "io",
    .summary = "reads or writes a work file on disk, bypassing caches, and checks its own figures",
    .calibrations = (const char *const[]){"--sequential --write", "--random --write",
                                          "--sequential --read", "--random --read", NULL}};
LOADGEN_REGISTER(io_load);
// Reads of the page cache have no share of a disk.
static const struct load io_cached_load = {IO_LOAD, .name = "io-cached",
                                           .summary = "reads a work file in the page cache"};
