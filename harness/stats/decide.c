// Decides which run is next, or why the experiment ends, and how many runs that will take.
#include "decide.h"
#include "looks.h"

#include "block_order.h"
#include "capacity.h"
#include "carry_over.h"
#include "gate.h"
#include "interval.h"
#include "metrics.h"
#include "record.h"
#include "session.h"
#include "shares.h"
#include "starts.h"
#include "statistic.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <string.h>

// How many more runs it will take to reach the error of the settings.

enum { BLOCKS_NEEDED = 3 };

// Student's t of an interval after n blocks, with what having looked asks of it; or of a gate's
// look after so many.
static double t_after(struct session *session, size_t n, bool is_look)
{
    const double df = (double)n - 1;
    return is_look ? critical_t(metric_critical(session, n), df)
                   : critical_t(&session->critical, df) * location_widening(session->settings, n);
}

// With that standard error of one run, the smallest number of blocks from `now` on at which an
// interval is as narrow as `gap`; `most` if there is none.
static size_t blocks_for(struct session *session, size_t now, size_t most, double unit, double gap,
                         bool is_look)
{
    size_t low = now, high = now < most ? now : most;
    // Doubled first: what the looks near the present ones need is known, that of others is not.
    while (high < most && !(unit * t_after(session, high, is_look) / sqrt((double)high) <= gap)) {
        low = high + 1;
        high = high < most / 2 ? 2 * high : most;
    }
    while (low < high) {
        const size_t n = low + (high - low) / 2;
        if (unit * t_after(session, n, is_look) / sqrt((double)n) <= gap)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

// What the interval of the gate would be of a single pair, over its factor t.
static double one_run(struct session *session, size_t condition, size_t metric,
                      struct interval *ratio)
{
    const struct ratio of = settings_deciding(session->settings, condition, metric);
    const struct pairs *pairs = session_pairs(session, of);
    const double n = (double)pairs->count;
    if (session->settings->statistic == STATISTIC_MEAN) {
        // With 1 in the place of t the half-width is the standard error.
        *ratio = interval_ratio(pairs, 1, 1);
        return ratio->error * ratio->center * sqrt(n);
    }
    *ratio = metric_ratio(session, of);
    if (session->settings->statistic == STATISTIC_TYPICAL)
        return ratio->center * typical_error_of_one(pairs);
    return ratio->error * ratio->center * sqrt(n) / t_after(session, session_blocks(session), true);
}

// Blocks until one ratio that decides is above --at-most, or else until all is known.
static size_t blocks_for_gate(struct session *session, size_t now, size_t most)
{
    const struct settings *settings = session->settings;
    size_t above = most, rest = now;
    bool is_above = false;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++) {
            struct interval ratio;
            if (!gate_decides(settings, i) || !metric_is_asked(session, i, m))
                continue;
            const double unit = one_run(session, i, m, &ratio);
            const size_t blocks = isfinite(unit) ? blocks_for(session, now, most, unit,
                                                              gate_gap(settings, &ratio), true)
                                                 : most;
            if (settings->at_most > 0 && ratio.center > settings->at_most) {
                is_above = true;
                above = blocks < above ? blocks : above;
            } else {
                rest = blocks > rest ? blocks : rest;
            }
        }
    return is_above ? above : rest;
}

// What an undecided gate is offered in place of the wall time: figures that every record has. How a
// CPU time is divided into user and system is often guessed by the kernel, tick by tick; its sum is
// not.
enum steadier { USER_TIME, CPU_TIME, WITHOUT_WAIT, STEADIER };
static const char *const steadier_names[STEADIER] = {"user_s", "cpu_s", "wall_without_wait_s"};
static const double worth_offering = 2; // times fewer runs
enum { PAIRS_TO_OFFER = 5 };

// NAN: not known.
static double steadier_value(const struct session *session, const struct observation *run,
                             enum steadier figure)
{
    if (figure == USER_TIME)
        return run->value[USER_S];
    if (figure == CPU_TIME)
        return run->value[USER_S] + run->value[SYSTEM_S];
    if (run->fact >= session->fact_count) // of made-up runs there are none
        return NAN;
    const struct times *times = &session->facts[run->fact].account.times;
    return times->wall_s - times->alone_wait_s;
}

// Blocks until that figure would decide about the condition, as its means vary; `most`: not known.
static size_t blocks_by(struct session *session, size_t condition, enum steadier figure,
                        size_t most)
{
    const struct settings *settings = session->settings;
    const size_t width = settings->condition_count,
                 other = settings_reference(settings, condition, settings_decides_by(settings));
    struct pairs pairs = {0};
    for (size_t block = session_left_out(session); block < session->blocks; block++) {
        const int *row = session->table + block * width;
        if (row[condition] < 0 || row[other] < 0)
            continue;
        const struct observation *y = &session->runs[row[condition]],
                                 *x = &session->runs[row[other]];
        const double of_x = steadier_value(session, x, figure),
                     of_y = steadier_value(session, y, figure);
        if (session_uses(session, x) && session_uses(session, y) && !isnan(of_x + of_y))
            pairs_sum(&pairs, of_x, of_y);
    }
    const struct interval ratio = interval_ratio(&pairs, 1, 1);
    const double unit = ratio.error * ratio.center * sqrt((double)pairs.count);
    if (pairs.count < PAIRS_TO_OFFER || !isfinite(unit))
        return most;
    return blocks_for(session, settings->min_runs, most, unit, gate_gap(settings, &ratio), true);
}

// Whether each run has enough of it to be measured in ticks of the kernel.
static bool is_offered(const struct session *session, size_t condition, enum steadier figure)
{
    return figure == WITHOUT_WAIT || !metric_is_negligible(session, condition, USER_S);
}

// What would decide a gate that is undecided.
struct gate_forecast {
    size_t runs; // of each condition, all in all; 0: not known, or more than records may have
    const char *metric; // one by which far fewer would do; NULL: none is known
    size_t metric_runs;
};

static struct gate_forecast gate_forecast(struct session *session)
{
    const struct settings *settings = session->settings;
    const size_t now = session_blocks(session), most = MAX_RUNS_LIMIT;
    const bool wall_alone =
        metrics_deciding(&settings->metrics) == 1 && settings->metrics.item[WALL_S].decides;
    struct gate_forecast found = {0};
    if (now < BLOCKS_NEEDED)
        return found;
    const size_t blocks = blocks_for_gate(session, now, most);
    size_t best = blocks;
    found.runs = blocks < most ? blocks : 0;
    for (enum steadier figure = 0; wall_alone && figure < STEADIER; figure++) {
        size_t worst = 0;
        for (size_t i = 0; i < settings->condition_count; i++)
            if (gate_decides(settings, i)) {
                const size_t own =
                    is_offered(session, i, figure) ? blocks_by(session, i, figure, most) : most;
                worst = own > worst ? own : worst;
            }
        if (worst > 0 && worst < most && (double)blocks >= worth_offering * (double)worst &&
            worst < best) {
            best = worst;
            found.metric = steadier_names[figure];
            found.metric_runs = worst;
        }
    }
    return found;
}

void undecided_add(struct session *session, json_t *summary)
{
    json_t *gate = json_object_get(summary, "gate");
    if (!json_text_is(gate, "verdict", "undecided") ||
        json_array_size(json_object_get(gate, "why")) > 0)
        return;
    const json_t *condition = json_array_get(json_object_get(summary, "conditions"), 0);
    const char *stop = json_text_at(condition, "stop_reason");
    const struct gate_forecast would = gate_forecast(session);
    const size_t now = session_blocks(session);
    const bool limited = stop && (strcmp(stop, "max-runs") == 0 || strcmp(stop, "max-time") == 0);
    OWNED char *ended =
        limited ? text_of("--%s ended it after %zu run%s of each", stop, now, now == 1 ? "" : "s")
                : text_of("it ended after %zu run%s of each", now, now == 1 ? "" : "s");
    OWNED char *runs = would.runs > now ? text_of("; about %zu would decide", would.runs)
                                        : text_of("; how many would decide is not known");
    OWNED char *metric =
        would.metric ? text_of("; with --metric %s about %zu", would.metric, would.metric_runs)
                     : text_of("%s", "");
    json_object_set_new(gate, "ended_by", stop ? json_string(stop) : json_null());
    json_object_set_new(gate, "runs_needed",
                        would.runs > now ? json_integer((json_int_t)would.runs) : json_null());
    json_object_set_new(gate, "steadier",
                        would.metric ? json_pack("{s:s, s:I}", "metric", would.metric, "runs",
                                                 (json_int_t)would.metric_runs)
                                     : json_null());
    json_object_set_new(gate, "text", json_owned_text(text_of("%s%s%s", ended, runs, metric)));
}

// The largest relative error that the typical ratios will have after so many blocks: known before
// there are enough for an interval.
static double error_of_few(struct session *session, size_t now)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    double worst = 0;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && metric_is_asked(session, i, m))
                worst =
                    fmax(worst, typical_error_of_one(&session->conditions[i].pairs[against][m]));
    return settings->statistic == STATISTIC_TYPICAL && settings->condition_count > 1
               ? worst * critical_t(&session->critical, (double)now - 1) / sqrt((double)now)
               : INFINITY;
}

