#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "common/device.h"
#include "common/options.h"
#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a part of the bench (cpu.c, memory.c, disk.c, network.c) is written in: cells, what
// each prints, what it is compared with, and which of them make a curve.
//
// A part is one function that adds its cells to a matrix. It starts nothing and measures
// nothing: the cells become a campaign, in which the command of jostle and those of its
// peers are the variants of one target. They alternate in blocks, so that ratios of ours to
// theirs are paired. All texts are copied, and formats are those of printf. What cannot be
// measured is a cell too, with cell_skip() and the reason: the table shows it.
//
//     struct cell *cell = matrix_cell(matrix, "cpu.fp64.avx2.t%u", threads);
//     cell_label(cell, "type", "fp64");
//     cell_label(cell, "threads", "%u", threads);
//     cell_figure(cell, "rate", "op/s", HIGHER, SUMMARY("achieved_ops_s"));
//     bench_cell_command(cell, "loadgen cpu --kernel fp64 --threads %u --json --duration %s", ...);
//     cell_peak(cell, SUMMARY("peak_ops_s"), "measured clock x 2 ports x 4 lanes x 2 (FMA)");
//     struct peer *peer = cell_peer(cell, "openblas", "libopenblas0-pthread", "dgemm 1000 %u", n);
//     peer_figure(peer, "rate", "stdout:/^([0-9.]+) GFLOPS/", 1e9);

// The figure NAME of the summary line that `loadgen --json` ends with; of several of that name
// the last.
#define SUMMARY(name) "stdout:/\"event\":\"summary\".*\"" name "\":([-+0-9.eE]+)/"

// What the command line asks for, checked; a part reads it.
struct choice {
    bool quick;        // few cells and short runs: see cell_seconds()
    bool peers;        // measure peers, too
    unsigned *threads; // --threads, ascending, each once; at least one
    size_t thread_count;
    bool threads_given; // they are the user's
    uint64_t *blocks;   // --blocks, ascending, for all threads; none: the part's own
    size_t block_count;
    struct option_list peaks; // --peak; see peak_stated()
    unsigned allowed_cpus;    // how many this process may use
    unsigned samples;         // --samples; 0: no series
    double every_s;           // --every
    const char *host;         // --peer: the other end of the network; NULL: this machine
    const char *rsh;          // --rsh: what starts a command there, as `RSH HOST words`; or NULL
    unsigned port;            // --port: the first of 8 that servers may listen on
    const char *peer_facts;   // lines NAME, tab, VALUE that harness/lib/peer.bash found there
    uint64_t file_bytes;      // --file-size: of the work file on the disk
    const char *dir;          // folder on the disk to measure; absolute
    char *work;               // folder in it, there and the bench's own while it measures: for
                //                                        files that cells share; removed at the end
    const char *duration; // of a run of loadgen, as its option has it: "1s"
    double duration_s;
    char *series; // the options of loadgen for --samples and --every; NULL: no series
};

// The peak of a part that the user states, in bytes a second, and its source in text; NAN: none,
// and text stays.
double peak_stated(const struct choice *choice, const char *part, char *text, size_t size);

// "4KiB", with space " " "4 KiB": whole numbers of the largest unit. Returns text.
enum { BLOCK_TEXT = 32 };
const char *block_text(uint64_t bytes, const char *space, char text[BLOCK_TEXT]);

enum better { HIGHER, LOWER };

struct matrix;
struct cell;
struct peer;
struct chart;

// The parts. Each is one file.
void part_cpu(struct matrix *matrix, const struct choice *choice);
void part_memory(struct matrix *matrix, const struct choice *choice);
void part_disk(struct matrix *matrix, const struct choice *choice);
void part_network(struct matrix *matrix, const struct choice *choice);

// A new cell of the part that is being made. The name is unique and begins with the part's:
// "memory.read.random.8KiB.t2". It becomes that of a folder: letters, digits, . _ % -
struct cell *matrix_cell(struct matrix *matrix, const char *name, ...)
    __attribute__((format(printf, 2, 3)));

// A leading column of its row, in the order in which they come. All rows of a part together
// make the columns: a row without one of them has an empty field.
void cell_label(struct cell *cell, const char *name, const char *value, ...)
    __attribute__((format(printf, 3, 4)));

// The figure that counts: it decides when the cell has converged, and what is compared with
// peers and peak. `source` is that of --metric (docs/metrics.md), as jostle's command
// prints it. The name is that of a metric: letters, digits, _.
void cell_figure(struct cell *cell, const char *name, const char *unit, enum better better,
                 const char *source);
