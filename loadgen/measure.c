// Runs a load without a limit, and judges by its one-second rates whether it was steady.

#include "measure.h"
#include "common/counters.h"
#include "common/machine.h"

#define LEAST_SAMPLES   5
#define LONGEST_RAMP_NS 1000000000 // before the samples, so that caches and clocks settle

static double rate_in(const struct snapshot *window)
{
    return window->active_ns > 0 ? window->amount * 1e9 / (double)window->active_ns : 0;
}

// Judges so many rates, which are so many seconds apart. fio 3.33, steadystate.c: slope = (Sxy - Sx
// Sy / n) / (Sxx - Sx Sx / n) with x = 0, 1, ... n-1, and for a limit in percent 100 slope / mean.
// Written with the deviations from the means here: the same number, less cancellation.
static void judge(struct measured *measured, size_t count, double step_s)
{
    const double *rates = measured->rates, middle = ((double)count - 1) / 2;
    double sum = 0, products = 0, squares = 0, squares_x = 0;
    measured->minimum = measured->maximum = rates[0];
    for (size_t i = 0; i < count; i++) {
        sum += rates[i];
        measured->minimum = fmin(measured->minimum, rates[i]);
        measured->maximum = fmax(measured->maximum, rates[i]);
    }
    measured->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)i - middle, y = rates[i] - measured->mean;
        products += x * y;
        squares += y * y;
        squares_x += x * x;
    }
    measured->sd = sqrt(squares / ((double)count - 1));
    if (measured->mean > 0)
        measured->slope = 100 * products / squares_x / measured->mean / step_s;
    measured->steady = measured->mean > 0 && fabs(measured->slope) < STEADY_SLOPE_LIMIT;
}

// Rates of the samples that follow each other from now on, while the load runs: of a second each,
// or five shorter ones.
static void sample(struct run *run, struct measured *measured)
{
    struct snapshot *window = &measured->window;
    struct counters from, to;
    const int64_t seconds = measured->length_ns / 1000000000;
    const int64_t count = seconds < LEAST_SAMPLES ? LEAST_SAMPLES : seconds;
    const int64_t start_ns = clock_ns(), step_ns = measured->length_ns / count;
    counters_read(&from);
    accounting_snapshot(run, &measured->first);
    measured->before = measured->first;
    for (int64_t i = 0; i < count && !failure_of(run); i++) {
        sleep_until_ns(start_ns + (i + 1) * step_ns);
        accounting_snapshot(run, &measured->now);
        accounting_difference(&measured->now, &measured->before, window);
        measured->rates[i] = rate_in(window);
        measured->before = measured->now;
    }
    counters_read(&to);
    accounting_difference(&measured->now, &measured->first, window);
    // What others used. Ticks may have missed some of the load's own time.
    const double others_ns = 1e3 * (double)(to.busy_us - from.busy_us) - (double)window->cpu_ns;
    const bool known = from.busy_us != UNKNOWN && to.busy_us != UNKNOWN && to.cpus > 0;
    measured->foreign =
        known ? fmax(others_ns, 0) / ((double)window->active_ns * to.cpus) : (double)NAN;
    judge(measured, (size_t)count, (double)step_ns / 1e9);
    measured->rate = rate_in(window);
    // While the workers are there: some loads look at them.
    const struct load *load = run->load;
    line_object(&measured->ready, NULL);
    if (load->describe)
        load->describe(run, &measured->ready);
    line_close(&measured->ready);
    line_object(&measured->summary, NULL);
    if (load->fields)
        load->fields(run, &measured->window, &measured->summary);
    line_close(&measured->summary);
    if (measured->ready.failed || measured->summary.failed)
        run_fail(run, "out of memory: free some");
}

bool measure(struct run *run, struct measured *measured)
{
    const int64_t ramp_ns = measured->length_ns / 5;
    if (engine_start(run, NULL, NULL) == 0) {
        engine_resume(run);
        sleep_until_ns(clock_ns() + (ramp_ns < LONGEST_RAMP_NS ? ramp_ns : LONGEST_RAMP_NS));
        sample(run, measured);
    }
    if (run->engine)
        engine_stop(run);
    const bool fine = !failure_of(run) || complain("%s", failure_of(run));
    engine_free(run);
    return fine;
}
