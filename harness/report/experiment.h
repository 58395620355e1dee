#ifndef REPORT_EXPERIMENT_H
#define REPORT_EXPERIMENT_H

#include "family.h"
#include "metrics.h"
#include "records.h"

/* One experiment's folder as read, and its cells: one for each condition that
 * is no baseline, or the baseline alone. */

struct experiment {
    const char *name; /* of the folder */
    struct document status, record, result;
    struct runs runs;
    /* What is used most, from the documents. */
    const struct value *settings, *environment, *cell, *conditions, *baseline;
    char *reference; /* the baseline's name */
    struct metric_list metrics;
    const char *state;           /* done, failed, running, interrupted; NULL: not known */
    char *reason;                /* NULL: none was noted */
    unsigned sessions;           /* that this is made of, see sessions.h; 0: it is a single one */
    bool is_session;             /* one of several, which another experiment is made of */
    const struct family *family; /* of all slowdowns of the report; NULL: not known yet */
};

struct warning {
    const struct value *record; /* of result.json; NULL: the report's own */
    char *flag, *text;          /* text: the message with the advice */
    bool problem;               /* else a note */
};

struct cell {
    const struct experiment *of;
    const struct metric *main; /* of which the slowdown is */
    char *name, *sessions;     /* name that it shares with other sessions; NULL: with none */
    char *target, *label, *row, *load, *level, *condition, *spec, *host, *kind;
    char *variant;   /* NULL: the experiment has none */
    char *reference; /* the name of the condition without load */
    const struct value *parameters, *command;
    /* The conditions' and slowdowns' entries; NULL: none. The baseline is the target's, or the
     * variant's, without load. The slowdown is of the main metric. */
    const struct value *baseline, *loaded, *slowdown;
    const struct value *load_entry; /* of several loads the first with a rate */
    bool is_short;
    double noise_floor; /* NAN: not known */
    struct warning *warnings;
    size_t warning_count, warning_allocated;
    char *flags[64]; /* sorted, each once */
    size_t flag_count;
};

/* Fills what follows from the documents and runs; after they were read, and metrics made. */
void experiment_settle(struct experiment *experiment);
void experiment_free(struct experiment *experiment);

/* The conditions of a cell. */
struct pairing {
    const struct value *baseline, *loaded; /* loaded NULL: the baseline alone */
};

/* False: the documents lack what a report needs. */
bool cell_make(struct cell *cell, const struct experiment *experiment, struct pairing pairing);
void cell_free(struct cell *cell);

/* Where a cell's runs are from. */
struct origin {
    double session;    /* which one; NAN: it is of all, or of a cell that has no others */
    unsigned sessions; /* that it is of */
    const char *host;  /* NULL: not known, or one for each session */
};
struct origin cell_origin(const struct cell *cell);

/* The first of several loads whose rate is known; NULL: none. */
const struct value *rated_load(const struct value *loads);
/* A command as a shell would read it, to be freed. */
char *command_text(const struct value *command);
/* The processor, CPUs, memory and kernel of a node; alike nodes have the same. */
char *node_kind(const struct value *environment);

/* A warning of result.json; one that does not say how grave it is (an older
 * version's: `stats --derive` makes it anew) is a problem. */
struct warning severity_warning(const struct value *record);

/* Which conditions an experiment has, and which of them are compared. */

/* The entry of a condition, and of its slowdown of a metric; NULL: there is none. */
const struct value *condition_named(const struct experiment *experiment, const char *name);
const struct value *slowdown_of(const struct experiment *experiment, const char *condition,
                                const char *metric);
/* Whether an entry of "comparisons", or "interactions", is of that variant and load; load NULL or
 * null: alone. */
bool comparison_is_of(const struct value *comparison, const struct value *variant,
                      const struct value *load);
/* The entry of such a list of the result; NULL: there is none. */
const struct value *comparison_of(const struct experiment *experiment, const char *list,
                                  const struct value *variant, const struct value *load,
                                  const char *metric);
/* Which conditions the cell of this number is of, from 0 on. False: there is no such cell. */
bool experiment_pairing(const struct experiment *experiment, size_t number,
                        struct pairing *pairing);
/* What the experiment says of a condition: {name, variant, load}; NULL: it has no variants. */
const struct value *experiment_condition(const struct experiment *experiment, const char *name);
/* {name, command, ...}; NULL: there is no such variant. */
const struct value *experiment_variant(const struct experiment *experiment,
                                       const struct value *name);
/* Whether it compares variants. */
bool experiment_has_variants(const struct experiment *experiment);
/* The name of a condition's load; NULL: it has none. To be freed. */
char *conditions_load(const struct experiment *experiment, const char *condition);

#endif
