/* The system calls that loadgen syscall makes, each cheap and without effect. */
#ifndef LOADGEN_SYSCALL_CALL_H
#define LOADGEN_SYSCALL_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct call {
    const char *file; /* that it is made on, open for reading and writing; NULL: none */
    /* Makes the call so many times. False: one failed, errno says why. */
    bool (*make)(int fd, uint64_t times);
    const char *counted; /* the field of /proc/PID/task/TID/io that counts them, or NULL */
};

/* By --call; the names in the same order, ended by NULL. */
extern const struct call calls[];
extern const char *const call_names[];

#endif
