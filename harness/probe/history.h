#ifndef PROBE_HISTORY_H
#define PROBE_HISTORY_H

/* What a watch, or many probes, have written: jostle.probe/1 records in the order of time. */

#include "harness/pressure/kinds.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* NAN: not known. */
struct moment {
    time_t made;
    double level[KINDS], lo[KINDS], hi[KINDS];
    bool seen[KINDS];
    double cpu_some, memory_some, io_some, steal, throttled; /* shares, 0 to 1 */
    double foreign_cpus, slowdown;
    char verdicts[128]; /* names, separated by spaces */
};

/* Of one host and place. */
struct history {
    char host[256], place[32], reference_made[64], program[256];
    double confidence;
    size_t count, room;
    struct moment *moment; /* by time, rising */
};

struct histories {
    size_t count;
    struct history *history; /* by host */
    bool cut;                /* a file ends within a record: a watch was killed while it wrote */
};

/* Of a file, or of all files of a folder that hold such records. False after a message. */
bool histories_read(const char *path, struct histories *histories);
void histories_free(struct histories *histories);

/* jostle.probe-history/1: for each host what its kinds did, and at most `rows` rows over the
 * time. A new reference; ends the program where memory runs out. */
json_t *histories_to_json(const struct histories *histories, size_t rows);
/* Adds `charts` with drawings for the page. */
void history_charts_add(json_t *record);

#endif
