// How what is measured together shares the CPUs. The kernel shares them among control groups
// first, or else among sessions (autogroup, sched(7)), and among threads last: who has a
// group of its own gets as much as all threads of another. So target, client, service and each
// load are in the same group: in the session and in the control group of jostle.
#ifndef COMMON_ARRANGEMENT_H
#define COMMON_ARRANGEMENT_H

// The name of this arrangement in records.
#define ARRANGEMENT_NAME "same"

// To be called right after a fork: nothing that is typed on the terminal, that is sent to our
// process group, or that the terminal's end brings reaches this process and those that it
// starts, nor can the terminal stop them. So it would be in a session of its own, which would be a
// group of its own, too.
void arrangement_apart(void);

#endif
