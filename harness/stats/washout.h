// --washout: what separates a loaded run from the next run of another condition.
#ifndef STATS_WASHOUT_H
#define STATS_WASHOUT_H

#include <stdbool.h>
#include <stddef.h>

struct washout {
    bool automatic; // it grows from no run on until no carry-over shows
    size_t runs;    // unloaded and unmeasured runs of the target
    double pause_s; // or an idle pause
};

// Reads "auto", a number of runs ("2"; "0" for none) or a time ("500ms"). False:
// error says what to give.
bool washout_parse(const char *text, struct washout *washout, char *error, size_t size);

// An option's check.
bool washout_check(const char *text, char *error, size_t size);

// Runs that come after so many when a carry-over still shows; the same where
// there is nothing more.
size_t washout_next(size_t runs);

#endif
