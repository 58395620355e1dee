// From folders to the cells of a report.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "texts.h"

// ---- folders.c

// The experiments below the folders of a command line.

struct folder {
    const char *name; // its last part; the second of one name is NAME#2
    const char *path;
};

struct folders {
    struct folder *item;
    size_t count, allocated;
    struct arena texts; // theirs
};

// Adds dir itself, whatever it is.
void folders_add_named(struct folders *folders, const char *dir);
// Adds the cells of a campaign, dir itself, or the experiments right below it,
// in natural order.
void folders_add(struct folders *folders, const char *dir);
// Makes the names of all differ; once, after the last was added.
void folders_distinguish(struct folders *folders);
void folders_free(struct folders *folders);
// DIR/name is there.
int folder_has(const char *dir, const char *name);

// What a report is to show, and the reading of one folder for it.

struct wanted {
    const char *only;    // shell pattern of cells' names; NULL: all
    const char *derived; // folder with the results of unfinished experiments, by number from 1;
                         // NULL: none
    bool rows;           // cells as texts, not as the model
    bool terminal;       // rows, laid out by terminal.c
    bool page;           // with what the page draws
    bool document;       // the model as one document
    bool table;          // the table of the only experiment, too
    bool lists;          // the model with lists of runs
    bool figures;        // cells as lines of CSV, see csv.c
    const char *tables;  // names of those that the report consists of; NULL: all, and its sentences
    const char *units;   // of tables of means and variances; NULL: the usual ones
    bool split;          // a column for each parameter, where a table has them with its program
};

// Is what has this name in the report?
bool name_wanted(const struct wanted *wanted, const char *name);
// Is a cell in the report, by its name, or by that of all its sessions?
bool cell_wanted(const struct wanted *wanted, const struct cell *cell);

// Reads the documents and, with options, the runs of one folder. number: from 1, for
// wanted->derived.
void experiment_read(struct experiment *experiment, const struct folder *folder, size_t number,
                     const struct wanted *wanted, const struct run_options *options,
                     struct problems *problems);

// The campaigns of a report, and what they planned.

struct campaigns {
    struct campaign {
        struct document document;
        char *text; // campaign.conf; NULL: none
    } * item;
    size_t count, allocated;
};

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems);
// How many cells were planned.
size_t campaigns_cells(const struct campaigns *campaigns);
void campaigns_free(struct campaigns *campaigns);

// ---- sessions.c

// The sessions of one cell (a campaign's repeat) as one experiment, whose figures are over the
// sessions: with the record of the first, whose documents it takes, the runs of all one after
// another, and a result over them. part: the experiment of each, 2 or more of them, which are to
// live as long.
void sessions_join(struct experiment *all, struct experiment *part, size_t count, const char *name);

// What the ratio over sessions is made of, "3 sessions: 1.37, 1.35, 1.40; ..."; NULL: it is of a
// single one.
const char *sessions_text(struct arena *texts, const struct value *slowdown);

// ---- chosen.c

// Of --tables, such as "means,levels": whether it can be used, else what to give; and its names as
// a member "tables", a list.
bool tables_check(const char *text, char *error, size_t size);
void tables_put(struct line *json, const char *tables);

// ---- means.c

// Tables of means and variances by parameter and load, for reports that consist of chosen tables.

// Mean and variance of each metric over so many runs, in seconds and bytes; NAN: not known.
struct moments {
    double runs, mean[METRIC_COUNT], variance[METRIC_COUNT];
};
struct moments moments_of(const struct value *condition);

// ---- collect.c

struct report_line {
    char *text;         // JSON, or CSV; NULL: of a session, where a line of all of them is shown
    struct spots spots; // of it, until the family is settled
    const char *name, *target, *label, *load, *level;
    const char *experiment; // name of its folder
    const char *reference;  // name of its baseline
    bool of_campaign;
    const char *same;        // equal: cells that differ in their load only
    const char *host, *kind; // host NULL: not known
    double wall_s, runs;     // of the baseline; NAN where others have it: it is over sessions
    // For tables of means. Of what is over sessions, or at different rates, there are no runs.
    const char *parameters; // as JSON; NULL: none
    const char *variant;    // NULL: none
    const char *rate;       // offered, or achieved of offered where it was short; NULL: not known
    bool is_loaded;
    struct moments alone, loaded;
    // How many times as long, or worse, under load; NAN: not known.
    struct estimate slowdown;
    bool is_time; // of the slowdown
    enum effect effect;
    struct legend legend;
    const char *settings; // without the seed, as JSON; NULL: not for the page
};

