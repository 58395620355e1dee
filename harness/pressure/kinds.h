#ifndef PRESSURE_KINDS_H
#define PRESSURE_KINDS_H

#include "common/save.h"
#include "common/sha256.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
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

// By name; KINDS: there is no such kind.
enum kind kind_find(const char *name);

// "mem --limit 55%" of the kind at the level (a fraction above 0; kept to 0.1 percent), as one
// would type it after `loadgen` or in `--load`. Returns text.
const char *kind_spec(enum kind kind, double level, char *text, size_t size);

// The other way round: the kind and the level of a load's words. False: it is no load of such
// a kind and level alone.
bool kind_of_spec(const char *spec, enum kind *kind, double *level);

// The folder that `loadgen io` works in: directory where it is given, $TMPDIR, else /var/tmp.

// Whether the kind is not possible on this machine, and why, into text.
bool kind_impossible(enum kind kind, char *text, size_t size);

// Which machine a reference or a profile is of.

enum { IDENTITY_DIGITS = SHA256_DIGITS };

// The SHA-256 of what has to be the same for levels to mean the same: host, architecture, CPU,
// how many CPUs are online, SMT, NUMA nodes, memory (in GiB, as the kernel's share of it varies
// from boot to boot), by `environment` of an experiment.json.
void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1]);

// Which reporters there are, and how an experiment measures them; without their kernels.

enum reporter { REPORTER_GAP, REPORTER_L2, REPORTER_MEMORY, REPORTER_FAULTS, REPORTERS };

struct reporter_row {
    const char *name, *unit; // more of it is worse
    int64_t window_ns;
};

extern const struct reporter_row reporter_rows[REPORTERS];

// By name; REPORTERS: there is no such reporter.
// Reads "gap,memory" into wanted, all where list is NULL. False, after a message: one is
// unknown.
bool reporters_choose(const char *list, bool wanted[REPORTERS]);
// The reporter as a metric of an experiment whose target is `probe sample`: a text for --metric,
// such as gap=stdout:/.../,unit=ns,better=lower. Returns text.
const char *reporter_metric(enum reporter reporter, char *text, size_t size);

#endif