// From the error so far: the width shrinks with t / sqrt(n) as long as the
// spread stays what it is; with a gate, until the verdict. All conditions' runs together, at
// least the rest of the block and the rest up to min_runs, at most the rest up to max_runs; -1
// before there are three blocks.
static long forecast_runs(struct session *session, double worst_error)
{
    const struct settings *settings = session->settings;
    size_t now = session_blocks(session), width = settings->condition_count;
    if (now < BLOCKS_NEEDED)
        return -1;
    if (!isfinite(worst_error))
        worst_error = error_of_few(session, now);
    const double unit = worst_error / critical_t(&session->critical, (double)now - 1) *
                        sqrt((double)now) / location_widening(settings, now);
    size_t blocks = settings->max_runs;
    if (settings_has_gate(settings))
        blocks = blocks_for_gate(session, now, settings->max_runs);
    else if (isfinite(worst_error))
        blocks = blocks_for(session, now, settings->max_runs, unit, settings->error, false);
    if (blocks < settings->min_runs)
        blocks = settings->min_runs;
    if (blocks <= now && session->count % width == 0)
        blocks = now + 1;
    size_t total = (blocks + session_left_out(session)) * width;
    return total > session->count ? (long)(total - session->count) : 0;
}

// ---- what a load leaves behind ----

