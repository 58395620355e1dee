// The check of loadgen io on itself: what it claims is compared with what the kernel has counted
// for this process, and at the device.

#include "io/io.h"

#define DEVIATION 0.05

void io_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct io_state *state = io_state_of(run);
    struct device_counters device = {0};
    if (!state->open)
        return;
    device_count(&state->device, &device);
    counters[IO_DEVICE_READ] = (double)device.read_bytes;
    counters[IO_DEVICE_WRITTEN] = (double)device.write_bytes;
    counters[IO_SELF_READ] = fmax(process_io("read_bytes"), 0); // NAN: it does not say
    counters[IO_SELF_WRITTEN] = fmax(process_io("write_bytes"), 0);
}

// The sum of two counters, in the directions that the load uses.
static double moved(const struct run *run, const struct snapshot *window, enum io_counter read,
                    enum io_counter written)
{
    double percent = io_state_of(run)->plan.read_percent;
    return (percent > 0 ? grown_by(window->counters[read]) : 0) +
           (percent < 100 ? grown_by(window->counters[written]) : 0);
}

static bool has_counters(const struct run *run)
{
    return io_state_of(run)->device.counter[0] != '\0';
}

// Device bytes / claimed bytes, in the directions that the load uses; NAN
// without either.
static double device_ratio(const struct run *run, const struct snapshot *window)
{
    double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    return has_counters(run) && claimed > 0
               ? moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN) / claimed
               : NAN;
}

// What may be in flight at either end of a window, and a journal's commit.
static double tolerance_bytes(const struct run *run, double claimed)
{
    const struct io_plan *plan = &io_state_of(run)->plan;
    double in_flight = (double)plan->block_bytes * plan->depth * plan->streams;
    return DEVIATION * claimed + 2 * in_flight + 1e6;
}

// Nothing is claimed to have reached the device, and others may be writing to it:
// no comparison can clear such a load.
static bool is_unsynced(const struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;
    return plan->read_percent < 100 && plan->sync == IO_SYNC_NONE;
}

// The device saw more. This process caused it if it moved more than was in flight beyond the claim;
// others did if they moved more than that.
static void judge_more(const struct run *run, double claimed, double device, double self,
                       char *text, size_t size)
{
    const struct io_state *state = io_state_of(run);
    const char *others = "other programs use it too (the target, perhaps), or the file system adds "
                         "traffic";
    const bool own = self > claimed + tolerance_bytes(run, claimed);
    if (!own)
        snprintf(text, size, "%s moved %.2f times this load's bytes: %s", state->device.counter,
                 device / claimed, others);
    else
        snprintf(text, size,
                 "%s moved %.2f times this load's bytes, and %.2f times for this process: its "
                 "blocks are smaller than the file system's, so give a larger --block-size%s%s",
                 state->device.counter, device / claimed, self / claimed,
                 device - self > self - claimed ? "; and " : "",
                 device - self > self - claimed ? others : "");
}

enum verdict { AGREES, DEVICE_LESS, DEVICE_MORE };

// What the comparison shows: one sentence into text, or "" with AGREES.
static enum verdict judge(const struct run *run, const struct snapshot *window, char *text,
                          size_t size)
{
    double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    double device = moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN);
    double self = moved(run, window, IO_SELF_READ, IO_SELF_WRITTEN);
    text[0] = '\0';
    if (!has_counters(run) || claimed <= 0 || io_state_of(run)->plan.cached)
        return AGREES; // cached reads are not meant to reach it
    if (is_unsynced(run) || device < claimed - tolerance_bytes(run, claimed)) {
        // The device saw less than is claimed.
        const double share = device / claimed;
        const char *counter = io_state_of(run)->device.counter;
        const double allocated = io_file_allocated(&io_state_of(run)->file);
        if (allocated < 1 - DEVIATION)
            snprintf(
                text, size,
                "only %.1f %% of what this load moved reached %s: the work file is sparse, with "
                "data for %.1f %% of its size, and holes are read from no disk",
                100 * share, counter, 100 * allocated);
        else if (is_unsynced(run))
            snprintf(text, size,
                     "--sync none: writes counted when the page cache had them; meanwhile %s moved "
                     "%.1f %% "
                     "of that, for this load or others: give --sync dsync for a load on the disk",
                     counter, 100 * share);
        else
            snprintf(
                text, size,
                "only %.1f %% of what this load moved reached %s: a cache or another device is in "
                "between: see docs/bench.md#disk",
                100 * share, counter);
        return DEVICE_LESS;
    }
    if (device > claimed + tolerance_bytes(run, claimed)) {
        judge_more(run, claimed, device, self, text, size);
        return DEVICE_MORE;
    }
    return AGREES;
}

void io_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct io_state *state = io_state_of(run);
    const double device = moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN);
    const double claimed = moved(run, window, IO_CLAIMED_READ, IO_CLAIMED_WRITTEN);
    const double self = moved(run, window, IO_SELF_READ, IO_SELF_WRITTEN);
    const double ratio = device_ratio(run, window);
    char text[512], access[32];
    if (!state->open)
        return; // it failed before it began
    line_text(line, "pattern", state->plan.random ? "random" : "sequential");
    line_text(line, "access", io_access_name(&state->plan, access, sizeof access));
    line_count(line, "block_bytes", state->plan.block_bytes);
    line_text(line, "sync", io_sync_names[state->plan.sync]);
    line_bool(line, "cached", state->plan.cached);
    // What a table of disks shows, in base units, whatever unit --limit has; one hundred
    // percent is one CPU.
    line_count(line, "threads", run->threads);
    line_count(line, "depth", state->plan.depth);
    line_fixed(line, "bytes_per_s", per_second(claimed, window), 6);
    line_fixed(line, "iops", per_second((double)window->operations, window), 6);
    line_fixed(line, "cpu_percent", per_second(100 * (double)window->cpu_ns / 1e9, window), 6);
    line_text(line, "device", state->device.counter);
    line_fixed(line, "claimed_bytes", claimed, 6);
    line_fixed(line, "self_bytes", self, 6);
    line_fixed(line, "device_bytes", has_counters(run) ? device : NAN, 6);
    line_fixed(line, "device_rate", has_counters(run) ? per_second(device, window) : NAN, 6);
    line_fixed(line, "device_ratio", ratio, 6);
    // The part that can have reached the device: no more than its counters have seen, whoever it
    // was for, and no more than this process has caused.
    line_fixed(line, "reached_ratio", isnan(ratio) ? NAN : fmin(ratio, self / claimed), 6);
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
    if (!state->open)
        return;
    if (summary && has_counters(run) && window->active_ns > 0)
        report_print(&run->report, "  device %s: %s\n", state->device.counter,
                     units_format_rate(
                         per_second(moved(run, window, IO_DEVICE_READ, IO_DEVICE_WRITTEN), window),
                         UNIT_BYTES, rate, sizeof rate));
    const enum verdict verdict = judge(run, window, text, sizeof text);
    // Each record has its own; as an event, once is enough for all marks.
    if (verdict == AGREES || strcmp(event, "interval") == 0 ||
        (!summary && (state->warned & 1U << verdict) != 0))
        return;
    state->warned |= 1U << verdict;
    run_warn(run, "%s", text);
}
