#ifndef PRESSURE_REFERENCE_H
#define PRESSURE_REFERENCE_H

/* What this machine gives when it is quiet, and what each reporter does beside each kind of load:
 * a jostle.probe-reference/1, one file for each host and place, which `jostle probe --reference`
 * makes. Pure but for the reading of that file. */

#include "harness/pressure/activity_table.h"
#include "harness/pressure/identity.h"
#include "harness/pressure/invert.h"
#include "harness/pressure/kinds.h"
#include "harness/pressure/reporter_table.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum {
    REFERENCE_POINTS = 5, /* levels: 0, 0.25, 0.5, 0.75, 1 */
    REFERENCE_DAYS = 90,  /* an older one is doubtful */
};

/* A reporter on the quiet machine. NAN: not known. */
struct reference_quiet {
    char reason[256];   /* why it cannot work here; "": it can, and value is known */
    double value;       /* geometric mean, of all quiet runs: what log ratios refer to */
    double error;       /* standard error of its logarithm */
    double median;      /* of the quiet runs */
    double spread;      /* robust standard deviation of the logarithm of a window */
    double correlation; /* of neighbouring windows */
    double between;     /* robust standard deviation of the logarithm of a run (sample_s long)
                           from block to block: what more windows at one time do not average away */
    double freedom;     /* degrees of freedom of between */
    size_t windows;     /* that spread and correlation are of */
    size_t runs;        /* that value, median and between are of */
};

/* What others do on the quiet machine, in the activity's unit. NAN: not known. */
struct reference_activity {
    double value;
    double between; /* robust standard deviation, from run to run */
};

struct reference {
    char file[PATH_MAX]; /* "": made up */
    char host[256], place[32], made[40], jostle[32], kernel[512];
    char target_cpus[1024], load_cpus[1024];
    char machine[IDENTITY_DIGITS + 1]; /* identity_of() */
    char disturbed[512];               /* what was going on meanwhile; "": the machine was quiet */
    double sample_s;                   /* length of a run's sample */
    struct reference_quiet quiet[REPORTERS];
    struct reference_activity activity[ACTIVITIES];
    /* By enum kind and sign (SIGNS: reporters, then activities), at REFERENCE_POINTS levels;
     * fitted (curve.h). Of an activity it is what the load adds, in its unit. */
    struct invert_curves curves;
    double achieved[KINDS][REFERENCE_POINTS]; /* of what was offered; NAN: not known */
    char kind_reason[KINDS][256];             /* why a kind has no curve; "": it has */
};

/* Without any figure: NAN throughout, every reason "not measured". */
void reference_begin(struct reference *reference);

/* The file that is kept for this host and place ("machine", "core", ...), whether it is there or
 * not; for other hosts' files see kept_path(). False: neither HOME nor XDG_CACHE_HOME is set. */
bool reference_path(const char *place, char path[PATH_MAX]);

/* Reads a file. False: why says what was wrong, and what to do, on one line without the path. */
bool reference_read(const char *path, struct reference *reference, char *why, size_t size);
/* The same from its JSON. */
bool reference_from_json(const json_t *record, struct reference *reference, char *why, size_t size);

enum reference_fitness {
    REFERENCE_FIT,
    REFERENCE_DOUBTFUL, /* old, of another kernel or version, taken under load: say so beside each
                           figure */
    REFERENCE_UNFIT,    /* of another machine or place: no figure */
};

/* Whether it says something about a machine (`environment` of an experiment.json, such as
 * environment_to_json() gives) at a time and place (NULL: any). why: all that is against it, with
 * what to do, on one line; "" where nothing is. */
enum reference_fitness reference_judge(const struct reference *reference, const json_t *environment,
                                       const char *place, time_t now, char *why, size_t size);

#endif