// Found with `make simulate` (docs/statistics.md, "Carry-over"): the levels, of all loads
// and metrics together, of the test at the end, and of the looks before it.
static const double end_level = 0.01, early_level = 0.001;
// From here on a few runs more are made before the experiment ends, up to so many blocks.
static const double suspect_level = 0.1;
enum { SUSPECT_BLOCKS = 26 };
// Once a carry-over has shown, that some of it is left is as likely as not.
static const double again = 20;
static const double least_bias = 0.1; // of the baseline's mean, in requested errors
enum { LOOK_FROM = 4, LOOK_EVERY = 2, NO_GROUP = -1 };

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

// The unloaded runs by what they follow, as pairs of their order and the logarithm of their value.
// With all loads taken for one (`one`), their group is 1. Variants have levels of their own:
// each value is taken as its deviation from the mean logarithm of its variant's unloaded runs (of a
// single program, from 0).
static void collect_groups(const struct session *session, size_t metric, bool one,
                           struct pairs *groups)
{
    const size_t variants = session->settings->variants;
    double levels[MAX_CONDITIONS] = {0};
    size_t counts[MAX_CONDITIONS] = {0};
    // First the level of each variant, then how far each run is from it.
    for (int pass = variants > 1 ? 0 : 1; pass < 2; pass++)
        for (size_t i = 0; i < session->count; i++) {
            const struct observation *run = &session->runs[i];
            const int group = group_of(session, run, metric);
            if (group == NO_GROUP)
                continue;
            const size_t variant = settings_variant(session->settings, (size_t)run->condition);
            const double apart = log(run->value[metric]) - levels[variant];
            if (pass == 0)
                levels[variant] += apart / (double)++counts[variant];
            else
                pairs_sum(&groups[one && group > 0 ? 1 : group], (double)run->order, apart);
        }
}

// Of one load, or of ALL_LOADS.
static struct carry_over carry_over_of(struct session *session, int load, size_t metric)
{
    if (session->settings->each_block)
        return starts_carry_over(session, load, metric);
    struct pairs groups[MAX_CONDITIONS] = {0};
    collect_groups(session, metric, load == ALL_LOADS, groups);
    const struct pairs *others = &groups[0], *after = &groups[load == ALL_LOADS ? 1 : load];
    struct carry_over result = {NAN, NAN, NAN, NAN, after->count, others->count};
    double df = -(double)session->settings->variants, xx = 0, xy = 0, yy = 0; // within the groups
    for (size_t i = 0; i < MAX_CONDITIONS; i++) {
        df += groups[i].count > 0 ? (double)(groups[i].count - 1) : 0;
        xx += groups[i].xx;
        xy += groups[i].xy;
        yy += groups[i].yy;
    }
    // Of unloaded runs that timed out, how long they would have taken is not known.
    size_t censored = 0;
    for (size_t i = 0; i < session->settings->variants; i++)
        censored += session->conditions[i].censored;
    if (censored > 0 || after->count < 2 || others->count < 2 || df < 2 || !(xx > 0) || !(yy > 0))
        return result;
    const double slope = xy / xx, apart = after->mean_x - others->mean_x;
    const double rest = fmax(yy - slope * xy, 1e-12 * yy);
    const double difference = after->mean_y - others->mean_y - slope * apart;
    const double error = sqrt(
        rest / df * (1 / (double)after->count + 1 / (double)others->count + apart * apart / xx));
    carry_over_settle(&result, &session->critical, difference, error, df);
    return result;
}