// A further figure of jostle's command, shown in a column of its own; it decides nothing.
void cell_more(struct cell *cell, const char *name, const char *unit, enum better better,
               const char *source);

// The same, without a column: for the rules below.
void cell_watch(struct cell *cell, const char *name, const char *unit, enum better better,
                const char *source);

// A problem of texts.c by its flag, which is found where the interval of a figure of the cell,
// of a single run the figure itself, is wholly below a limit.
void cell_problem_below(struct cell *cell, const char *figure, double limit, const char *flag);

// jostle's command, split into words as a shell does. Its program is jostle's loadgen or
// one of its workloads, by its bare name, or one in PATH. Required unless skipped.
void bench_cell_command(struct cell *cell, const char *command, ...)
    __attribute__((format(printf, 2, 3)));

// The figure that says what share of the peak jostle's command reached in its CPU time alone, if
// the cell watches it: a peak that is exceeded so is withdrawn.
#define PEAK_SHARE "peak_share"

// The theoretical peak of the figure that counts, in its unit. `where` names the source of
// each factor. Exactly one of the three, else "not known here".
void cell_peak(struct cell *cell, const char *source,
               const char *where); // from each of our runs
void cell_peak_constant(struct cell *cell, double value, const char *where);
void cell_no_peak(struct cell *cell, const char *reason); // "not known here: no DIMM in DMI"

// A peer of the cell. `program` is what has to be in PATH (or one of jostle's workloads);
// where it is not, the row names the Debian package to install. One command for each cell and
// peer. Parts call it always: without --peers nothing comes of it.
struct peer *cell_peer(struct cell *cell, const char *name, const char *program,
                       const char *package, const char *command, ...)
    __attribute__((format(printf, 5, 6)));
// How the peer prints a figure of the cell (its name as in cell_figure() or cell_more());
// what it prints, times scale, is in the unit of the cell.
void peer_figure(struct peer *peer, const char *name, const char *source, double scale);
// The words after the peer's program that make it print its version (default: --version).
void peer_version(struct peer *peer, const char *words);
// This peer cannot measure this cell here, although it is installed.
void peer_skip(struct peer *peer, const char *reason, ...) __attribute__((format(printf, 2, 3)));

// Said of the row: "beyond the allowed CPUs", "cached".
void cell_mark(struct cell *cell, const char *text, ...) __attribute__((format(printf, 2, 3)));
// The row cannot be measured, with the reason; everything else of the cell may be left out.
void cell_skip(struct cell *cell, const char *reason, ...) __attribute__((format(printf, 2, 3)));
// All variants run on the first so many of the allowed CPUs; flags the row where there are fewer
// (beyond-cpus). Default: on all of them.
void cell_cpus(struct cell *cell, unsigned threads);
// A load beside the runs, as in `--load`: the row is then of the runs under it. A name
// has one spec in the whole bench.
void cell_load(struct cell *cell, const char *name, const char *spec, ...)
    __attribute__((format(printf, 3, 4)));
// Commands that bash runs before the first run of a variant, and after each run: the options of the
// same names. NULL: none.
void cell_around(struct cell *cell, const char *setup, const char *conclude);
// A server that runs beside all variants, whose clients they are: the options --service,
// --ready and --keep-service.
void cell_service(struct cell *cell, bool keep, const char *ready, const char *command, ...)
    __attribute__((format(printf, 4, 5)));
// About how long one run of a variant takes (default: the duration of the choice and 0.2 s),
// and what comes before the first one (default: 0). For the forecast; with --quick all cells
// together must end in 5 minutes: the cells of a part should take less than 60 s.
void cell_seconds(struct cell *cell, double run_s, double setup_s);

// A row about another figure of the runs of a cell (cell_more() or cell_watch() of it, with the
// peer_figure()s of its peers): it is measured by those runs alone. Labels, marks, rules, a
// constant peak and a place in charts are its own.
struct cell *matrix_row(struct matrix *matrix, const struct cell *of, const char *figure,
                        const char *name, ...) __attribute__((format(printf, 4, 5)));
// A column of such a row: `figure` of the runs, called `name`.
void row_more(struct cell *row, const struct cell *of, const char *figure, const char *name);

// One run instead of many, of choice->samples intervals, which becomes a curve over time and
// a row with mean, coefficient of variation, minimum and maximum: `key` is the member of
// loadgen's interval events ("achieved"), times scale in the unit of the figure. The name
// ends with ".series", and the command with choice->series, which sets --duration and --interval.
// No peers.
void cell_series(struct cell *cell, const char *key, double scale);

