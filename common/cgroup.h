#ifndef LOADGEN_CGROUP_H
#define LOADGEN_CGROUP_H

// Limits of the cgroups that this process is in.

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CGROUP_PATH = 2 * PATH_MAX };

// The limit that one folder of a hierarchy sets; INFINITY: none.
typedef double cgroup_limit(const char *folder);

// The tightest of the limits from the own group up to the root of what is
// visible; controller "" means cgroup v2. INFINITY: none, or no such hierarchy.
double cgroup_tightest(const char *controller, cgroup_limit *limit_of);
// The first folder from the own group up that sets such a limit. False, and "": none does.
bool cgroup_nearest(const char *controller, cgroup_limit *limit_of, char folder[CGROUP_PATH]);
// The folder of the group that this process is in. False, and "": no such hierarchy.
bool cgroup_own(const char *controller, char folder[CGROUP_PATH]);
// The same of another process.
bool cgroup_of(pid_t process, const char *controller, char folder[CGROUP_PATH]);
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
// The first line of FOLDER/NAME. False: it is not there.
bool cgroup_read(const char *folder, const char *name, char *text, size_t size);

#endif
