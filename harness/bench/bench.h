// What bench is made of: its command line, its matrix, and what came of its cells.

#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "common/options.h"
#include "harness/study/study.h"

// ---- options.c: the command line of `jostle bench`, checked; a part reads what it asks for

enum {
    MOST_THREADS = 1024,
    MOST_SAMPLES = 2000,
    MOST_BLOCK = 1 << 30,
    MOST_SIZE = 40000,
    MOST_PARTS = 8
};

struct bench_request {
    bool quick; // few cells and short runs: all cells together end in 5 minutes, those of a part in
                // less than 60 s
    bool peers; // measure peers, too
    bool retry_failed, dry_run, verbose, quiet;
    const char *thread_list, *block_list; // --threads, --blocks; NULL: not given
    uint64_t *threads;                    // of them, ascending, each once; at least one
    size_t thread_count;
    uint64_t *blocks; // for all threads; none: the part's own
    size_t block_count;
    const char *size_list; // --sizes; NULL: not given
    uint64_t *sizes;       // of LINPACK's systems; none: one of its own
    size_t size_count;
    double limit_s;           // no run of LINPACK is begun that is expected to take longer
    bool threads_given;       // they are the user's
    unsigned allowed_cpus;    // how many this process may use
    struct option_list peaks; // --peak; see peak_check()
    uint64_t samples;         // --samples; 0: no series
    int64_t every_ns;
    char *series;     // the options of loadgen for --samples and --every; NULL: no series
    const char *host; // --peer: the other end of the network; NULL: this machine
    const char *rsh;  // --rsh: what starts a command there, as `RSH HOST words`; or NULL
    const char *peer_address;
    uint64_t port;          // the first of 8 that servers may listen on
    const char *peer_facts; // lines NAME, tab, VALUE that harness/lib/peer.bash found there
    uint64_t file_bytes;    // --file-size: of the work file on the disk
    const char *dir;        // folder on the disk to measure
    char *folder;           // the same, absolute
    char *work; // folder in it, there and the bench's own while it measures: for files that cells
                // share; removed at the end
    const char *duration; // of a run of loadgen, as its option has it: "1s"
    double duration_s;
    const char *error, *confidence, *max_time;
    uint64_t min_runs, max_runs;
    struct option_list set;
    int table;
    const char *rows; // the cells of the table, as a pattern; NULL: all
    const char *output, *only, *format;
    // What the shell has this program do.
    const char *programs, *derive, *expand, *forecast, *show, *workloads, *address;
    bool part[MOST_PARTS]; // of parts, which are chosen
    bool is_asked;         // the command line says what to measure, not only where
    char **operand;        // what follows the options, ended by NULL
    struct options *given;
};

// Reads the command line; --help and wrong use end the program.
void bench_request_read(struct bench_request *request, int argc, char **argv);
void bench_request_free(struct bench_request *request);

// ---- lists.c

// Reads the numbers of threads of --threads, or what is measured without it, and those of --blocks
// and --sizes.
void bench_lists_read(struct bench_request *request);

// ---- tables.c

extern const char *const bench_table_names[]; // ended by NULL
// Sets what request->table is of, and the user has not said. Returns its part.
const char *bench_table_take(struct bench_request *request);

// ---- peaks.c

// The check of --peak, PEAK=VALUE:SOURCE.
bool peak_check(const char *text, char *error, size_t size);

// ---- parts.c

struct part {
    const char *name;
    void (*facts)(json_t *variables, json_t *axes, const struct bench_request *request);
};

// In the order of the tables; a nameless row ends it.
extern const struct part bench_parts[];

// ---- sources.c

// The source of a figure of that name in the summary line that `loadgen --json` ends with; of
// several of that name the last. To be freed.
char *summary_source(const char *name);

// ---- facts.c

// Puts what the command line says for every part into variables and axes (facts.h).
void facts_of_choice(json_t *variables, json_t *axes, const struct bench_request *request);

// ---- facts_cpu.c

// The source of the theoretical peak of vectors of that name, from the clock that each run prints;
// `floating`, `bytes` and `threads` are variables. *why names the source of each factor. NULL: not
// known, and *why says so. Both to be freed.
char *cpu_peak_source(const struct bench_request *request, const json_t *variables,
                      const char *simd, char **why);

// The figure that says what share of the peak jostle's command reached in its CPU time alone, if
// the cell watches it: a peak that is exceeded so is withdrawn.
#define PEAK_SHARE "peak_share"

// ---- link.c

// The speed of the interface on the route to an address in numbers, in bits a second, and
// where that is known from, in `why`; NAN with the reason in `why` ("not known here: ...").
double link_speed(const char *address, char *why, size_t size);

// Prints the first address of a host, in numbers. False: it has none, or stdout cannot be written.
bool link_print_address(const char *name);

// ---- dmi.c: transfers a second x width x channels

