// The records of an experiment, and what they say.
#ifndef REPORT_EXPERIMENT_H
#define REPORT_EXPERIMENT_H

#include "write.h"

#include "harness/record/document.h"

// ---- metrics.c

// What is measured of a run: its name in records, its column, its unit, and what
// it means. Everything else that shows a metric takes it from here.
struct quantity {
    const char *name, *title, *unit;
    const char *words;      // where it is named by itself
    const char *table_unit; // in tables of means and variances
    double table_factor;    // from unit to table_unit
    const char *meaning;    // NULL: of a metric that only some experiments have
    bool higher;            // is better
    bool chosen;            // by --metric
};

// The metrics that each run has, at these places of each list.
enum { METRIC_WALL, METRIC_USER, METRIC_SYSTEM, METRIC_MEMORY, METRIC_COUNT };
extern const struct quantity metrics[METRIC_COUNT];

// Whether its ratios are slowdowns.
bool metric_is_wall(const struct quantity *metric);

// The metrics of one experiment: those above, then the other ones of --metric in their
// order.
struct metric_list {
    struct quantity *item;
    size_t count;
    size_t main; // whose figures and ratios the main columns show: the wall time; where
                 // --metric leaves it out, the first of those that decide but for the ones above
};

// From a result's conditions and slowdowns, and its settings; all may be NULL. item is to be freed.
struct metric_list metric_list(struct arena *texts, const struct value *conditions,
                               const struct value *slowdowns, const struct value *settings);
// The place of a name; list->count: it has none.
size_t metric_named(const struct metric_list *list, const struct value *name);
// The one of this name, where it is one of --metric; else NULL.
const struct quantity *metric_chosen(const struct metric_list *list, const struct value *name);

// The definition of a metric of --metric in the settings; NULL: it is built in, or old.
const struct value *metric_entry(const struct value *settings, const struct value *name);

// Whether it is one of --decide: what the gate judges.
bool metric_decides(const struct value *settings, const char *name);

// A condition's figure of a metric; NULL: there is none.
const struct value *metric_figure(const struct value *condition, const struct quantity *metric);

// Units of tables of means and variances (chosen.c).

struct mean_unit {
    const char *name;
    double factor; // from seconds, or bytes
    int decimals;
    bool is_memory;
};

struct mean_units {
    const struct mean_unit *time, *memory;
};

// Of --units, such as "ms,MiB": whether it can be used, else what to give; and what it says, in
// seconds and kilobytes where it says nothing (NULL: as a whole).
bool mean_units_check(const char *text, char *error, size_t size);
struct mean_units mean_units_of(const char *text);
const struct mean_unit *mean_unit_for(const struct mean_units *chosen, size_t metric);

// The table as a member "metrics"; unit_names: of tables of means, as --units has them; NULL: their
// own.
void metrics_put(struct line *json, const char *unit_names);

// ---- records.c

// What one experiment's folder holds, read once. What is broken, empty, or of a
// schema that this version does not know is named, and left out.

struct problem {
    const char *kind; // broken-record, unknown-schema, several-hosts
    const char *cell; // NULL: not of one
    const char *message;
};

struct problems {
    struct problem *item;
    size_t count, allocated;
    struct arena texts; // theirs
};

// Takes message, which text_of made.
void problems_add(struct problems *problems, const char *kind, const char *cell, char *message);
// Empties from into to.
void problems_move(struct problems *to, struct problems *from);
void problems_free(struct problems *problems);

// Adds what is wrong with a document of a cell; NULL: nothing.
void problems_add_document(struct problems *problems, const struct document *document,
                           const char *cell, char *wrong);

struct run_record {
    uint32_t condition; // number of its name in runs.condition
    uint32_t order;
    double exit_code;   // NAN: not known
    double phase_s;     // of a load with --stages; NAN: it has none
    bool flagged, used; // used: figures are made of it
};

// Each once.
struct names {
    const char *item[64];
    size_t count;
};

// The measured runs of a folder, warm-up excluded.
struct runs {
    struct run_record *item; // only where they are kept
    size_t count, allocated;
    struct {
        double *item;
        size_t count, allocated;
    } values;        // of each of item, of each metric: see runs_value
    size_t measured; // counted in any case
    struct names conditions;
    size_t seen[64];     // measured runs of each condition
    const char *started; // of the first run; NULL: none
    char *failure;       // of the last run, in words; NULL: it did not fail
    struct names hosts;
    struct arena texts; // theirs
};

