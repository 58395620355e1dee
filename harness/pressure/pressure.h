// What pressure is stated in: kinds of load at levels, and how much they slow a program down.

#ifndef PRESSURE_H
#define PRESSURE_H

#include "common/save.h"
#include "common/sha256.h"

#include <jansson.h>
#include <stdint.h>

// The kinds of load in whose units pressure is stated: "as if `mem --limit 55%` ran here". One
// table of what a user would type as `loadgen ...` for each kind and level. A level is a fraction
// of what the load reaches without a limit: 0.55; the level 0 is no load.

enum kind {
    KIND_CPU,   // a share of each CPU
    KIND_MEM,   // memory bandwidth
    KIND_CACHE, // a share of the last cache level
    KIND_IO,    // sequential durable writes to the disk
    KIND_NET,   // TCP over loopback
    KIND_ALLOC, // allocator, page faults, mappings
    KINDS
};

struct kind_row {
    const char *name;  // "mem"
    const char *words; // of the load, up to the percentage: "mem --limit"
};

extern const struct kind_row kinds[KINDS];

// Finds a kind by its name; KINDS: there is no such kind.
enum kind kind_find(const char *name);

// "mem --limit 55%" of the kind at the level (a fraction above 0; kept to 0.1 percent), as one
// would type it after `loadgen` or in `--load`. Returns text.
const char *kind_spec(enum kind kind, double level, char *text, size_t size);
// The reverse: the kind and the level of a load's words. False: it is no load of such a kind and
// level alone.
bool kind_of_spec(const char *spec, enum kind *kind, double *level);

// Whether the kind is not possible on this machine, and why, into text.
bool kind_impossible(enum kind kind, char *text, size_t size);

// Which machine a reference or a profile is of.

enum { IDENTITY_DIGITS = SHA256_DIGITS };

// The SHA-256 of what has to be the same for levels to mean the same: host, architecture, CPU,
// how many CPUs are online, SMT, NUMA nodes, memory (in GiB, as the kernel's share of it varies
// from boot to boot), by `environment` of an experiment.json.
void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1]);

// How much a program slows down by kind and level of load: points with intervals, and the
// monotone curve through them. Pure: no clock, and no file.

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
    char kind[SENSITIVITY_NAME]; // "mem", as in kinds
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

// A point without a figure, at level 0.
struct sensitivity_point sensitivity_no_point(void);
// Adds a point to the curve of that kind, in its place; `sd` is made of the interval where it is
// not known. False: there is no room.
bool sensitivity_add(struct sensitivity *sensitivity, const char *kind,
                     const struct sensitivity_point *point);
// Makes the monotone curves of the points: slowdown never falls with the level, and is 1 at level
// 0.
void sensitivity_fit(struct sensitivity *sensitivity);

// Adds the points of another sensitivity, and fits anew. Points of a level that is there
// already are left out.
void sensitivity_merge(struct sensitivity *into, const struct sensitivity *from);

#endif
