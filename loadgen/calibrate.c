// --calib: measures what a load reaches without a limit, and keeps its rate.

#include "measure.h"

#include "common/counters.h"
#include "common/machine.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#define USUAL_NS    10000000000 // --calib without SECONDS
#define SHORT_NS    2000000000  // and with --if-missing: somebody waits to use it
#define SHORTEST_NS 500000000

// SECONDS behind --calib as nanoseconds.
static int64_t length_of(const struct run *run)
{
    int64_t length_ns = run->common.if_missing ? SHORT_NS : USUAL_NS;
    if (run->argument_count > 1)
        usage_error("%s: an argument too many: --calib takes SECONDS", run->arguments[1]);
    if (run->argument_count == 1 && (units_time(run->arguments[0], &length_ns) != 0 ||
                                     length_ns < SHORTEST_NS || length_ns > MEASURE_LONGEST_NS))
        usage_error("--calib %s: not a time: give 0.5 to 86400 seconds", run->arguments[0]);
    return length_ns;
}

// Whether a load with these options refers to a calibration at all.
static bool is_needed(const struct run *run)
{
    if (!run->load->calibrations || run->rate == 0 || strcmp(run->unit, UNIT_NONE) == 0)
        return false; // there is nothing, or something else is done in place of load
    return (!run->common.limit && !run->stages) || calibration_percent(run) > 0;
}

static void check(const struct run *run)
{
    if (!run->load->calibrations)
        usage_error("--calib: loadgen %s has no rate that needs it: leave it out", run->load->name);
    if (run->common.control || run->common.limit || run->stages)
        usage_error("--calib measures without a limit, and by itself: leave out --control, --limit "
                    "and --stages");
    if (run->rate == 0)
        usage_error("--calib of nothing: give a load above 0");
}

// sd of the one-second rates in percent of their mean.
static double spread_percent(const struct measured *measured)
{
    return measured->mean > 0 ? 100 * measured->sd / measured->mean : NAN;
}

// Key, rate, and what the load says of itself. NULL: out of memory.
static const char *compose(struct run *run, const struct calibration_key *key,
                           const struct measured *measured, struct line *line)
{
    char created[DATE_SIZE];
    const double operations = per_second((double)measured->window.operations, &measured->window);
    line_object(line, NULL);
    line_text(line, "schema", SCHEMA_CALIBRATION);
    line_text(line, "load", key->load);
    line_text(line, "host", key->host);
    line_text(line, "machine", key->machine);
    line_text(line, "options", key->options);
    line_text(line, "subject", key->subject);
    line_text(line, "created", date_utc(time(NULL), created));
    line_count(line, "threads", run->threads);
    line_fixed(line, "seconds", (double)measured->length_ns / 1e9, 6);
    line_fixed(line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT, 6);
    // The fields unit, rate, operations_per_s, minimum, maximum, sd, spread_percent,
    // slope_percent_per_s, steady, cpu_s; and p50_ns, p99_ns if the load has operations.
    line_text(line, "unit", run->unit);
    line_fixed(line, "rate", measured->rate, 6);
    line_fixed(line, "operations_per_s", isnan(operations) ? 0 : operations, 6);
    line_fixed(line, "minimum", measured->minimum, 6);
    line_fixed(line, "maximum", measured->maximum, 6);
    line_fixed(line, "sd", measured->sd, 6);
    line_fixed(line, "spread_percent", spread_percent(measured), 6);
    line_fixed(line, "slope_percent_per_s", measured->slope, 6);
    line_bool(line, "steady", measured->steady);
    line_fixed(line, "foreign", measured->foreign, 3);
    line_fixed(line, "cpu_s", (double)measured->window.cpu_ns / 1e9, 6);
    if (has_operations(run->load)) {
        line_fixed(line, "p50_ns", (double)histogram_quantile(&measured->window.service, 0.5), 6);
        line_fixed(line, "p99_ns", (double)histogram_quantile(&measured->window.service, 0.99), 6);
    }
    line_raw(line, "ready", measured->ready.text);
    line_raw(line, "summary", measured->summary.text);
    return line_end(line);
}

