#include "report.h"

#include "engine.h"
#include "load.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Room that is always left to close the object. */
#define RESERVE 8

static void append(struct line *line, const char *text)
{
    const size_t length = strlen(text);
    if (line->used + length >= sizeof line->text - RESERVE)
        return;
    memcpy(line->text + line->used, text, length + 1);
    line->used += length;
}

static void append_quoted(struct line *line, const char *text)
{
    char piece[8];
    append(line, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            snprintf(piece, sizeof piece, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            snprintf(piece, sizeof piece, "\\u%04x", *c);
        else
            snprintf(piece, sizeof piece, "%c", *c);
        append(line, piece);
    }
    append(line, "\"");
}

static void append_name(struct line *line, const char *name)
{
    if (line->used > 1)
        append(line, ",");
    append_quoted(line, name);
    append(line, ":");
}

void line_open(struct line *line)
{
    line->used = 0;
    append(line, "{");
}

void line_begin(struct line *line, const char *event)
{
    line_open(line);
    line_text(line, "event", event);
}

void line_text(struct line *line, const char *name, const char *value)
{
    append_name(line, name);
    append_quoted(line, value);
}

void line_real(struct line *line, const char *name, double value)
{
    char text[64];
    if (isfinite(value) && fabs(value) < 1e18)
        snprintf(text, sizeof text, "%.6f", value);
    else
        snprintf(text, sizeof text, "null");
    line_raw(line, name, text);
}

void line_count(struct line *line, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    line_raw(line, name, text);
}

void line_flag(struct line *line, const char *name, bool value)
{
    line_raw(line, name, value ? "true" : "false");
}

void line_raw(struct line *line, const char *name, const char *json)
{
    append_name(line, name);
    append(line, json);
}

void line_close(struct line *line)
{
    memcpy(line->text + line->used, "}", 2);
    line->used++;
}

void report_init(struct report *report, bool json)
{
    report->json = json;
    report->broken = false;
    pthread_mutex_init(&report->mutex, NULL);
}

/* All of it, or the report is broken from now on. */
static void write_all(struct report *report, const char *text, size_t length)
{
    pthread_mutex_lock(&report->mutex);
    while (length > 0 && !report->broken) {
        const ssize_t written = write(STDOUT_FILENO, text, length);
        if (written >= 0) {
            text += written;
            length -= (size_t)written;
        } else if (errno != EINTR && errno != EAGAIN) {
            report->broken = true;
        } else if (errno == EAGAIN) {
            usleep(1000); /* somebody else made the shared pipe non-blocking */
        }
    }
    pthread_mutex_unlock(&report->mutex);
}

void report_write(struct report *report, const struct line *line)
{
    char text[sizeof line->text + 1];
    memcpy(text, line->text, line->used);
    text[line->used] = '\n';
    write_all(report, text, line->used + 1);
}

void report_print(struct report *report, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (report->json)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        write_all(report, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void report_warning(struct report *report, const char *text)
{
    struct line line;
    if (!report->json) {
        complain("%s", text);
        return;
    }
    line_begin(&line, "warning");
    line_text(&line, "message", text);
    line_close(&line);
    report_write(report, &line);
}

void report_error(struct report *report, const char *text)
{
    struct line line;
    if (!report->json) {
        complain("%s", text);
        return;
    }
    line_begin(&line, "error");
    line_text(&line, "message", text);
    line_close(&line);
    report_write(report, &line);
}

static void add_percentiles(struct line *line, const char *name, const struct histogram *histogram)
{
    static const struct {
        const char *name;
        double quantile;
    } fields[] = {
        {"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}, {"max_ns", 1}};
    struct line object;
    line_open(&object);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const int64_t value = histogram_quantile(histogram, fields[i].quantile);
        if (value < 0)
            line_raw(&object, fields[i].name, "null");
        else
            line_count(&object, fields[i].name, (uint64_t)value);
    }
    line_close(&object);
    line_raw(line, name, object.text);
}

static double per_second(double amount, int64_t time_ns)
{
    return time_ns > 0 ? amount * 1e9 / (double)time_ns : NAN;
}

void report_cpus(struct run *run, struct line *line)
{
    struct cpu_list cpus;
    char text[2048];
    engine_cpus(run, &cpus);
    if (cpus.count == 0)
        line_raw(line, "cpus", "null");
    else
        line_text(line, "cpus", cpus_format(&cpus, text, sizeof text));
}

static void write_window(struct run *run, const char *event, const char *mark,
                         const struct snapshot *window)
{
    struct line line;
    line_begin(&line, event);
    if (mark != NULL)
        line_text(&line, "mark", mark);
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_real(&line, "offered", per_second(window->offered, window->active_ns));
    line_real(&line, "achieved", per_second(window->amount, window->active_ns));
    line_count(&line, "late", window->late);
    line_count(&line, "dropped", window->dropped);
    line_real(&line, "cpu_s", (double)window->cpu_ns / 1e9);
    line_real(&line, "elapsed_s", (double)window->active_ns / 1e9);
    report_cpus(run, &line);
    if (run->load->timed) {
        struct line latency;
        line_open(&latency);
        add_percentiles(&latency, "service", &window->service);
        add_percentiles(&latency, "response", &window->response);
        line_close(&latency);
        line_count(&line, "operations", window->operations);
        line_raw(&line, "latency", latency.text);
    }
    if (run->load->fields != NULL)
        run->load->fields(run, window, &line);
    line_close(&line);
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
            "%s%s: asked %s, delivered %s, late %llu, dropped %llu, %.3f s CPU in %.3f s\n",
            run->load->name, whole ? ", in all" : "", offered, achieved,
            (unsigned long long)window->late, (unsigned long long)window->dropped,
            (double)window->cpu_ns / 1e9, (double)window->active_ns / 1e9);
    if (whole && run->load->timed && window->operations > 0) {
        print_latency(run, "service", &window->service);
        print_latency(run, "response", &window->response);
    }
}

void report_window(struct run *run, const char *event, const char *mark,
                   const struct snapshot *window)
{
    if (!run->report.json)
        print_window(run, event, window);
    if (run->load->notes != NULL)
        run->load->notes(run, event, window);
    if (run->report.json) /* last: nothing comes after a summary */
        write_window(run, event, mark, window);
}
