// What a service's tree of processes has used, and waited for, between two marks.
//
// CPU time is the control group's where there is one; else the sum over the processes that
// live and those that were waited for. Memory is of the processes that live at the second
// mark: the peak since the first of what each has for itself, and shared pages once, as many
// as the process with the most has. Stalls are those of the group's pressure files (cgroup
// v2), and of the thread that waited longest for a CPU: lower bounds, as those of a target.
#ifndef METER_SERVICE_TOTALS_H
#define METER_SERVICE_TOTALS_H

#include "stalls.h"

#include "common/group.h"
#include "common/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_delay {
    pid_t thread;
    int64_t delay_ns;
};

// Running totals.
struct service_totals {
    bool from_group; // else the next two are not known
    int64_t user_ns;
    int64_t system_ns;
    int64_t cpu_ns;
    bool has_stalls;
    uint64_t stall_us[STALL_COUNT];
    struct thread_delay *delays; // by thread, ascending
    size_t delay_count;
    size_t processes;
    bool own_session;      // one of them is in another session than we are
    uint64_t memory_bytes; // since the last reading; 0: nothing lives
};

// The totals of now; peaks of memory begin anew. Fill *totals with zeros
// before the first reading.
void service_totals_read(struct service_totals *totals, const struct group *group,
                         const struct stall_files *files);

// The members of a `mark` event: what grew from one reading to the next,
// elapsed_ns apart.
void service_totals_write(struct line *line, const struct service_totals *before,
                          const struct service_totals *after, int64_t elapsed_ns);

void service_totals_free(struct service_totals *totals);

#endif
