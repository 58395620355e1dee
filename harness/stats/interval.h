#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>

// Intervals: what is estimated, its bounds, and how far it may be off.

struct interval {
    double center; // the estimate
    double low, high;
    double error;  // half the width / center; INFINITY where there are no bounds
    bool constant; // no variation: both bounds are the center, which is no interval
};

// Student's t quantiles of one confidence level, by degrees of freedom. GSL
// takes microseconds for each, and the rule asks for one after every run.
struct critical {
    double confidence; // two-sided
    double *quantile;  // [df], filled when first needed, 0 = not yet
    size_t size;
    size_t *bound; // of signed ranks (interval.h), [differences], SIZE_MAX = not yet
};

void critical_init(struct critical *critical, double confidence);
void critical_free(struct critical *critical);

// The two-sided quantile t with P(|T| <= t) = confidence; df may be a fraction.
double critical_t(struct critical *critical, double df);

// An estimate without bounds: its error is INFINITY.
struct interval interval_unbounded(double center);

// A figure without variation: its error is 0, and it delays no decision.
struct interval interval_constant(double center);

// An estimate with those bounds, and the error that they make it.
struct interval interval_between(double center, double low, double high);

// Whether 1 is outside: of a ratio, a difference.
bool interval_excludes_one(const struct interval *ratio);

// In another unit.
struct interval interval_scaled(struct interval interval, double factor);

// Of what cannot be negative, such as a time or a ratio of times: no bound below 0.
struct interval interval_positive(struct interval interval);

// Mean of n values with that variance (n-1): mean -+ t * widen * s / sqrt(n).
struct interval interval_mean(struct critical *critical, double mean, double variance, size_t n,
                              double widen);

// Pairs (x, y), y measured in the same block as x, and sums over them.
struct pairs {
    double *x, *y; // in the order of the blocks
    size_t count, capacity;
    double mean_x, mean_y, xx, xy, yy; // xx, xy, yy: sums about the means
};

// Adds a pair to the sums alone; or appends it, too.
void pairs_sum(struct pairs *pairs, double x, double y);
void pairs_add(struct pairs *pairs, double x, double y);

// Empties them, and keeps their memory for the next experiment.
void pairs_clear(struct pairs *pairs);

void pairs_free(struct pairs *pairs);

// Ratio of the means y/x from pairs: all r for which the mean of y - r x does
// not differ from 0 by a paired t test. E. C. Fieller, "Some problems in
// interval estimation", J. R. Statist. Soc. B 16 (1954) 175-185. A drift that
// scales both values of a pair cancels. Without bounds (x not surely above 0)
// the error is INFINITY. Student's t may differ between the two bounds: where the
// values are skewed, one side needs more.
struct interval interval_ratio(const struct pairs *pairs, double t_low, double t_high);

// Ratios are held so that above 1 is worse, whatever the metric; people say the plain quotient,
// condition / reference: the same where lower is better, and the inverse where higher is. Its error
// is half the width of its own interval, relative; INFINITY without bounds.
struct interval interval_of_reference(const struct interval *ratio, bool higher_is_better);

// What a problem does to a ratio, and what remains of a verdict on that ratio beside it.

enum verdict { VERDICT_UNDECIDED, VERDICT_BELOW, VERDICT_ABOVE, VERDICTS };

extern const char *const verdict_names[VERDICTS];

// What bounds say of a limit: all of them below it, or above; NAN: nothing is known.
enum verdict verdict_by_bounds(double low, double high, double at_most);
// Of several: above if one is, below if all are.
enum verdict verdict_joined(enum verdict one, enum verdict other);

// Of ratios of the problem's condition and metric. LOW: they are lower than the truth, so what is
// above a limit is so all the more. ALL: of each condition, as what they are compared with is
// concerned.
enum bias { BIAS_ANY, BIAS_LOW, BIAS_ALL, BIAS_ALL_LOW, BIAS_NONE, BIASES };

// As results name them; NULL: none.
extern const char *const bias_names[BIASES];

bool bias_is_of_all(enum bias bias);

// What remains of a verdict on a ratio to the same alone, or of two variants.
enum verdict bias_beside(enum bias bias, enum verdict verdict, bool variants);

// Relations: what the interval of a ratio says of the two that it compares.

