#ifndef LOADGEN_REPORT_H
#define LOADGEN_REPORT_H

/* What the load says: JSON lines, or text for people. Each line is one write. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON object under construction. Overlong text is cut off, never overrun. */
struct line {
    size_t used;
    char text[4096];
};

void line_begin(struct line *line, const char *event); /* {"event":"..." */
void line_open(struct line *line);                     /* { , for records that are no events */
void line_text(struct line *line, const char *name, const char *value);
void line_real(struct line *line, const char *name, double value); /* not finite: null */
void line_count(struct line *line, const char *name, uint64_t value);
void line_flag(struct line *line, const char *name, bool value);
/* A field whose value is JSON already. */
void line_raw(struct line *line, const char *name, const char *json);
void line_close(struct line *line); /* } */

struct report {
    bool json;
    bool broken; /* stdout is gone */
    pthread_mutex_t mutex;
};

void report_init(struct report *report, bool json);
/* Writes one whole line to stdout; adds the newline. */
void report_write(struct report *report, const struct line *line);
/* Text for people on stdout, not with JSON. */
void report_print(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct run;
struct snapshot;

/* event "mark", "interval" or "summary"; mark: its name or NULL. window: the
 * differences since the last one. */
void report_window(struct run *run, const char *event, const char *mark,
                   const struct snapshot *window);
/* The field "cpus": where the kernel lets the load run, read back from it; null
 * when nothing of the load is there to ask about. */
void report_cpus(struct run *run, struct line *line);
void report_warning(struct report *report, const char *text);
void report_error(struct report *report, const char *text);

#endif
