#ifndef PRESSURE_KINDS_H
#define PRESSURE_KINDS_H

/* The kinds of load in whose units pressure is stated: "as if `mem --limit 55%` ran here". One
 * table of what a user would type as `loadgen ...` for each kind and level. A level is a fraction
 * of what the load reaches without a limit: 0.55; the level 0 is no load. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind {
    KIND_CPU,   /* a share of each CPU */
    KIND_MEM,   /* memory bandwidth */
    KIND_CACHE, /* a share of the last cache level */
    KIND_IO,    /* sequential durable writes to the disk */
    KIND_NET,   /* TCP over loopback */
    KIND_ALLOC, /* allocator, page faults, mappings */
    KINDS
};

struct kind_row {
    const char *name;     /* "mem" */
    const char *words;    /* of the load, up to the percentage: "mem --limit" */
    const char *resource; /* for people: "memory bandwidth" */
};

extern const struct kind_row kinds[KINDS];

/* By name; KINDS: there is no such kind. */
enum kind kind_find(const char *name);

/* "mem --limit 55%" of the kind at the level (a fraction above 0; kept to 0.1 percent), as one
 * would type it after `loadgen` or in `--load`. Returns text. */
const char *kind_spec(enum kind kind, double level, char *text, size_t size);

/* The other way round: the kind and the level of a load's words. False: it is no load of such
 * a kind and level alone. */
bool kind_of_spec(const char *spec, enum kind *kind, double *level);

/* The folder that `loadgen io` works in: directory where it is given, $TMPDIR, else /var/tmp. */
const char *kind_io_folder(const char *directory);

/* Whether the kind is not possible on this machine, and why, into text. directory: where `io`
 * works (NULL: $TMPDIR, else /var/tmp, as loadgen io has it). */
bool kind_impossible(enum kind kind, const char *directory, char *text, size_t size);

#endif
