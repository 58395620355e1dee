#include "measure.h"

#include "calibration.h"
#include "engine.h"

#include "common/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LEAST_SAMPLES   5
#define LONGEST_RAMP_NS 1000000000 /* before the samples, so that caches and clocks settle */

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

static double rate_in(const struct snapshot *window)
{
    return window->active_ns > 0 ? window->amount * 1e9 / (double)window->active_ns : 0;
}

static unsigned samples_in(int64_t length_ns)
{
    const int64_t seconds = length_ns / 1000000000;
    return seconds < LEAST_SAMPLES ? LEAST_SAMPLES : (unsigned)seconds;
}

/* The share of the CPUs that others than the load used over the window. Ticks may have missed some
 * of the load's own time. */
static double foreign_share(const struct counters *from, const struct counters *to,
                            const struct snapshot *window)
{
    if (from->busy_us == UNKNOWN || to->busy_us == UNKNOWN || to->cpus == 0)
        return NAN;
    const double others_ns = 1e3 * (double)(to->busy_us - from->busy_us) - (double)window->cpu_ns;
    return fmax(others_ns, 0) / ((double)window->active_ns * to->cpus);
}

/* Rates of the samples that follow each other from now on, while the load runs. */
static void sample(struct run *run, int64_t step_ns, unsigned count, double *rates,
                   struct measured *measured)
{
    struct snapshot *window = &measured->window;
    struct counters from, to;
    struct snapshot *snapshots = calloc(3, sizeof *snapshots);
    struct snapshot *first = &snapshots[0], *before = &snapshots[1], *now = &snapshots[2];
    const int64_t start_ns = now_ns();
    if (snapshots == NULL) {
        run_fail(run, "out of memory: free some");
        return;
    }
    counters_read(&from);
    accounting_snapshot(run, first);
    *before = *first;
    for (unsigned i = 0; i < count && failure_of(run) == NULL; i++) {
        sleep_until(start_ns + (i + 1) * step_ns);
        accounting_snapshot(run, now);
        accounting_difference(now, before, window);
        rates[i] = rate_in(window);
        *before = *now;
    }
    counters_read(&to);
    accounting_difference(now, first, window);
    measured->foreign = foreign_share(&from, &to, window);
    free(snapshots);
}

static void judge(struct measured *measured, const double *rates, unsigned count, double step_s)
{
    const struct snapshot *window = &measured->window;
    measured->steady = steady_of(rates, count);
    measured->steady.slope /= step_s;
    measured->steady.steady =
        measured->steady.mean > 0 && fabs(measured->steady.slope) < STEADY_SLOPE_LIMIT;
    measured->rate = rate_in(window);
    measured->operations =
        window->active_ns > 0 ? (double)window->operations * 1e9 / (double)window->active_ns : 0;
}

/* While the workers are there: some loads look at them. */
static int write_own(struct run *run, struct measured *measured)
{
    const struct load_report *own = run->load->report;
    line_object(&measured->ready, NULL);
    if (own != NULL && own->describe != NULL)
        own->describe(run, &measured->ready);
    line_close(&measured->ready);
    line_object(&measured->summary, NULL);
    if (own != NULL && own->fields != NULL)
        own->fields(run, &measured->window, &measured->summary);
    line_close(&measured->summary);
    if (measured->ready.failed || measured->summary.failed)
        return run_fail(run, "out of memory: free some");
    return 0;
}

/* From a started engine to a stopped one. */
static int run_samples(struct run *run, int64_t length_ns, double *rates, struct measured *measured)
{
    const int64_t ramp_ns = length_ns / 5;
    const unsigned count = samples_in(length_ns);
    engine_resume(run);
    sleep_until(now_ns() + (ramp_ns < LONGEST_RAMP_NS ? ramp_ns : LONGEST_RAMP_NS));
    sample(run, length_ns / count, count, rates, measured);
    judge(measured, rates, count, (double)length_ns / count / 1e9);
    return write_own(run, measured);
}

int measure(struct run *run, int64_t length_ns, struct measured *measured, char *error, size_t size)
{
    double *rates = calloc(samples_in(length_ns), sizeof *rates);
    if (rates == NULL || engine_create(run, NULL, NULL) != 0) {
        snprintf(error, size, "out of memory: free some");
        free(rates);
        return -1;
    }
    int failed = run->load->prepare == NULL ? 0 : run->load->prepare(run);
    if (failed == 0)
        failed = engine_start(run);
    if (failed == 0)
        failed = run_samples(run, length_ns, rates, measured);
    engine_stop(run);
    if (failure_of(run) != NULL) {
        snprintf(error, size, "%s", failure_of(run));
        failed = -1;
    }
    engine_free(run);
    free(rates);
    return failed;
}

void measured_free(struct measured *measured)
{
    if (measured == NULL)
        return;
    line_free(&measured->ready);
    line_free(&measured->summary);
    free(measured);
}

/* sd of the one-second rates in percent of their mean. */
static double spread_percent(const struct measured *measured)
{
    return measured->steady.mean > 0 ? 100 * measured->steady.sd / measured->steady.mean : NAN;
}

void measured_write(struct line *line, const struct run *run, const struct measured *measured)
{
    const struct steady *steady = &measured->steady;
    line_text(line, "unit", run->unit);
    line_fixed(line, "rate", measured->rate, 6);
    line_fixed(line, "operations_per_s", measured->operations, 6);
    line_fixed(line, "minimum", steady->minimum, 6);
    line_fixed(line, "maximum", steady->maximum, 6);
    line_fixed(line, "sd", steady->sd, 6);
    line_fixed(line, "spread_percent", spread_percent(measured), 6);
    line_fixed(line, "slope_percent_per_s", steady->slope, 6);
    line_bool(line, "steady", steady->steady);
    line_fixed(line, "foreign", measured->foreign, 3);
    line_fixed(line, "cpu_s", (double)measured->window.cpu_ns / 1e9, 6);
    if (run->load->timed) {
        line_fixed(line, "p50_ns", (double)histogram_quantile(&measured->window.service, 0.5), 6);
        line_fixed(line, "p99_ns", (double)histogram_quantile(&measured->window.service, 0.99), 6);
    }
}

void measured_print(struct run *run, const char *title, const struct measured *measured)
{
    char rate[48];
    report_print(&run->report, "%-40s %12s  spread %.1f %%  slope %+.2f %% a second\n", title,
                 units_format_rate(measured->rate, run->unit, rate, sizeof rate),
                 fmax(spread_percent(measured), 0), measured->steady.slope);
    if (measured->foreign > CALIBRATION_BUSY)
        complain(
            "%s: other programs used %.0f %% of the CPUs meanwhile: this is said whenever it is "
            "used: measure it again on a quiet machine",
            title, 100 * measured->foreign);
    if (!measured->steady.steady)
        complain("%s: no steady state (slope %+.2f %% a second, limit %.1f): give --calib more "
                 "seconds, or a quieter machine",
                 title, measured->steady.slope, STEADY_SLOPE_LIMIT);
}
