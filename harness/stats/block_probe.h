// When the machine is measured before a block, and for how long: what it reaches then is its
// `machine` (machine.h).
//
// A probe takes a tenth of the time of a block, and 0.1 s at most; below 0.01 s it would show
// nothing, so blocks that are too short for that share one: at most a tenth of the time goes
// to probes, however short the runs are.
#ifndef STATS_BLOCK_PROBE_H
#define STATS_BLOCK_PROBE_H

#include "session.h"

struct block_probe {
    bool wanted;
    bool was_made;  // one in this session at least
    size_t block;   // the last one that was begun
    double since_s; // time of the runs since the last one
};

// How long to measure before a run of that block; 0: not at all.
double block_probe_due(const struct block_probe *probe, const struct session *session,
                       size_t block);

// Notes that it was made, before a run of that block.
void block_probe_made(struct block_probe *probe, size_t block);

// Notes a run, of block 0 if it is a warm-up or a washout, that took so long (NAN: not known).
void block_probe_note(struct block_probe *probe, size_t block, double wall_s);

#endif
