#ifndef LOADGEN_CALIBRATION_H
#define LOADGEN_CALIBRATION_H

/* What `--limit 50%` is half of: rates that were measured once and kept.
 *
 * A calibration is known by the host, its CPU (see common/save.h), the load, the canonical text
 * of those of its options that a rate depends on (.measured), and what it is of besides:
 * the CPUs of pinned workers, and run->subject. It is one line of
 * JSON (jostle.calibration/1, see results/schema/) in
 *
 *     ${XDG_CACHE_HOME:-~/.cache}/jostle/calibration/HOST.LOAD.OPTIONS.json
 *
 * or in the file of --calibration. */

#include "histogram.h"
#include "load.h"

#include <jansson.h>
#include <stddef.h>

/* The share of the machine's CPUs that others may use while a rate is measured: beyond it that is
 * said whenever the rate is used. */
#define CALIBRATION_BUSY 0.05

/* What a rate is measured of. */
struct calibration_key {
    char host[256];
    char machine[192]; /* "AMD EPYC, 2 CPUs" */
    const char *load;
    char options[CPUS_TEXT + 1024]; /* "--kernel triad --threads 2" */
    char subject[CPUS_TEXT + 1536]; /* "CPU 0-1", "vda1 (ext4)"; "" where options say it all */
};

/* After check(). Options too long for a key end the program with exit 2. */
void calibration_key(const struct run *run, struct calibration_key *key);
/* The kept file of a key, whether it is there or not; -1: no place for one. */
int calibration_path(const struct calibration_key *key, char path[PATH_MAX]);
/* What a record (jostle.calibration/1; NULL: none) says, if it is one of the key: found without
 * its path. False, and *found as it was: it is not. */
bool calibration_take(const json_t *record, const struct calibration_key *key,
                      struct calibration_found *found);
/* The calibration that fits this run: of --calibration FILE, else the kept one.
 * 0; or -1, and error says what was wrong and what to do. */
int calibration_find(const struct run *run, struct calibration_found *found, char *error,
                     size_t size);
/* Adds the fields calibration and calibration_age_s, if one was used. */
void calibration_describe(const struct run *run, struct line *line);

/* What the text of --limit and of `rate` lines means to a load. */

struct run;

/* Base units a second for all workers together into *rate. On failure returns -1
 * and writes what was wrong and what to do into error. */
int rate_of(struct run *run, const char *text, double *rate, char *error, size_t size);
/* The same for loads without a meaning of their own: bytes for loads that count
 * bytes, operations for those that count operations, percent of a calibration. */
int rate_usual(struct run *run, const char *text, double *rate, char *error, size_t size);
/* The same for loads whose operation is several units in a row, and sets run->quantum, how many:
 * as many as keep the rate in so many steps a second, 1 to `most`. Each step takes a sleep, which
 * is a context switch. Once workers run the quantum stays as it is. */
int rate_in_steps(struct run *run, const char *text, double most, double steps_per_s, double *rate,
                  char *error, size_t size);

/* Runs a load without a limit for a calibration, and judges its one-second rates. */

struct measured {
    struct steady steady;   /* of the one-second rates; slope in percent a second */
    double rate;            /* base units a second over all of it */
    double operations;      /* a second */
    double foreign;         /* share of the machine's CPUs that others used; NAN: unknown */
    struct snapshot window; /* all figures of that time */
    /* Objects of the load's own fields, of `ready` and of `summary`, while it ran. */
    struct line ready, summary;
};

/* Drives the engine from start to stop: a ramp of a fifth of length_ns (1 s at
 * most), then length_ns in samples of a second (five shorter ones if length_ns is
 * below that). What the load's prepare() made is the caller's to clean up. 0; or
 * -1, and error says what was wrong. */
int measure(struct run *run, int64_t length_ns, struct measured *measured, char *error,
            size_t size);
/* Takes NULL, too. */
void measured_free(struct measured *measured);
/* The fields unit, rate, operations_per_s, minimum, maximum, sd, spread_percent,
 * slope_percent_per_s, steady, cpu_s; and p50_ns, p99_ns if the load has operations. */
void measured_write(struct line *line, const struct run *run, const struct measured *measured);
/* One line for people: title and rate, spread, slope; a complaint if not steady. */
void measured_print(struct run *run, const char *title, const struct measured *measured);

#endif
