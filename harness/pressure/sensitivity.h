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
    double fit;       // the monotone curve at this level, at least 1; NAN: it has no interval
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

// The curve of that kind; NULL: it was not measured.
const struct sensitivity_curve *sensitivity_find(const struct sensitivity *sensitivity,
                                                 const char *kind);

// Whether the slowdown under that kind is known: a point of its curve is.
bool sensitivity_is_known(const struct sensitivity *sensitivity, const char *kind);

// As `sensitivity` of a jostle.program/1: an array, a new reference.
json_t *sensitivity_to_json(const struct sensitivity *sensitivity);

// Reads that array, and fits. False: it is no such array.
bool sensitivity_from_json(struct sensitivity *sensitivity, const json_t *array, double confidence);

// The points of a jostle.result/1 whose loads are kinds at levels, and fits. Conditions with
// other loads are left out.
void sensitivity_from_result(struct sensitivity *sensitivity, const json_t *result);

// Adds the points of another sensitivity, and fits anew. Points of a level that is there
// already are left out.
void sensitivity_merge(struct sensitivity *into, const struct sensitivity *from);

#endif
