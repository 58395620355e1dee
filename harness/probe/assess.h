#ifndef PROBE_ASSESS_H
#define PROBE_ASSESS_H

/* From what the reporters read and what the kernel shows to what it means: ratios to the quiet
 * machine, levels of our own loads, what a program has to expect, who is to blame. Pure: nothing
 * here measures, reads a file, or looks at a clock. */

#include "harness/pressure/activity_table.h"
#include "harness/pressure/invert.h"
#include "harness/pressure/kinds.h"
#include "harness/pressure/sensitivity.h"
#include "harness/probe/kernel.h"
#include "harness/probe/reporters.h"
#include "harness/probe/triage.h"

#include <jansson.h>
#include <stdbool.h>

/* What this machine reaches when it is quiet, and what loads do to it. Reporters and kinds are by
 * enum reporter and enum kind. */
struct baseline {
    double quiet[REPORTERS];   /* in the reporter's unit; NAN: it has none */
    double between[REPORTERS]; /* standard deviation of the log of a sample, from one quiet sample
                                  to another: spells that no longer sample averages away */
    double window[REPORTERS];  /* standard deviation of the log of a window; NAN: not known */
    double error[REPORTERS];   /* standard error of the log of `quiet` */
    /* What others do on the quiet machine, in the activity's unit, and its standard deviation; and
     * the most that a load of one kind adds, in whose share curves has activities. NAN: they say
     * nothing here. */
    double idle[ACTIVITIES], idle_spread[ACTIVITIES], most[ACTIVITIES];
    struct invert_curves curves; /* of all SIGNS */
};

/* An activity now: `value` in its unit, NAN where the kernel does not show it. */
struct assessed_activity {
    double value;
    double share, error; /* beyond the quiet machine, of the most that a load of one kind adds, at
                            most 1; its standard error. NAN: not known */
    bool used;           /* for levels: the reporters do not contradict it */
};

struct assessed_reporter {
    struct reading reading;
    double log_ratio; /* to the quiet machine, positive: worse; NAN: not known */
    double error;     /* standard error of it: of the reading, the spells and the reference */
    double spells;    /* the part of it that reporters of the core and of memory have in common */
};

enum limit_state { LIMIT_NONE, LIMIT_BELOW, LIMIT_ABOVE, LIMIT_UNDECIDED };

struct expectation {
    bool asked, known;
    double slowdown, lo, hi;
    double by_kind[KINDS]; /* the slowdown that each kind alone would cause */
    enum kind most;        /* the kind that carries most of it; KINDS: none */
    char reason[256];      /* of no number */
};

struct assessment {
    double confidence;
    struct assessed_reporter reporter[REPORTERS];
    struct assessed_activity activity[ACTIVITIES];
    /* p of the activities in use agreeing no better with the reporters by chance; NAN: none is in
     * use. */
    double agreement;
    bool has_levels;
    struct inversion inversion; /* by enum kind */
    struct kernel_facts facts;
    struct triage triage;
    struct expectation expectation;
    enum limit_state limit;
};

/* From the readings and what others do (activity, by enum activity, in its unit; NULL: not known);
 * baseline NULL: no ratios and no levels. */
void assess_readings(struct assessment *assessment, const struct reading readings[REPORTERS],
                     const double *activity, const struct baseline *baseline, double confidence);
/* The slowdown of a program, after assess_readings(). baseline as there. */
void assess_expectation(struct assessment *assessment, const struct baseline *baseline,
                        const struct sensitivity *sensitivity);
/* Instead of it: no number, and why. */
void assess_no_expectation(struct assessment *assessment, const char *why);
/* Nothing can be said about this level: from 0 to 1, all are possible. */
bool assess_open(const struct invert_level *level);
/* Against --at-most, after the former: a level as a fraction, or a slowdown where one was
 * expected. Kinds of which nothing can be said are left out; undecided where all are. */
void assess_limit(struct assessment *assessment, double at_most);
/* Who is to blame, last of all. */
void assess_blame(struct assessment *assessment, const struct kernel_facts *facts);

/* Standard error of an activity's share of the most that a load adds. */
double assess_share_error(const struct baseline *baseline, enum activity activity, double share);
/* The correlation of two reporters' spells: what slows one kernel on the CPU down, another guest
 * on the same core or host, slows the others, too. */
double assess_correlation(enum reporter one, enum reporter other);
/* Whether a longer sample would hardly change anything: what is left is spells. */
bool assess_settled(const struct assessment *assessment, const struct baseline *baseline);
/* The kind that is surely there with the highest level; KINDS: none is. */
enum kind assess_worst(const struct assessment *assessment);
/* The reporter that witnesses a kind, or REPORTERS. */
enum reporter assess_witness(enum kind kind);

#endif
