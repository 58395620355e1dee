#ifndef STATS_MACHINE_H
#define STATS_MACHINE_H

#include "replay.h"
#include "session.h"
#include <jansson.h>

// What the machine itself reached before each block, by the probes in the records: its median,
// spread and drift over the experiment. No figure is ever corrected by it.

// `machine` of a jostle.result/1, a new reference: null where no record has a probe.
// `warnings` gets a note of each reporter that drifted by much.
json_t *machine_json(const struct session *session, const struct replay *replay, json_t *warnings);

// What this machine usually reaches: the medians of the probes of earlier experiments, kept for
// each host and kernel in ${XDG_CACHE_HOME:-~/.cache}/jostle/machine/HOST.jsonl. It shows what no
// counter of this system does: other guests of the host, a sibling thread, a lower clock.

// Compares `machine` (machine.h) of the experiment with the earlier ones of the same host, kernel
// and CPUs, and adds it to them. A new reference to a list of what is surely worse than usual:
// [{"reporter", "ratio", "range": [LOW, HIGH], "since", "experiments"}]; empty where nothing is,
// fewer than USUAL_LEAST are known, or the file cannot be used.
enum { USUAL_LEAST = 5 };
json_t *usual_compare(const json_t *experiment, const json_t *machine);

// Appends a note of each of these to `warnings`.
void usual_warn(const json_t *unusual, json_t *warnings);

#endif
