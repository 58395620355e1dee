#ifndef STATS_METRICS_H
#define STATS_METRICS_H

#include "session.h"
#include "statistic.h"

#include "harness/record/settings.h"

// The figures of an experiment: which statistic, with which interval.

// The location of one metric in one condition. Uses the runs so far. Without bounds,
// and with an infinite error, where a run timed out: the center is then a lower bound.
struct location metric_location(struct session *session, size_t condition, size_t metric);

// Variance of the mean of its values, with what dependence and having looked may cost.
double metric_mean_variance(const struct session *session, size_t condition, size_t metric);

// Probability that the runs depend on each other, if that is as likely as not
// before they are seen.
double metric_dependence(const struct session *session, size_t metric);

// The correlation of neighbouring runs to be expected then.
double metric_rho(const struct session *session, size_t metric);

// How many times the statistic of what it is compared with the condition's is, or the other
// way round where more is better: above 1 is worse. NAN, with an infinite error, where a run
// of either timed out. With a gate the interval is that of the look after so many blocks
// (settings.h); else that of one look, widened for a number of runs that was chosen by looking.
struct interval metric_ratio(struct session *session, struct ratio of);

// Whether the ratio changes within the experiment: neighbouring pairs resemble each other, or
// drift. Its interval allows for that as far as so few pairs show it.
bool metric_is_unsteady(struct session *session, struct ratio of);

// Whether it may, and more blocks would show it.
bool metric_is_suspect(struct session *session, struct ratio of);

// The correlation of neighbouring pairs to be expected.
double metric_pairs_rho(struct session *session, struct ratio of);

// How many times x's mean y's is, of any two figures that were measured in the same blocks of
// the session: with the statistic and the care of its own ratios.
struct interval metric_pairs_ratio(struct session *session, const struct pairs *pairs);

// The typical ratio, whatever the session's statistic is.
struct interval metric_typical(struct session *session, struct ratio of);

// The ratio of the means of any pairs, whatever the session's statistic is, at one look.
struct interval metric_mean_ratio(struct session *session, const struct pairs *pairs,
                                  enum against against, bool higher_is_better);

// The two groups that its pairs fall into, further apart than the requested error. None where a run
// of either timed out.
struct groups metric_groups(const struct session *session, struct ratio of);

// The confidence that an interval of a ratio has after so many blocks.
double metric_confidence(const struct session *session, size_t blocks);
// The same after as many as are planned: one with a gate has it at each planned look.
double metric_planned_confidence(const struct session *session);

// What the interval of a ratio after so many blocks is made with: with a gate the
// confidence of that look. Belongs to the session, and is valid until the next call.
struct critical *metric_critical(struct session *session, size_t blocks);

// The same of what was recorded, as if a run that timed out had ended then.
struct interval metric_ratio_of_records(struct session *session, struct ratio of);

// Whether the metric is too small to be held to a relative error: a CPU time
// that is below the kernel's tick (whose split into user and system is then a
// matter of luck), or below 1 % of the wall time, in this condition and in what
// it is compared with; one of what jostle counts that is 0 there, so that there is no
// ratio to it; or one that jostle measures and no run reports.
bool metric_is_negligible(const struct session *session, size_t condition, size_t metric);

// Whether the metric decides there, and is not negligible.
bool metric_is_asked(const struct session *session, size_t condition, size_t metric);

// The largest error among the metrics that were chosen and are not
// negligible, in one condition: of the ratio that decides, or of the mean where there is
// only one condition. 0 if there is none.
double metric_worst_error(struct session *session, size_t condition);

// What the baseline shows against itself at most; 0 without --aa.
double metric_noise_floor(struct session *session, size_t metric);

// Whether it can be known at all: no run timed out, and of the typical ratio there are pairs enough
// for metric_effect_p().
bool metric_is_judged(struct session *session, struct ratio of);

// Whether there is an effect, taken by itself (judgement.h has what is said of it): the interval of
// the ratio is away from 1, it is above the noise floor, and where the ratio is the typical one
// metric_effect_p() confirms it.
bool metric_is_distinguishable(struct session *session, struct ratio of);

// Whether the interval is away from 1 and metric_effect_p() does not confirm it, of a typical
// ratio.
bool metric_is_hidden(struct session *session, struct ratio of);

// The p value of a ratio.

// Two-sided p of "the ratio is 1": the smallest 1 - confidence at which the
// ratio's interval leaves 1 out, so that p and interval never contradict each
// other, whatever corrections the interval has. At least SIGNIFICANCE_LEAST;
// NAN where there is no interval, or one without a width.
double significance_p(struct session *session, struct ratio of);

// The same of any two figures that were measured in the same blocks, whose ratio is that of
// metric_pairs_ratio().
double significance_of_pairs(struct session *session, const struct pairs *pairs);

// The same of any ratio: `interval` gives it at the confidence 1 - p.
double significance_of(struct interval (*interval)(const void *user, double p), const void *user);

// Smaller ones say no more: the tails of real runs are not known that far out.
#define SIGNIFICANCE_LEAST 1e-12

#endif
