/* loadgen io's own parts, known to each other: the options, and what the
 * workers share. options.c has the options, io.c the load, check.c its check
 * on itself, calib.c the calibration, entry.c what is kept of one. */
#ifndef JOSTLE_IO_H
#define JOSTLE_IO_H

#include "calibration.h"
#include "io/device.h"
#include "io/path.h"
#include "io/ring.h"
#include "load.h"

#include <limits.h>

#define IO_DEFAULT_FILE_BYTES (8ull << 30)
#define IO_SEQUENTIAL_BLOCK   (1ull << 20)
#define IO_RANDOM_BLOCK       512ull
#define IO_LARGEST_RATE_BYTES 1e12 /* a limit above these was a mistake */
#define IO_LARGEST_RATE_OPS   1e8

struct io_settings {
    bool sequential, random, read, write;
    double read_percent; /* --mix */
    uint64_t block_bytes;
    uint64_t depth;
    int sync; /* enum io_sync */
    const char *folder;
    uint64_t file_bytes;
    bool keep, cached, allow_memory, calib, show_device;
    const char *calibration; /* file with the entry that percentages are of */
};

/* What one worker moved, written by it alone. */
struct io_moved {
    _Alignas(64) _Atomic uint64_t read_bytes;
    _Atomic uint64_t written_bytes;
};

struct io_state {
    struct io_plan plan;
    struct io_file file;
    struct io_device device;
    bool open;                            /* file and plan are */
    struct io_moved *moved;               /* run->threads of them */
    const char *path;                     /* "pwrite", "io_uring", "threads" */
    unsigned warned;                      /* verdicts that a mark has warned of: 1 << verdict */
    struct calibration_found calibration; /* that a percentage was of */
};

/* run->load of `io`, and of `io --cached`, which is a load of its own. */
extern const struct load io_load, io_cached_load;

static inline struct io_settings *io_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct io_state *io_state_of(const struct run *run)
{
    return run->state;
}

/* "write", "read", "mix 70". Returns text. */
const char *io_access_name(const struct io_plan *plan, char *text, size_t size);
const char *io_sync_name(enum io_sync sync);
/* Set run->unit and run->quantum by the plan. */
void io_set_unit(struct run *run);
/* run_warn(); in place of load (a calibration) a line on stderr. */
void io_warn(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- options.c: load.h's settings, check and rate ---- */

extern const struct setting io_options[];

/* Makes run->state with the folder, its device and the plan, and refuses (exit 2)
 * what cannot be. Creates nothing on the disk that has a name. */
void io_check(struct run *run);
int io_rate(struct run *run, const char *text, double *rate, char *error, size_t size);

/* ---- io.c ---- */

/* The work file, ready and open by the plan; and room for what is moved. 0, or
 * -1 with the reason. */
int io_open(struct run *run, struct io_error *error);
void io_close(struct run *run);

/* ---- check.c: load.h's count, fields and notes ---- */

enum io_counter {
    IO_DEVICE_READ,
    IO_DEVICE_WRITTEN,
    IO_SELF_READ,
    IO_SELF_WRITTEN,
    IO_CLAIMED_READ,
    IO_CLAIMED_WRITTEN
};

void io_count(struct run *run, double counters[LOAD_COUNTERS]);
void io_fields(struct run *run, const struct snapshot *window, struct line *line);
void io_notes(struct run *run, const char *event, const struct snapshot *window);
/* Device bytes / claimed bytes, in the directions that the load uses; NAN
 * without either. */
double io_device_ratio(const struct run *run, const struct snapshot *window);
/* What the comparison says: one sentence into text, or "" with IO_AGREES. */
enum io_verdict { IO_AGREES, IO_DEVICE_LESS, IO_DEVICE_MORE };
enum io_verdict io_judge(const struct run *run, const struct snapshot *window, char *text,
                         size_t size);

/* ---- calib.c ---- */

/* loadgen io --calib. Returns the exit status. */
int io_calibrate(struct run *run);

/* ---- entry.c ---- */

/* percent of the calibrated rate (base units a second) for the run's plan. 0; or
 * -1, and error says how to make a calibration. */
int io_entry_rate(struct run *run, double percent, double *rate, char *error, size_t size);
/* By what a record of blocks of these sizes is kept. */
void io_entry_key(const struct io_state *state, uint64_t sequential_bytes, uint64_t random_bytes,
                  struct calibration_key *key);

#endif
