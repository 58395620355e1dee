#ifndef COMMON_HEADROOM_H
#define COMMON_HEADROOM_H

// How much memory can be taken before the kernel has to kill a process for it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct headroom {
    uint64_t bytes;    // that may be taken
    const char *whose; // what sets that limit: "this machine", "the cgroup", "the NUMA node"
};

// The least of MemAvailable, what the own cgroup and those above it leave (v1 and
// v2; page cache counts as free), and with node >= 0 what that NUMA node has. A
// part is kept back: other programs need some, too.
struct headroom headroom_left(int node);
// What the limits of this process leave of it (RLIMIT_AS, RLIMIT_DATA); 1e18 bytes: there is
// no limit.
struct headroom headroom_of_process(void);
// How many bytes there are, of the machine and of each cgroup above us, before so little is left
// that the kernel is about to kill. Negative: so little is left; *left has how much, and whose.
// Some 0.2 ms.
double headroom_slack(struct headroom *left);
// What that is at most, in bytes: 2 % of the tightest limit, 512 MiB at most.
double headroom_short_bytes(void);

// Where the pages of a file that this process reads are kept, and whose they displace.
struct cache_room {
    double memory_bytes; // of the machine, or the limit of the tightest cgroup
    double free_bytes;   // that they take first
    double cached_bytes; // pages of files there, which they displace next
    bool group;          // it is a cgroup's: pages of other groups stay
};
struct cache_room cache_room(void);
// From now on the kernel's OOM killer takes this process before others.
void headroom_volunteer(void);

#endif
