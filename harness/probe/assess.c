#include "harness/probe/assess.h"

#include "harness/pressure/agree.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Curves are straight between the levels that were measured, and loads do not quite add up: no
 * log ratio is better known than this, and than a share of it. */
#define MODEL_ERROR 0.01
#define MODEL_SHARE 0.05
/* A sample is long enough when its own error is below this, or half of what spells make. */
#define SMALL_ERROR 0.01

/* Activities are counted almost exactly. What they stand for is not: a load does a little more or
 * less than in the reference, curves are straight in between. No share is better known than this,
 * of the most that a load of one kind adds and of itself. */
#define ACTIVITY_FLOOR 0.03
#define ACTIVITY_SHARE 0.07

/* Where reporters and activities agree no better than this by chance, both may be right. */
#define DOUBT 0.2
/* In standard errors: no more than a quiet node's daemons do. */
#define IDLE 2

/* Of gauges right before and after a run with the run's time, on a virtual machine: R^2 is 0.4. */
#define SPELL_CORRELATION 0.5

static double square(double value)
{
    return value * value;
}

static void assess_ratio(struct assessed_reporter *assessed, enum reporter reporter,
                         const struct baseline *baseline)
{
    const struct reading *reading = &assessed->reading;
    assessed->log_ratio = assessed->error = assessed->spells = NAN;
    if (baseline == NULL || reading->reason != NULL || reading->n == 0 ||
        !isfinite(baseline->quiet[reporter]))
        return;
    /* Few windows may resemble each other by chance; fmax() passes NAN over. */
    const double few = baseline->window[reporter] / sqrt((double)reading->n);
    const double own = fmax(reading->error, few);
    assessed->log_ratio = reporter_log_ratio(reporter, reading->value, baseline->quiet[reporter]);
    assessed->spells = baseline->between[reporter];
    assessed->error = sqrt(square(fmax(isfinite(own) ? own : 0, baseline->between[reporter])) +
                           square(baseline->error[reporter]) + square(MODEL_ERROR));
}

double assess_share_error(const struct baseline *baseline, enum activity activity, double share)
{
    return sqrt(square(ACTIVITY_FLOOR) + square(ACTIVITY_SHARE * share) +
                square(baseline->idle_spread[activity] / baseline->most[activity]));
}

/* More than any load of ours does counts as the most: what a reference has not seen has no
 * level. */
static void assess_activity(struct assessed_activity *assessed, enum activity a, double value,
                            const struct baseline *baseline)
{
    *assessed = (struct assessed_activity){.value = value, .share = NAN, .error = NAN};
    if (baseline == NULL || !isfinite(value) || !isfinite(baseline->most[a]))
        return;
    const double share = fmin((value - baseline->idle[a]) / baseline->most[a], 1);
    assessed->share = share;
    assessed->error = assess_share_error(baseline, a, share);
}

/* What the inversion is given. active: with the activities in use. */
static void reading_of(const struct assessment *assessment, bool active,
                       struct invert_reading *reading)
{
    *reading = (struct invert_reading){0};
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        const struct assessed_activity *assessed = &assessment->activity[a];
        reading->log_ratio[REPORTERS + a] = active && assessed->used ? assessed->share : NAN;
        reading->covariance[REPORTERS + a][REPORTERS + a] = square(assessed->error);
    }
    for (enum reporter r = 0; r < REPORTERS; r++) {
        const struct assessed_reporter *assessed = &assessment->reporter[r];
        reading->log_ratio[r] = assessed->log_ratio;
        for (enum reporter other = 0; other < REPORTERS; other++)
            reading->covariance[r][other] = assess_correlation(r, other) * assessed->spells *
                                            assessment->reporter[other].spells;
        reading->covariance[r][r] =
            square(assessed->error) + square(MODEL_SHARE * assessed->log_ratio);
    }
}

/* Those that only need the CPU, and are timed by its clock. */
static bool is_of_core(enum reporter reporter)
{
    switch (reporter) {
    case REPORTER_ADDS:
    case REPORTER_L2:
    case REPORTER_L3:
    case REPORTER_MEMORY:
    case REPORTER_READ:
    case REPORTER_FAULTS:
        return true;
    case REPORTER_WAKE:
    case REPORTER_GAP:
    case REPORTER_DISK_READ:
    case REPORTER_DISK_WRITE:
    case REPORTER_LOOPBACK:
    case REPORTERS:
        break;
    }
    return false;
}

double assess_correlation(enum reporter one, enum reporter other)
{
    return one == other ? 1 : is_of_core(one) && is_of_core(other) ? SPELL_CORRELATION : 0;
}

/* Sets activities aside that the reporters contradict. */
static void find_used(struct assessment *assessment, const struct invert_curves *curves)
{
    struct invert_reading reading;
    bool used[INVERT_REPORTERS];
    for (enum activity a = 0; a < ACTIVITIES; a++)
        assessment->activity[a].used = isfinite(assessment->activity[a].share);
    reading_of(assessment, true, &reading);
    assessment->agreement = agree(curves, &reading, REPORTERS, used);
    size_t count = 0;
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        assessment->activity[a].used = used[REPORTERS + a];
        count += used[REPORTERS + a];
    }
    if (count == 0)
        assessment->agreement = NAN;
}

