#include "settings.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_expint.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Looks: how sure each of several looks at a growing experiment must be, for all of them
// together to be wrong no more often than one look may be.

static const double planned_share = 0.9, other_share = 0.05;
static const double overshoot = 0.5826;            // Siegmund's rho
static const double few_looks = 0.75, early = 0.5; // of the factor; found by simulation
enum { HALVINGS = 60, FIRST = 2 };                 // no interval with fewer blocks

// The probability that |S_n| / sqrt(n) exceeds b at some n from `from` to `to`.
static double crossing(double b, double from, double to)
{
    const double once = 2 * gsl_cdf_ugaussian_Q(b);
    if (!(to > from))
        return once;
    const double path =
        gsl_sf_expint_E1(overshoot * b / sqrt(to)) - gsl_sf_expint_E1(overshoot * b / sqrt(from));
    const double factor = 1 + few_looks * from / to + early / from;
    return once + factor * 2 * b * gsl_ran_ugaussian_pdf(b) * path;
}

// The rate of each look from `from` to `to` that leaves `error_rate` for all of them.
static double rate_of_each(double error_rate, double from, double to)
{
    double low = 0, high = 40; // of b; crossing() falls from 1 on
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (2 * gsl_cdf_ugaussian_Q(middle) > error_rate || crossing(middle, from, to) > error_rate)
            low = middle;
        else
            high = middle;
    }
    return 2 * gsl_cdf_ugaussian_Q(high);
}

// The first look with a share of the error rate of its own: FIRST for the earlier ones, that
// of the plan, or the one after each doubling.
static size_t share_begins(const struct looks *looks, size_t n, size_t *last)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t begin = from;
    *last = n < from ? from - 1 : looks->to > from ? looks->to : from;
    if (n < from)
        return FIRST;
    for (; n > *last; *last *= 2)
        begin = *last + 1;
    return begin;
}

bool looks_alike(const struct looks *looks, size_t a, size_t b)
{
    size_t ignored;
    return share_begins(looks, a, &ignored) == share_begins(looks, b, &ignored);
}

double looks_rate(const struct looks *looks, double error_rate, size_t n)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t last;
    const size_t first = share_begins(looks, n, &last);
    double share = other_share * error_rate;
    if (n < from)
        return from > FIRST ? share / (double)(from - FIRST) : share;
    if (first == from)
        return rate_of_each(planned_share * error_rate, (double)from, (double)last);
    // Each doubling has half of what is left.
    for (size_t end = looks->to > from ? looks->to : from; end < last; end *= 2)
        share /= 2;
    return rate_of_each(share, (double)first, (double)last);
}

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){.variants = 1};
    metrics_begin(&settings->metrics);
}

bool settings_add_condition(struct settings *settings, const char *name)
{
    char *copy = settings->condition_count < MAX_CONDITIONS ? strdup(name) : NULL;
    if (copy)
        settings->conditions[settings->condition_count++] = copy;
    return copy != NULL;
}

int settings_condition(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        if (strcmp(settings->conditions[i], name) == 0)
            return (int)i;
    return -1;
}

bool settings_is_sequential(const struct settings *settings)
{
    return settings->min_runs < settings->max_runs;
}

bool settings_has_gate(const struct settings *settings)
{
    return settings->at_most > 0 || settings->same_within > 0;
}

bool settings_has_capacity(const struct settings *settings)
{
    return settings->objectives.count > 0;
}

size_t settings_family(const struct settings *settings)
{
    const size_t metrics = metrics_deciding(&settings->metrics), loads = settings_loads(settings);
    const size_t variants = (settings->variants - 1) * (loads + 1);
    const size_t comparisons = settings->variants > 1 ? variants : loads;
    return metrics * (settings_has_gate(settings) && comparisons > 1 ? comparisons : 1);
}

size_t settings_variant(const struct settings *settings, size_t condition)
{
    return condition % settings->variants;
}

size_t settings_load(const struct settings *settings, size_t condition)
{
    return condition / settings->variants;
}

size_t settings_reference(const struct settings *settings, size_t condition, enum against against)
{
    const size_t variant = settings_variant(settings, condition);
    return against == AGAINST_ALONE ? variant : condition - variant;
}

bool settings_compares(const struct settings *settings, size_t condition, enum against against)
{
    if (against == AGAINST_BOTH && settings_load(settings, condition) == 0)
        return false;
    return settings_reference(settings, condition, against) != condition;
}

enum against settings_decides_by(const struct settings *settings)
{
    return settings->variants > 1 ? AGAINST_REFERENCE : AGAINST_ALONE;
}

const char *settings_load_name(const struct settings *settings, size_t condition)
{
    const char *name = settings->conditions[condition];
    if (!settings_is_loaded(settings, (int)condition))
        return NULL;
    return settings->variants > 1
               ? name + strlen(settings->conditions[settings_variant(settings, condition)]) + 1
               : name;
}

size_t settings_loads(const struct settings *settings)
{
    return settings->condition_count / settings->variants - 1 - (settings_aa(settings) > 0 ? 1 : 0);
}

size_t settings_aa(const struct settings *settings)
{
    int index = settings->aa ? settings_condition(settings, "aa") : 0;
    return index > 0 ? (size_t)index : 0;
}

bool settings_is_loaded(const struct settings *settings, int condition)
{
    return condition >= (int)settings->variants && condition != (int)settings_aa(settings);
}

bool settings_needs_positive(const struct settings *settings, size_t metric)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    const bool no_loads = settings->condition_count == settings->variants;
    return !one->builtin && settings->condition_count > 1 && !(one->alone && no_loads) &&
           !settings_has_capacity(settings);
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        free(settings->conditions[i]);
    settings->condition_count = 0;
}
