#ifndef REPORT_RECORDS_H
#define REPORT_RECORDS_H

#include "metrics.h"
#include "view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one experiment's folder holds, read once. What is broken, empty, or of a
 * schema that this version does not know is named, and left out. */

struct problem {
    const char *kind; /* broken-record, unknown-schema, several-hosts */
    char *cell;       /* NULL: not of one */
    char *message;
};

struct problems {
    struct problem *item;
    size_t count, allocated;
};

/* Takes message, which text_of made. */
void problems_add(struct problems *problems, const char *kind, const char *cell, char *message);
/* Empties from into to. */
void problems_move(struct problems *to, struct problems *from);
void problems_free(struct problems *problems);

struct document {
    const struct value *top; /* NULL: not there, or not usable */
    struct view view;
    char *text;
};

/* Reads a JSON object of this schema; names it as who/file in problems. */
void document_read(struct document *document, const char *path, const char *schema, const char *who,
                   struct problems *problems);
void document_free(struct document *document);

struct run_record {
    uint32_t condition; /* number of its name in runs.condition */
    uint32_t order;
    double wall_s;
    double max_rss_bytes, exit_code; /* NAN: not known */
    bool flagged, used;              /* used: figures are made of it */
};

/* The measured runs of a folder, warm-up excluded. */
struct runs {
    struct run_record *item; /* only where they are kept */
    size_t count, allocated;
    double *value; /* of each of item, of each metric that it is kept of; NAN: not known */
    size_t value_count, value_allocated;
    size_t metric_count; /* for so many: see runs_value */
    size_t measured;     /* counted in any case */
    char *condition[64];
    size_t condition_count;
    size_t seen[64]; /* measured runs of each condition */
    char *started;   /* of the first run; NULL: none */
    char *failure;   /* of the last run, in words; NULL: it did not fail */
    char *host[16];
    size_t host_count;
};

/* What is done with each usable run; line is its JSON, used as in struct run_record. */
typedef void run_visitor(void *context, const struct value *line, bool used);

struct run_options {
    bool keep;
    const struct metric_list *metrics; /* those of --metric are kept, too; NULL: none */
    run_visitor *visit;                /* NULL: nothing */
    void *context;
};

/* `washout` of the result: blocks before it grew are in no figure. */
void runs_read(struct runs *runs, const char *path, const struct value *settings,
               const struct value *washout, const struct run_options *options, const char *who,
               struct problems *problems);
/* What a kept run has of a metric of the list that it was read with. */
double runs_value(const struct runs *runs, size_t run, const struct metric_list *list,
                  size_t metric);
/* Number of the condition; SIZE_MAX: no run of it. */
size_t runs_condition(const struct runs *runs, const char *name);
void runs_free(struct runs *runs);

#endif
