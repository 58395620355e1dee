#ifndef REPORT_DRAWN_H
#define REPORT_DRAWN_H

#include "experiment.h"

/* What the page's plots need of a cell after its records are gone. */

enum { STRIP_MOST = 60 }; /* points that stand for a row of runs */

struct spread {
    double strip[STRIP_MOST];
    size_t count; /* of strip; 0: nothing known */
    double low, quarter, median, three_quarters, high;
};

/* Of one metric. */
struct drawn {
    char *metric; /* in words */
    char *metric_unit;
    bool timed;                          /* it is the wall time: its ratios are slowdowns */
    bool main;                           /* metric of its experiment */
    const char *experiment;              /* name of its folder */
    char *row, *load, *condition, *unit; /* visible; load and condition "" for none */
    double level;                        /* NAN: no number */
    char *level_unit, *level_text;
    double ratio, low, high; /* NAN: not known */
    bool sure;
    double offered, achieved; /* NAN: not known */
    bool is_short;
    struct spread loaded; /* as multiples of the baseline's median */
    double *alone;        /* the baseline's runs, likewise */
    size_t alone_count;
    double alone_median;
};

/* One for each metric of --metric; none of a search for capacities. */
struct drawings {
    struct drawn *item;
    size_t count;
};

struct drawings *drawings_make(const struct cell *cell);
void drawings_free(struct drawings *drawings);

/* Sorts values. */
void spread_of(struct spread *spread, double *values, size_t count);

/* The runs of a cell in order, for each metric of --metric, the main one first:
 * [{metric, main, svg, alone, loaded, runs, thinned}], JSON to be freed. */
char *drawn_orders(const struct cell *cell);

#endif