// What is done with each usable run; line is its JSON, used as in struct run_record.
typedef void run_visitor(void *context, const struct value *line, bool used);

struct run_options {
    bool keep;          // with the metrics of --metric
    run_visitor *visit; // NULL: nothing
    void *context;
};

// Blocks before the result's washout grew are in no figure.
struct experiment;
void runs_read(struct runs *runs, const char *folder, const struct experiment *experiment,
               const struct run_options *options, const char *who, struct problems *problems);
// How far into its stages a load was, the first of them that has some; NAN: none has.
double phase_of(const struct value *loads);
// What a kept run has of a metric of the experiment; NAN: not known.
double runs_value(const struct experiment *of, size_t run, size_t metric);
// Number of the condition; SIZE_MAX: no run of it.
size_t runs_condition(const struct runs *runs, const char *name);
void runs_free(struct runs *runs);

// ---- legend.c

// All slowdowns of a report are one family: the more of them there are, the more look
// distinguishable by chance.
//
// q of a slowdown is its p, adjusted for that: see harness/stats/interval.h.

#define FAMILY_RATE 0.05
#define FAMILY_MARK "†"

struct member {
    double p, q;          // p NAN: not known; q after family_settle, NAN where p is
    double chance;        // that its interval leaves 1 out although there is no effect
    bool distinguishable; // by its interval
};

struct family {
    struct member *item; // after family_settle by p, ascending, those without at the end
    size_t count, allocated;
    size_t known; // with a p; after family_settle
    bool ratios;  // not all of them are slowdowns: some compare variants
};

// Empties from into to.
void family_move(struct family *to, struct family *from);
// Works out q; nothing is added afterwards.
void family_settle(struct family *family);
void family_free(struct family *family);

// What a text says of a ratio among all of the report is filled in when the last of them was read.
// Until then it says what is said of a ratio that is of no family: no q, and that it does not
// survive. A ratio survives that is distinguishable, and still a discovery among all of them.
struct spots {
    struct spot {
        size_t at, length; // of what it says now
        enum spot_kind { SPOT_Q, SPOT_SURVIVES, SPOT_MARK } kind;
        double p;
    } * item;
    size_t count, allocated;
};

void spot_add(struct spots *spots, enum spot_kind kind, size_t at, size_t length,
              const struct value *ratio);
// Member "survives", and "q" in front of it.
void survives_put(struct line *json, const struct experiment *of, const struct value *ratio);
void family_put_ratio(struct line *json, const struct experiment *of, const struct value *ratio);
// The mark at the end of the text that was written last.
void mark_put(struct line *json, const struct experiment *of, const struct value *ratio);
// Takes the text, and frees the spots; the text as it is with them, to be freed.
char *spots_fill(const struct family *family, char *text, struct spots *spots);

// Member "family": of the settled one.
void family_put(struct line *json, const struct family *family);
// What a reader has to know of it; NULL: fewer than two slowdowns.
const char *family_text(struct arena *texts, const struct family *family);

// ---- experiment.c

// One experiment's folder as read, and its cells: one for each condition that
// is no baseline, or the baseline alone.

struct experiment {
    const char *name;    // of the folder
    struct arena *texts; // that are made of it, and live as long
    struct document status, record, result;
    struct runs runs;
    // Members of its record, and of its result; of a record without any, and where there is none:
    // NULL.
    const struct value *settings, *environment, *command, *loads, *variants, *planned, *cell;
    const struct value *conditions, *slowdowns, *comparisons, *interactions, *warnings, *intervals,
        *noise_floor, *capacity, *protection, *machine, *gate, *verdict, *washout;
    // variants NULL: it compares none; capacity, protection NULL: it looked for none. Runs of a
    // search for capacities are at different rates, and no mean or ratio is of them.
    const struct value *baseline;
    const char *reference; // the baseline's name
    struct metric_list metrics;
    const char *state;   // done, failed, running, interrupted; NULL: not known
    const char *reason;  // NULL: none was noted
    unsigned session;    // of its cell; 1 where that has no others
    unsigned sessions;   // that this is made of, see sessions.c; 0: it is a single one
    bool is_session;     // one of several, which another experiment is made of
    struct spots *spots; // of the text that is made of it; NULL: its ratios are of no family
};

