#ifndef PRESSURE_INVERT_H
#define PRESSURE_INVERT_H

/* Which levels of our own loads explain what the reporters read?
 *
 * Model: log ratio of reporter r = sum over kinds k of curve_k,r(level_k) + noise, where the
 * curves were calibrated at some levels, are linear in between, and 0 at level 0. Levels are
 * found by weighted least squares, none below 0. The interval of a level is the band of all
 * levels that the readings do not reject: profile likelihood, the other levels free (Venzon and
 * Moolgavkar, 1988). It is one-sided at 0, and open above where the curve is flat. Where
 * the residuals are larger than the covariance says, it is widened by their ratio
 * (Birge, 1932).
 *
 * Pure functions of their input: no clock, no chance, no input or output. */

#include <stdbool.h>
#include <stddef.h>

enum { INVERT_REPORTERS = 16, INVERT_KINDS = 8, INVERT_POINTS = 9 };

/* What each reporter does beside each kind of load. */
struct invert_curves {
    size_t reporters, kinds, points;
    double level[INVERT_POINTS]; /* rising from 0 to 1, as fractions */
    /* Log ratio, and the variance of it. A kind without a curve here: usable is false. A
     * reporter that was not calibrated beside a kind: NAN; it is left out of everything. */
    double value[INVERT_KINDS][INVERT_POINTS][INVERT_REPORTERS];
    double variance[INVERT_KINDS][INVERT_POINTS][INVERT_REPORTERS];
    bool usable[INVERT_KINDS];
};

/* What the reporters read now, as log ratios to the quiet machine. */
struct invert_reading {
    double log_ratio[INVERT_REPORTERS]; /* NAN: no reading */
    /* Of the log ratios, with what is not known of the quiet medians in it. Rows and columns of
     * missing readings are ignored. */
    double covariance[INVERT_REPORTERS][INVERT_REPORTERS];
};

struct invert_level {
    bool known;   /* false: no curve, or no reporter that this kind moves; nothing else holds */
    double level; /* the estimate, 0 to 1: fewest kinds first */
    double lo, hi;
    bool open;   /* the upper end is not bounded by the readings: "at least lo" */
    bool beyond; /* more than the calibrated 1, which level, lo and hi are cut off at */
    double p;    /* of "this load is not there", one-sided */
    bool seen;   /* p is below (1 - confidence) / number of kinds: surely there */
};

/* Whether any load is there, also where it cannot be told which. */
struct invert_any {
    double p;  /* of "no load is there": the least of those of each kind alone, times their number
                  (Bonferroni); 1 at most */
    bool seen; /* p is below 1 - confidence */
    /* Kinds each of which alone explains the readings no worse than chance has it, and at which
     * level; NAN: this one does not. */
    double alone[INVERT_KINDS];
};

struct inversion {
    struct invert_level level[INVERT_KINDS];
    struct invert_any any;
    size_t reporters;  /* how many were used */
    double chi_square; /* of the residuals at the best levels */
    size_t freedom;    /* their degrees of freedom, were all kinds there; 0: they say nothing
                          about the fit */
    double misfit_p;   /* small: no mixture of our loads explains the readings; 1: cannot be told */
};

/* confidence: of the interval of each level, such as 0.95. False: nothing can be said, because
 * no reading has a curve, or the covariance is not positive definite. */
bool invert_levels(const struct invert_curves *curves, const struct invert_reading *reading,
                   double confidence, struct inversion *inversion);

/* Chi-square of the readings at the best levels, all kinds free, and its degrees of freedom as in
 * struct inversion. False as above. */
bool invert_misfit(const struct invert_curves *curves, const struct invert_reading *reading,
                   double *chi_square, size_t *freedom);

struct invert_effect {
    double estimate, lo, hi;
};

/* What the levels come to for a program: effect[k][p] is what kind k at the calibrated level p
 * does to it, such as the log of its slowdown, 0 at level 0, linear in between, and added up over
 * the kinds. The estimate is of the levels of invert_levels(); the interval is the band of
 * effects of all mixtures that the readings do not reject, so that two kinds that look alike
 * do not count twice. Levels above 1 count as 1. False as above. */
bool invert_effect(const struct invert_curves *curves, const struct invert_reading *reading,
                   double confidence, const double effect[INVERT_KINDS][INVERT_POINTS],
                   struct invert_effect *result);

/* The log ratio of a reporter, and its variance from the curve, at a level of one kind. NAN:
 * not calibrated. */
double invert_curve_at(const struct invert_curves *curves, size_t kind, size_t reporter,
                       double level, double *variance);

#endif
