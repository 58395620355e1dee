#ifndef LOADGEN_CPU_STATE_H
#define LOADGEN_CPU_STATE_H

/* What the parts of loadgen cpu share: the options as given, and the state of a run. */

#include "cpu/replay.h"
#include "load.h"

struct cpu_settings {
    double percent;
    int64_t period_ns;
    int kernel;
    struct replay_settings replay;
};

struct cpu_state {
    struct replay *replay; /* NULL: --percent */
    _Atomic int64_t dropped_ns;
};

static inline struct cpu_settings *cpu_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct cpu_state *cpu_state_of(const struct run *run)
{
    return run->state;
}

#endif
