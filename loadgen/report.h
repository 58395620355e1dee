#ifndef LOADGEN_REPORT_H
#define LOADGEN_REPORT_H

/* What the load says: JSON lines, or text for people. Each line is one write where its reader has
 * room for it. Where it has not, it is kept, and written later: nothing here waits for a reader. */

#include "common/json.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report {
    bool json;
    bool broken;  /* stdout is gone, or cannot be written to */
    int error;    /* the errno of that */
    bool hurried; /* somebody waits for the end of the program */
    bool is_file; /* so that writing never waits for a reader */
    pthread_mutex_t mutex;
    char *kept; /* `waiting` bytes that are to be written still */
    size_t waiting, room;
    uint64_t lost; /* lines for which there was no room */
};

void report_init(struct report *report, bool json);
/* Writes what waits, as far as it does not block. Returns whether some is left. */
bool report_flush(struct report *report);
/* Writes what is left, and waits for its reader: for ever, or where it is hurried 1 s. False,
 * after a message (none where the reader has gone away): some of the report is lost. */
bool report_end(struct report *report);
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
