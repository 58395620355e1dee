#ifndef LOADGEN_CALIBRATION_H
#define LOADGEN_CALIBRATION_H

/* What `--limit 50%` is half of: rates that were measured once and kept.
 *
 * `loadgen LOAD --calib [SECONDS]` measures without a limit, and writes one line
 * of JSON (jostle.calibration/1, see results/schema/): to stdout with --json;
 * and to the file of --calibration FILE, or without that into
 *
 *     ${XDG_CACHE_HOME:-~/.cache}/jostle/calibration/HOST.PART.PART....LOAD.json
 *
 * (a flag that is true by its name, one that is false not at all) by rename, over an older one of
 * the same host and parts. A percentage then takes the file of --calibration FILE, or the newest
 * there that fits: the same schema, load, host, and each part of the key a field with the same
 * value.
 *
 * The top level of a record begins with schema, load, created, host; a load's
 * own fields follow. A name must not stand in it twice unless the second one is
 * in a nested object behind the first. */

#include "load.h"

#include <limits.h>

#define CALIBRATION_SCHEMA   "jostle.calibration/1"
#define CALIBRATION_PARTS    12
#define CALIBRATION_LONGEST  65536          /* bytes of a record that are read */
#define CALIBRATION_MOST     1000.0         /* more percent than anybody could mean */
#define CALIBRATION_OLD_S    (30 * 86400.0) /* worth a warning */
#define CALIBRATION_USUAL_NS 10000000000    /* --calib without SECONDS */
#define CALIBRATION_HELP_FILE                                                                      \
    "calibration that --limit N% refers to (default: the newest that fits, in "                    \
    "$XDG_CACHE_HOME/jostle/calibration); with --calib, the file to write (default: kept there)"

/* ---- what a rate was measured of ---- */

struct calibration_part {
    const char *name; /* the record's field */
    char value[256];
    bool quoted; /* a string in JSON */
};

struct calibration_key {
    const char *load; /* "mem" */
    unsigned count;
    struct calibration_part parts[CALIBRATION_PARTS];
};

void calibration_key(struct calibration_key *key, const char *load);
/* Adds a part. More than CALIBRATION_PARTS is a mistake of the caller: abort(). */
void calibration_key_text(struct calibration_key *key, const char *name, const char *value);
void calibration_key_count(struct calibration_key *key, const char *name, uint64_t value);
void calibration_key_flag(struct calibration_key *key, const char *name, bool value);

/* ---- writing ---- */

/* SECONDS behind --calib as nanoseconds, 0.5 s to a day; wrong ones: exit 2. */
int64_t calibration_length_ns(const struct run *run);
/* Refuses (exit 2) what does not go with --calib: --control, --limit. And, when
 * calib is false, words behind the options, which only --calib takes. */
void calibration_check_options(const struct run *run, bool calib);
/* Opens the line with schema, load, created, host. */
void calibration_begin(struct line *line, const char *load);
/* Adds each part of the key as a field. */
void calibration_write_key(struct line *line, const struct calibration_key *key);
/* The closed line: to stdout with --json; to `file`, or where it is NULL into the
 * user's folder by the key, which is made if it is missing. Returns the exit
 * status, after saying what went wrong. */
int calibration_keep(struct run *run, const struct calibration_key *key, const struct line *line,
                     const char *file);

/* ---- reading ---- */

/* Where in a record the rate is; NAN: not there. text is the record's JSON. */
typedef double calibration_reader(const char *text, const void *context);

struct calibration_query {
    const struct calibration_key *key;
    const char *file;         /* of --calibration; NULL: look in the user's folder */
    const char *what;         /* for an error: what is asked for, "triad with 2 threads" */
    const char *make;         /* for an error: the command that makes one */
    calibration_reader *read; /* NULL: the top-level field "rate" */
    const void *context;      /* for read */
};

/* What was found; all zero: nothing. Lives in the load's state, for describe(). */
struct calibration_found {
    char path[PATH_MAX];
    double rate; /* 100 %, in base units a second */
    double age_s;
};

/* percent of the kept rate, into *rate; people are told of what and how old, an
 * old one is a warning. 0; or -1, and error says what was wrong and what to do. */
int calibration_percent(struct run *run, const struct calibration_query *query, double percent,
                        struct calibration_found *found, double *rate, char *error, size_t size);
/* Adds the fields calibration and calibration_age_s, if one was used. */
void calibration_describe(struct line *line, const struct calibration_found *found);

/* The text after "NAME": at or after `from`; NULL if there is none. */
const char *calibration_value(const char *from, const char *name);
double calibration_number(const char *from, const char *name); /* NAN: none */

#endif
