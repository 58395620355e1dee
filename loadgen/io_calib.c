/* loadgen io --calib: what can this disk do, and how sure is that? */

#include "engine.h"
#include "io.h"
#include "io_steady.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SECONDS 10
#define LEAST_SAMPLES   5
#define LONGEST_RAMP_NS 1000000000 /* before the samples, so that caches and clocks settle */

struct phase {
    const char *name;
    const char *title;
    bool random, read;
    uint64_t block_bytes;
    /* measured */
    struct io_steady steady; /* of one-second rates; slope in percent a second */
    double rate;             /* base units a second over all of it */
    double operations;       /* a second */
    double device_ratio;     /* bytes at the device / bytes claimed */
    struct snapshot window;
    char warning[512];
};

struct calibration {
    struct run *run;
    int64_t length_ns;
    unsigned samples;
    struct phase *phases;
    unsigned count;
};

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        ;
}

static double rate_of(const struct snapshot *window)
{
    return window->active_ns > 0 ? window->amount * 1e9 / (double)window->active_ns : 0;
}

/* Rates of the samples that follow each other from now on, while the load runs. */
static void sample(struct calibration *calibration, struct phase *phase, double *rates)
{
    struct run *run = calibration->run;
    struct snapshot *snapshots = calloc(3, sizeof *snapshots);
    struct snapshot *first = &snapshots[0], *before = &snapshots[1], *now = &snapshots[2];
    const int64_t start_ns = now_ns(), step_ns = calibration->length_ns / calibration->samples;

    if (snapshots == NULL) {
        run_fail(run, "out of memory: free some");
        return;
    }
    engine_snapshot(run, first);
    *before = *first;
    for (unsigned i = 0; i < calibration->samples && engine_failure(run) == NULL; i++) {
        sleep_until(start_ns + (i + 1) * step_ns);
        engine_snapshot(run, now);
        engine_difference(now, before, &phase->window);
        rates[i] = rate_of(&phase->window);
        *before = *now;
    }
    engine_difference(now, first, &phase->window);
    free(snapshots);
}

static void judge(const struct calibration *calibration, struct phase *phase, const double *rates)
{
    const double step_s = (double)calibration->length_ns / calibration->samples / 1e9;
    struct run *run = calibration->run;

    phase->steady = io_steady_of(rates, calibration->samples);
    phase->steady.slope /= step_s;
    phase->steady.steady = phase->steady.mean > 0 && fabs(phase->steady.slope) < IO_SLOPE_LIMIT;
    phase->rate = rate_of(&phase->window);
    phase->operations = (double)phase->window.operations * 1e9 / (double)phase->window.active_ns;
    phase->device_ratio = io_device_ratio(run, &phase->window);
    io_judge(run, &phase->window, phase->warning, sizeof phase->warning);
}

/* The plan of one phase; the file stays open from phase to phase. */
static void plan_phase(struct run *run, const struct phase *phase)
{
    struct io_plan *plan = &io_state_of(run)->plan;

    plan->random = phase->random;
    plan->read_percent = phase->read ? 100 : 0;
    plan->block_bytes = phase->block_bytes;
    io_set_unit(run);
}

/* Run the engine without a limit for one phase. 0, or -1 with the reason. */
static int run_engine(struct calibration *calibration, struct phase *phase, double *rates,
                      struct io_error *error)
{
    struct run *run = calibration->run;
    const int64_t ramp_ns = calibration->length_ns / 5;
    int failed;

    if (engine_create(run, NULL, NULL) != 0)
        return io_error_set(error, IO_FAILED, "out of memory: free some");
    failed = engine_start(run);
    if (failed == 0) {
        engine_resume(run);
        sleep_until(now_ns() + (ramp_ns < LONGEST_RAMP_NS ? ramp_ns : LONGEST_RAMP_NS));
        sample(calibration, phase, rates);
        judge(calibration, phase, rates);
    }
    engine_stop(run);
    if (engine_failure(run) != NULL)
        failed = io_error_set(error, IO_FAILED, "%s", engine_failure(run));
    engine_free(run);
    return failed;
}

static int measure(struct calibration *calibration, struct phase *phase, struct io_error *error)
{
    struct run *run = calibration->run;
    double *rates = calloc(calibration->samples, sizeof *rates);
    int failed;

    if (rates == NULL)
        return io_error_set(error, IO_FAILED, "out of memory: free some");
    plan_phase(run, phase);
    failed = io_open(run, error);
    if (failed == 0)
        failed = run_engine(calibration, phase, rates, error);
    io_close(run);
    free(rates);
    return failed;
}

/* ---- what was found ---- */

static void write_phase(struct line *whole, const struct phase *phase)
{
    const struct io_steady *steady = &phase->steady;
    struct line line;

    line_open(&line);
    line_count(&line, "block_bytes", phase->block_bytes);
    line_text(&line, "unit", phase->random ? UNIT_OPS : UNIT_BYTES);
    line_real(&line, "rate", phase->rate);
    line_real(&line, "operations_per_s", phase->operations);
    line_real(&line, "minimum", steady->minimum);
    line_real(&line, "maximum", steady->maximum);
    line_real(&line, "sd", steady->sd);
    line_real(&line, "spread_percent", steady->mean > 0 ? 100 * steady->sd / steady->mean : NAN);
    line_real(&line, "slope_percent_per_s", steady->slope);
    line_flag(&line, "steady", steady->steady);
    line_real(&line, "device_ratio", phase->device_ratio);
    line_real(&line, "cpu_s", (double)phase->window.cpu_ns / 1e9);
    line_real(&line, "p50_ns", (double)histogram_quantile(&phase->window.service, 0.5));
    line_real(&line, "p99_ns", (double)histogram_quantile(&phase->window.service, 0.99));
    if (phase->warning[0] != '\0')
        line_text(&line, "warning", phase->warning);
    line_close(&line);
    line_raw(whole, phase->name, line.text);
}