// A chart of the part: curves through cells. `kind` is scaling, blocks or loaded-latency
// (series make theirs themselves). y is the figure that counts. Returned again for the
// same title.
struct axis {
    const char *label, *unit; // unit "": none
    bool log;
};
struct chart *matrix_chart(struct matrix *matrix, const char *kind, const char *title,
                           struct axis x, struct axis y);
// A point of a curve: at x;
void chart_point(struct chart *chart, const char *series, const struct cell *cell, double x);
// or at the mean of what the cell's load has achieved.
void chart_point_load(struct chart *chart, const char *series, const struct cell *cell);
// The same for a further figure of the cell.
void chart_point_of(struct chart *chart, const char *series, const struct cell *cell, double x,
                    const char *figure);

// What the cells of the disk share.

#define KIB 1024ull
#define MIB (1024 * KIB)

#define NAME_SIZE 32

// The column "through", which tells direct and cached rows apart.
#define THROUGH_DIRECT "direct"
#define THROUGH_CACHE  "page cache"

// The disk, and what is asked of it.
struct disk {
    struct matrix *matrix;
    const struct choice *choice;
    struct device device;
    struct link_speed link;
    char none[512];    // why nothing can be measured; ""
    char no_peak[256]; // why the peak is not known; ""
};

// The phases of Bonnie, a row each from the runs of one cell: past the page cache (no
// characters then), or through it.
void bonnie_add(const struct disk *disk, bool is_direct);

// The link that a packet to an address takes, as the kernel has it.

// The speed of the interface on the route to an address in numbers, in bits a second, and
// where that is known from, in `why`; NAN with the reason in `why` ("not known here: ...").
double link_speed(const char *address, char *why, size_t size);

// Prints the first address of a host, in numbers. False: it has none, or stdout cannot be written.
bool link_print_address(const char *name);

// The theoretical bandwidth of the memory by what the firmware says of the DIMMs (SMBIOS,
// "DMI"): transfers a second x width x channels.

// Of a table as /sys/firmware/dmi/tables/DMI has it, in B/s, and text names the source of each
// factor. NAN where one of them is not there, or makes no sense, and text is the reason.
double dmi_peak(const unsigned char *table, size_t size, char *text, size_t text_size);
// The same of this machine (below JOSTLE_KERNEL_ROOT where that is set); reading the table needs
// root. Of a virtual machine nothing is believed.
double dmi_machine_peak(char *text, size_t text_size);

// What the memory part needs to know of the machine: its last-level caches, and from which CPUs
// and NUMA nodes which memory can be measured.

enum { MOST_NODES = 64 };

struct node {
    unsigned number;
    bool has_memory;
    int cpu;         // its first CPU that may be used; -1: none
    unsigned others; // its CPUs that may be used, but for those of that one's core
    char list[1024]; // of them: "1-3,8"
};

struct nodes {
    uint64_t l1_bytes, l2_bytes; // of the first CPU that may be used; 0: not known
    uint64_t l3_bytes;           // all that the CPUs that may be used reach; 0: not known
    unsigned count;              // 0: the topology is not known
    struct node node[MOST_NODES];
};

// By hwloc, whose environment variables (HWLOC_SYNTHETIC) make another machine of it.
void nodes_read(struct nodes *nodes);

// The records of a bench: from what was measured of its cells to bench.json, and its texts.

// What was recorded of a cell, judged by the statistics of experiments.

enum state { STATE_DONE, STATE_UNFINISHED, STATE_WAITING, STATE_SKIPPED, STATE_FAILED };
extern const char *const state_names[];

// Reads the records of the cell (of bench-plan.json) below DIR/cells. One that was never begun
// is waiting; one that could not be is failed. False after a message: records that cannot be
// read, which is no failure of the others. To be freed in any case.
bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell);

// The condition of a variant, under the load of the cell where it has one; -1: it was not
// measured. NULL: jostle's.
int measured_condition(const struct measured *measured, const json_t *cell, const char *variant);
struct measured_of {
    int condition;
    size_t metric;
};
// How many times the second the first one is, from the blocks that have both; NAN: from fewer
// than two.
struct interval measured_ratio(struct measured *measured, struct measured_of of,
                               struct measured_of to);

// Why the last failed run of a condition failed, with what it said last; to be freed. NULL: none
// did. *failed: how many.
char *measured_failure(const struct measured *measured, int condition, size_t *failed);
// What the cell's load achieved in a condition, in the mean of its runs; NAN: no load.
double measured_load(const struct measured *measured, int condition);

