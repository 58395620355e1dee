#ifndef REPORT_COLLECT_H
#define REPORT_COLLECT_H

#include "experiment.h"
#include "family.h"
#include "folders.h"
#include "legend.h"

/* From folders to the cells of a report. */

struct groups;

struct report_line {
    char *text; /* JSON, or CSV; NULL: of a hidden one */
    char *name, *target, *label, *load, *level;
    const char *experiment; /* name of its folder */
    bool of_campaign;
    char *same;          /* equal: cells that differ in their load only */
    char *host, *kind;   /* host NULL: not known */
    double wall_s, runs; /* of the baseline; NAN where others have it: it is over sessions */
    /* How many times as long, or worse, under load; NAN: not known. */
    double slowdown, slowdown_low, slowdown_high;
    bool is_time, is_distinguishable; /* of the slowdown */
    struct legend legend;
    char *settings; /* without the seed, as JSON; NULL: not for the page */
};

struct waiting {
    char *name, *reason, *host; /* host NULL: not known */
    const char *state;
    size_t runs;
};

/* An environment without what changes from one measurement to the next. */
struct host {
    char *host, *kind;
    char *environment; /* members of an object, without braces */
    char *varied[4];   /* cpus_allowed, governor, file_system, device as JSON */
};

struct collected {
    struct problems problems;
    struct family family;
    struct groups *groups;     /* of sessions */
    struct report_line *lines; /* sorted: target, label, load and level in natural order */
    size_t line_count, line_allocated;
    struct report_line *hidden; /* sessions, where a line of all of them is shown: no text */
    size_t hidden_count, hidden_allocated;
    struct waiting *waiting;
    size_t waiting_count, waiting_allocated;
    struct host *hosts; /* each once */
    size_t host_count, host_allocated;
    size_t experiments, runs;
    char *table; /* of the only experiment, as JSON (table.h); NULL: there are several */
};

/* experiments and runs count what has a selected cell, or a waiting one. */
void collect(struct collected *collected, const struct folders *folders,
             const struct wanted *wanted);
void collected_free(struct collected *collected);

/* Compares two struct report_line: target, label, load, level in natural order (n=2
 * before n=10), then the experiment. */
int order_of_entries(const void *a, const void *b);

#endif
