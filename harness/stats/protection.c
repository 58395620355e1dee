// Finds what settings do for a target beside its neighbours, and what they cost.
#include "discovery.h"
#include "interval.h"
#include "json.h"
#include "metrics.h"
#include "record.h"
#include "result.h"
#include "sample.h"
#include "session.h"
#include "verdict.h"

#include "harness/record/settings.h"

#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>

// What settings do for a target beside its neighbours.

// By what the neighbour of a row is measured: what its loads achieved, or, where one of them has no
// rate, the CPU time that they got.
enum measure { MEASURE_RATE, MEASURE_CPU, MEASURES };

static const char *const measure_names[MEASURES] = {"rate", "cpu-time"};

// A condition with settings, and that of the same variant with the same load and none.
struct protected
{
    size_t condition, bare;
    const json_t *settings;
    struct interval slowdown, removed, kept;
    enum measure kept_by;
    const char
        *undone; // why nothing was measured with the settings: what undid them; NULL: nothing did
    const char *alone; // the condition with the same settings of the target and no load, or NULL
    bool dominated;    // another is surely better for one of the two, and not worse for the other
    bool on_front;
};

struct protection {
    struct session *session;
    const json_t *slowdowns;
    size_t metric;
    struct protected *row;
    size_t count;
};

static const struct interval unknown = {.center = NAN, .low = NAN, .high = NAN, .error = INFINITY};

// The condition of the same variant under that load; the number of conditions: there is none.
static size_t beside(const struct experiment *experiment, size_t condition, const char *load)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    size_t i = 0;
    while (i < experiment->settings.condition_count &&
           !(json_same_text(experiment_member(experiment, i, "variant"), variant) &&
             json_same_text(experiment_member(experiment, i, "load"), load)))
        i++;
    return i;
}

static struct interval slowdown_of(const struct protection *of, size_t condition)
{
    const struct settings *settings = of->session->settings;
    const json_t *one = json_ratio_of(of->slowdowns, settings->conditions[condition],
                                      settings->metrics.item[of->metric].name);
    return (struct interval){.center = json_number_at(one, "ratio"),
                             .low = json_bound_at(one, 0),
                             .high = json_bound_at(one, 1),
                             .error = INFINITY};
}

// The target's figure of a run, as one of which more is worse.
static double harm_of(const struct protection *of, const struct observation *run)
{
    const double value = run->value[of->metric];
    return of->session->settings->metrics.item[of->metric].higher_is_better ? 1 / value : value;
}

// What all loads of a run achieved together, or how many CPUs they had; NAN where one of them does
// not say, or they count in different units.
static double work_of(const struct observation *run, enum measure by)
{
    const json_t *loads = json_object_get(run->record, "load");
    const char *unit = json_text_at(json_array_get(loads, 0), "unit");
    double sum = json_array_size(loads) > 0 ? 0 : NAN;
    JSON_EACH (load, loads) {
        if (by == MEASURE_CPU)
            sum += json_number_at(load, "cpu_s") / json_number_at(load, "elapsed_s");
        else
            sum += json_same_text(json_text_at(load, "unit"), unit)
                       ? json_number_at(load, "achieved")
                       : NAN;
    }
    return sum;
}

// The blocks of the session in which two conditions both have a run that counts.
struct both {
    const struct session *session;
    size_t a, b, block;
    const struct observation *run_a, *run_b;
};

static struct both both_of(const struct protection *of, size_t a, size_t b)
{
    return (struct both){
        .session = of->session, .a = a, .b = b, .block = session_left_out(of->session)};
}

static bool both_next(struct both *both)
{
    const struct session *session = both->session;
    while (both->block < session->blocks) {
        const int *row = session->table + both->block++ * session->settings->condition_count;
        if (row[both->a] < 0 || row[both->b] < 0)
            continue;
        both->run_a = &session->runs[row[both->a]];
        both->run_b = &session->runs[row[both->b]];
        if (session_uses(session, both->run_a) && session_uses(session, both->run_b))
            return true;
    }
    return false;
}

static void add_pair(struct pairs *pairs, double first, double second)
{
    if (!isnan(first) && !isnan(second))
        pairs_add(pairs, first, second);
}