// {flag, text, advice}: `text` in place of the table's words unless NULL. Of a flag that is not
// in the table: the text alone. A new reference.
json_t *problem_json(const char *flag, const char *text);

// Whether a figure with that flag is something else than what its row says.
bool problem_misread(const char *flag);

// Why a figure of the part may be above its peak.
const char *problem_likely(const char *part);

// The versions of the peers, which the shell asks them for.

// Prints name, program and words of each peer of the plan that is measured, each ended by NUL:
// the program with these words says its version.
void versions_print(const json_t *plan);

// Puts into the peers of the plan what the shell wrote to DIR/bench-peers.tsv, lines NAME, tab,
// VERSION; null where it has none.
void versions_put(json_t *plan, const char *dir);

// A series: one run whose figures over time are kept.

struct sequence {
    double *time_s, *value; // since the start of the run, at the end of each interval
    size_t count, allocated;
};

// What the cell's run printed at each interval; empty where there is none. To be freed.
void sequence_read(struct sequence *sequence, const struct measured *measured, const json_t *cell);
void sequence_free(struct sequence *sequence);

// Replaces the row's value by the mean of its series, with an interval that allows for
// neighbours that resemble each other; and adds to `more` the coefficient of variation, the
// smallest and the largest figure.
void series_put(json_t *row, const struct measured *measured, const json_t *cell);

// The text of the campaign file of a plan, to be freed.
char *conf_text(const json_t *plan);

// A row of the bench: what a cell showed.

// A row of bench.json, of a cell of the plan and its records. A new reference.
json_t *row_build(struct measured *measured, enum state state, const char *part,
                  const json_t *cell);

// Of the cells of a part and their rows, in the same order: where the peak of one was withdrawn, as
// its operations exceeded it, the CPU is another one than it is taken for, and those of the others
// are not known either.
void rows_check_peaks(const json_t *cells, json_t *rows);

// From the records of a bench to bench.json.

// A record in the folder. A new reference; NULL after a message.
json_t *collect_load(const char *dir, const char *name);

// jostle.bench/1 of the folder: by its plan from its records; where it has no records, what
// its bench.json says. A new reference; NULL after a message.
json_t *bench_collect(const char *dir);

// The figures of a bench as people read them: each number with its unit and error.

// Adds `counts` to the bench, {rows, done, skipped, failed}, and `texts` to each part: `columns`,
// [{key, title, left, rank}], and to each row `texts` by those keys, and `numbers`: which of the
// part's `findings` it has; `findings`:
// [{flag, text, advice, cells}], each mark and kind of problem once; `reasons`: [{text, cells}],
// why there is no figure; `lines`: texts; `best`: the row that is its answer.
void bench_texts_add(json_t *bench);

// The command line of `jostle bench`.

struct part {
    const char *name, *title;
    void (*make)(struct matrix *matrix, const struct choice *choice);
};

enum { MOST_THREADS = 1024, MOST_SAMPLES = 2000, MOST_BLOCK = 1 << 30 };

struct request {
    struct choice choice; // what the parts read, in part by the rows themselves
    bool retry_failed, dry_run, verbose, quiet;
    const char *threads, *blocks, *output, *only, *format;
    const char *peer_address;
    uint64_t port;
    const char *programs, *derive, *expand, *forecast, *show, *workloads, *address;
    const char *error, *confidence, *max_time;
    struct option_list set;
    int table;
    const char *rows; // the cells of the table, as a pattern; NULL: all
    uint64_t samples, min_runs, max_runs;
    int64_t every_ns;
    bool part[8];   // of parts, which are chosen
    bool is_asked;  // the command line says what to measure, not only where
    char **operand; // what follows the options, ended by NULL
    struct options *given;
    char *folder; // --dir, absolute
};

// Reads the command line; --help and wrong use end the program.
void bench_request_read(struct request *request, int argc, char **argv);
void bench_request_free(struct request *request);

// Room for the cells; `workloads` is the folder of jostle's. To be freed.
struct matrix *matrix_new(const struct choice *choice, const char *workloads);

void matrix_free(struct matrix *matrix);

// Adds the cells of a part. A part that makes two cells of one name, a cell without a
// command or the like ends the program: that is a mistake of the part.
void matrix_make(struct matrix *matrix, const struct part *part);

// [{part, title, cells, charts}], as bench-plan.json has them. Belongs to the matrix.
const json_t *matrix_parts(const struct matrix *matrix);

// In the order of the tables; a nameless row ends it.
extern const struct part bench_parts[];

#endif
