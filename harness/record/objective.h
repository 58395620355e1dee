// What a service has to keep, what is varied, what separates runs, and what a condition is
// summarised by.
#ifndef RECORD_OBJECTIVE_H
#define RECORD_OBJECTIVE_H

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

// What is read by those who check a command line, and by stats.

// A metric is an index into this list: the first four are always there, and each run has
// them; what else was chosen follows.
enum { WALL_S, USER_S, SYSTEM_S, MAX_RSS_BYTES, BASIC_METRICS, MAX_METRICS = 24 };

enum { METRIC_UNIT_SIZE = 32 };

// A metric of an experiment. Its texts are of its definition, or of the built-in metric.
struct metric_setting {
    const char *name, *unit; // unit "": none
    bool higher_is_better;
    const struct builtin_metric *builtin; // NULL: it is taken from the target's output
    bool chosen;                          // its slowdown is reported
    bool alone;                           // one variant only has it
    bool decides; // it must reach the error, and pass the gate; of the chosen ones
};

// What a service has to keep (--slo), and what is varied to find how far it does (--vary).

enum { OBJECTIVE_UNIT_SIZE = 16, OBJECTIVES_MAX = 8 };

// METRIC<VALUE, METRIC<=VALUE, METRIC>VALUE or METRIC>=VALUE, in the metric's unit.
struct objective {
    char metric[METRIC_NAME_SIZE];
    double limit;
    bool at_least; // the metric has to be above the limit
    bool or_equal;
};

// All of them have to be kept. 0 of them: none was given.
struct objectives {
    struct objective item[OBJECTIVES_MAX];
    size_t count;
};

// Reads objectives that commas join, such as "p99_ms<2,errors<=0". False: error says what to
// give.
bool objectives_parse(const char *text, struct objectives *objectives, char *error, size_t size);

// The same, for nothing but the check of an option.
bool objectives_check(const char *text, char *error, size_t size);

// How far a figure is from its limit: the logarithm of figure / limit, or of limit / figure
// where the figure has to be above it. Not above 0: it is kept; -INFINITY or INFINITY where
// there is no logarithm. Such as the limit is, so is it kept with `=` alone.
double objective_distance(const struct objective *objective, double figure);

// NAME=LOW..HIGH[,unit=UNIT], 0 < LOW < HIGH.
struct vary {
    char name[METRIC_NAME_SIZE], unit[OBJECTIVE_UNIT_SIZE]; // unit "": none
    double low, high;
    bool whole; // both are integers, and so is each value
};

bool vary_parse(const char *text, struct vary *vary, char *error, size_t size);
bool vary_check(const char *text, char *error, size_t size);

// The value of that logarithm that a run can be given: inside the range, an integer or of
// four digits.
double vary_value(const struct vary *vary, double logarithm);

enum { VARY_TEXT_SIZE = 32 };

// A value as the target gets it: 41230, 0.125. Returns text.
const char *vary_text(double value, char text[VARY_TEXT_SIZE]);

// --washout: what separates a loaded run from the next run of another condition.

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

// The statistics that --statistic chooses from, by name: in the options, in the records,
// and in words for people.

// What a condition is summarised by, and whose ratio a slowdown is.
enum statistic {
    STATISTIC_MEAN,
    STATISTIC_MEDIAN,
    STATISTIC_TRIMMED,
    STATISTIC_P90,
    STATISTIC_P99,
    STATISTIC_TYPICAL, // of a ratio: statistic.h; of a condition its median
    STATISTICS
};

// As options and records have them; NULL after the last.
extern const char *const statistic_names[STATISTICS + 1];

// As people read them, such as "90th percentile".
extern const char *const statistic_words[STATISTICS];

// That of a name; the mean for an unknown one and for NULL, as older records have none.
enum statistic statistic_named(const char *name);

#endif