// Frees the pairs.
static struct interval ratio_of(const struct protection *of, struct pairs *pairs)
{
    const struct interval ratio =
        pairs->count > 0 ? metric_pairs_ratio(of->session, pairs) : unknown;
    pairs_free(pairs);
    return ratio;
}

// How many times as much harm is done in `b` as in `a`.
static struct interval harm_ratio(const struct protection *of, size_t a, size_t b)
{
    struct pairs pairs = {0};
    for (struct both both = both_of(of, a, b); both_next(&both);)
        add_pair(&pairs, harm_of(of, both.run_a), harm_of(of, both.run_b));
    return ratio_of(of, &pairs);
}

// How many times as much the loads of `b` do as those of `a`.
static struct interval work_ratio(const struct protection *of, size_t a, size_t b, enum measure by)
{
    struct pairs pairs = {0};
    for (struct both both = both_of(of, a, b); both_next(&both);)
        add_pair(&pairs, work_of(both.run_a, by), work_of(both.run_b, by));
    return ratio_of(of, &pairs);
}

// A share of which more than all is noise.
static struct interval at_most_all(struct interval share)
{
    return (struct interval){.center = share.center > 1 ? 1 : share.center,
                             .low = share.low > 1 ? 1 : share.low,
                             .high = share.high > 1 ? 1 : share.high,
                             .error = share.error};
}

// The share of the damage that is removed, (u - p) / (u - 1), of the slowdowns u unprotected and p
// protected. The bounds are those of the corners of two intervals, of u and of r = p/u by the pairs
// of both, so that they hold where both do: (1 - r) / (1 - 1/u) falls with r. Unknown where the
// load does no damage for certain.
static struct interval removed_of(const struct interval *ratio, const struct interval *damage,
                                  const struct interval *left)
{
    struct interval removed = unknown;
    if (!(damage->low > 1) || !isfinite(ratio->low) || !isfinite(ratio->high))
        return removed;
    const double most = 1 - 1 / damage->high, least = 1 - 1 / damage->low;
    removed.center = (damage->center - left->center) / (damage->center - 1);
    removed.low = fmin(removed.center, (1 - ratio->high) / (ratio->high < 1 ? most : least));
    removed.high = fmax(removed.center, (1 - ratio->low) / (ratio->low < 1 ? least : most));
    return at_most_all(removed);
}

static void find_kept(const struct protection *of, struct protected *row)
{
    row->kept_by = MEASURE_RATE;
    row->kept = work_ratio(of, row->bare, row->condition, row->kept_by);
    if (isnan(row->kept.center)) {
        row->kept_by = MEASURE_CPU;
        row->kept = work_ratio(of, row->bare, row->condition, row->kept_by);
    }
    row->kept = at_most_all(row->kept);
    // So is less than nothing.
    if (row->kept.center < 0)
        row->kept.center = 0;
    if (row->kept.low < 0)
        row->kept.low = 0;
}

// What undid the settings of a condition in one of its runs that count; NULL: nothing did.
static const char *undone_in(const struct session *session, size_t condition)
{
    const size_t width = session->settings->condition_count;
    for (size_t block = session_left_out(session); block < session->blocks; block++) {
        const int run = session->table[block * width + condition];
        const json_t *undone =
            run < 0 ? NULL : json_object_get(session->runs[run].record, "undone");
        if (json_array_size(undone) > 0)
            return json_text_at(json_array_get(undone, 0), "text");
    }
    return NULL;
}

// Whether two conditions have the same settings of that member; absent in older experiments: none.
static bool same_settings(const json_t *a, const json_t *b, const char *member)
{
    const json_t *one = json_object_get(a, member), *other = json_object_get(b, member);
    return (json_array_size(one) == 0 && json_array_size(other) == 0) || json_equal(one, other);
}

// The condition with these settings of target and service and no load; NULL: there is none, or no
// such setting.
static const char *alone_with(const json_t *loads, const json_t *settings)
{
    if (json_array_size(json_object_get(settings, "target")) == 0 &&
        json_array_size(json_object_get(settings, "service")) == 0)
        return NULL;
    JSON_EACH (load, loads) {
        const json_t *its = json_object_get(load, "settings");
        if (json_array_size(json_object_get(load, "parts")) == 0 &&
            same_settings(its, settings, "target") && same_settings(its, settings, "service"))
            return json_text_at(load, "name");
    }
    return NULL;
}

