#include "window.h"

#include "engine.h"
#include "load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_percentiles(struct line *line, const char *name, const struct histogram *histogram)
{
    static const struct {
        const char *name;
        double quantile;
    } fields[] = {
        {"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}, {"max_ns", 1}};
    line_object(line, name);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const int64_t value = histogram_quantile(histogram, fields[i].quantile);
        if (value < 0)
            line_null(line, fields[i].name);
        else
            line_integer(line, fields[i].name, value);
    }
    line_close(line);
}

static double per_second(double amount, int64_t time_ns)
{
    return time_ns > 0 ? amount * 1e9 / (double)time_ns : NAN;
}

void window_cpus(struct run *run, struct line *line)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    engine_cpus(run, &cpus);
    if (cpus.count == 0)
        line_null(line, "cpus");
    else
        line_text(line, "cpus", cpus_format(&cpus, text, sizeof text));
}

static void write_window(struct run *run, const char *event, const char *mark,
                         const struct snapshot *window)
{
    struct line line;
    report_open(&line, event);
    if (mark != NULL)
        line_text(&line, "mark", mark);
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_fixed(&line, "offered", per_second(window->offered, window->active_ns), 6);
    line_fixed(&line, "achieved", per_second(window->amount, window->active_ns), 6);
    line_count(&line, "late", window->late);
    line_count(&line, "dropped", window->dropped);
    line_fixed(&line, "cpu_s", (double)window->cpu_ns / 1e9, 6);
    line_fixed(&line, "elapsed_s", (double)window->active_ns / 1e9, 6);
    window_cpus(run, &line);
    if (run->load->timed) {
        line_count(&line, "operations", window->operations);
        line_object(&line, "latency");
        add_percentiles(&line, "service", &window->service);
        add_percentiles(&line, "response", &window->response);
        line_close(&line);
    }
    const struct load_report *own = run->load->report;
    if (own != NULL && own->fields != NULL)
        own->fields(run, window, &line);
    if (own != NULL && own->summary != NULL && strcmp(event, "summary") == 0)
        own->summary(run, window, &line);
    report_write(&run->report, &line);
}

static void print_latency(struct run *run, const char *name, const struct histogram *histogram)
{
    static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 1};
    char text[5][24];
    for (size_t i = 0; i < 5; i++)
        units_format_time((double)histogram_quantile(histogram, quantiles[i]), text[i],
                          sizeof text[i]);
    report_print(&run->report, "  %s: p50 %s, p90 %s, p99 %s, p99.9 %s, max %s\n", name, text[0],
                 text[1], text[2], text[3], text[4]);
}

static void print_window(struct run *run, const char *event, const struct snapshot *window)
{
    char offered[48], achieved[48];
    const bool whole = strcmp(event, "summary") == 0;
    units_format_rate(per_second(window->offered, window->active_ns), run->unit, offered,
                      sizeof offered);
    units_format_rate(per_second(window->amount, window->active_ns), run->unit, achieved,
                      sizeof achieved);
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
    if (whole && run->load->timed && window->operations > 0) {
        print_latency(run, "service", &window->service);
        print_latency(run, "response", &window->response);
    }
}

void window_report(struct run *run, const char *event, const char *mark,
                   const struct snapshot *window)
{
    if (!run->report.json)
        print_window(run, event, window);
    if (run->load->report != NULL && run->load->report->notes != NULL)
        run->load->report->notes(run, event, window);
    if (run->report.json) /* last: nothing comes after a summary */
        write_window(run, event, mark, window);
}
