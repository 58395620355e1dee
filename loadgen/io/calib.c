#include "io/calib.h"

#include "io/check.h"
#include "io/entry.h"
#include "io/io-state.h"
#include "io/work.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct phase {
    const char *name;
    const char *title;
    bool random, read;
    uint64_t block_bytes;
    /* measured */
    struct measured measured;
    double device_ratio; /* bytes at the device / bytes claimed */
    char warning[512];
};

struct calibration {
    struct run *run;
    int64_t length_ns;
    struct phase *phases;
    unsigned count;
};

/* The plan of one phase; the file stays open from phase to phase. */
static void plan_phase(struct run *run, const struct phase *phase)
{
    struct io_plan *plan = &io_state_of(run)->plan;

    plan->random = phase->random;
    plan->read_percent = phase->read ? 100 : 0;
    plan->block_bytes = phase->block_bytes;
    io_set_unit(run);
}

static int measure_phase(struct calibration *calibration, struct phase *phase,
                         struct io_error *error)
{
    struct run *run = calibration->run;
    char reason[512];
    int failed;

    plan_phase(run, phase);
    failed = io_work_open(run, error);
    if (failed == 0 &&
        measure(run, calibration->length_ns, NULL, &phase->measured, reason, sizeof reason) != 0)
        failed = io_error_set(error, IO_FAILED, "%s", reason);
    if (failed == 0) {
        phase->device_ratio = io_device_ratio(run, &phase->measured.window);
        io_judge(run, &phase->measured.window, phase->warning, sizeof phase->warning);
    }
    io_work_close(run);
    return failed;
}

/* ---- what was found ---- */

static void write_phase(struct run *run, struct line *whole, const struct phase *phase)
{
    struct line line;

    plan_phase(run, phase); /* for the unit */
    line_open(&line);
    line_count(&line, "block_bytes", phase->block_bytes);
    measured_write(&line, run, &phase->measured);
    line_real(&line, "device_ratio", phase->device_ratio);
    if (phase->warning[0] != '\0')
        line_text(&line, "warning", phase->warning);
    line_close(&line);
    line_raw(whole, phase->name, line.text);
}

/* The record, in *line. */
static void compose(const struct calibration *calibration, struct line *line)
{
    struct run *run = calibration->run;
    const struct io_state *state = io_state_of(run);
    char folder[512];

    calibration_begin(line, "io");
    line_text(line, "device", state->device.name);
    line_text(line, "disks", state->device.disks);
    line_text(line, "file_system", state->device.file_system);
    line_flag(line, "virtual_disk", state->device.virtual_disk);
    snprintf(folder, sizeof folder, "%s", state->file.folder);
    line_text(line, "dir", folder);
    line_text(line, "sync", io_sync_names[state->plan.sync]);
    line_count(line, "file_bytes", state->plan.file_bytes);
    line_count(line, "threads", run->threads);
    line_count(line, "depth", state->plan.depth);
    line_text(line, "path", state->engine);
    line_real(line, "seconds", (double)calibration->length_ns / 1e9);
    line_real(line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT);
    for (unsigned i = 0; i < calibration->count; i++)
        write_phase(run, line, &calibration->phases[i]);
    line_close(line);
}

static int keep(const struct calibration *calibration)
{
    struct run *run = calibration->run;
    struct calibration_key key;
    struct line line;

    compose(calibration, &line);
    io_entry_key(io_state_of(run), calibration->phases[0].block_bytes,
                 calibration->phases[1].block_bytes, &key);
    return calibration_keep(run, &key, &line, io_settings_of(run)->calibration);
}

static void print_head(const struct calibration *calibration)
{
    struct run *run = calibration->run;
    const struct io_state *state = io_state_of(run);
    char size[32];

    report_print(
        &run->report,
        "%s on %s (%s), work file %s, --sync %s, %u thread%s, depth %u (%s)\n\n"
        "                    block       rate     ops/s  spread  slope/s  steady  device\n",
        state->file.folder, state->device.name, state->device.file_system,
        units_format_size((double)state->plan.file_bytes, size, sizeof size),
        io_sync_names[state->plan.sync], run->threads, run->threads == 1 ? "" : "s",
        state->plan.depth, state->engine);
}