static void take_condition(struct protection *of, size_t condition)
{
    const struct experiment *experiment = of->session->experiment;
    const json_t *loads = json_object_get(experiment->json, "loads");
    const char *own = experiment_member(experiment, condition, "load");
    // One that is no load has the name of its entry, too, where there are no variants.
    const json_t *entry =
        json_named(loads, "name", own ? own : experiment->settings.conditions[condition]);
    const json_t *settings = json_object_get(entry, "settings");
    const char *bare = json_text_at(entry, "unprotected");
    const size_t other =
        bare == NULL ? experiment->settings.condition_count : beside(experiment, condition, bare);
    if (other == experiment->settings.condition_count)
        return;
    struct protected *row = &of->row[of->count++];
    const struct interval damage = slowdown_of(of, other), ratio = harm_ratio(of, other, condition);
    *row = (struct protected){.condition = condition,
                              .bare = other,
                              .settings = settings,
                              .alone = alone_with(loads, settings),
                              .slowdown = slowdown_of(of, condition),
                              .undone = undone_in(of->session, condition)};
    if (row->undone) {
        row->slowdown = row->removed = row->kept = unknown;
    } else {
        row->removed = removed_of(&ratio, &damage, &row->slowdown);
        find_kept(of, row);
    }
}

static void find_front(struct protection *of)
{
    for (size_t i = 0; i < of->count; i++) {
        struct protected *row = &of->row[i];
        for (size_t k = 0; k < of->count && !row->dominated; k++) {
            const struct protected *other = &of->row[k];
            // Surely better for the target and no worse for the neighbour, or the other way round.
            const bool safer = other->slowdown.high < row->slowdown.low;
            const bool kinder = other->kept.low > row->kept.high;
            row->dominated = other->bare == row->bare &&
                             ((safer && other->kept.center >= row->kept.center) ||
                              (kinder && other->slowdown.center <= row->slowdown.center));
        }
        row->on_front = row->removed.low > 0 && !row->dominated;
    }
}

// ---- the best, and what is not told apart from it

// What is removed of the damage and what is left to the neighbour, weighed alike.
static double worth(const struct protected *row)
{
    return row->removed.center + row->kept.center;
}

// What a run lacks of that worth: of the damage the share that is left, and of the neighbour's work
// the share that is lost. A constant keeps it above 0. As in worth(), a typical run that is faster
// than without the neighbour, or in which that does more than without settings, is as good as one
// that is equal.
struct scales {
    double harm, work;
};

static struct scales scales_of(const struct protection *of, const struct protected *row)
{
    const struct session *session = of->session;
    const size_t alone = settings_reference(session->settings, row->bare, AGAINST_ALONE);
    const bool higher = session->settings->metrics.item[of->metric].higher_is_better;
    const double median = sample_median(&session->conditions[alone].metric[of->metric]);
    const double damage = slowdown_of(of, row->bare).center - 1;
    const struct interval kept = work_ratio(of, row->bare, row->condition, row->kept_by);
    double sum = 0, count = 0;
    for (struct both both = both_of(of, row->bare, row->condition); both_next(&both); count++)
        sum += work_of(both.run_a, row->kept_by);
    return (struct scales){.harm = fmax(1, 1 / row->slowdown.center) / damage /
                                   (higher ? 1 / median : median),
                           .work = fmin(1, 1 / kept.center) * count / sum};
}

static double lack_of(const struct protection *of, const struct protected *row,
                      const struct scales *scales, const struct observation *run)
{
    return harm_of(of, run) * scales->harm + 2 - work_of(run, row->kept_by) * scales->work;
}

// By what two rows are compared.
enum by { BY_WORTH, BY_KEPT };

// A row beside the chosen one: how surely it is behind.
struct rival {
    const struct protected *row;
    double p;
};

static int by_p(const void *a, const void *b)
{
    const struct rival *one = a, *other = b;
    return (one->p > other->p) - (one->p < other->p);
}

