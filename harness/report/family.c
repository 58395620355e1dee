#include "family.h"

#include "harness/stats/interval.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void family_add(struct family *family, struct member member)
{
    family->member =
        grown(family->member, family->count, &family->allocated, sizeof *family->member);
    family->member[family->count++] = member;
}

void family_move(struct family *to, struct family *from)
{
    for (size_t i = 0; i < from->count; i++)
        family_add(to, from->member[i]);
    to->ratios = to->ratios || from->ratios;
    family_free(from);
}

void family_free(struct family *family)
{
    free(family->member);
    *family = (struct family){0};
}

static int by_p(const void *a, const void *b)
{
    const double one = ((const struct member *)a)->p, other = ((const struct member *)b)->p;
    if (isnan(one) || isnan(other))
        return (isnan(one) ? 1 : 0) - (isnan(other) ? 1 : 0);
    return (one > other) - (one < other);
}

void family_settle(struct family *family)
{
    const size_t count = family->count;
    double *p = must(calloc(count + 1, sizeof *p)), *q = must(calloc(count + 1, sizeof *q));
    if (count > 0) /* qsort() takes no NULL */
        qsort(family->member, count, sizeof *family->member, by_p);
    family->known = 0;
    while (family->known < count && !isnan(family->member[family->known].p)) {
        p[family->known] = family->member[family->known].p;
        family->known++;
    }
    discovery_rates(p, q, family->known);
    for (size_t i = 0; i < count; i++)
        family->member[i].q = i < family->known ? q[i] : NAN;
    free(p);
    free(q);
}

double family_q(const struct family *family, double p)
{
    const struct member wanted = {.p = p};
    if (isnan(p) || family->known == 0)
        return NAN;
    const struct member *found =
        bsearch(&wanted, family->member, family->known, sizeof *family->member, by_p);
    /* Equal p have equal q. */
    return found == NULL ? NAN : found->q;
}

double family_q_of(const struct family *family, const struct value *slowdown)
{
    return family == NULL ? NAN : family_q(family, view_real(slowdown, "p"));
}

bool family_survives(const struct family *family, const struct value *slowdown)
{
    return view_true(view_get(slowdown, "distinguishable")) &&
           family_q_of(family, slowdown) <= FAMILY_RATE;
}

/* How many of them. */
struct counts {
    size_t distinguishable, survive;
    double by_chance; /* at most so many of all are expected to be distinguishable by chance */
    double chance;    /* of each; NAN: not the same for all */
};

static struct counts count(const struct family *family)
{
    struct counts counts = {.chance = family->count > 0 ? family->member[0].chance : NAN};
    for (size_t i = 0; i < family->count; i++) {
        const struct member *member = &family->member[i];
        counts.distinguishable += member->distinguishable ? 1 : 0;
        counts.survive += member->distinguishable && member->q <= FAMILY_RATE ? 1 : 0;
        counts.by_chance += member->chance;
        if (member->chance != counts.chance)
            counts.chance = NAN;
    }
    return counts;
}

void family_put(struct line *json, const struct family *family)
{
    const struct counts counts = count(family);
    line_object(json, "family");
    line_count(json, "slowdowns", family->count);
    line_real(json, "expected_by_chance", round(counts.by_chance * 1e9) / 1e9);
    line_count(json, "distinguishable", counts.distinguishable);
    line_text(json, "method", "benjamini-hochberg");
    line_real(json, "false_discovery_rate", FAMILY_RATE);
    line_count(json, "with_p", family->known);
    line_count(json, "survive", counts.survive);
    line_close(json);
}

/* "12.6", "0.25" */
static const char *expected(double number, char *text)
{
    return number_fixed(number, number < 0.995 ? 2 : 1, text);
}

char *family_text(const struct family *family)
{
    const struct counts counts = count(family);
    char level[NUMBER_SIZE] = "their level", all[NUMBER_SIZE], half[NUMBER_SIZE];
    if (family->count < 2)
        return NULL;
    if (!isnan(counts.chance))
        snprintf(level, sizeof level, "%.6g %%", 100 * (1 - counts.chance));
    OWNED char *chance =
        text_of("%zu %s with two-sided intervals at %s: by chance up to %s would "
                "look distinguishable from noise (%s %s, %s %s), %zu %s",
                family->count, family->ratios ? "ratios" : "slowdowns", level,
                expected(counts.by_chance, all), expected(counts.by_chance / 2, half),
                family->ratios ? "worse" : "slower", half, family->ratios ? "better" : "faster",
                counts.distinguishable, counts.distinguishable == 1 ? "does" : "do");
    const char *some =
        family->known < family->count ? " (some were recorded without a p value)" : "";
    char *text = NULL;
    if (family->known == 0)
        text = text_of("%s; which of them are beyond chance is not known: they were recorded "
                       "without p values",
                       chance);
    else if (counts.survive == 0)
        text = text_of("%s; none holds at a false discovery rate of %.0f %%%s", chance,
                       100 * FAMILY_RATE, some);
    else
        text = text_of("%s; " FAMILY_MARK " marks the %zu that hold%s at a false discovery rate of "
                       "%.0f %%%s",
                       chance, counts.survive, counts.survive == 1 ? "s" : "", 100 * FAMILY_RATE,
                       some);
    return text;
}
