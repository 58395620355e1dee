#ifndef REPORT_LEGEND_H
#define REPORT_LEGEND_H

#include "experiment.h"

#include "harness/stats/objective.h"

/* What the figures of a table are: which statistic, at which level. */

struct legend {
    double level;             /* of each interval, as 0.95; NAN: not the same in all of them */
    double family;            /* the level at which all of its family hold at once */
    unsigned intervals;       /* of a family; 1: each holds by itself */
    const char *members;      /* what they are of, "metrics" */
    unsigned fewest, most;    /* sessions that a figure is over; 0: it is of one alone */
    enum statistic statistic; /* STATISTICS: not the same in all of them */
    double unseen;            /* what this share of runs does, none of a condition's may show */
    double runs;              /* of the condition with the fewest; 0: not known */
    char main[64];            /* the metric of the main columns, in words */
    bool mixed;               /* it is not the same in all of them */
    bool timed;               /* it is the wall time: its ratios are slowdowns */
    bool higher;              /* there are ratios of a metric that is better when it is higher */
};

/* Of one experiment. */
struct legend legend_of(const struct experiment *experiment);
/* Of both. */
struct legend legend_join(struct legend a, struct legend b);

/* The texts are to be freed. */

/* "95 %"; "confidence" where levels differ. */
char *legend_level(const struct legend *legend);
/* "mean ± 95 %", "median [95 %]". */
char *legend_figure(const struct legend *legend);
/* What is said below the tables: "± and [ ] are 98.75 % confidence intervals (95 %
 * for the 4 metrics together)". */
char *legend_key(const struct legend *legend);
/* What intervals cover: "for repetitions in the same session: ...". */
char *legend_scope(const struct legend *legend);
/* "median"; NULL: slowdowns are the typical ones, or ratios of means, or not all of the same
 * statistic. */
char *legend_statistic(const struct legend *legend);
/* "15 runs may not show what happens in 1 of 6 (95 %)"; NULL: not known. */
char *legend_unseen(const struct legend *legend);

#endif
