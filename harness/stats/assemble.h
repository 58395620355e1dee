// One run's record from what meter and the loads said of it.
#ifndef STATS_ASSEMBLE_H
#define STATS_ASSEMBLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// A load's last `mark` event; node is NULL for a load on the target's node.
struct assembly_load {
    const char *name, *node;
    const json_t *mark;
};

struct assembly {
    const char *condition;
    const char *variant; // NULL: there are none
    size_t block, order; // 0: a warm-up or a washout
    bool washout;        // a run between a loaded one and the next
    size_t washed;       // how many of those come after each loaded run
    const char *vary;    // what was varied, and to what; NULL: nothing
    double varied;
    const char *host;
    const json_t *meter; // a jostle.meter/1
    const struct assembly_load *loads;
    size_t load_count;
    const json_t *probe;   // the machine's `sample` before the run; NULL: none
    const json_t *service; // its `mark` at the run's end; NULL: there is none
    double mark_delay_s;   // longest round trip of the marks to other nodes
    double cpus;           // of the machine
    bool shared;           // other jobs were on the node
};

// A new reference to a jostle.run/1 with its flags; NULL if memory ran out.
json_t *assemble_run(const struct assembly *assembly);

// Puts hyperfine's figures (its exported JSON) of the target in the place of
// meter's, which are of hyperfine and target together. What hyperfine does not
// report is null. False where the export has no result.
bool assemble_hyperfine(json_t *meter, const json_t *exported);

// What to do about a failed run of the experiment in `folder`; in text, or a constant.
// is_first: no run has succeeded before, or something prepares each. is_cell: a campaign measures
// it.
const char *assemble_advice(const json_t *record, const char *folder, bool is_first, bool is_cell,
                            char *text, size_t size);

// What ended: the target or its service.
const char *assemble_culprit(const json_t *record);

// How a failed run ended: "failed with exit code 3", "made no figure p99_ms: not found in
// stdout"; in text, which it returns.
const char *assemble_failure(const json_t *record, char *text, size_t size);

#endif
