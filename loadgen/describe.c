// What a command line means, said without making load: --describe and --dry-run.

#include "frame.h"

// The common options that make no load under a harness, which begins and ends it itself.
static const char *const by_hand[] = {"control", "duration", "dry-run", "calib", NULL};

static const char *first_given(const struct run *run, const char *const *names)
{
    for (; names && *names; names++)
        if (options_given(run->options, *names))
            return *names;
    return NULL;
}

void describe_words(struct run *run)
{
    struct line line;
    const double percent = calibration_percent(run);
    const char *of_frame = first_given(run, by_hand),
               *of_load = first_given(run, run->load->by_hand);
    report_open(&line, "words");
    line_text(&line, "load", run->load->name);
    line_text(&line, "by_hand", of_frame ? of_frame : of_load);
    line_bool(&line, "listens", run->listens);
    if (percent > 0)
        line_fixed(&line, "percent", percent, 6);
    else
        line_null(&line, "percent");
    report_write(&run->report, &line);
    if (run->common.control)
        usage_error("--control and --describe: give one of them");
}

// A yes, a no, or null where nobody knows.
static void put_use(const struct run *run, struct line *line, const char *name, enum uses use)
{
    if ((run->uses & USES_UNKNOWN) != 0)
        line_null(line, name);
    else
        line_bool(line, name, (run->uses & use) != 0);
}

// The line `plan`.
static void put_plan(struct run *run, const char *cpus)
{
    struct line line;
    const double percent = calibration_percent(run);
    report_open(&line, "plan");
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_count(&line, "threads", run->threads);
    // For as many workers elsewhere: null where they do not depend on that.
    if (run->threads > 0 && !run->listens && !options_given(run->options, "threads"))
        line_count(&line, "threads_to_give", run->threads);
    else
        line_null(&line, "threads_to_give");
    line_bool(&line, "pinned", run->load->pinned);
    line_text(&line, "cpus", cpus);
    line_bool(&line, "listens", run->listens);
    put_use(run, &line, "disk", USES_DISK);
    put_use(run, &line, "fills_memory", USES_MEMORY);
    line_fixed(&line, "memory_bytes", run->held_bytes + run->cached_bytes, 0); // infinite: null
    stages_describe(run, &line);
    if (percent > 0) {
        struct calibration_key key;
        calibration_key(run, &key);
        line_fixed(&line, "percent", percent, 6);
        line_text(&line, "percent_of", key.options);
        line_text(&line, "percent_on", key.subject);
        line_bool(&line, "calibrated", calibration_is_kept(run));
    } else {
        line_null(&line, "percent");
    }
    report_write(&run->report, &line);
}

int describe_plan(struct run *run)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    engine_worker_cpus(run, &cpus);
    cpus_format(&cpus, text, sizeof text);
    if (run->report.json)
        put_plan(run, text);
    if (run->threads > 0)
        report_print(&run->report, "%s: %u worker%s%s CPU %s\n", run->load->name, run->threads,
                     run->threads == 1 ? "" : "s",
                     run->load->pinned ? ", each pinned to one of" : " on", text);
    else if (run->load->process && run->load->arguments)
        report_print(&run->report, "%s: a command on CPU %s\n", run->load->name, text);
    else
        report_print(&run->report, "%s: no workers\n", run->load->name);
    return 0;
}
