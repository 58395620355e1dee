#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "common/options.h"
#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the command line asks for, checked; a part reads it.
struct choice {
    bool quick; // few cells and short runs: all cells together end in 5 minutes, those of a part in
                // less than 60 s
    bool peers; // measure peers, too
    unsigned *threads; // --threads, ascending, each once; at least one
    size_t thread_count;
    bool threads_given; // they are the user's
    uint64_t *blocks;   // --blocks, ascending, for all threads; none: the part's own
    size_t block_count;
    struct option_list peaks; // --peak; see peak_check()
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

// The check of --peak, PART=RATE:SOURCE.
bool peak_check(const char *text, char *error, size_t size);

// What the machine and the command line say of a part, for the files of its cells (harness/bench/
// matrix): variables {NAME: a text, or a number}, and axes {NAME: [variables, ...]}.

// Of the command line, for every part.
void facts_of_choice(json_t *variables, json_t *axes, const struct choice *choice);

struct part {
    const char *name;
    void (*facts)(json_t *variables, json_t *axes, const struct choice *choice);
};

// In the order of the tables; a nameless row ends it.
extern const struct part bench_parts[];

// The source of the theoretical peak of vectors of that name, from the clock that each run prints;
// `floating`, `bytes` and `threads` are variables. *why names the source of each factor. NULL: not
// known, and *why says so. Both to be freed.
char *cpu_peak_source(const struct choice *choice, const json_t *variables, const char *simd,
                      char **why);

// The figure that says what share of the peak jostle's command reached in its CPU time alone, if
// the cell watches it: a peak that is exceeded so is withdrawn.
#define PEAK_SHARE "peak_share"

// What the files are written in.

// A mistake in them, found by the first that runs it.
__attribute__((noreturn)) void matrix_mistake(const char *where, const char *what);

// {"cell kernel": [[key, value], ...]} of all files. A new reference.
json_t *sections_read(void);

// An expression of numbers and variables: one that is not there is 0, a text that is no number 1.
double expression_value(const char *text, const json_t *variables);

// The text with what {NAME}, {NAME:FORMAT} and {@FIELD} stand for; to be freed.
char *text_fill(const char *text, const json_t *variables);

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

// Adds `texts` to each row: by the titles of their columns, in the order of the peers and figures.
void bench_texts_add(json_t *bench);

// The command line of `jostle bench`.

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

struct matrix;

// Room for the cells; `workloads` is the folder of jostle's. To be freed.
struct matrix *matrix_new(const struct choice *choice, const char *workloads);

void matrix_free(struct matrix *matrix);

// Adds the cells of a part. A part that makes two cells of one name, a cell without a
// command or the like ends the program: that is a mistake of the part.
void matrix_make(struct matrix *matrix, const struct part *part);

// [{part, title, cells, charts}], as bench-plan.json has them. Belongs to the matrix.
const json_t *matrix_parts(const struct matrix *matrix);

#endif