// From the blocks of both: of what the chosen one does better. 1: it is not known to be behind.
static double behind_p(const struct protection *of, const struct protected *chosen,
                       const struct protected *row, enum by by)
{
    struct pairs pairs = {0};
    const struct scales of_chosen = scales_of(of, chosen), of_row = scales_of(of, row);
    for (struct both both = both_of(of, chosen->condition, row->condition); both_next(&both);)
        if (by == BY_KEPT)
            add_pair(&pairs, work_of(both.run_b, row->kept_by),
                     work_of(both.run_a, chosen->kept_by));
        else
            add_pair(&pairs, lack_of(of, chosen, &of_chosen, both.run_a),
                     lack_of(of, row, &of_row, both.run_b));
    const double p = pairs.count > 0 ? significance_of_pairs(of->session, &pairs) : NAN;
    return ratio_of(of, &pairs).low > 1 && !isnan(p) ? p : 1;
}

// Of one load.
struct choice {
    const struct protected *best, *weakest; // NULL: none
    enum verdict verdict;                   // whether a setting keeps --until
};

static bool is_kept(const struct protected *row, double until)
{
    return row->slowdown.high <= until && isfinite(row->kept.center);
}

// Whether it may be as good as the chosen one, by what is known of it alone.
static bool may_rival(const struct protected *chosen, const struct protected *row, enum by by,
                      double until)
{
    return row != chosen && row->bare == chosen->bare && isfinite(row->kept.center) &&
           (by == BY_KEPT ? is_kept(row, until) : !row->dominated && !isnan(row->slowdown.center));
}

// The conditions that are not told apart from the chosen one, which is the first; none: all are, or
// there is none. Their comparisons are one family, whose false discoveries are kept rare.
static json_t *rivals_json(const struct protection *of, const struct protected *chosen, enum by by,
                           double until)
{
    struct rival rival[MAX_CONDITIONS];
    double p[MAX_CONDITIONS], q[MAX_CONDITIONS];
    size_t count = 0;
    char *const *names = of->session->settings->conditions;
    json_t *list = json_array();
    for (size_t i = 0; chosen && i < of->count; i++)
        if (may_rival(chosen, &of->row[i], by, until))
            rival[count++] = (struct rival){&of->row[i], behind_p(of, chosen, &of->row[i], by)};
    if (count == 0)
        return list;
    qsort(rival, count, sizeof *rival, by_p);
    for (size_t i = 0; i < count; i++)
        p[i] = rival[i].p;
    discovery_rates(p, q, count);
    for (size_t i = 0; i < count; i++) {
        if (q[i] <= 1 - of->session->settings->confidence)
            continue;
        if (json_array_size(list) == 0)
            json_array_append_new(list, json_string(names[chosen->condition]));
        json_array_append_new(list, json_string(names[rival[i].row->condition]));
    }
    return list;
}

static struct choice choose(const struct protection *of, size_t bare, double until)
{
    struct choice choice = {.verdict = VERDICT_ABOVE};
    bool tried = false;
    for (size_t i = 0; i < of->count; i++) {
        const struct protected *row = &of->row[i];
        if (row->bare != bare || row->undone)
            continue;
        tried = true;
        if (row->on_front && isfinite(row->kept.center) &&
            (!choice.best || worth(row) > worth(choice.best)))
            choice.best = row;
        if (is_kept(row, until) &&
            (!choice.weakest || row->kept.center > choice.weakest->kept.center))
            choice.weakest = row;
        if (row->slowdown.high <= until)
            choice.verdict = VERDICT_BELOW;
        else if (choice.verdict == VERDICT_ABOVE && !(row->slowdown.low > until))
            choice.verdict = VERDICT_UNDECIDED;
    }
    if (!tried) // all were undone
        choice.verdict = VERDICT_UNDECIDED;
    return choice;
}

// ---- the record

static json_t *figure_json(const struct interval *interval)
{
    return json_pack("{s:o, s:o}", "value", json_figure(interval->center), "ci",
                     json_bounds(interval->low, interval->high));
}

