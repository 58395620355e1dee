// What `ready`, a mark, an interval and the summary say of a load: as a JSON line, and as text.

#include "frame.h"

static void add_percentiles(struct line *line, const char *name, const struct histogram *histogram)
{
    line_object(line, name);
    for (size_t i = 0; i < QUANTILES; i++)
        line_fixed(line, latency_quantiles[i].field,
                   latency_ns(histogram, latency_quantiles[i].quantile), 0);
    line_close(line);
}

// The field "cpus": where the kernel lets the load run, read back from it; null
// when nothing of the load is there to ask about.
static void window_cpus(struct run *run, struct line *line)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    engine_cpus(run, &cpus);
    line_text(line, "cpus", cpus.count == 0 ? NULL : cpus_format(&cpus, text, sizeof text));
}

void events_write_window(struct run *run, const char *event, const char *mark,
                         const struct snapshot *window)
{
    struct line line;
    report_open(&line, event);
    if (mark)
        line_text(&line, "mark", mark);
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_fixed(&line, "offered", per_second(window->offered, window), 6);
    line_fixed(&line, "achieved", per_second(window->amount, window), 6);
    line_count(&line, "late", window->late);
    line_count(&line, "dropped", window->dropped);
    line_fixed(&line, "cpu_s", (double)window->cpu_ns / 1e9, 6);
    line_fixed(&line, "elapsed_s", (double)window->active_ns / 1e9, 6);
    window_cpus(run, &line);
    stages_put_phase(run, &line);
    if (has_operations(run->load)) {
        line_fixed(&line, "rate", run->rate, 6); // null: without a limit
        line_count(&line, "operations", window->operations);
        line_object(&line, "latency");
        add_percentiles(&line, "service", &window->service);
        add_percentiles(&line, "response", &window->response);
        line_close(&line);
    }
    if (run->load->fields)
        run->load->fields(run, window, &line);
    if (run->load->summary_fields && strcmp(event, "summary") == 0)
        run->load->summary_fields(run, window, &line);
    report_write(&run->report, &line);
}

static void print_latency(struct run *run, const char *name, const struct histogram *histogram)
{
    char text[24];
    report_print(&run->report, "  %s:", name);
    for (size_t i = 0; i < QUANTILES; i++)
        report_print(&run->report, "%s %s %s", i > 0 ? "," : "", latency_quantiles[i].words,
                     units_format_time(latency_ns(histogram, latency_quantiles[i].quantile), text,
                                       sizeof text));
    report_print(&run->report, "\n");
}

void events_print_window(struct run *run, const char *event, const struct snapshot *window)
{
    char offered[48], achieved[48];
    const bool whole = strcmp(event, "summary") == 0;
    units_format_rate(per_second(window->offered, window), run->unit, offered, sizeof offered);
    units_format_rate(per_second(window->amount, window), run->unit, achieved, sizeof achieved);
    if (strcmp(run->unit, UNIT_NONE) == 0)
        report_print(&run->report, "%s%s: %.3f s CPU in %.3f s\n", run->load->name,
                     whole ? ", in all" : "", (double)window->cpu_ns / 1e9,
                     (double)window->active_ns / 1e9);
    else
        report_print(
            &run->report,
            "%s%s: offered %s, achieved %s, late %llu, dropped %llu, %.3f s CPU in %.3f s\n",
            run->load->name, whole ? ", in all" : "", offered, achieved,
            (unsigned long long)window->late, (unsigned long long)window->dropped,
            (double)window->cpu_ns / 1e9, (double)window->active_ns / 1e9);
    if (whole && has_operations(run->load) && window->operations > 0) {
        print_latency(run, "service", &window->service);
        print_latency(run, "response", &window->response);
    }
}

void events_ready(struct run *run)
{
    struct line line;
    char cpus[CPUS_TEXT];
    if (!run->report.json)
        return;
    report_open(&line, "ready");
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_fixed(&line, "rate", run->rate, 6);
    line_count(&line, "threads", run->threads);
    if (run->threads > 0)
        window_cpus(run, &line);
    else
        line_text(&line, "cpus", cpus_format(&run->cpus, cpus, sizeof cpus));
    line_fixed(&line, "quota_cpus", run->quota_cpus, 6);
    line_fixed(&line, "duration_s",
               run->common.duration_ns > 0 ? (double)run->common.duration_ns / 1e9 : NAN, 6);
    if (run->load->describe)
        run->load->describe(run, &line);
    stages_describe(run, &line);
    calibration_describe(run, &line);
    report_write(&run->report, &line);
}
