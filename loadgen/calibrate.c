#include "calibrate.h"

#include "calibration.h"
#include "common/date.h"
#include "common/kept.h"
#include "common/save.h"
#include "common/schemas.h"
#include "load.h"
#include "measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define USUAL_NS    10000000000 /* --calib without SECONDS */
#define SHORT_NS    2000000000  /* and with --if-missing: somebody waits to use it */
#define SHORTEST_NS 500000000
#define LONGEST_NS  86400000000000

/* ---- what is wanted ---- */

/* SECONDS behind --calib as nanoseconds. */
static int64_t length_of(const struct run *run)
{
    int64_t length_ns = run->common.if_missing ? SHORT_NS : USUAL_NS;
    if (run->argument_count > 1)
        usage_error("%s: an argument too many: --calib takes SECONDS", run->arguments[1]);
    if (run->argument_count == 1 && (units_time(run->arguments[0], &length_ns) != 0 ||
                                     length_ns < SHORTEST_NS || length_ns > LONGEST_NS))
        usage_error("--calib %s: not a time: give 0.5 to 86400 seconds", run->arguments[0]);
    return length_ns;
}

/* Whether a load with these options refers to a calibration at all. */
static bool is_needed(const struct run *run)
{
    struct rate limit;
    if (run->load->calibrations == NULL || run->rate == 0 || strcmp(run->unit, UNIT_NONE) == 0)
        return false; /* there is nothing, or something else is done in place of load */
    return run->common.limit == NULL ||
           (units_rate(run->common.limit, &limit) == 0 && limit.kind == RATE_PERCENT);
}

static void check(const struct run *run)
{
    if (run->load->calibrations == NULL)
        usage_error("--calib: loadgen %s has no rate that needs it: leave it out", run->load->name);
    if (run->common.control || run->common.limit != NULL)
        usage_error("--calib measures without a limit, and by itself: leave out --control and "
                    "--limit");
    if (run->rate == 0)
        usage_error("--calib of nothing: give a load above 0");
}

/* ---- the record ---- */

static void write_key(struct line *line, const struct calibration_key *key)
{
    char created[DATE_SIZE];
    line_object(line, NULL);
    line_text(line, "schema", SCHEMA_CALIBRATION);
    line_text(line, "load", key->load);
    line_text(line, "host", key->host);
    line_text(line, "machine", key->machine);
    line_text(line, "options", key->options);
    line_text(line, "subject", key->subject);
    line_text(line, "created", date_utc(time(NULL), created));
}

/* Key, rate, and what the load says of itself. NULL: out of memory. */
static const char *compose(struct run *run, const struct calibration_key *key, int64_t length_ns,
                           const struct measured *measured, struct line *line)
{
    write_key(line, key);
    line_count(line, "threads", run->threads);
    line_fixed(line, "seconds", (double)length_ns / 1e9, 6);
    line_fixed(line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT, 6);
    measured_write(line, run, measured);
    line_raw(line, "ready", measured->ready.text);
    line_raw(line, "summary", measured->summary.text);
    return line_end(line);
}

/* ---- keeping it ---- */

static int write_named(const char *path, const char *text)
{
    return save_text(path, text, SAVE_OUTPUT) || save_complain(path) ? 0 : 1;
}

static int write_kept(const char *path, const char *text)
{
    if (kept_write(path, text) == 0)
        return 0;
    complain("cannot keep the calibration %s: %s: set XDG_CACHE_HOME to another folder, or name "
             "a file with --calibration",
             path, strerror(errno));
    return 1;
}

static int keep(struct run *run, const struct calibration_key *key, const char *text)
{
    char path[PATH_MAX];
    if (run->report.json && !run->common.if_missing)
        report_text(&run->report, text);
    if (run->report.broken)
        return 1;
    if (run->common.calibration != NULL)
        return write_named(run->common.calibration, text);
    if (calibration_path(key, path) != 0) {
        complain("no place to keep the calibration: set HOME or XDG_CACHE_HOME");
        return 1;
    }
    const int status = write_kept(path, text);
    if (status == 0 && !run->common.if_missing)
        report_print(&run->report, "kept as %.900s\n", path);
    return status;
}

/* ---- measuring ---- */

/* Of a rate that was asked for; with --if-missing it is what a load needs, which says itself what
 * it is of. */
static void print_all(struct run *run, const char *title, const struct measured *measured)
{
    measured_print(run, title, measured);
    if (run->load->report != NULL && run->load->report->notes != NULL)
        run->load->report->notes(run, "summary", &measured->window);
}

static int measure_and_keep(struct run *run, int64_t length_ns, struct measured *measured)
{
    struct calibration_key key;
    char error[512], title[sizeof key.options + sizeof key.subject + 64];
    struct line line = {0};
    calibration_key(run, &key);
    snprintf(title, sizeof title, "%s %s%s%s", key.load, key.options,
             *key.subject != '\0' ? " on " : "", key.subject);
    if (run->common.if_missing)
        complain("calibrating for %g s what its percentage is of: %s", (double)length_ns / 1e9,
                 title);
    if (measure(run, length_ns, measured, error, sizeof error) != 0) {
        complain("%s", error);
        return 1;
    }
    if (!run->common.if_missing)
        print_all(run, title, measured);
    const char *text = compose(run, &key, length_ns, measured, &line);
    int status = 1;
    if (text == NULL)
        complain("out of memory: free some");
    else
        status = keep(run, &key, text);
    line_free(&line);
    return status;
}

/* --if-missing: -1: there is none. */
static int use_kept(struct run *run)
{
    struct calibration_found found;
    char error[2048];
    if (!is_needed(run))
        return 0;
    return calibration_find(run, &found, error, sizeof error);
}

int calibrate(struct run *run)
{
    int status = -1;
    if (run->common.if_missing)
        status = use_kept(run);
    else
        check(run);
    if (status < 0) {
        const int64_t length_ns = length_of(run);
        struct measured *measured = calloc(1, sizeof *measured); /* large for a stack */
        run->rate = INFINITY;
        if (measured == NULL)
            complain("out of memory: free some");
        status = measured == NULL ? 1 : measure_and_keep(run, length_ns, measured);
        measured_free(measured);
    }
    if (run->load->cleanup != NULL && run->state != NULL)
        run->load->cleanup(run);
    return status;
}