/* Whether the reporters may be right against the activities in use, though not surely so; as ever
 * where nobody here does anything: what another guest does, this kernel does not count. */
static bool is_doubtful(const struct assessment *assessment)
{
    bool idle = true;
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        const struct assessed_activity *one = &assessment->activity[a];
        idle = idle && !(one->used && one->share > IDLE * one->error);
    }
    return idle || assessment->agreement < DOUBT;
}

/* Then no level is excluded that is possible by the reporters alone. */
static void widen(struct assessment *assessment, const struct invert_curves *curves)
{
    struct invert_reading reading;
    struct inversion alone;
    reading_of(assessment, false, &reading);
    if (!is_doubtful(assessment) ||
        !invert_levels(curves, &reading, assessment->confidence, &alone))
        return;
    for (enum kind k = 0; k < KINDS; k++) {
        struct invert_level *level = &assessment->inversion.level[k];
        const struct invert_level *other = &alone.level[k];
        if (!level->known || !other->known)
            continue;
        level->lo = fmin(level->lo, other->lo);
        level->hi = fmax(level->hi, other->hi);
        level->open = level->open || other->open || (other->beyond && !level->beyond);
        level->beyond = level->beyond && other->beyond;
    }
}

void assess_readings(struct assessment *assessment, const struct reading readings[REPORTERS],
                     const double *activity, const struct baseline *baseline, double confidence)
{
    struct invert_reading reading;
    *assessment = (struct assessment){.confidence = confidence, .agreement = NAN};
    for (enum reporter r = 0; r < REPORTERS; r++) {
        assessment->reporter[r].reading = readings[r];
        assess_ratio(&assessment->reporter[r], r, baseline);
    }
    for (enum activity a = 0; a < ACTIVITIES; a++)
        assess_activity(&assessment->activity[a], a, activity == NULL ? NAN : activity[a],
                        baseline);
    if (baseline != NULL)
        find_used(assessment, &baseline->curves);
    reading_of(assessment, true, &reading);
    assessment->has_levels = baseline != NULL && invert_levels(&baseline->curves, &reading,
                                                               confidence, &assessment->inversion);
    if (assessment->has_levels)
        widen(assessment, &baseline->curves);
}

