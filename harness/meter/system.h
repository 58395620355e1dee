#ifndef METER_SYSTEM_H
#define METER_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

// Running totals of the whole machine: what is interesting is their growth
// over a run.
struct system_totals {
    bool has_pressure; // the kernel has /proc/pressure
    // Pressure stall, in microseconds (Documentation/accounting/psi.rst).
    uint64_t cpu_some_us;
    uint64_t memory_some_us;
    uint64_t memory_full_us;
    uint64_t io_some_us;
    uint64_t io_full_us;
    // Time of all CPUs together that the hypervisor gave to others, in
    // nanoseconds, as fine as the kernel's clock ticks (10 ms).
    uint64_t steal_ns;
};

// system_read: the totals of now; what the kernel does not tell is 0.
void system_read(struct system_totals *totals);

#endif