struct carry_over carry_over_estimate(struct session *session, size_t condition, size_t metric)
{
    return carry_over_of(session, (int)settings_load(session->settings, condition), metric);
}

// Whether it is significant at that level, and moves the baseline's mean by more than
// is worth a word.
static bool shows(struct session *session, int load, size_t metric, double level)
{
    const struct settings *settings = session->settings;
    const struct carry_over found = carry_over_of(session, load, metric);
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

// ---- when it ends, and what is next ----

// A single condition whose runs may be dependent continues a little, until it
// shows whether they are: with 12 runs it does not.
static const double suspect = 0.25; // probability
enum { SUSPECT_RUNS = 20, UNSTEADY_BLOCKS = 30 };

double decide_error(struct session *session)
{
    const struct settings *settings = session->settings;
    const size_t count = settings->condition_count;
    double worst = 0;
    if (session_blocks(session) < 2)
        return NAN;
    if (settings_has_capacity(settings))
        return capacity_error(session);
    for (size_t i = 0; i < count; i++)
        if (count == 1 || settings_compares(settings, i, settings_decides_by(settings)))
            worst = fmax(worst, metric_worst_error(session, i));
    return worst;
}

static bool looks_dependent(const struct session *session)
{
    if (session->settings->condition_count > 1 || session_blocks(session) >= SUSPECT_RUNS)
        return false;
    for (size_t m = 0; m < session->settings->metrics.count; m++) {
        if (!metric_is_asked(session, 0, m))
            continue;
        if (metric_dependence(session, m) > suspect)
            return true;
    }
    return false;
}

// An effect that may change within the experiment is looked at until it shows: for up to twice the
// minimum of blocks, and no longer than so many.
static bool looks_unsteady(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const size_t blocks = session_blocks(session);
    if (blocks >= UNSTEADY_BLOCKS || blocks >= 2 * settings->min_runs)
        return false;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && metric_is_asked(session, i, m) &&
                metric_is_suspect(session, (struct ratio){i, against, m}))
                return true;
    return false;
}

// An interval that says there is an effect, of pairs whose test does not see it yet: stragglers on
// both sides hide it. They are looked at for as long.
static bool looks_hidden(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const size_t blocks = session_blocks(session);
    if (blocks >= UNSTEADY_BLOCKS || blocks >= 2 * settings->min_runs)
        return false;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && metric_is_asked(session, i, m) &&
                metric_is_hidden(session, (struct ratio){i, against, m}))
                return true;
    return false;
}

static enum stop_reason stop_at(struct session *session, double worst)
{
    const struct settings *settings = session->settings;
    const size_t blocks = session_blocks(session);
    const bool capped = blocks >= settings->max_runs, gate = settings_has_gate(settings);
    if (session->unusable > 0)
        return STOP_FAILURE;
    if (blocks < settings->min_runs)
        return settings_has_capacity(settings) && capped ? STOP_MAX_RUNS : session->outside;
    if (settings_has_capacity(settings) && worst <= settings->error)
        return STOP_ERROR;
    if (settings_has_capacity(settings))
        return capped ? STOP_MAX_RUNS : session->outside;
    if (gate && gate_is_decided(session) && (capped || !looks_unsteady(session)))
        return STOP_DECIDED;
    // With a limit to decide on, a small error alone is no reason to stop. With --washout auto runs
    // that hint at a carry-over without showing it are a reason for a few more.
    if (!gate && worst <= settings->error &&
        (capped || !(looks_dependent(session) || looks_unsteady(session) || looks_hidden(session) ||
                     (settings->washout.automatic && blocks < SUSPECT_BLOCKS &&
                      any_shows(session, suspect_level)))))
        return STOP_ERROR;
    return capped ? STOP_MAX_RUNS : session->outside;
}

