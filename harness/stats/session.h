// One experiment: the runs so far, and what they are used for.
#ifndef STATS_SESSION_H
#define STATS_SESSION_H

#include "record.h"
#include "statistic.h"

#include "harness/record/settings.h"

#include "harness/record/experiment.h"

struct facts; // shares.h

enum load_figure { LOAD_OFFERED, LOAD_ACHIEVED, LOAD_CPU_S, LOAD_LATE, LOAD_DROPPED, LOAD_FIGURES };

// Their names in records and results.
extern const char *const load_figures[LOAD_FIGURES];

// What a load delivered, summed over the runs of one condition.
struct load_sum {
    char *name, *unit;
    double sum[LOAD_FIGURES];
    size_t known[LOAD_FIGURES]; // of so many runs
    size_t runs;
    bool bound;               // cpu_s is a lower bound, of some runs at least
    struct delivery delivery; // sums over the runs that are long enough to judge
    // Sums over these: of what was offered, of its CPU time and of that of other programs.
    double judged_offered, judged_cpu_s, foreign_s;
    size_t judged_runs;
    size_t *short_runs; // the orders of those that were short
    size_t short_count;
};

// What the pairs of one ratio show besides it: how steady it is, and what their shape asks of the
// interval of a mean.
struct look {
    size_t pairs; // of so many; 0: not looked at yet
    struct steadiness steadiness;
    struct stretch stretch;
    size_t p_pairs; // metric_effect_p(): of so many pairs; 0: not asked yet
    double p;
    size_t family; // judgements_make(): how many ratios were looked at together; 0: not yet
    double q;      // the false discovery rate among them at which this one is no chance
};

// The rate that a load offered, and the one that it achieved, as means over the runs that are long
// enough to judge it by; over all runs where none is. NAN: not known.
struct load_rates {
    double offered, achieved;
};

struct load_rates load_rates(const struct load_sum *load);

struct condition {
    struct sample metric[MAX_METRICS];
    // With what it is compared with, from complete blocks: x is the reference's. Where higher is
    // better it is the condition's, so that a ratio y/x above 1 is always worse.
    struct pairs pairs[PAIRINGS][MAX_METRICS];
    struct look look[PAIRINGS][MAX_METRICS]; // kept, as each verdict needs it (metrics.c)
    size_t runs;                             // that are used
    size_t seen;                             // all, with the discarded and the failed ones
    size_t failures[FAILURES]; // by kind, also of runs that were set aside and made again
    size_t censored;           // used runs that ran into the time-out
    size_t *order;             // [i]: the order of the i-th used run
    size_t order_capacity;
    struct load_sum *loads;
    size_t load_count;
};

enum stop_reason {
    STOP_NOT,
    STOP_ERROR,
    STOP_MAX_RUNS,
    STOP_MAX_TIME,
    STOP_INTERRUPTED,
    STOP_FAILURE,
    STOP_DECIDED,
    STOP_REASONS
};

extern const char *const stop_names[STOP_REASONS];

// The reason of that name; an unknown one is `interrupted`, NULL is none.
enum stop_reason stop_reason(const char *name);

struct session {
    const struct settings *settings;
    const struct experiment *experiment; // that they are of; NULL: made-up runs
    struct critical critical;            // of one look
    struct critical look;                // of the look after `look_blocks`, and of those alike
    size_t look_blocks;
    double look_of;    // the confidence of all looks together that it is for
    size_t look_to;    // and the last look that was planned then
    double spent_s;    // by the runs of blocks, and between them
    struct looks plan; // of the looks, as the first `plan_runs` runs show it
    size_t plan_runs;
    struct sample scratch;        // values that an interval needs for a moment
    struct condition *conditions; // [settings->condition_count]
    struct observation *runs;     // in the order they came
    struct facts *facts;          // of all records that are not set aside, in their order
    size_t fact_count, fact_capacity;
    double *defined; // of each of these the values of settings.metrics of experiment.json
    size_t defined_count, defined_capacity;
    json_t *hosts;   // an object with the hosts of all records as names
    json_t *records; // what is kept of these (replay_take)
    bool keeps_all;  // of each record: for who looks at more of it than the statistics do
    size_t count, capacity;
    int *table;    // [block * conditions + condition]: index into runs, or -1
    size_t blocks; // rows of the table in use
    size_t block_capacity;
    size_t complete;     // blocks that have every condition
    size_t open;         // the first block that may lack one
    size_t last_order;   // the highest so far
    int previous;        // the condition of the last run, warm-ups included; RUN_FIRST: none
    size_t washouts;     // washout runs since
    size_t washout_runs; // all of those
    struct observation
        *starts;      // the first run after each start of the service, if it is unmeasured
    bool after_start; // the last record was of a run right after a start
    size_t start_count, start_capacity;
    bool rested;      // the pause of --washout TIME was made since
    size_t washed;    // washout runs after each loaded run, from block `unwashed` + 1 on
    size_t unwashed;  // blocks before that, which do not count
    size_t failed;    // runs, whether used or not
    size_t unusable;  // of these: not used, and with the experiment's end
    size_t set_aside; // failed runs that were made again; in `failures`, not in `runs`
    size_t forecast_after, forecast_runs; // the first forecast: made after, of all runs; 0: none
    struct capacity_fit *fits;            // of jostle capacity, one a condition; NULL: none yet
    enum stop_reason outside;             // given by a `stop REASON` line
    size_t looked;                        // blocks at the last look of decide(); 0: there was none
    double seen_error;                    // then, and how many runs there will be; -1: not known
    long seen_runs;
};