// Returns the peak by a table as /sys/firmware/dmi/tables/DMI has it, in B/s, and text names the
// source of each factor; NAN where one of them is not there, or makes no sense, and text is the
// reason.
double dmi_peak(const unsigned char *table, size_t size, char *text, size_t text_size);
// Returns the same by the table of this machine (below JOSTLE_KERNEL_ROOT where that is set), which
// root alone can read. The table of a virtual machine is not believed.
double dmi_machine_peak(char *text, size_t text_size);

// ---- row.c: what was recorded of a cell, judged by the statistics of experiments

enum state { STATE_DONE, STATE_UNFINISHED, STATE_WAITING, STATE_SKIPPED, STATE_FAILED };

// Reads the records of the cell (of bench-plan.json) below DIR/cells. One that was never begun
// is waiting; one that could not be is failed. False after a message: records that cannot be
// read, which is no failure of the others. To be freed in any case.
bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell);

// The condition of a variant, under the load of the cell where it has one; -1: it was not
// measured. NULL: jostle's.
int measured_condition(const struct measured *measured, const json_t *cell, const char *variant);
// What the cell's load achieved in a condition, in the mean of its runs; NAN: no load.
double measured_load(const struct measured *measured, int condition);

// ---- problems.c

// {flag, text, advice}: `text` in place of the table's words unless NULL. Of a flag that is not
// in the table: the text alone. A new reference.
json_t *problem_json(const char *flag, const char *text);

// Why a figure of the part may be above its peak.
const char *problem_likely(const char *part);

// ---- versions.c

// Prints name, program and words of each peer of the plan that is measured, each ended by NUL:
// the program with these words says its version.
void versions_print(const json_t *plan);

// Puts into the peers of the plan what the shell wrote to DIR/bench-peers.tsv, lines NAME, tab,
// VERSION; null where it has none.
void versions_put(json_t *plan, const char *dir);

// ---- series.c

struct sequence {
    struct moment {
        double time_s, value; // since the start of the run, at the end of each interval
    } * item;
    size_t count, allocated;
};

// What the cell's run printed at each interval; empty where there is none. `item` is to be freed.
struct sequence sequence_read(const struct measured *measured, const json_t *cell);

// Replaces the row's value by the mean of its series, with an interval that allows for
// neighbours that resemble each other; and adds to `more` the coefficient of variation, the
// smallest and the largest figure.
void series_put(json_t *row, const struct measured *measured, const json_t *cell);

// ---- campaign.c

// The text of the campaign file of a plan, to be freed.
char *conf_text(const json_t *plan);

// ---- row.c

// A row of bench.json, of a cell of the plan and its records. A new reference.
json_t *row_build(struct measured *measured, enum state state, const char *part,
                  const json_t *cell);

// Takes the cells of a part and their rows, in the same order. Where the peak of one was withdrawn,
// as its operations exceeded it, the CPU is another one than it is taken for: it withdraws those of
// the others, too.
void rows_check_peaks(const json_t *cells, json_t *rows);

// ---- forecast.c

// Puts `cells`, `least_s` and `most_s` into a plan of which some cells may be gone.
void forecast_sum(json_t *plan);
// Puts `least_s` and `most_s` into each cell of the plan and into the plan, from how long a
// run and its set-up take and from how many runs there are; with --quick also `max_time_s`
// into each cell, after which it starts no further run, unless --max-time says when.
void forecast_set(json_t *plan);

// ---- collect.c: from the records of a bench to bench.json

// What is collected of a part, or of all. loads: by cell, what its load achieved.
struct collected {
    const char *dir;
    double spent_s; // for all cells
    char *last;     // when a cell was last written; NULL: never
    json_t *rows, *charts, *loads;
};

// ---- charts.c

// The chart of the plan with the figures of its cells, by their rows, of jostle and of each peer;
// points without a figure are left out. A new reference.
json_t *chart_build(const struct collected *source, const json_t *chart);
// The chart over time of a cell that is a series; NULL: it has no figures. A new reference.
json_t *chart_of_series(const struct measured *measured, const json_t *cell);

// ---- averages.c

// Adds a row for each group of two cells or more that are averaged, behind all others.
void averages_add(const json_t *cells, json_t *rows);

// ---- collect.c

// A record in the folder. A new reference; NULL after a message.
json_t *collect_load(const char *dir, const char *name);

// jostle.bench/1 of the folder: by its plan from its records; where it has no records, what
// its bench.json says. A new reference; NULL after a message.
json_t *bench_collect(const char *dir);

// ---- texts.c

// Adds `texts` to each row: by the titles of their columns, in the order of the peers and figures.
void bench_texts_add(json_t *bench);

// ---- matrix.c

// [{part, title, cells, charts}] of the chosen parts, as bench-plan.json has them, a new reference,
// by what git config printed of the matrix's files. A mistake in these ends the program with its
// file and line.
json_t *matrix_parts(const struct bench_request *request, FILE *entries);

#endif
