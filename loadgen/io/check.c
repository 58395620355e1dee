#include "io/check.h"

#include "counter.h"
#include "io/io-state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEVIATION 0.05

/* The load's cumulative counters. */
enum io_counter {
    IO_DEVICE_READ,
    IO_DEVICE_WRITTEN,
    IO_SELF_READ,
    IO_SELF_WRITTEN,
    IO_CLAIMED_READ,
    IO_CLAIMED_WRITTEN
};

void io_count_self(struct device_counters *counters)
{
    FILE *file = fopen("/proc/self/io", "re");
    char line[128];
    unsigned long long value;

    *counters = (struct device_counters){0};
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "read_bytes: %llu", &value) == 1)
            counters->read_bytes = value;
        else if (sscanf(line, "write_bytes: %llu", &value) == 1)
            counters->write_bytes = value;
    }
    fclose(file);
}

void io_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct io_state *state = io_state_of(run);
    struct device_counters device = {0}, self = {0};
    uint64_t read = 0, written = 0;

    if (state == NULL || state->moved == NULL)
        return;
    device_count(&state->device, &device);
    io_count_self(&self);
    for (unsigned i = 0; i < run->threads; i++) {
        read += counter_read(&state->moved[i].read_bytes);
        written += counter_read(&state->moved[i].written_bytes);
    }
    counters[IO_DEVICE_READ] = (double)device.read_bytes;
    counters[IO_DEVICE_WRITTEN] = (double)device.write_bytes;
    counters[IO_SELF_READ] = (double)self.read_bytes;
    counters[IO_SELF_WRITTEN] = (double)self.write_bytes;
    counters[IO_CLAIMED_READ] = (double)read;
    counters[IO_CLAIMED_WRITTEN] = (double)written;
}

/* The sum of two counters, in the directions that the load uses. */
static double moved(const struct run *run, const struct snapshot *window, enum io_counter read,
                    enum io_counter written)
{
    double percent = io_state_of(run)->plan.read_percent;

    return (percent > 0 ? window->counters[read] : 0) +
           (percent < 100 ? window->counters[written] : 0);
}

static bool has_counters(const struct run *run)
{
    return io_state_of(run)->device.counter[0] != '\0';
}

/* Device bytes / claimed bytes, in the directions that the load uses; NAN
 * without either. */
static double device_ratio(const struct run *run, const struct snapshot *window)
{
    double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);

    return has_counters(run) && claimed > 0
               ? moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN) / claimed
               : NAN;
}

/* The part of the claimed bytes that can have reached the device: no more than its
 * counters have seen, whoever it was for, and no more than this process has caused.
 * NAN without either. */
static double reached_ratio(const struct run *run, const struct snapshot *window)
{
    const double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    const double self = moved(run, window, IO_SELF_READ, IO_SELF_WRITTEN);

    return has_counters(run) && claimed > 0 ? fmin(device_ratio(run, window), self / claimed) : NAN;
}

/* What may be in flight at either end of a window, and a journal's commit. */
static double tolerance_bytes(const struct run *run, double claimed)
{
    const struct io_plan *plan = &io_state_of(run)->plan;
    double in_flight = (double)plan->block_bytes * plan->depth * plan->streams;

    return DEVIATION * claimed + 2 * in_flight + 1e6;
}

/* Nothing is claimed to have reached the device, and others may be writing to it:
 * no comparison can clear such a load. */
static bool is_unsynced(const struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;

    return plan->read_percent < 100 && plan->sync == IO_SYNC_NONE;
}

/* The device saw less than is claimed. */
static void judge_less(const struct run *run, double share, char *text, size_t size)
{
    const char *counter = io_state_of(run)->device.counter;
    const double allocated = io_file_allocated(&io_state_of(run)->file);

    if (allocated < 1 - DEVIATION)
        snprintf(text, size,
                 "only %.1f %% of what this load moved reached %s: the work file is sparse, with "
                 "data for %.1f %% of its size, and holes are read from no disk",
                 100 * share, counter, 100 * allocated);
    else if (is_unsynced(run))
        snprintf(
            text, size,
            "--sync none: writes counted when the page cache had them; meanwhile %s moved "
            "%.1f %% of that, for this load or others: give --sync dsync for a load on the disk",
            counter, 100 * share);
    else
        snprintf(text, size,
                 "only %.1f %% of what this load moved reached %s: a cache or another device is "
                 "in between: see docs/disk.md",
                 100 * share, counter);
}

