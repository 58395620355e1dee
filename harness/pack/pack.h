// What pack is made of: its command line, plan, stages and rows.

#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "common/options.h"
#include "harness/stats/verdict.h"
#include "harness/study/study.h"

// The command line of jostle pack.

enum { PACK_COPIES_MOST = 4096, PACK_PROGRAMS_MOST = 16 };
enum pack_place { PACK_ANYWHERE, PACK_CLOSE, PACK_SPREAD };
extern const char *const pack_place_names[]; // ended by NULL

struct pack_request {
    struct option_list mix;
    uint64_t max_copies; // 0: not given
    uint64_t cpus_per_copy;
    int place; // enum pack_place
    const char *target_cpus;
    bool oversubscribe, own_folder;
    const char *input, *setup, *prepare, *conclude, *cleanup, *timeout,
        *statistic;                    // NULL: not given
    double at_most, confidence, error; // error 0: not given
    uint64_t min_runs, max_runs;
    int64_t max_time_ns, seed; // seed -1: not given
    const char *output, *format, *json;
    bool resume, dry_run, quiet, verbose;
    // What the shell has this program do.
    const char *next, *derive, *show, *hints, *synthetic;
    bool again;
    double left_s;
    struct options *given;
    char **words; // of the program, ended by NULL
};

// Answers --help; wrong use ends the program.
void pack_request_read(struct pack_request *request, int argc, char **argv);
void pack_request_free(struct pack_request *request);

// The CPUs that are allowed, of those that --target-cpus names, and those of each copy, for --place
// and --cpus-per-copy, as `cpus` of the plan, a new reference: {allowed, count, quota, room,
// lists}. room: copies that have CPUs of their own, at least 1; lists: null where nothing is
// pinned; the copy behind the last has the first again. close: hardware threads in the machine's
// order, those of a core first. spread: the copies take turns among packages, caches and cores, so
// that two share a core only where none is empty (what OpenMP calls spread). Both hold for each
// number of copies: the CPUs of copy i do not depend on how many follow. Ends the program after a
// message where there are none.
json_t *seats_choose(const struct pack_request *request);

// pack-plan.json: what a pack measures, as its command line and its trial have it.

// The plan of a command line, a new reference. Wrong use ends the program, also what the machine
// has no room for.
json_t *plan_make(const struct pack_request *request);

extern const struct study pack_study;

// Whether two plans measure the same, but for how long, and how exactly.
bool plan_is_same(const json_t *one, const json_t *other);

// The name for its folder: that of the (first) program. Borrowed.
const char *plan_name(const json_t *plan);

// The experiment in which a copy runs by itself, once.
#define STAGE_TRIAL "trial"

// How long it may take, no longer than a run, nor than all: "1.5s"; returns text.
const char *plan_trial_time(const json_t *plan, char text[32]);

// Notes what it says: how long a copy takes by itself, and how many the memory has room for. False
// after a message: it says nothing, or there is no memory for two.
bool plan_take_trial(json_t *plan, const char *dir);

// Numbers of it.
size_t plan_programs(const json_t *plan);
size_t plan_most(const json_t *plan); // copies to be measured at most
double plan_setting(const json_t *plan, const char *name);
double plan_confidence(const json_t *plan);

// The words that run so many copies of the plan's programs (0: each program alone, one after the
// other), with the launcher itself in front. A new reference.
json_t *launcher_words(const json_t *plan, size_t copies);

// The stages of a pack: experiments below DIR/stages, whose variants are numbers of copies.

enum { STAGES_MOST = 16 };

// The reference of every stage: one copy; of a mix each program alone, in turn.
#define STAGE_REFERENCE "1"

struct stages {
    struct measured stage[STAGES_MOST];
    size_t count;
};

// Reads the stages that have records, in their order. False after a message: records that cannot be
// read. To be freed in any case.
bool stages_read(struct stages *stages, const char *dir);
void stages_free(struct stages *stages);

// How many copies a condition is of; 0: the reference.
size_t stage_copies(const struct measured *stage, size_t condition);

// How long it took.
double stage_spent_s(const struct measured *stage);

// What was measured of each number of copies, over all stages.

struct row {
    size_t copies;    // 1: the reference
    size_t stage;     // index into the stages
    size_t condition; // of the stage's session
    size_t runs;      // blocks that count
    // It is that of the mean time of a copy; in a mix that of the program which suffers most, with
    // the widest of the bounds.
    struct interval slowdown;
    enum verdict verdict;
    struct interval speedup; // throughput by that of the reference
    struct interval power;   // by that of the reference
    bool in_knee;            // the power of no other number is surely higher
};

struct rows {
    struct row *row; // ascending; the first is the reference, of the first stage
    size_t count;
};

// at_most: the limit of the slowdown; confidence: of the search for the knee.
void pack_rows_make(struct rows *rows, struct stages *stages, double at_most, double confidence);
void rows_free(struct rows *rows);

// A figure of a row itself, by its name; without bounds from fewer than two runs.
struct interval row_value(const struct row *row, struct stages *stages, const char *name);
// How many times the reference's it is, of the same stage; above 1: more.
struct interval row_ratio(const struct row *row, struct stages *stages, const char *name);

// What there is to know of a pack beside its figures: why it ended where it did, and what the
// statistics warn of.

// [{flag, severity, text, advice}], problems first; each once. `smooth`: as of search.h.
json_t *findings_json(const json_t *plan, const struct stages *stages, const struct rows *rows,
                      bool smooth);

// Adds `texts` to each row: its figures as people read them, by their names.
void pack_texts_add(json_t *pack);

// Says what comes next (study.h), of the pack in --next: the trial, then one stage after another,
// until the answer is known. After the first time the trial is in the plan. False after a message.
bool next_print(const struct pack_request *request);

// Whether the slowdown never surely falls from one number of copies to a larger one. Only then a
// number between two others says nothing that these do not.
bool rows_are_smooth(const struct rows *rows);
// The first row that is of a number of copies: the reference, where it was measured, is before it.
size_t rows_first(const struct rows *rows);

#endif
