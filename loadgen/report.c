#include "report.h"

#include "common/messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void report_open(struct line *line, const char *event)
{
    *line = (struct line){0};
    line_object(line, NULL);
    line_text(line, "event", event);
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
            usleep(1000); /* another process made the shared pipe non-blocking */
        }
    }
    pthread_mutex_unlock(&report->mutex);
}

void report_write(struct report *report, struct line *line)
{
    const char *text = line_end(line);
    if (text == NULL)
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

/* An event with a text for machines, a line on stderr for people. */
static void say(struct report *report, const char *event, const char *text)
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

void report_warning(struct report *report, const char *text)
{
    say(report, "warning", text);
}

void report_error(struct report *report, const char *text)
{
    say(report, "error", text);
}