static int keep(struct run *run, const struct calibration_key *key, const char *text)
{
    const char *named = run->common.calibration;
    char path[PATH_MAX];
    if (run->report.json && !run->common.if_missing)
        report_text(&run->report, text);
    if (run->report.broken)
        return 1;
    if (named)
        return save_text(named, text, SAVE_OUTPUT) || save_complain(named) ? 0 : 1;
    if (calibration_path(key, path) != 0)
        return !complain("no place to keep the calibration: set HOME or XDG_CACHE_HOME");
    if (kept_write(path, text) != 0)
        return !complain("cannot keep the calibration %s: %s: set XDG_CACHE_HOME to another "
                         "folder, or name a file with --calibration",
                         path, strerror(errno));
    if (!run->common.if_missing)
        report_print(&run->report, "kept as %.900s\n", path);
    return 0;
}

// Reports a rate that was asked for. With --if-missing it is what a load needs, which says itself
// what its percentage is of.
static void print_all(struct run *run, const char *title, const struct measured *measured)
{
    // One line for people: title and rate, spread, slope; a complaint if not steady.
    char rate[48];
    report_print(&run->report, "%-40s %12s  spread %.1f %%  slope %+.2f %% a second\n", title,
                 units_format_rate(measured->rate, run->unit, rate, sizeof rate),
                 fmax(spread_percent(measured), 0), measured->slope);
    if (measured->foreign > CALIBRATION_BUSY)
        complain(
            "%s: other programs used %.0f %% of the CPUs meanwhile: an experiment that uses it "
            "calibrates again when the machine is quiet",
            title, 100 * measured->foreign);
    if (!measured->steady)
        complain("%s: no steady state (slope %+.2f %% a second, limit %.1f): give --calib more "
                 "seconds, or a quieter machine",
                 title, measured->slope, STEADY_SLOPE_LIMIT);
    if (run->load->notes)
        run->load->notes(run, "summary", &measured->window);
}

// before: the one that it replaces, unless others used still more of the CPUs; NULL: any.
static int measure_and_keep(struct run *run, struct measured *measured,
                            const struct calibration_found *before)
{
    struct calibration_key key;
    char title[sizeof key.options + sizeof key.subject + 64];
    struct line line = {0};
    calibration_key(run, &key);
    snprintf(title, sizeof title, "%s %s%s%s", key.load, key.options,
             *key.subject != '\0' ? " on " : "", key.subject);
    if (before)
        complain("calibrating again for %g s, as the machine is quiet now, and other programs used "
                 "%.0f %% of the CPUs before: %s",
                 (double)measured->length_ns / 1e9, 100 * before->foreign, title);
    else if (run->common.if_missing)
        complain("calibrating for %g s what its percentage is of: %s",
                 (double)measured->length_ns / 1e9, title);
    if (!measure(run, measured))
        return 1;
    if (!run->common.if_missing)
        print_all(run, title, measured);
    const char *text = compose(run, &key, measured, &line);
    int status = 0;
    if (!text)
        status = !complain("out of memory: free some");
    else if (!before || !(measured->foreign > before->foreign))
        status = keep(run, &key, text);
    line_free(&line);
    line_free(&measured->ready);
    line_free(&measured->summary);
    return status;
}

// Whether a calibration that is kept was made while others used the CPUs, and they do not now: then
// it is made again.
static bool is_due_again(const struct run *run, const struct calibration_found *found)
{
    const struct timespec look = {.tv_nsec = 300000000};
    struct counters from, to;
    if (run->common.calibration || !(found->foreign > CALIBRATION_BUSY))
        return false;
    counters_read(&from);
    const int64_t begin_ns = clock_ns();
    (void)nanosleep(&look, NULL);
    counters_read(&to);
    const double all_us = (double)(clock_ns() - begin_ns) / 1e3 * to.cpus;
    const bool known = from.busy_us != UNKNOWN && to.busy_us != UNKNOWN && to.cpus > 0;
    return known && (double)(to.busy_us - from.busy_us) < CALIBRATION_BUSY * all_us;
}

int calibrate(struct run *run)
{
    struct calibration_found found = {.path = ""};
    const struct calibration_found *before = NULL;
    char error[2048];
    int status = -1;
    if (!run->common.if_missing)
        check(run);
    else
        status = is_needed(run) ? calibration_find(run, &found, error, sizeof error) : 0;
    if (status == 0 && found.path[0] != '\0' && is_due_again(run, &found)) {
        before = &found;
        status = -1;
    }
    if (status < 0) {
        struct measured *measured = calloc(1, sizeof *measured); // large for a stack
        run->rate = INFINITY;
        if (measured)
            measured->length_ns = length_of(run);
        status = measured ? measure_and_keep(run, measured, before)
                          : !complain("out of memory: free some");
        free(measured);
    }
    return status;
}
