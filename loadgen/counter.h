#ifndef LOADGEN_COUNTER_H
#define LOADGEN_COUNTER_H

/* Counters that one thread writes and others read at any time. */

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* With one writer no read-modify-write is needed. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

static inline uint64_t counter_read(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* What the kernel counts for one thread of this process since it began: the number behind
 * "FIELD:" in /proc/self/task/THREAD/io; NAN: there is none, or the thread is gone. */
double thread_io(pid_t thread, const char *field);
/* The same of all threads. */
double process_io(const char *field);

#endif