struct waiting {
    const char *name, *reason, *host; // host NULL: not known
    const char *title;                // the command as it was written; NULL: of a campaign
    const char *state;
    size_t runs;
};

enum { HOST_NAME, HOST_KIND, HOST_ENVIRONMENT, HOST_VARIED, HOST_TEXTS = HOST_VARIED + 4 };

// An environment without what changes from one measurement to the next.
struct host {
    // Its name (NULL: not known) and kind; the environment as members of an object that is open
    // still; then cpus_allowed, governor, file_system and device, as JSON.
    const char *text[HOST_TEXTS];
};

struct collected {
    struct arena texts; // theirs
    struct problems problems;
    struct family family;
    struct {
        struct report_line *item;
        size_t count, allocated;
    } lines; // sorted: target, label, load and level in natural order
    struct {
        struct waiting *item;
        size_t count, allocated;
    } waiting;
    struct {
        struct host *item;
        size_t count, allocated;
    } hosts; // each once
    size_t experiments, runs;
    char *table; // of the only experiment, as JSON (table.c); NULL: there are several
    struct spots table_spots;
};

// experiments and runs count what has a selected cell, or a waiting one.
void collect(struct collected *collected, const struct folders *folders,
             const struct wanted *wanted);
// Adds what was not started of the campaigns, of what wanted->only selects, to what is waiting.
void collect_unstarted(struct collected *collected, const struct campaigns *campaigns,
                       const struct folders *folders, const struct wanted *wanted);
// Member "means", a table for each target, as texts:
//
//   {target, columns: [{title, group, unit, left}], rows: [[text]]}
//
// group: "Mean" or "Variance", null of what says which program, load and runs a row is of. A row
// for each choice of parameters without load, over the baselines of all its loads and levels, then
// one for each of these. unit_names: as for mean_units_of(). Texts are kept in collected->texts.
void means_put(struct line *json, struct collected *collected, const char *unit_names);

// How many lines have a text.
size_t collected_cells(const struct collected *collected);
void collected_free(struct collected *collected);

// What a format reads, and what needs none.

// ---- cells.c

// What a format reads of a cell, to be freed: a line of JSON, with its runs by condition
// (wanted->lists), or as texts, each number with its unit (rows); or lines of CSV (figures). first:
// of the cells of its experiment, which has what is of all of them.
char *cell_text(const struct cell *cell, const struct wanted *wanted, bool first);

// ---- table.c

// The table that ends a measurement, one condition a row,
// and what is said above and below it, as JSON, to be freed.
char *table_of(const struct experiment *experiment);

// ---- head.c

// What a format reads first, a line, to be freed: jostle.report/1 but for its cells; for rows also
// {legend, level, texts, columns, metrics, experiment}, for the page also {settings, again}.
char *head_of(const char *name, struct collected *collected, const struct campaigns *campaigns,
              const struct wanted *wanted);

// ---- terminal.c

// Lays out on stdout what other formats lay out from the same texts: a table for each target, in
// colour unless NO_COLOR is set, as wide as stdout's terminal, where that is one (COLUMNS is
// stronger). head: as head_of() has it. verbose: notes, too.
void terminal_print(const char *head, const struct collected *collected, bool verbose);

// ---- csv.c

// Prints CSV, a line for each run of the selected experiments in the order of
// folders, after the names of the columns. False: it could not be written.
bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems);

// The long form for R, pandas, DuckDB: a line for each figure of each condition of a cell.

// The names of the columns, as the fields of a line without its end; to be freed.
char *figures_columns(void);
// The cell's lines of CSV, without the end of the last one, to be freed.
char *figures_of(const struct cell *cell);

#endif