struct cell {
    const struct experiment *of;
    const struct quantity *main; // of which the slowdown is
    const char *name, *sessions; // name that it shares with other sessions; NULL: with none
    const char *target, *label, *row, *load, *level, *condition, *spec, *host, *kind;
    bool again;            // an earlier cell has the same baseline
    const char *variant;   // NULL: the experiment has none
    const char *reference; // the name of the condition without load
    const struct value *parameters, *command;
    // The command, and the variant's name, as they were written; the option that gave the name.
    // NULL: not known, or none.
    const char *line, *title, *named;
    // The conditions' and slowdowns' entries; NULL: none. The baseline is the target's, or the
    // variant's, without load. The slowdown is of the main metric.
    const struct value *baseline, *loaded, *slowdown;
    const struct value *load_entry; // of several loads the first with a rate
    bool is_short;
    double noise_floor;    // NAN: not known
    const char *flags[64]; // sorted, each once
    size_t flag_count;
};

// Fills what follows from the documents and runs.
void experiment_settle(struct experiment *experiment);
void experiment_free(struct experiment *experiment);

// The conditions of a cell.
struct pairing {
    const struct value *baseline, *loaded; // loaded NULL: the baseline alone
};

// False: the documents lack what a report needs.
bool cell_make(struct cell *cell, const struct experiment *experiment, struct pairing pairing);

// Where a cell's runs are from.
struct origin {
    double session;    // which one; NAN: it is of all, or of a cell that has no others
    unsigned sessions; // that it is of
    const char *host;  // NULL: not known, or one for each session
};
struct origin cell_origin(const struct cell *cell);

// The first of several loads whose rate is known; NULL: none.
const struct value *rated_load(const struct value *loads);
// A word, and a command, as a shell would read it.
const char *word_quoted(struct arena *texts, const char *word);
const char *command_text(struct arena *texts, const struct value *command);
// The processor, CPUs, memory and kernel of a node; alike nodes have the same.
const char *node_kind(struct arena *texts, const struct value *environment);

// Whether a warning of result.json is of one of two conditions, which may be NULL, or, where
// general, of none in particular.
bool warning_is_of(const struct value *warning, const char *condition, const char *other,
                   bool general);
// One that does not say how grave it is (an older version's: `stats --derive` makes it anew) is a
// problem.
bool warning_is_problem(const struct value *warning);
// The message with the advice.
const char *warning_text(struct arena *texts, const struct value *warning);

// What the ratios are held to, by options that decide: each is a row of a table.
enum limit { LIMIT_AT_MOST, LIMIT_SAME, LIMITS };
// NAN: it is not given.
double limit_of(const struct experiment *experiment, enum limit limit);
// "at most 1.05, same within 2 %"; NULL: none is given.
const char *limits_text(const struct experiment *experiment);
// Whether a member of the settings is one that is given in percent.
bool limit_is_share(const char *setting);

// The one of the main columns.
const struct quantity *main_metric(const struct experiment *experiment);

// Which conditions an experiment has, and which of them are compared.

// The entry of a condition, and of its slowdown of a metric; NULL: there is none.
const struct value *condition_named(const struct experiment *experiment, const char *name);
const struct value *slowdown_of(const struct experiment *experiment, const char *condition,
                                const char *metric);
// Whether an entry of "comparisons", or "interactions", is of that variant and load; load NULL or
// null: alone.
bool comparison_is_of(const struct value *comparison, const struct value *variant,
                      const struct value *load);
// The entry of such a list; NULL: there is none.
const struct value *comparison_of(const struct value *list, const struct value *variant,
                                  const struct value *load, const char *metric);
// Which conditions the cell of this number is of, from 0 on. False: there is no such cell.
bool experiment_pairing(const struct experiment *experiment, size_t number,
                        struct pairing *pairing);
// What the experiment says of a condition: {name, variant, load}; NULL: it has no variants.
const struct value *experiment_condition(const struct experiment *experiment, const char *name);

#endif