/* The device saw more: whose is it? */
static void judge_more(const struct run *run, double share, double self, char *text, size_t size)
{
    const struct io_state *state = io_state_of(run);

    if (self > 1 + DEVIATION)
        snprintf(text, size,
                 "%s moved %.2f times what this load moved, and %.2f times was for this "
                 "process: blocks smaller than the file system's: give a larger --block-size",
                 state->device.counter, share, self);
    else
        snprintf(text, size,
                 "%s moved %.2f times what this load did: others use it too (the target, perhaps), "
                 "or the file system adds its own",
                 state->device.counter, share);
}

enum verdict { AGREES, DEVICE_LESS, DEVICE_MORE };

/* What the comparison shows: one sentence into text, or "" with AGREES. */
static enum verdict judge(const struct run *run, const struct snapshot *window, char *text,
                          size_t size)
{
    double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    double device = moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN);
    double self = moved(run, window, IO_SELF_READ, IO_SELF_WRITTEN);

    text[0] = '\0';
    if (!has_counters(run) || claimed <= 0 || io_state_of(run)->plan.cached)
        return AGREES; /* cached reads are not meant to reach it */
    if (is_unsynced(run) || device < claimed - tolerance_bytes(run, claimed)) {
        judge_less(run, device / claimed, text, size);
        return DEVICE_LESS;
    }
    if (device > claimed + tolerance_bytes(run, claimed)) {
        judge_more(run, device / claimed, self / claimed, text, size);
        return DEVICE_MORE;
    }
    return AGREES;
}

/* What a table of disks shows, in base units, whatever unit --limit has; one hundred
 * percent is one CPU. */
static void add_rates(const struct run *run, const struct snapshot *window, struct line *line)
{
    const double elapsed_s = (double)window->active_ns / 1e9;
    const double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    const double cpu_s = (double)window->cpu_ns / 1e9;
    const bool some = elapsed_s > 0;

    line_count(line, "threads", run->threads);
    line_count(line, "depth", io_state_of(run)->plan.depth);
    line_fixed(line, "bytes_per_s", some ? claimed / elapsed_s : NAN, 6);
    line_fixed(line, "iops", some ? (double)window->operations / elapsed_s : NAN, 6);
    line_fixed(line, "cpu_percent", some ? 100 * cpu_s / elapsed_s : NAN, 6);
}

void io_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct io_state *state = io_state_of(run);
    double device = moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN);
    double elapsed_s = (double)window->active_ns / 1e9;
    char text[512], access[32];

    if (state == NULL || state->moved == NULL)
        return; /* it failed before it began */
    line_text(line, "pattern", state->plan.random ? "random" : "sequential");
    line_text(line, "access", io_access_name(&state->plan, access, sizeof access));
    line_count(line, "block_bytes", state->plan.block_bytes);
    line_text(line, "sync", io_sync_names[state->plan.sync]);
    line_bool(line, "cached", state->plan.cached);
    add_rates(run, window, line);
    line_text(line, "device", state->device.counter);
    line_fixed(line, "claimed_bytes", moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN), 6);
    line_fixed(line, "self_bytes", moved(run, window, IO_SELF_READ, IO_SELF_WRITTEN), 6);
    line_fixed(line, "device_bytes", has_counters(run) ? device : NAN, 6);
    line_fixed(line, "device_rate", has_counters(run) && elapsed_s > 0 ? device / elapsed_s : NAN,
               6);
    line_fixed(line, "device_ratio", device_ratio(run, window), 6);
    line_fixed(line, "reached_ratio", reached_ratio(run, window), 6);
    line_fixed(line, "allocated_ratio", io_file_allocated(&state->file), 6);
    judge(run, window, text, sizeof text);
    if (text[0] != '\0')
        line_text(line, "warning", text);
}

void io_notes(struct run *run, const char *event, const struct snapshot *window)
{
    char text[512], rate[48];
    bool summary = strcmp(event, "summary") == 0;
    struct io_state *state = io_state_of(run);
    enum verdict verdict;

    if (state == NULL || state->moved == NULL)
        return;
    if (summary && has_counters(run) && window->active_ns > 0)
        report_print(&run->report, "  device %s: %s\n", state->device.counter,
                     units_format_rate(moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN) * 1e9 /
                                           (double)window->active_ns,
                                       UNIT_BYTES, rate, sizeof rate));
    verdict = judge(run, window, text, sizeof text);
    /* Each record has its own; as an event, once is enough for all marks. */
    if (verdict == AGREES || strcmp(event, "interval") == 0 ||
        (!summary && (state->warned & 1U << verdict) != 0))
        return;
    state->warned |= 1U << verdict;
    run_warn(run, "%s", text);
}
