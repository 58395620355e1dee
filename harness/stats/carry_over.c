#include "decide.h"

#include "metrics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// Found with `make simulate` (docs/statistics.md, "Carry-over"): the levels, of all loads
// and metrics together, of the test at the end, and of the looks before it.
static const double end_level = 0.01, early_level = 0.001;
// From here on a few runs more are made before the experiment ends, up to so many blocks.
static const double suspect_level = 0.1;
enum { SUSPECT_BLOCKS = 20 };
// Once a carry-over has shown, that some of it is left is as likely as not.
static const double again = 20;
static const double least_bias = 0.1; // of the baseline's mean, in requested errors
enum { LOOK_FROM = 4, LOOK_EVERY = 2, NO_GROUP = -1, ALL_LOADS = -1 };

// Sums over the unloaded runs that follow the same load.
struct group {
    size_t count;
    double mean_x, mean_y; // order, and logarithm of the value
};

// Sums within the groups, about their means.
struct within {
    struct group group[MAX_CONDITIONS];
    double xx, xy, yy;
    size_t count, groups;
};

// What the run follows: 0 for an unloaded run, else the load; NO_GROUP where it is no
// unloaded run that can be compared.
static int group_of(const struct session *session, const struct observation *run, size_t metric)
{
    const struct settings *settings = session->settings;
    if (settings_is_loaded(settings, run->condition) || !session_uses(session, run) ||
        run->failure != FAILURE_NONE || run->follows < 0 || !(run->value[metric] > 0))
        return NO_GROUP;
    return settings_is_loaded(settings, run->follows)
               ? (int)settings_load(settings, (size_t)run->follows)
               : 0;
}

static void add(struct within *within, int index, double x, double y)
{
    struct group *group = &within->group[index];
    const double dx = x - group->mean_x, dy = y - group->mean_y;
    within->groups += group->count == 0 ? 1 : 0;
    within->count++;
    group->count++;
    group->mean_x += dx / (double)group->count;
    group->mean_y += dy / (double)group->count;
    within->xx += dx * (x - group->mean_x);
    within->xy += dx * (y - group->mean_y);
    within->yy += dy * (y - group->mean_y);
}

// The mean logarithm of each variant's unloaded runs.
static void find_levels(const struct session *session, size_t metric, double *levels)
{
    size_t counts[MAX_CONDITIONS] = {0};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (group_of(session, run, metric) == NO_GROUP)
            continue;
        const size_t variant = settings_variant(session->settings, (size_t)run->condition);
        const double deviation = log(run->value[metric]) - levels[variant];
        levels[variant] += deviation / (double)++counts[variant];
    }
}

// With all loads taken for one (`one`), their group is 1. Variants have levels of their own:
// each value is taken as its deviation from that (of a single program, from 0).
static void collect(const struct session *session, size_t metric, bool one, struct within *within)
{
    const struct settings *settings = session->settings;
    double levels[MAX_CONDITIONS] = {0};
    *within = (struct within){0};
    if (settings->variants > 1)
        find_levels(session, metric, levels);
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const int group = group_of(session, run, metric);
        if (group == NO_GROUP)
            continue;
        const double level = levels[settings_variant(settings, (size_t)run->condition)];
        add(within, one && group > 0 ? 1 : group, (double)run->order,
            log(run->value[metric]) - level);
    }
}

static bool has_censored(const struct session *session)
{
    for (size_t i = 0; i < session->settings->variants; i++)
        if (session->conditions[i].censored > 0)
            return true;
    return false;
}

// Of one load, or of ALL_LOADS.
static struct carry_over estimate(struct session *session, int load, size_t metric)
{
    struct within within;
    collect(session, metric, load == ALL_LOADS, &within);
    const struct group *others = &within.group[0];
    const struct group *after = &within.group[load == ALL_LOADS ? 1 : load];
    struct carry_over result = {NAN, NAN, NAN, NAN, after->count, others->count};
    const double df =
        (double)within.count - (double)within.groups - (double)session->settings->variants;
    // Of unloaded runs that timed out, how long they would have taken is not known.
    if (has_censored(session) || after->count < 2 || others->count < 2 || df < 2 ||
        !(within.xx > 0) || !(within.yy > 0))
        return result;
    const double slope = within.xy / within.xx, apart = after->mean_x - others->mean_x;
    const double rest = fmax(within.yy - slope * within.xy, 1e-12 * within.yy);
    const double difference = after->mean_y - others->mean_y - slope * apart;
    const double error =
        sqrt(rest / df *
             (1 / (double)after->count + 1 / (double)others->count + apart * apart / within.xx));
    const double half = critical_t(&session->critical, df) * error;
    result.ratio = exp(difference);
    result.low = exp(difference - half);
    result.high = exp(difference + half);
    result.p = 2 * gsl_cdf_tdist_Q(fabs(difference) / error, df);
    return result;
}

struct carry_over carry_over_estimate(struct session *session, size_t condition, size_t metric)
{
    return estimate(session, (int)settings_load(session->settings, condition), metric);
}

// Whether it is significant at that level, and moves the baseline's mean by more than
// is worth a word.
static bool shows(struct session *session, int load, size_t metric, double level)
{
    const struct settings *settings = session->settings;
    const struct carry_over found = estimate(session, load, metric);
    double unloaded = 0;
    for (size_t i = 0; i < settings->variants; i++)
        unloaded += (double)session->conditions[i].metric[metric].count;
    const double share = (double)found.after / unloaded;
    return found.p < level / (double)metrics_deciding(&settings->metrics) &&
           share * fabs(found.ratio - 1) > fmin(least_bias * settings->error, 0.005);
}

bool carry_over_shows(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    return settings_is_loaded(settings, (int)condition) &&
           shows(session, (int)settings_load(settings, condition), metric,
                 end_level / (double)settings_loads(settings));
}

// Several loads: each by itself, and all together, which sees what they have in common.
static bool any_load_shows(struct session *session, size_t metric, double level)
{
    const struct settings *settings = session->settings;
    const size_t loads = settings_loads(settings);
    const double each = loads > 1 ? level / 2 / (double)loads : level;
    bool found = loads > 1 && shows(session, ALL_LOADS, metric, level / 2);
    for (size_t i = 0; i < settings->condition_count && !found; i += settings->variants)
        found = settings_is_loaded(settings, (int)i) &&
                shows(session, (int)settings_load(settings, i), metric, each);
    return found;
}

static bool any_shows(struct session *session, double level)
{
    for (size_t m = 0; m < session->settings->metrics.count; m++)
        if (metric_is_asked(session, 0, m) && any_load_shows(session, m, level))
            return true;
    return false;
}

bool carry_over_is_slow(const struct session *session)
{
    return session->settings->washout.automatic && session->washed > 0 &&
           washout_next(session->washed) == session->washed;
}

bool carry_over_is_suspect(struct session *session)
{
    return session->settings->washout.automatic && session_blocks(session) < SUSPECT_BLOCKS &&
           any_shows(session, suspect_level);
}

size_t carry_over_washout(struct session *session, bool ends)
{
    const size_t blocks = session_blocks(session), now = session->washed;
    if (!session->settings->washout.automatic || blocks < LOOK_FROM ||
        (!ends && blocks % LOOK_EVERY != 0))
        return now;
    const double level = (ends ? end_level : early_level) * (now > 0 ? again : 1);
    return any_shows(session, level) ? washout_next(now) : now;
}
