// One run of the hub: its record, from what meter, the loads, the probe and the service said, and
// what is answered of one that failed.
#ifndef STATS_ASSEMBLE_H
#define STATS_ASSEMBLE_H

#include "hub.h"

// A new reference to the jostle.run/1, with its flags, of the run that is `next`; `meter`: its
// jostle.meter/1, mark_delay_s: the longest round trip of the marks to other nodes.
json_t *assemble_run(struct hub *hub, const json_t *meter, double mark_delay_s);

// Where hyperfine is the engine, puts the figures that it has exported in the place of meter's,
// which are of hyperfine and target together. What hyperfine does not report is null. False where
// it has exported no result.
bool assemble_hyperfine(struct hub *hub, json_t *meter);

// Answers that the last run failed and ends the experiment, how, and what to do. False if no answer
// can be written.
bool assemble_failure(struct hub *hub);

#endif