static bool is_between_blocks(const struct session *session)
{
    return session->count == session->complete * session->settings->condition_count;
}

// The same, but with --washout auto a carry-over that shows is a reason to continue with more
// washout runs: *washed is how many the runs so far call for, where all blocks are complete.
static enum stop_reason stop_now(struct session *session, double worst, size_t *washed)
{
    const enum stop_reason stop = stop_at(session, worst);
    const struct washout *washout = &session->settings->washout;
    const size_t blocks = session_blocks(session), now = session->washed;
    const bool ends = stop != STOP_NOT;
    *washed = washout->automatic ? now : washout->runs;
    if (!washout->automatic || stop == STOP_FAILURE || session->outside != STOP_NOT ||
        !is_between_blocks(session) || blocks < LOOK_FROM || (!ends && blocks % LOOK_EVERY != 0))
        return stop;
    if (any_shows(session, (ends ? end_level : early_level) * (now > 0 ? again : 1)))
        *washed = washout_next(now);
    return *washed == now ? stop : STOP_NOT;
}

enum stop_reason decide_stop(struct session *session)
{
    size_t ignored;
    return stop_now(session, decide_error(session), &ignored);
}

static void place(const struct session *session, struct decision *decision)
{
    size_t width = session->settings->condition_count, order[MAX_CONDITIONS];
    for (size_t block = session->open + 1;; block++) {
        block_order(session->settings->seed, block, order, width, session->settings->variants,
                    session->settings->each_block);
        for (size_t i = 0; i < width; i++)
            if (block > session->blocks || session->table[(block - 1) * width + order[i]] < 0) {
                decision->condition = order[i];
                decision->block = block;
                decision->order = session->last_order + 1;
                return;
            }
    }
}

// What has to come between the last run and that one.
static void separate(const struct session *session, struct decision *decision)
{
    const struct settings *settings = session->settings;
    if (!settings_is_loaded(settings, session->previous) ||
        session->previous == (int)decision->condition)
        return;
    if (session->washouts < decision->washed)
        decision->washout = WASHOUT_RUN;
    else if (settings->washout.pause_s > 0 && !session->rested)
        decision->washout = WASHOUT_PAUSE;
}

// A look costs as much as there are blocks: of many, one is looked at once they are a hundredth
// more. Fewer looks than planned are never wrong more often.
enum { LOOKS_AT_ALL = 200, LOOKS_APART = 100 };

static bool skips_look(const struct session *session)
{
    const struct settings *settings = session->settings;
    const size_t blocks = session_blocks(session);
    const bool ends = session->outside != STOP_NOT || session->unusable > 0 ||
                      blocks >= settings->max_runs || settings_has_capacity(settings);
    return blocks >= LOOKS_AT_ALL && !ends && session->looked > 0 && blocks >= session->looked &&
           blocks - session->looked < blocks / LOOKS_APART;
}

// The next run, by what was seen at the last look.
static struct decision decide_unseen(struct session *session)
{
    struct decision decision = {
        .stop = STOP_NOT, .worst_error = session->seen_error, .value = NAN, .more = -1};
    const struct washout *washout = &session->settings->washout;
    decision.washed = washout->automatic ? session->washed : washout->runs;
    place(session, &decision);
    separate(session, &decision);
    if (session->seen_runs >= (long)session->count)
        decision.more = session->seen_runs - (long)session->count;
    return decision;
}

struct decision decide(struct session *session)
{
    if (skips_look(session))
        return decide_unseen(session);
    struct decision decision = {.worst_error = decide_error(session), .value = NAN};
    decision.stop = stop_now(session, decision.worst_error, &decision.washed);
    // To stop inside a block would favour the condition that came last.
    if (!is_between_blocks(session) && decision.stop != STOP_FAILURE &&
        session->outside == STOP_NOT)
        decision.stop = STOP_NOT;
    if (decision.stop == STOP_NOT) {
        place(session, &decision);
        separate(session, &decision);
        decision.more = settings_has_capacity(session->settings)
                            ? capacity_forecast(session, decision.worst_error)
                            : forecast_runs(session, decision.worst_error);
        if (decision.more >= 0 && session->forecast_runs == 0) {
            session->forecast_after = session->count;
            session->forecast_runs = session->count + (size_t)decision.more;
        }
    }
    session->looked = session_blocks(session);
    session->seen_error = decision.worst_error;
    session->seen_runs = decision.more >= 0 ? (long)session->count + decision.more : -1;
    return decision;
}