/* The record, in *line. */
static void compose(const struct calibration *calibration, struct line *line)
{
    const struct run *run = calibration->run;
    const struct io_state *state = io_state_of(run);
    char host[256] = "", created[32], folder[512];
    const time_t now = time(NULL);
    struct tm when;

    gethostname(host, sizeof host - 1);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    line_open(line);
    line_text(line, "schema", "jostle.calibration/1");
    line_text(line, "load", "io");
    line_text(line, "created", created);
    line_text(line, "host", host);
    line_text(line, "device", state->device.name);
    line_text(line, "disks", state->device.disks);
    line_text(line, "file_system", state->device.file_system);
    line_flag(line, "virtual_disk", state->device.virtual_disk);
    snprintf(folder, sizeof folder, "%s", state->file.folder);
    line_text(line, "dir", folder);
    line_text(line, "sync", io_sync_name(state->plan.sync));
    line_count(line, "file_bytes", state->plan.file_bytes);
    line_count(line, "threads", run->threads);
    line_count(line, "depth", state->plan.depth);
    line_text(line, "path", state->path);
    line_real(line, "seconds", (double)calibration->length_ns / 1e9);
    line_real(line, "slope_limit_percent_per_s", IO_SLOPE_LIMIT);
    for (unsigned i = 0; i < calibration->count; i++)
        write_phase(line, &calibration->phases[i]);
    line_close(line);
}

/* The record goes to stdout with --json, and to the file of --calibration. */
static int write_record(const struct calibration *calibration)
{
    struct run *run = calibration->run;
    const char *path = io_settings_of(run)->calibration;
    struct line line;
    FILE *file;
    bool written;

    compose(calibration, &line);
    if (run->report.json)
        report_write(&run->report, &line);
    if (path == NULL)
        return run->report.broken ? 1 : 0;
    file = fopen(path, "we");
    written = file != NULL && fprintf(file, "%s\n", line.text) > 0;
    if ((file != NULL && fclose(file) != 0) || !written) {
        complain("--calibration %s: %s: name a file that can be written", path, strerror(errno));
        return 1;
    }
    return 0;
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
        io_sync_name(state->plan.sync), run->threads, run->threads == 1 ? "" : "s",
        state->plan.depth, state->path);
}

static void print_phase(struct run *run, const struct phase *phase)
{
    const struct io_steady *steady = &phase->steady;
    char block[32], rate[48], ratio[32] = "-";

    units_format_size((double)phase->block_bytes, block, sizeof block);
    units_format_rate(phase->operations * (double)phase->block_bytes, UNIT_BYTES, rate,
                      sizeof rate);
    if (!isnan(phase->device_ratio))
        snprintf(ratio, sizeof ratio, "%.3f", phase->device_ratio);
    report_print(&run->report, "%-16s %8s %10s %9.1f %5.1f %% %+6.2f %% %7s %7s\n", phase->title,
                 block, rate, phase->operations,
                 steady->mean > 0 ? 100 * steady->sd / steady->mean : 0, steady->slope,
                 steady->steady ? "yes" : "no", ratio);
    if (phase->warning[0] != '\0')
        complain("%s: %s", phase->title, phase->warning);
    if (!steady->steady)
        complain("%s: no steady state (slope %+.2f %% a second, limit %.1f): give --calib more "
                 "seconds, or a quieter machine",
                 phase->title, steady->slope, IO_SLOPE_LIMIT);
}

static void print_end(const struct calibration *calibration)
{
    const struct io_device *device = &io_state_of(calibration->run)->device;

    report_print(
        &calibration->run->report,
        "\nspread: standard deviation of the one-second rates; steady: slope below %.1f %% "
        "of the mean a second;\ndevice: bytes that %s counted / bytes claimed\n",
        IO_SLOPE_LIMIT, device->counter[0] != '\0' ? device->counter : "it");
    if (device->virtual_disk)
        report_print(&calibration->run->report,
                     "A virtual machine's disk: a cache of its host cannot be seen from here; see "
                     "docs/disk.md\n");
}

/* ---- what was asked for ---- */

static int64_t length_of(const struct run *run)
{
    int64_t length_ns = DEFAULT_SECONDS * (int64_t)1000000000;

    if (run->argument_count > 1)
        usage_error("%s: an argument too many: --calib takes SECONDS", run->arguments[1]);
    if (run->argument_count == 1 && (units_time(run->arguments[0], &length_ns) != 0 ||
                                     length_ns < 500000000 || length_ns > 86400000000000))
        usage_error("--calib %s: not a time: give 0.5 to 86400 seconds", run->arguments[0]);
    return length_ns;
}

/* --block-size is for the pattern that was asked for; the other has its default. */
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
        if (measure(calibration, &calibration->phases[i], &error) != 0) {
            complain("%s", error.message);
            return error.status;
        }
        print_phase(run, &calibration->phases[i]);
    }
    print_end(calibration);
    return write_record(calibration);
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
    struct calibration calibration = {.run = run, .length_ns = length_of(run), .count = 4};
    const double seconds = (double)calibration.length_ns / 1e9;
    int status;

    calibration.samples = seconds < LEAST_SAMPLES ? LEAST_SAMPLES : (unsigned)seconds;
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
