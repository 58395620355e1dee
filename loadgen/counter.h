/* Counters that one thread writes and others read at any time. */
#ifndef LOADGEN_COUNTER_H
#define LOADGEN_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

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

#endif
