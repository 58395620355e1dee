// The reporters of the probe, which take windows of some ms in turn.
#ifndef PROBE_REPORTERS_H
#define PROBE_REPORTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reporters: small kernels that show what this machine gives at the moment. Each takes windows of
// a few milliseconds; of several, windows alternate in random order, so that a spell hits all.
//
//     struct reporter_set *set = reporters_open(&(struct reporter_choice){.seed = 1});
//     reporters_sample(set, 100000000);               0.1 s of windows
//     struct reading reading;
//     for (size_t i = 0; reporters_read(set, i, &reading); i++)
//         ...                                          of all windows since the last clear
//     reporters_clear(set);
//     reporters_close(set);
//
// A set is of one thread, the caller's, and where that may run is the caller's choice: pin it
// before opening, as memory is then near. Nothing is global.

enum { REPORTERS_MOST = 16 };

// When `probe serve` measures it: what is cheap to open is open from the start; the others wait for
// a sample that is long enough for them: short experiments never have one.
enum serving { SERVED_NOT, SERVED_QUICK, SERVED_HEAVY };

struct reporter_row {
    const char *name, *unit; // more of it is worse
    int64_t window_ns;
    enum serving serving;
    const struct reporter_kernel *kernel;
};

// Ended by one without a name.
extern const struct reporter_row reporter_rows[];

// Reads "gap,memory" into wanted, all where list is NULL. False, after a message: one is
// unknown.
bool reporters_choose(const char *list, bool wanted[REPORTERS_MOST]);

struct reporter_choice {
    const bool *wanted; // by row
    uint64_t seed;      // of all random orders
};

struct reporter_set;

// What a reporter has shown since the last clear. The logarithms of its windows are what is
// averaged: a share of slow windows then counts in proportion.
struct reading {
    const struct reporter_row *row;
    size_t n;           // windows; 0: value, median and spread are NAN
    double value;       // geometric mean of the windows
    double median;      // of the windows
    double spread;      // robust standard deviation of a window's logarithm (Q_n)
    double correlation; // of the logarithms of neighbouring windows, 0 to 1; NAN below 8
    double error;       // standard error of the logarithm of value, which knows the correlation;
                        // NAN below 3 windows
    const char *reason; // why it cannot work here, the set's; NULL: it can
};

// Opens what the chosen reporters need: memory is touched, once. A reporter
// that cannot work here has a reason in its reading.
struct reporter_set *reporters_open(const struct reporter_choice *choice);
// How long that took.
double reporters_open_s(const struct reporter_set *set);
// "thp" or "base": the pages that the memory reporters were given.
const char *reporters_pages(const struct reporter_set *set);

// Takes windows until the time is used up, the last of which may end late; at least one of each
// reporter: where a round (reporters_round_ns()) would be longer than the time, its windows are
// shorter. Returns the time that it took.
int64_t reporters_sample(struct reporter_set *set, int64_t budget_ns);
// How long one window of each of the set's reporters takes on an idle machine.
int64_t reporters_round_ns(const struct reporter_set *set);
// A window of one after the other while there is time for it, from where the last call ended.
void reporters_short(struct reporter_set *set, int64_t budget_ns);

// Finds a reporter of the set by its number, from 0 on. False: there is no more.
bool reporters_read(const struct reporter_set *set, size_t index, struct reading *reading);
// Forgets all windows; memory stays.
void reporters_clear(struct reporter_set *set);
void reporters_close(struct reporter_set *set);

#endif