// Makes an empty session. `settings` must outlive it.
void session_init(struct session *session, const struct settings *settings);

void session_free(struct session *session);

// Takes one run; a block or order of 0 is filled in. False: it is the second run of the same
// condition in the same block, or far ahead of the others, and is refused. From a run on with
// another number of washout runs (`washed`), the blocks before it do not count.
bool session_add(struct session *session, struct observation *run);

// Notes a run that is kept and not used (a warm-up, or of a washout): it comes between the runs
// before and after it. A run of a washout, or after a start, that failed counts as set aside:
// another one is needed.
void session_note(struct session *session, const struct observation *run);

// The first blocks, which do not count: discarded, or measured with another washout.
size_t session_left_out(const struct session *session);

// Counts a run that was set aside, if it failed.
void session_add_set_aside(struct session *session, const struct observation *run);

// Complete blocks that count: without those left out.
size_t session_blocks(const struct session *session);

// Whether the run counts: it is not left out, and did not fail, or its failure is
// ignored.
bool session_uses(const struct session *session, const struct observation *run);

// The first used run of the condition behind that one (NULL: of all); NULL: there is none.
const struct observation *session_used(const struct session *session, size_t condition,
                                       const struct observation *before);
// The head of a loop over them.
#define EACH_USED(run, session, condition)                                                         \
    for (const struct observation *run = session_used(session, condition, NULL); run;              \
         run = session_used(session, condition, run))

// How many runs of the condition failed, in all.
size_t session_failed(const struct session *session, size_t condition);

// How many used runs of the ratio's condition, and of those that it is compared with,
// ran into the time-out: what it is compared by is then not known.
size_t session_censored(const struct session *session, struct ratio of);

// The pairs that a ratio is made of.
const struct pairs *session_pairs(const struct session *session, struct ratio of);

// The index of the run that a run's slowdown is made with, that of its variant alone: both
// count, and their block has every condition. -1: none.
int session_partner(const struct session *session, const struct observation *run);

// The values that the interaction of a condition is made of, from the complete blocks whose
// four runs all count and have the metric; to be freed.
void session_crossed(const struct session *session, size_t condition, size_t metric,
                     struct crossed *crossed);

// Adds what the loads did during that run of the session; `is` is its record.
void session_add_loads(struct session *session, const struct observation *run,
                       const struct run *is);

// The records of an experiment, fed to the session that judges them.

// Takes one record, and keeps of it what figures may be made of at the end: its facts, its probe,
// and its loads where some have settings; with `keeps_all` the whole (a
// new reference). False: it does not fit, and does not count: `why` says why.
bool replay_take(struct session *session, json_t *record, char *why, size_t why_size);

// Seconds from the start of one run to that of a later one: by the time since the machine was
// started, which nobody sets, where both are of one machine that ran on; else by the time of day.
// NAN: neither is known.
double elapsed_between_s(const struct facts *before, const struct facts *after);

// Seconds from the first of `count` records to the end of the last. A pause (an
// experiment that was interrupted and resumed) does not count. NAN where a record
// lacks its start or its wall time.
double elapsed_s(const struct facts *facts, size_t count);

// Gives each line of a runs.jsonl to `take`, with a record that is NULL where it is none, which is
// also said on stderr unless `quiet`. False after a message on stderr: the file cannot be read, or
// a record is of another version.
bool records_each(const char *path, void (*take)(void *to, json_t *record), void *to, bool quiet);

// Lines of a runs.jsonl on their way into a session, and what does not fit: how many lines, the
// number of the first from 1, and why.
struct replay {
    struct session *session;
    size_t lines, left_out, first;
    char why[256];
};
// Takes a line; NULL: it is no record.
void replay_line(struct replay *replay, json_t *record);
// Names what was left out of the file, if anything was.
void replay_complain(const struct replay *replay, const char *path);

// Takes every line of a runs.jsonl; one that does not fit does not count. False as above.
bool replay_records(struct session *session, const char *path, bool quiet);

// Makes the session of an experiment, with all runs of FOLDER/runs.jsonl; a line that is no record
// is passed over. False after a message on stderr.
bool replay_all(const struct experiment *experiment, struct session *session, const char *folder,
                bool keeps_all);

// The experiment in FOLDER as well: both begin with zeros and are freed by their own functions
// whatever this returns. False after a message on stderr.
bool replay_open(struct experiment *experiment, struct session *session, const char *folder,
                 bool keeps_all);

#endif
