#ifndef COMMON_CGROUP_H
#define COMMON_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Limits of the cgroups that this process is in.

enum { CGROUP_PATH = 2 * PATH_MAX };

// The folder of the group that a process (0: this one) is in; controller "" means cgroup v2. False,
// and "": no such hierarchy.
bool cgroup_of(pid_t process, const char *controller, char folder[CGROUP_PATH]);
// The top of what is visible of a hierarchy; controller as above, or "name=NAME" of one
// without. False, and "": there is none.
bool cgroup_top(const char *controller, char top[PATH_MAX]);
// In cgroup v2 the folder so many levels above our own; false: that is above what is visible.
bool cgroup_above(unsigned above, char folder[CGROUP_PATH]);
enum cgroup_delegation {
    CGROUP_DELEGATED,     // a group made in the folder has the controller
    CGROUP_NOT_DELEGATED, // there is no such folder, or it may not be written
    CGROUP_LIMITED,       // there is one, but our own group has a limit that would be escaped
};
// In cgroup v2 the nearest folder from our own up whose groups have the controller.
enum cgroup_delegation cgroup_delegated(const char *controller, char folder[CGROUP_PATH]);
// Whether the CPUs are shared among groups before they are among sessions and threads: the folder
// is then the group that has our share. False, and "": they are not.
bool cgroup_shares_cpus(char folder[CGROUP_PATH]);

enum { LIMITS_WHY = 256 };

// Why no further process, thread or descriptor could be made, of its errno, into a text of
// LIMITS_WHY bytes or more; returns it: as strerror(), and the limits that are meant with their
// numbers (pids.max, ulimit -u, ulimit -n).
const char *limits_why(int error, char *text, size_t size);

// The file in which the kernel counts the processes that it has killed for want of memory: of our
// own cgroup, in v2 of the nearest one above it that counts. -1: none does.
int cgroup_kills_open(void);
// Does the same for the group whose folder is open.
int cgroup_kills_open_at(int folder_fd);
// What it has counted so far. False for fd -1, and where it has no such count (before Linux 4.13).
bool cgroup_kills(int fd, uint64_t *kills);

// How much memory can be taken before the kernel has to kill a process for it.

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
