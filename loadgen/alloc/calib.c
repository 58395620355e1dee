#include "alloc/calib.h"

#include "alloc/alloc-state.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

static void make_key(const struct run *run, struct calibration_key *key)
{
    const struct alloc_plan *plan = &alloc_state_of(run)->plan;
    calibration_key(key, "alloc");
    calibration_key_text(key, "allocator", plan->allocator->name);
    calibration_key_count(key, "threads", run->threads);
    calibration_key_count(key, "minimum_bytes", plan->minimum_bytes);
    calibration_key_count(key, "maximum_bytes", plan->maximum_bytes);
    calibration_key_count(key, "live_bytes", plan->live_bytes);
    calibration_key_flag(key, "purge", plan->purge);
}

/* "jemalloc, 2 threads, 64 to 65536 bytes, 64.0 MiB live": for people and errors. */
static void make_title(const struct run *run, char *text, size_t size)
{
    const struct alloc_plan *plan = &alloc_state_of(run)->plan;
    char live[32];
    snprintf(text, size, "%s, %u thread%s, %llu to %llu bytes, %s live%s", plan->allocator->name,
             run->threads, run->threads == 1 ? "" : "s", (unsigned long long)plan->minimum_bytes,
             (unsigned long long)plan->maximum_bytes,
             units_format_size((double)plan->live_bytes, live, sizeof live),
             plan->purge ? ", purging" : "");
}

/* The command that makes a fitting one. */
static void how_to_make(const struct run *run, char *text, size_t size)
{
    const struct alloc_settings *set = alloc_settings_of(run);
    const struct alloc_plan *plan = &alloc_state_of(run)->plan;
    snprintf(text, size, "loadgen alloc --calib --threads %u --size %.64s --live %llu%s%s%s",
             run->threads, set->size, (unsigned long long)plan->live_bytes,
             set->allocator > 0 ? " --allocator " : "",
             set->allocator > 0 ? plan->allocator->name : "", plan->purge ? " --purge" : "");
}

int alloc_percent(struct run *run, double percent, double *rate, char *error, size_t size)
{
    struct calibration_key key;
    char what[256], make[256];
    make_key(run, &key);
    make_title(run, what, sizeof what);
    how_to_make(run, make, sizeof make);
    const struct calibration_query query = {
        .key = &key, .file = alloc_settings_of(run)->calibration, .what = what, .make = make};
    return calibration_percent(run, &query, percent, &alloc_state_of(run)->calibration, rate, error,
                               size);
}

int alloc_calibrate(struct run *run)
{
    const int64_t length_ns = calibration_length_ns(run);
    struct measured *measured = calloc(1, sizeof *measured); /* large for a stack */
    struct calibration_key key;
    char title[256], error[512] = "out of memory: free some";
    struct line line;
    make_key(run, &key);
    make_title(run, title, sizeof title);
    if (measured == NULL ||
        measure(run, length_ns, run->load->prepare, measured, error, sizeof error) != 0) {
        complain("%s", error);
        free(measured);
        return 1;
    }
    measured_print(run, title, measured);
    calibration_begin(&line, "alloc");
    calibration_write_key(&line, &key);
    line_real(&line, "seconds", (double)length_ns / 1e9);
    line_real(&line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT);
    measured_write(&line, run, measured);
    line_close(&line);
    free(measured);
    return calibration_keep(run, &key, &line, alloc_settings_of(run)->calibration);
}
