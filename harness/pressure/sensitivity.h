// How much a program slows down by kind and level of load: points with intervals, and the
// monotone curve through them. Pure: no clock, and no file.
#ifndef PRESSURE_SENSITIVITY_H
#define PRESSURE_SENSITIVITY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { SENSITIVITY_KINDS = 8, SENSITIVITY_POINTS = 8, SENSITIVITY_NAME = 16 };

struct sensitivity_point {
    double level;     // a fraction: 0.55 is what `--limit 55%` makes
    double achieved;  // what the load delivered, over what was offered; NAN: not known
    double slowdown;  // time under load / time alone, as measured
    double low, high; // its interval, at the confidence of the sensitivity; NAN: it has none
    double sd;        // standard error of log(slowdown); NAN: it has none
    size_t n;         // pairs of runs
    double load_cpus; // CPUs that the load kept busy meanwhile; NAN: not known
    double cpu_ratio; // the program's CPU time under load / alone, means; NAN: not known
    double fit;       // the monotone curve at this level, at least 1; NAN before sensitivity_fit()
    double fit_low, fit_high; // and its interval
};

struct sensitivity_curve {
    char kind[SENSITIVITY_NAME]; // "mem", as in pressure/kinds.h
    size_t count;
    struct sensitivity_point point[SENSITIVITY_POINTS]; // by level, ascending, above 0
};

struct sensitivity {
    double confidence; // of the intervals, two-sided
    size_t count;
    struct sensitivity_curve curve[SENSITIVITY_KINDS];
};

// To begin with: no curve.
void sensitivity_begin(struct sensitivity *sensitivity, double confidence);

// No figure, at level 0.
struct sensitivity_point sensitivity_point_none(void);

// Adds a point to the curve of that kind, in its place; `sd` is made of the interval where it
// is NAN. False: no room, or the level is not above 0 or is there already, or the slowdown is
// no number.
bool sensitivity_add(struct sensitivity *sensitivity, const char *kind,
                     const struct sensitivity_point *point);

// The monotone curves: slowdown never falls with the level, and is 1 at level 0. Isotonic
// regression of log(slowdown), weighted by 1 / sd^2, by pooling adjacent violators (R. E.
// Barlow et al., "Statistical inference under order restrictions", Wiley 1972). The interval
// of a point is that of all points which order says it cannot be outside of: the highest lower
// bound of the levels up to it, the lowest upper bound of those from it on. Points without an
// interval are in no curve: they keep a fit of NAN.
void sensitivity_fit(struct sensitivity *sensitivity);

enum sensitivity_answer {
    SENSITIVITY_KNOWN,
    SENSITIVITY_NO_KIND, // this kind was not measured
    SENSITIVITY_OUTSIDE, // the level is above the highest that was measured, or below 0
};

// log(slowdown) at a level of a kind, linear in the level between the points of the fit, and
// its standard error (linear, too, as neighbouring points share their runs alone, and 0 at
// level 0). Both NAN where the answer is not SENSITIVITY_KNOWN.
enum sensitivity_answer sensitivity_at(const struct sensitivity *sensitivity, const char *kind,
                                       double level, double *log_slowdown, double *sd);

// The curve of that kind; NULL: it was not measured.
const struct sensitivity_curve *sensitivity_find(const struct sensitivity *sensitivity,
                                                 const char *kind);

// As `sensitivity` of a jostle.program/1: an array, a new reference; NULL: no memory.
json_t *sensitivity_to_json(const struct sensitivity *sensitivity);

// Reads that array, and fits. False: it is no such array.
bool sensitivity_from_json(struct sensitivity *sensitivity, const json_t *array, double confidence);

// The points of a jostle.result/1 whose loads are kinds at levels, and fits. Conditions with
// other loads are left out. How many points there are; 0: none, or it is no such record.
size_t sensitivity_from_result(struct sensitivity *sensitivity, const json_t *result);

// Adds the points of another sensitivity, and fits anew. Points of a level that is there
// already are left out.
void sensitivity_merge(struct sensitivity *into, const struct sensitivity *from);

#endif
