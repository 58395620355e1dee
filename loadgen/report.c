// What a load says on stdout, as JSON lines or as text, without ever waiting for its reader.

#include "load.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/stat.h>

#define LAST_READ_MS 1000              // that the reader of a hurried report has
#define MOST_WAITING ((size_t)4 << 20) // some hours of intervals of a second

void report_open(struct line *line, const char *event)
{
    *line = (struct line){0};
    line_object(line, NULL);
    line_text(line, "event", event);
}

void report_init(struct report *report, bool json)
{
    struct stat status;
    *report = (struct report){.json = json};
    report->is_file = fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    pthread_mutex_init(&report->mutex, NULL);
}

// Whether a write of PIPE_BUF bytes or less will not block: pipe(7).
static bool is_ready(const struct report *report, int timeout_ms)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return report->is_file || poll(&out, 1, timeout_ms) == 1;
}

// As much of it as can be written without blocking; returns how much.
static size_t write_ready(struct report *report, const char *text, size_t length)
{
    size_t done = 0;
    while (done < length && !report->broken && is_ready(report, 0)) {
        const size_t left = length - done,
                     part = report->is_file || left < PIPE_BUF ? left : PIPE_BUF;
        const ssize_t written = write(STDOUT_FILENO, text + done, part);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN) {
            break; // another process made the shared pipe non-blocking
        } else if (errno != EINTR) {
            report->broken = true;
            report->error = errno;
        }
    }
    return done;
}

// What could not be written yet is kept until its reader reads on: a load does not wait for
// whoever reads its report. A line that finds too much waiting already is left out whole.
static void keep(struct report *report, const char *text, size_t length, bool whole)
{
    const size_t wanted = report->waiting + length;
    if (wanted > report->room) {
        char *larger = whole && wanted > MOST_WAITING ? NULL : realloc(report->kept, 2 * wanted);
        if (!larger) {
            report->lost += 1;
            report->error = ENOMEM;
            report->broken = report->broken || !whole; // half a line breaks a reader
            return;
        }
        report->kept = larger;
        report->room = 2 * wanted;
    }
    memcpy(report->kept + report->waiting, text, length);
    report->waiting = wanted;
}

static void flush(struct report *report)
{
    const size_t done = write_ready(report, report->kept, report->waiting);
    report->waiting -= done;
    memmove(report->kept, report->kept + done, report->waiting);
}

// All of it, now or later, or the report is broken from now on.
static void write_all(struct report *report, const char *text, size_t length)
{
    size_t done = 0;
    pthread_mutex_lock(&report->mutex);
    if (report->waiting > 0)
        flush(report);
    if (report->waiting == 0)
        done = write_ready(report, text, length);
    if (done < length && !report->broken)
        keep(report, text + done, length - done, done == 0);
    pthread_mutex_unlock(&report->mutex);
}

bool report_flush(struct report *report)
{
    pthread_mutex_lock(&report->mutex);
    if (report->waiting > 0)
        flush(report);
    const bool waits = report->waiting > 0 && !report->broken;
    pthread_mutex_unlock(&report->mutex);
    return waits;
}

bool report_end(struct report *report)
{
    while (report_flush(report) && is_ready(report, report->hurried ? LAST_READ_MS : -1))
        continue;
    const bool complete = !report->broken && report->waiting == 0 && report->lost == 0;
    if (report->broken && report->error != EPIPE)
        complain("cannot write to stdout: %s: the report is incomplete", strerror(report->error));
    else if (!report->broken && !complete)
        complain("stdout was not read: the report is incomplete: read it while the load runs");
    free(report->kept);
    report->kept = NULL;
    report->waiting = report->room = 0;
    pthread_mutex_destroy(&report->mutex);
    return complete;
}

void report_write(struct report *report, struct line *line)
{
    const char *text = line_end(line);
    if (!text)
        complain("out of memory: an event is lost: free some");
    else
        write_all(report, text, line->used);
    line_free(line);
}

void report_text(struct report *report, const char *text)
{
    write_all(report, text, strlen(text));
}

void report_print(struct report *report, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    if (report->json)
        return;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        write_all(report, text, (size_t)length);
    else
        complain("out of memory: a line of the report is lost: free some");
    if (length >= 0)
        free(text);
}

void report_say(struct report *report, const char *event, const char *text)
{
    struct line line;
    if (!report->json) {
        complain("%s", text);
        return;
    }
    report_open(&line, event);
    line_text(&line, "message", text);
    report_write(report, &line);
}
