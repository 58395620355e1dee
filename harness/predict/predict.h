// What predict is made of: programs by their profiles, measured pairs, and the table of a
// prediction.

#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "common/options.h"
#include "harness/profile/profile.h"
#include "harness/stats/verdict.h"

// The command line of `jostle predict`.

struct predict_request {
    bool with_itself, together, check, force, quiet;
    double at_most; // 0: none
    const char *place, *format, *output, *json;
    const char *records; // folder of what --check measures
    struct option_list measured;
    uint64_t min_runs, max_runs;
    int64_t max_time_ns;
    bool steps;     // hidden: print what --check measures
    bool plan;      // hidden: print what the shell is to do, and the record
    char **operand; // profiles, ended by NULL
    struct options *given;
};

// The programs that are predicted of: their profiles, read and checked.

struct program_entry {
    const char *path;
    char name[2 * PROFILE_TEXT]; // of the program, different for each of one place
    struct program_profile profile;
};

struct program_list {
    struct program_entry *entry;
    size_t count;
};

// Reads the profiles at the paths, ended by NULL; of `place` only, where that is not NULL. Ends
// the program with wrong use where one cannot be read, is of another machine than the first or
// of another version of jostle, has a program that has changed since, or is given twice
// (unless `copies` allows that).
void programs_read(struct program_list *list, char **path, const char *place, bool copies);

void programs_free(struct program_list *list);

// Whether two of them are at one place; with_itself: the same one is, too.
bool programs_meet(const struct program_list *list, size_t a, size_t b, bool with_itself);

// What a program suffers beside others, from what each profile holds. Pure: no clock, no files.
//
//     log slowdown of A beside B  =  sum over reporters of  beta_A,r x log ratio_B,r
//
// ratio_B,r is what B does to a reporter: to a spin's wall time for its CPU time (gap, which has
// the share of the CPUs that both want), to loads from the L2 cache and from memory, to page
// faults. beta_A comes from A's own profile: its slowdowns beside the loads, on what the same loads
// do to the reporters, by ridge regression without an intercept (A. E. Hoerl and R. W. Kennard,
// Technometrics 12 (1970) 55-67). Several neighbours add their log ratios.

enum { PREDICT_WHY = 256, PREDICT_LEAST = 5 }; // loads that a profile needs
enum { PREDICT_PROGRAMS = 32 };                // together, the victim among them

// What part of a slowdown goes by one reporter.
struct predict_carrier {
    const char *words; // "CPU time"
    double slowdown;   // by this alone
};

struct prediction {
    bool known; // false: no number, and `why` says why not
    char why[PREDICT_WHY];
    double slowdown, low, high;
    double confidence;
    size_t carriers; // what costs 0.5 % or more, the most first
    struct predict_carrier carrier[BESIDE_REPORTERS];
};

// a beside `count` others. False, as prediction->known, where there is no number. The interval is
// that of the jackknife+ at a's confidence: each load of the profile is left out once, and how far
// the rest is off for it counts (R. F. Barber et al., Ann. Statist. 49 (2021) 486-507).
bool predict_beside(const struct program_profile *a, const struct program_profile *const *other,
                    size_t count, struct prediction *prediction);

// What --check measures: each program of a pair beside the other, which runs again and again.

// Says for the shell which pairs are left (study.h), each a step "A@B.PLACE" in the folder `cells`
// of the records, with these as `folder`; nothing where there is no pair. False after a message,
// also where a profile does not say how its program is run, or the records are of other programs.
bool check_print(const struct program_list *list, const struct predict_request *request);

// Measured pairs: how much one program slows down beside another, a list of jostle.pair/1, which is
// a line each in a pairs.jsonl.

// Adds the pairs of a file. A pair that is there already, of the same host, becomes the repeat of
// it; a third measurement is left out. False after a message.
bool pairs_read(json_t *pairs, const char *path);

// Adds the pairs that --check has measured, and writes them to FOLDER/pairs.jsonl, a line each; a
// message says how many have no result. Nothing where there are none. False after a message.
bool pairs_collect(json_t *pairs, const char *folder);

// All that is predicted for one command line, and as a record.

// The program that suffers, and its neighbours: one, or all others.
struct table_row {
    size_t victim, aggressor; // indices of programs; aggressor: of a pair
    bool together;            // beside all others of the place
    struct prediction prediction;
    struct gate gate;
    bool shown;             // it has a number that may be shown
    enum verdict verdict;   // against at_most, where that is given
    const json_t *measured; // a jostle.pair/1; NULL: not measured
};

struct table {
    const struct program_list *programs;
    const struct predict_request *request;
    const json_t *pairs; // that were measured
    struct table_row *row;
    size_t count;
};

// Predicts every ordered pair of programs of one place. Ends the program where there is no
// pair, or too many programs.
void table_make(struct table *table, const struct program_list *programs, const json_t *measured,
                const struct predict_request *request);

// The neighbours of a row, as indices of programs: the one, or all others of the place. How many.
size_t table_neighbours(const struct table *table, const struct table_row *row, size_t *index);

// Runs of a measured pair; 0: it does not say so.
double measured_runs(const json_t *measured);

// 0, 3 or 4, as --help has it.
int table_status(const struct table *table);

// `predictions` of a jostle.prediction/1, a new reference.
json_t *table_to_json(const struct table *table);

// `worst` and `check` of it: the index of the prediction with the largest slowdown that is surely
// one, and how far off predictions of measured pairs are; null: there are none. New references.
json_t *table_worst_to_json(const struct table *table);
json_t *table_check_to_json(const struct table *table);

void table_free(struct table *table);

#endif