enum relation { RELATION_UNDECIDED, RELATION_BETTER, RELATION_WORSE, RELATION_SAME, RELATIONS };

// Whether a figure of that unit is a time of which less is better, so that one speaks of faster
// and slower.
bool relation_is_time(const char *unit, bool higher_is_better);

// In the words of times, and of figures that are none (`is_time`).
const char *relation_name(enum relation relation, bool is_time);

// Of a ratio of which more than 1 is worse. `same`: the whole interval is within
// [1 / (1 + tolerance), 1 + tolerance]; it is the result of two one-sided tests
// (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680), each at half the
// interval's error rate. It comes before `better` and `worse`: a difference that is known
// to be so small is none. A tolerance of 0: nothing is called the same, not even what has no
// variation.
enum relation relation_of(const struct interval *ratio, double tolerance);

// Which of many tests hold, although some succeed by chance.

// From p values, none of them NAN, to adjusted ones: q[i] is the least false
// discovery rate at which p[i] is still a discovery. Among those with a q of at most
// 5 %, at most 5 % are expected to be there by chance: Y. Benjamini and
// Y. Hochberg, "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995)
// 289-300. It holds for tests that depend on each other positively, such as those of
// several loads against one baseline: Y. Benjamini and D. Yekutieli, "The control of the
// false discovery rate in multiple testing under dependency", Ann. Statist. 29 (2001)
// 1165-1188, which for any other dependence needs p values that are 1 + 1/2 + ... + 1/n
// times smaller.
void discovery_rates(const double *p, double *q, size_t count);

// The second level of repetition: several sessions of one experiment.
//
// What is decided once for a session (placement in memory, the day, the node, the build) is
// in none of its runs' spread. So the sessions are what is repeated at random, and the
// interval of a figure over sessions is that of their means, however many runs each has:
// T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013,
// and "Quantifying performance changes with effect size confidence intervals",
// University of Kent, TR 4-12 (2012).

struct level_session {
    double base, loaded; // the figure of its baseline, and of its runs under load
    double error;        // standard error of loaded / base, by its own runs; NAN: not known
    size_t runs;         // pairs that it has of them
};

struct levels {
    struct interval ratio; // by Fieller, over the sessions; no bounds of fewer than two
    double p;              // two-sided, of the paired t test that the ratio inverts
    double between;        // standard deviation of the true ratio from session to session,
                           // over the ratio: what the runs do not explain; 0: they do
    double within;         // and of a single pair's ratio within a session; both NAN: not known
};

// At the confidence of `critical`.
struct levels levels_estimate(struct critical *critical, const struct level_session *session,
                              size_t count);

// Signed ranks: what differences that are as likely above as below show of their centre,
// whatever their distribution is (F. Wilcoxon, Biometrics Bulletin 1 (1945) 80-83).

// The centre of n > 0 ascending differences and its bounds: the median of the n (n + 1) / 2
// averages of two of them, each with itself included (J. L. Hodges and E. L. Lehmann, Ann.
// Math. Stat. 34 (1963) 598-611), and the averages that are `rank`-th from either end.
// Without bounds where rank is 0; `error` is not filled in.
struct interval ranks_interval(size_t rank, const double *sorted, size_t n);

// Which averages are the bounds, from 1: those outside are values that signed ranks exclude
// with that two-sided confidence. Exact, also where differences are alike, where the interval
// contains the centre more often. 0: n are too few.
size_t ranks_bound(struct critical *critical, size_t n);

// Whether there is an effect at all, asked of the order that the experiment drew itself: had the
// load done nothing, either run of a pair could as well have been the loaded one.

// Fewer differences never tell: all signs alike are 2 of 2^n.
enum { SIGNS_LEAST = 6 };

// The probability that differences whose signs are drawn anew are as far to one side as these,
// two-sided: by the largest of their mean, the mean of their signed ranks, and their mean where
// each counts as at most the size that three in four reach, each over what it is by chance (R. A.
// Fisher, "The Design of Experiments" (1935), section 21; the sum of squares does not change with
// the signs, so the first orders them as Student's t does). Exact up to 17 differences that are not
// 0; else of 9,999 draws, from `seed` alone. It is valid whatever the distribution of the
// differences is. NAN: too few, or one is not finite.
double signs_p(const double *difference, size_t n, unsigned long seed);

#endif
