#ifndef LOADGEN_IO_OPTIONS_H
#define LOADGEN_IO_OPTIONS_H

/* The options of loadgen io: what they mean together, and which are refused. */

#include "common/device.h"

#include "io/path.h"
#include "load.h"

#include <limits.h>

extern const struct option_row io_options[];

/* The folder of a work file: what --dir gave, else (NULL) $TMPDIR, else /var/tmp. */
const char *io_folder(const char *given);

/* load.h's check: makes run->state with the folder, its device and the plan, and
 * refuses (exit 2) what cannot be. Creates nothing on the disk that has a name. */
void io_check(struct run *run);

/* What the parts of loadgen io share: the options as given, and the state of a run. */

#define IO_DEFAULT_FILE_BYTES (8ull << 30)
#define IO_LEAST_FILE_BYTES   ((double)(64u << 20)) /* by default */
#define IO_WRITTEN_S          60.0                  /* of a rate */
#define IO_SEQUENTIAL_BLOCK   (1ull << 20)
#define IO_RANDOM_BLOCK       512ull
#define IO_PHASES_BLOCK       8192ull /* as Bonnie++ */
#define IO_SEEKERS            5       /* as Bonnie++ 2.00 */

struct io_settings {
    bool sequential, random, read, write;
    double read_percent; /* --mix */
    uint64_t block_bytes;
    uint64_t depth;
    int sync; /* enum io_sync */
    const char *folder;
    uint64_t file_bytes;
    bool phases;
    uint64_t char_bytes, seeks; /* of --phases */
    bool keep, cached, sparse, allow_memory, show_device;
};

struct io_state {
    struct io_plan plan;
    struct io_file file;
    struct device device;
    bool open;          /* it has begun to be made ready */
    const char *engine; /* "pwrite", "io_uring", "threads" */
    unsigned warned;    /* verdicts that a mark has warned of: 1 << verdict */
};

static inline struct io_settings *io_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct io_state *io_state_of(const struct run *run)
{
    return run->state;
}

/* The work file, made ready for the workers. */

struct io_file;
struct run;

/* Makes or takes a work file. Signals wait while it is written, which polls for them;
 * afterwards they are delivered, and end the load in the usual way. 0, or -1 with the
 * reason. */
int io_work_file(struct run *run, struct io_file *file, struct io_error *error);

/* ---- phases.c ---- */

/* --phases: what Bonnie reports, in its order, one after the other. load.h's instead: measures all
 * phases on a file of its own, that has no name; reports an event `phase` for each and a `summary`.
 * Returns the exit code. */
int io_phases(struct run *run);

#endif
