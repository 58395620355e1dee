#ifndef PROFILE_STEPS_H
#define PROFILE_STEPS_H

#include "harness/pressure/kinds.h"
#include "harness/pressure/sensitivity.h"
#include <stdbool.h>
#include <stddef.h>

// What a profile still needs, by its plan and by what is in its folder: one experiment after the
// other. The shell runs each, and asks again.

// Names of the experiments, each in a folder of that name.
#define STEP_ALONE       "alone"
#define STEP_SENSITIVITY "sensitivity"
#define STEP_ADDED       "added"
#define STEP_PRESSURE    "pressure"

// Prints the next step for the shell, as pairs of name and value, each ended by NUL:
//
//     say TEXT          something for people, such as how long it takes
//     problem TEXT      it cannot be done, with exit status 2
//     step NAME         the experiment; `done`: none is left
//     word WORD...      the words of `jostle`, with the folder
//
// False after a message on stderr.
bool steps_print(const char *folder);

// What fits into the time of a profile, and where further levels are worth it. Pure.

// Blocks of the sensitivity at least, and of any experiment at most.
enum { BUDGET_BLOCKS = 4, BUDGET_RUNS = 60 };

struct budget_wish {
    double total_s;    // for the whole profile
    double spent_s;    // by the runs alone
    double wall_s;     // a run of the program alone
    double overhead_s; // around a run, prepare and conclude included
    size_t conditions; // of the sensitivity: alone, and under each load
    bool adds;         // levels may be added
    bool has_pressure; // reporters are measured, too
    size_t runs;       // of each condition, at most
};

struct budget {
    double sensitivity_s, added_s, pressure_s; // shares of the total
    double least_s;    // the total that makes BUDGET_BLOCKS blocks, and enough pairs of readings
    size_t added;      // levels that may be added, at most
    double sample_s;   // of the reporters, in each run of theirs
    double expected_s; // of the whole profile: less than the total where runs are short
};

// A run under load is taken for 1.5 times as long as alone.
struct budget budget_of(const struct budget_wish *wish);

struct budget_level {
    char kind[SENSITIVITY_NAME];
    double level;
    double doubt; // how far, in log(slowdown), the curve may be from the straight line there
};

// Where levels are to be added: between neighbouring points of the monotone curves, in the
// middle. A monotone curve is at most half of its rise away from the straight line there; where
// that is above `tolerance`, and the rise is more than its standard error, another point is
// worth it. The largest first, at most `most`. How many.
size_t budget_levels(const struct sensitivity *sensitivity, double tolerance,
                     struct budget_level *level, size_t most);

#endif
