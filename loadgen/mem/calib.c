#include "mem/calib.h"

#include "measure.h"
#include "mem/mem-report.h"
#include "mem/mem-state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_key(const struct run *run, struct calibration_key *key)
{
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    char node[16] = "own";
    if (plan->node >= 0)
        snprintf(node, sizeof node, "%d", plan->node);
    calibration_key(key, run->load->name);
    calibration_key_text(key, "kernel", mem_kernel_names[plan->kernel]);
    calibration_key_count(key, "threads", run->threads);
    calibration_key_text(key, "class", mem_class_names[plan->class]);
    calibration_key_text(key, "simd", plan->run == NULL ? "none" : mem_simd_names[plan->simd]);
    calibration_key_flag(key, "non_temporal", plan->non_temporal);
    calibration_key_flag(key, "huge", plan->huge);
    calibration_key_text(key, "node", node);
    if (strcmp(run->load->name, "cache") == 0)
        calibration_key_count(key, "footprint_bytes", plan->worker_bytes * run->threads);
}

/* "triad, 2 threads, l3": for people and for errors. */
static void make_title(const struct run *run, char *text, size_t size)
{
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    char bytes[32];
    units_format_size((double)(plan->worker_bytes * run->threads), bytes, sizeof bytes);
    snprintf(text, size, "%s, %u thread%s, %s in %s, %s%s%s%s", mem_kernel_names[plan->kernel],
             run->threads, run->threads == 1 ? "" : "s", bytes, mem_class_names[plan->class],
             plan->run == NULL ? "dependent loads" : mem_simd_names[plan->simd],
             plan->non_temporal ? ", non-temporal" : "", plan->huge ? ", huge pages" : "",
             plan->node >= 0 ? ", another node" : "");
}

/* The command that makes a fitting one. */
static void how_to_make(const struct run *run, char *text, size_t size)
{
    const struct mem_settings *set = mem_settings_of(run);
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    char footprint[80] = "", simd[32] = "", node[32] = "";
    const bool cache = strcmp(run->load->name, "cache") == 0;
    if (cache)
        snprintf(footprint, sizeof footprint, " --size %g", set->size_percent);
    else if (set->footprint != NULL)
        snprintf(footprint, sizeof footprint, " --footprint %.40s", set->footprint);
    if (set->simd > 0)
        snprintf(simd, sizeof simd, " --simd %s", mem_simd_names[plan->simd]);
    if (plan->node >= 0)
        snprintf(node, sizeof node, " --node %d", plan->node);
    snprintf(text, size, "loadgen %s --calib%s%s --threads %u%s%s%s%s%s", run->load->name,
             cache ? "" : " --kernel ", cache ? "" : mem_kernel_names[plan->kernel], run->threads,
             footprint, simd, plan->non_temporal ? " --non-temporal" : "",
             plan->huge ? " --huge" : "", node);
}

int mem_percent(struct run *run, double percent, double *rate, char *error, size_t size)
{
    struct calibration_key key;
    char what[256], make[256];
    make_key(run, &key);
    make_title(run, what, sizeof what);
    how_to_make(run, make, sizeof make);
    const struct calibration_query query = {
        .key = &key, .file = mem_settings_of(run)->calibration, .what = what, .make = make};
    return calibration_percent(run, &query, percent, &mem_state_of(run)->calibration, rate, error,
                               size);
}

static void compose(struct run *run, const struct calibration_key *key,
                    const struct measured *measured, double seconds, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    calibration_begin(line, run->load->name);
    calibration_write_key(line, key);
    if (strcmp(run->load->name, "cache") != 0)
        line_count(line, "footprint_bytes", state->plan.worker_bytes * run->threads);
    line_text(line, "pages", mem_pages_name(&state->pages));
    line_real(line, "seconds", seconds);
    line_real(line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT);
    measured_write(line, run, measured);
    if (state->plan.kernel == MEM_CHASE)
        mem_load_fields(&measured->window, line);
    line_close(line);
}

int mem_calibrate(struct run *run)
{
    const int64_t length_ns = calibration_length_ns(run);
    struct calibration_key key;
    char title[256], error[512];
    struct line line;
    make_key(run, &key);
    make_title(run, title, sizeof title);
    if (mem_state_of(run)->plan.worker_bytes == 0)
        usage_error("--calib of nothing: give a --size above 0");
    struct measured *measured = calloc(1, sizeof *measured); /* large for a stack */
    if (measured == NULL)
        snprintf(error, sizeof error, "out of memory: free some");
    if (measured == NULL ||
        measure(run, length_ns, run->load->prepare, measured, error, sizeof error) != 0) {
        complain("%s", error);
        free(measured);
        return 1;
    }
    measured_print(run, title, measured);
    compose(run, &key, measured, (double)length_ns / 1e9, &line);
    free(measured);
    return calibration_keep(run, &key, &line, mem_settings_of(run)->calibration);
}
