#ifndef PACK_REQUEST_H
#define PACK_REQUEST_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line of jostle pack. */

enum { PACK_COPIES_MOST = 4096, PACK_PROGRAMS_MOST = 16 };
enum pack_place { PACK_ANYWHERE, PACK_CLOSE, PACK_SPREAD };
extern const char *const pack_place_names[]; /* ended by NULL */

struct request {
    struct option_list mix;
    uint64_t max_copies; /* 0: not given */
    uint64_t cpus_per_copy;
    int place; /* enum pack_place */
    const char *target_cpus;
    bool oversubscribe, own_folder;
    const char *input, *setup, *prepare, *conclude, *cleanup, *timeout,
        *statistic;                    /* NULL: not given */
    double at_most, confidence, error; /* error 0: not given */
    uint64_t min_runs, max_runs;
    int64_t max_time_ns, seed; /* seed -1: not given */
    const char *output, *format, *json;
    bool resume, dry_run, quiet, verbose;
    /* What the shell has this program do. */
    const char *expand, *trial, *next, *derive, *show, *hints, *synthetic;
    bool again;
    double left_s;
    struct options *given;
    char **words; /* of the program, ended by NULL */
};

/* Answers --help; wrong use ends the program. */
void pack_request_read(struct request *request, int argc, char **argv);
void pack_request_free(struct request *request);

/* Which CPUs each copy gets. */

struct pack_seats {
    size_t cpus;       /* that are allowed, of those that --target-cpus names */
    double quota_cpus; /* of the cgroup; INFINITY: none */
    size_t room;       /* copies that have CPUs of their own; at least 1 */
    char *allowed;     /* the CPUs as a list */
    char **list;       /* of copy i the CPUs, as a list; copy `count` has list[0] again */
    size_t count;      /* 0: nothing is pinned */
};

/* Finds them for --place, --cpus-per-copy and --target-cpus. close: hardware threads in the
 * machine's order, those of a core first. spread: the copies take turns among packages, caches
 * and cores, so that two share a core only where none is empty (what OpenMP calls spread). Both
 * hold for each number of copies: the CPUs of copy i do not depend on how many follow. False after
 * a message on stderr; *usage: the options are to blame. */
bool seats_choose(struct pack_seats *seats, const struct request *request, bool *usage);
void pack_seats_free(struct pack_seats *seats);

#endif