static json_t *row_json(const struct protection *of, const struct protected *row)
{
    char *const *names = of->session->settings->conditions;
    const struct interval bare = slowdown_of(of, row->bare);
    struct interval cost = unknown;
    const int alone =
        row->alone == NULL ? -1 : settings_condition(of->session->settings, row->alone);
    if (alone >= 0)
        cost = slowdown_of(of, (size_t)alone);
    return json_pack("{s:s, s:s, s:O, s:o, s:o, s:o, s:o, s:s?, s:o, s:b, s:s*}", "condition",
                     names[row->condition], "unprotected", names[row->bare], "settings",
                     row->settings, "slowdown", figure_json(&row->slowdown), "slowdown_unprotected",
                     figure_json(&bare), "removed", figure_json(&row->removed), "kept",
                     figure_json(&row->kept), "kept_by",
                     isnan(row->kept.center) ? NULL : measure_names[row->kept_by], "cost",
                     alone < 0 ? json_null() : figure_json(&cost), "front", row->on_front, "undone",
                     row->undone);
}

// The name of a condition that is chosen, and not one of several; NULL: none is.
static const char *name_of(const struct protection *of, const struct protected *chosen,
                           const json_t *rivals)
{
    return !chosen || json_array_size(rivals) > 0
               ? NULL
               : of->session->settings->conditions[chosen->condition];
}

static json_t *choice_json(const struct protection *of, size_t bare, const struct choice *choice,
                           double until)
{
    json_t *rivals = rivals_json(of, choice->best, BY_WORTH, until),
           *as_weak = rivals_json(of, choice->weakest, BY_KEPT, until);
    return json_pack(
        "{s:s, s:s?, s:s?, s:s?, s:o, s:o}", "unprotected", of->session->settings->conditions[bare],
        "verdict", isnan(until) ? NULL : verdict_names[choice->verdict], "best",
        name_of(of, choice->best, rivals), "weakest", name_of(of, choice->weakest, as_weak),
        "not_told_apart", rivals, "weakest_not_told_apart", as_weak);
}

// Whether no row before it is of the same load.
static bool is_first(const struct protection *of, size_t row)
{
    size_t i = 0;
    while (of->row[i].bare != of->row[row].bare)
        i++;
    return i == row;
}

static json_t *rows_json(const struct protection *of)
{
    const json_t *asked = experiment_setting(of->session->experiment, "until");
    const double until = json_is_number(asked) ? json_number_value(asked) : NAN;
    enum verdict verdict = VERDICT_BELOW;
    json_t *rows = json_array(), *loads = json_array();
    double most = -INFINITY;
    size_t worst = 0;
    for (size_t i = 0; i < of->count; i++) {
        const size_t bare = of->row[i].bare;
        json_array_append_new(rows, row_json(of, &of->row[i]));
        if (!is_first(of, i))
            continue;
        const struct choice choice = choose(of, bare, until);
        verdict = verdict_joined(verdict, choice.verdict);
        if (slowdown_of(of, bare).center > most) {
            most = slowdown_of(of, bare).center;
            worst = json_array_size(loads);
        }
        json_array_append_new(loads, choice_json(of, bare, &choice, until));
    }
    const json_t *first = json_array_get(loads, worst);
    return json_pack("{s:s, s:o, s:s?, s:O, s:O, s:O, s:o, s:o}", "metric",
                     of->session->settings->metrics.item[of->metric].name, "until",
                     json_figure(until), "verdict", isnan(until) ? NULL : verdict_names[verdict],
                     "best", json_object_get(first, "best"), "weakest",
                     json_object_get(first, "weakest"), "not_told_apart",
                     json_object_get(first, "not_told_apart"), "loads", loads, "rows", rows);
}

json_t *protection_json(struct session *session, const json_t *slowdowns)
{
    struct protected rows[MAX_CONDITIONS];
    const struct metric_settings *metrics = &session->settings->metrics;
    struct protection of = {.session = session, .slowdowns = slowdowns, .row = rows};
    while (of.metric + 1 < metrics->count && !metrics->item[of.metric].decides)
        of.metric++;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        if (session->settings->adjusted[i])
            take_condition(&of, i);
    if (of.count == 0)
        return json_null();
    find_front(&of);
    return rows_json(&of);
}