/* No number, and why. */
static void refuse(struct expectation *expectation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void refuse(struct expectation *expectation, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(expectation->reason, sizeof expectation->reason, format, arguments);
    va_end(arguments);
}

/* The effect of a kind at each calibrated level, flat beyond the highest that the program was
 * measured at. False: no number can be given, as the load is there, and there it was not measured.
 */
static bool fill_effect(struct expectation *expectation, const struct sensitivity *sensitivity,
                        enum kind kind, const struct invert_level *level,
                        const struct invert_curves *curves, double effect[INVERT_POINTS])
{
    const struct sensitivity_curve *curve = sensitivity_find(sensitivity, kinds[kind].name);
    const bool measured = curve != NULL && curve->count > 0;
    const double highest = measured ? curve->point[curve->count - 1].level : 0;
    double last = 0, sd;
    if (level->beyond)
        refuse(expectation, "'%s' is beyond what was calibrated", kinds[kind].name);
    else if (level->seen && !measured)
        refuse(expectation, "'%s' is there, and the program was not measured beside it",
               kinds[kind].name);
    else if (level->seen && level->level > highest + 0.005)
        refuse(expectation, "'%s' is there at %.0f %%, and the program was measured up to %.0f %%",
               kinds[kind].name, 100 * level->level, 100 * highest);
    for (size_t p = 0; p < curves->points; p++) {
        double value;
        if (sensitivity_at(sensitivity, kinds[kind].name, fmin(curves->level[p], highest), &value,
                           &sd) == SENSITIVITY_KNOWN &&
            isfinite(value))
            last = value;
        effect[p] = p == 0 ? 0 : last;
    }
    return expectation->reason[0] == '\0';
}

/* What each kind does at its level, which of them does most, and the variance of their sum. */
static double share_out(struct expectation *expectation, const struct assessment *assessment,
                        const struct sensitivity *sensitivity)
{
    double variance = 0, most = 0;
    expectation->most = KINDS;
    for (enum kind k = 0; k < KINDS; k++) {
        const struct invert_level *level = &assessment->inversion.level[k];
        double value, sd;
        expectation->by_kind[k] = NAN;
        if (!level->known || sensitivity_at(sensitivity, kinds[k].name, level->level, &value,
                                            &sd) != SENSITIVITY_KNOWN)
            continue;
        expectation->by_kind[k] = exp(value);
        variance += isfinite(sd) ? square(sd) : 0;
        if (value > most) {
            most = value;
            expectation->most = k;
        }
    }
    return variance;
}

/* The band of effects of all mixtures that are not rejected, as for levels. */
static bool find_effect(const struct assessment *assessment, const struct invert_curves *curves,
                        const double effect[INVERT_KINDS][INVERT_POINTS],
                        struct invert_effect *total)
{
    struct invert_reading reading;
    struct invert_effect alone;
    reading_of(assessment, true, &reading);
    if (!invert_effect(curves, &reading, assessment->confidence, effect, total))
        return false;
    reading_of(assessment, false, &reading);
    if (is_doubtful(assessment) &&
        invert_effect(curves, &reading, assessment->confidence, effect, &alone)) {
        total->lo = fmin(total->lo, alone.lo);
        total->hi = fmax(total->hi, alone.hi);
    }
    return true;
}

void assess_expectation(struct assessment *assessment, const struct baseline *baseline,
                        const struct sensitivity *sensitivity)
{
    struct expectation *expectation = &assessment->expectation;
    double effect[INVERT_KINDS][INVERT_POINTS] = {{0}};
    struct invert_effect total;
    *expectation = (struct expectation){.asked = true, .most = KINDS};
    if (!assessment->has_levels) {
        refuse(expectation, "%s",
               baseline == NULL ? "there is no reference" : "no reporter is fit");
        return;
    }
    for (enum kind k = 0; k < KINDS; k++) {
        const struct invert_level *level = &assessment->inversion.level[k];
        if (level->known &&
            !fill_effect(expectation, sensitivity, k, level, &baseline->curves, effect[k]))
            return;
    }
    if (!find_effect(assessment, &baseline->curves, effect, &total)) {
        refuse(expectation, "the readings do not determine it");
        return;
    }
    const double variance = share_out(expectation, assessment, sensitivity);
    const double own = square(gsl_cdf_ugaussian_Qinv((1 - assessment->confidence) / 2)) * variance;
    expectation->known = true;
    expectation->slowdown = exp(total.estimate);
    expectation->lo = exp(total.estimate - sqrt(square(total.estimate - total.lo) + own));
    expectation->hi = exp(total.estimate + sqrt(square(total.hi - total.estimate) + own));
}

void assess_no_expectation(struct assessment *assessment, const char *why)
{
    assessment->expectation = (struct expectation){.asked = true, .most = KINDS};
    refuse(&assessment->expectation, "%s", why);
}

static enum limit_state state_of(double lo, double hi, double limit)
{
    return lo > limit ? LIMIT_ABOVE : hi <= limit ? LIMIT_BELOW : LIMIT_UNDECIDED;
}

void assess_limit(struct assessment *assessment, double at_most)
{
    const struct expectation *expectation = &assessment->expectation;
    assessment->limit = LIMIT_UNDECIDED;
    if (expectation->asked) {
        if (expectation->known)
            assessment->limit = state_of(expectation->lo, expectation->hi, at_most);
        return;
    }
    if (!assessment->has_levels)
        return;
    size_t judged = 0;
    enum limit_state worst = LIMIT_BELOW;
    for (enum kind k = 0; k < KINDS; k++) {
        const struct invert_level *level = &assessment->inversion.level[k];
        if (!level->known || assess_open(level))
            continue;
        const enum limit_state state = state_of(level->lo, level->hi, at_most);
        if (state == LIMIT_ABOVE || worst == LIMIT_BELOW)
            worst = state;
        judged++;
    }
    if (judged > 0)
        assessment->limit = worst;
}

bool assess_open(const struct invert_level *level)
{
    return !level->seen && level->open && level->lo < 0.005;
}

enum kind assess_worst(const struct assessment *assessment)
{
    enum kind worst = KINDS;
    for (enum kind k = 0; assessment->has_levels && k < KINDS; k++) {
        const struct invert_level *level = &assessment->inversion.level[k];
        if (level->known && level->seen &&
            (worst == KINDS || level->level > assessment->inversion.level[worst].level))
            worst = k;
    }
    return worst;
}

void assess_blame(struct assessment *assessment, const struct kernel_facts *facts)
{
    const enum kind worst = assess_worst(assessment);
    assessment->facts = *facts;
    const struct triage_input input = {
        .facts = &assessment->facts,
        .has_levels = assessment->has_levels,
        .worst = worst == KINDS ? NULL : kinds[worst].name,
        .worst_level = worst == KINDS ? 0 : assessment->inversion.level[worst].level,
        .any = assessment->inversion.any.seen,
        .misfit_p = assessment->inversion.misfit_p,
    };
    triage_judge(&input, &assessment->triage);
}

bool assess_settled(const struct assessment *assessment, const struct baseline *baseline)
{
    for (enum reporter r = 0; r < REPORTERS; r++) {
        const struct reading *reading = &assessment->reporter[r].reading;
        const double spells = baseline == NULL ? NAN : baseline->between[r];
        const double enough = fmax(isfinite(spells) ? spells / 2 : 0, SMALL_ERROR);
        if (reading->reason == NULL && reading->n > 0 && !(reading->error <= enough))
            return false;
    }
    return true;
}

enum reporter assess_witness(enum kind kind)
{
    enum reporter reporter = 0;
    while (reporter < REPORTERS && reporters[reporter].witness != kind)
        reporter++;
    return reporter;
}
