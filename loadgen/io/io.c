/* loadgen io: reads and writes a work file, at a rate, and past the caches.
 *
 * Its figures can be trusted: the file is allocated, written with data that
 * cannot be made smaller, and gone when the load is; every write is durable
 * before it counts; reads bypass the page cache; and the figures are compared
 * with those of the device. */

#include "common/device.h"
#include "common/headroom.h"
#include "common/mount.h"
#include "common/schemas.h"
#include "counter.h"
#include "io/check.h"
#include "io/io-options.h"
#include "io/io-state.h"
#include "io/phases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char details[] =
    "The rate of --limit is in bytes a second for sequential and in operations a second "
    "for random blocks; 50% is of what `jostle calib` measured here.";

static const struct load io_cached_load;

/* Reads of the page cache are a load of their own. */
static void check(struct run *run)
{
    if (io_settings_of(run)->cached)
        run->load = &io_cached_load;
    io_check(run);
}

static int prepare(struct run *run)
{
    const struct io_state *state = io_state_of(run);
    struct io_error error;
    char size[32];

    headroom_volunteer();
    if (!options_given(run->options, "file-size"))
        report_print(&run->report, "io: takes %s of %s, written before it begins\n",
                     units_format_size((double)state->file.size_bytes, size, sizeof size),
                     state->file.folder);
    return io_work_open(run, &error) == 0 ? 0 : run_fail(run, "%s", error.message);
}

static void cleanup(struct run *run)
{
    struct io_state *state = io_state_of(run);

    if (state == NULL)
        return;
    io_work_close(run);
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
                    : ": check the kernel log, or give another --dir");
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
    counter_add(bytes, plan->block_bytes);
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
 * waited for a completion: until the next is due, or (negative) without end. */
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
        worker_fail(worker, "io_uring failed: %s: try --depth 1", strerror(error));
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
    /* After a failure all that remains is to wait for the end. */
    if (worker_running(worker))
        worker_sleep_until(worker, INT64_MAX);
}

/* ---- reporting ---- */

static void add_device(struct line *line, const struct io_state *state)
{
    const struct device *device = &state->device;
    char folder[512]; /* a line of the report has room for that */

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
    cleanup(run);
    return run->report.broken ? 1 : 0;
}

static int instead(struct run *run)
{
    int status = -1;

    if (io_settings_of(run)->show_device)
        return show_device(run);
    if (io_settings_of(run)->phases) {
        status = io_phases(run);
        cleanup(run);
    }
    return status;
}

static const struct load_report reports = {
    .describe = describe, .fields = io_fields, .notes = io_notes};
static const struct load_accounting accounting = {.count = io_count};
static const struct load_special special = {.instead = instead};
static const char *const calibrations[] = {"--sequential --write", "--random --write",
                                           "--sequential --read", "--random --read", NULL};

#define IO_LOAD                                                                                    \
    .details = details, .options = io_options, .options_size = sizeof(struct io_settings),         \
    .timed = true, .settle_ns = 20000000, .check = check, .prepare = prepare, .begin = begin,      \
    .work = work, .end = end, .cleanup = cleanup, .report = &reports, .accounting = &accounting,   \
    .special = &special

static const struct load io_load = {
    IO_LOAD, .name = "io",
    .summary = "reads or writes a work file on disk, bypassing caches, and checks its own figures",
    .calibrations = calibrations};
LOADGEN_REGISTER(io_load);
/* Reads of the page cache have no share of a disk. */
static const struct load io_cached_load = {IO_LOAD, .name = "io-cached",
                                           .summary = "reads a work file in the page cache"};
