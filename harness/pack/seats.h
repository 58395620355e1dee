/* Which CPUs each copy gets. */
#ifndef PACK_SEATS_H
#define PACK_SEATS_H

#include "request.h"

#include <stdbool.h>
#include <stddef.h>

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
