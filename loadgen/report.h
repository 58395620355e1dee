#ifndef LOADGEN_REPORT_H
#define LOADGEN_REPORT_H

/* What the load says: JSON lines, or text for people. Each line is one write. */

#include "common/json.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report {
    bool json;
    bool broken; /* stdout is gone */
    pthread_mutex_t mutex;
};

void report_init(struct report *report, bool json);
/* Opens the record of an event: {"event":"..." */
void report_open(struct line *line, const char *event);
/* Writes the line to stdout in one piece, closed, and frees it. */
void report_write(struct report *report, struct line *line);
/* A whole line that ends with its newline. */
void report_text(struct report *report, const char *text);
/* Text for people on stdout, not with JSON. */
void report_print(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void report_warning(struct report *report, const char *text);
void report_error(struct report *report, const char *text);

#endif