static void print_phase(struct run *run, const struct phase *phase)
{
    const struct steady *steady = &phase->measured.steady;
    char block[32], rate[48], ratio[32] = "-";

    units_format_size((double)phase->block_bytes, block, sizeof block);
    units_format_rate(phase->measured.operations * (double)phase->block_bytes, UNIT_BYTES, rate,
                      sizeof rate);
    if (!isnan(phase->device_ratio))
        snprintf(ratio, sizeof ratio, "%.3f", phase->device_ratio);
    report_print(&run->report, "%-16s %8s %10s %9.1f %5.1f %% %+6.2f %% %7s %7s\n", phase->title,
                 block, rate, phase->measured.operations,
                 fmax(measured_spread_percent(&phase->measured), 0), steady->slope,
                 steady->steady ? "yes" : "no", ratio);
    if (phase->warning[0] != '\0')
        complain("%s: %s", phase->title, phase->warning);
    if (!steady->steady)
        complain("%s: no steady state (slope %+.2f %% a second, limit %.1f): give --calib more "
                 "seconds, or a quieter machine",
                 phase->title, steady->slope, STEADY_SLOPE_LIMIT);
}

static void print_end(const struct calibration *calibration)
{
    const struct device *device = &io_state_of(calibration->run)->device;

    report_print(
        &calibration->run->report,
        "\nspread: standard deviation of the one-second rates; steady: slope below %.1f %% "
        "of the mean a second;\ndevice: bytes that %s counted / bytes claimed\n",
        STEADY_SLOPE_LIMIT, device->counter[0] != '\0' ? device->counter : "it");
    if (device->virtual_disk)
        report_print(&calibration->run->report,
                     "A virtual machine's disk: a cache of its host cannot be seen from here; see "
                     "docs/disk.md\n");
}

/* ---- the phases ---- */

/* --block-size is for the pattern of the options; the other has its default. */
static uint64_t block_of(const struct run *run, bool random)
{
    const struct io_plan *plan = &io_state_of(run)->plan;
    const uint64_t least = io_alignment(-1, io_state_of(run)->device.block_bytes);

    if (plan->random == random)
        return plan->block_bytes;
    if (!random)
        return IO_SEQUENTIAL_BLOCK;
    return least > IO_RANDOM_BLOCK ? least : IO_RANDOM_BLOCK;
}

static int run_phases(struct calibration *calibration)
{
    struct run *run = calibration->run;
    struct io_error error;

    print_head(calibration);
    for (unsigned i = 0; i < calibration->count; i++) {
        if (measure_phase(calibration, &calibration->phases[i], &error) != 0) {
            complain("%s", error.message);
            return error.status;
        }
        print_phase(run, &calibration->phases[i]);
    }
    print_end(calibration);
    return keep(calibration);
}

int io_calibrate(struct run *run)
{
    const uint64_t sequential = block_of(run, false), random = block_of(run, true);
    const struct phase phases[] = {
        {.name = "sequential_write", .title = "sequential write", .block_bytes = sequential},
        {.name = "random_write", .title = "random write", .block_bytes = random, .random = true},
        {.name = "sequential_read",
         .title = "sequential read",
         .block_bytes = sequential,
         .read = true},
        {.name = "random_read",
         .title = "random read",
         .block_bytes = random,
         .random = true,
         .read = true},
    };
    struct calibration calibration = {
        .run = run, .length_ns = calibration_length_ns(run), .count = 4};
    int status;

    calibration.phases = malloc(sizeof phases);
    if (calibration.phases == NULL) {
        complain("out of memory: free some");
        return 1;
    }
    memcpy(calibration.phases, phases, sizeof phases);
    status = run_phases(&calibration);
    free(calibration.phases);
    return status;
}
