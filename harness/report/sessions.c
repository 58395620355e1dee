// Joins the sessions of a cell into one result.

#include "report.h"

#include "harness/stats/interval.h"
#include "harness/stats/levels.h"
#include "harness/stats/relation.h"
#include "harness/stats/stragglers.h"
#include "harness/stats/verdict.h"

#include "common/schemas.h"
#include "harness/record/settings.h"

// The same object of each session's result is a list of so many; it lives as long as the first
// session.
struct sessions {
    const struct experiment *part;
    size_t count; // 2 or more
    struct critical critical;
};

static const struct value **values_new(const struct sessions *of)
{
    return arena_take(of->part->texts, of->count * sizeof(struct value *));
}

// All of them have an object there.
static bool are_objects(const struct sessions *of, const struct value *const *values)
{
    bool good = true;
    for (size_t i = 0; i < of->count; i++)
        good = good && view_is(values[i], VIEW_OBJECT);
    return good;
}

// What the sessions come to together in a member: of numbers, of truth, or what the first has.
enum how { SUM, MEAN, LEAST, MOST, ANY, ALL, FIRST };

static double number_over(const struct sessions *of, const struct value *const *values,
                          const char *key, enum how how)
{
    double sum = 0, least = NAN, most = NAN;
    for (size_t i = 0; i < of->count; i++) {
        const double value = view_real(values[i], key);
        sum += value;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return how == LEAST ? least : how == MOST ? most : how == SUM ? sum : sum / (double)of->count;
}

struct over {
    const char *key; // NULL: the end
    enum how how;
};

static void put_over(struct line *json, const struct sessions *of,
                     const struct value *const *values, const struct over *over)
{
    for (; over->key; over++) {
        size_t true_in = 0;
        for (size_t i = 0; i < of->count; i++)
            true_in += view_holds(values[i], over->key);
        if (over->how == FIRST)
            view_put(json, over->key, view_get(values[0], over->key));
        else if (over->how == ANY || over->how == ALL)
            line_bool(json, over->key, true_in >= (over->how == ALL ? of->count : 1));
        else
            line_real(json, over->key, number_over(of, values, over->key, over->how));
    }
}

// Members that only some records have, as the first session has them.
static void put_known(struct line *json, const struct value *first, const char *const *names)
{
    for (; *names; names++)
        if (view_get(first, *names))
            view_put(json, *names, view_get(first, *names));
}

static void put_interval(struct line *json, const struct interval *interval)
{
    const bool bounded = isfinite(interval->low) && isfinite(interval->high) && !interval->constant;
    line_bool(json, "constant", interval->constant);
    if (bounded) {
        line_array(json, "ci");
        line_real(json, NULL, interval->low);
        line_real(json, NULL, interval->high);
        line_close(json);
    } else {
        line_null(json, "ci");
    }
    line_real(json, "error", bounded ? interval->error : NAN);
}

// Mean over the sessions of their centers, by Student's t.
static struct interval mean_over(struct sessions *of, const struct value *const *figures)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < of->count; i++) {
        const double center = figure_center(figures[i]), change = center - mean;
        mean += change / (double)(i + 1);
        squares += change * (center - mean);
    }
    return interval_positive(
        interval_mean(&of->critical, mean, squares / (double)(of->count - 1), of->count, 1));
}

// The variance of a run is that within a session: between them is another.
static void put_figure(struct line *json, const struct quantity *metric, struct sessions *of,
                       const struct value *const *conditions)
{
    static const char *const known[] = {"unit", "better", NULL};
    static const struct over mean[] = {{"mean", MEAN}, {"variance", MEAN}, {0}},
                             extent[] = {{"median", MEAN},
                                         {"min", LEAST},
                                         {"max", MOST},
                                         {"statistic", FIRST},
                                         {0}};
    const struct value **figures = values_new(of);
    for (size_t i = 0; i < of->count; i++)
        figures[i] = metric_figure(conditions[i], metric);
    if (!line_object_if(json, metric->name, are_objects(of, figures)))
        return;
    const struct interval interval = mean_over(of, figures);
    put_known(json, figures[0], known);
    put_over(json, of, figures, mean);
    line_real(json, "stddev", sqrt(number_over(of, figures, "variance", MEAN)));
    put_over(json, of, figures, extent);
    line_real(json, "center", interval.center);
    put_interval(json, &interval);
    line_close(json);
}

// A condition has the same loads in all sessions, in the same order.
static void put_loads(struct line *json, const struct sessions *of,
                      const struct value *const *conditions)
{
    static const struct over members[] = {
        {"name", FIRST}, {"unit", FIRST},  {"offered", MEAN}, {"achieved", MEAN}, {"cpu_s", MEAN},
        {"late", SUM},   {"dropped", SUM}, {"runs", SUM},     {"short", ANY},     {0}};
    const struct value **loads = values_new(of);
    for (size_t i = 0; i < of->count; i++)
        loads[i] = view_first(view_get(conditions[i], "load"));
    LINE_ARRAY (json, "load")
        while (are_objects(of, loads)) {
            LINE_OBJECT (json, NULL)
                put_over(json, of, loads, members);
            for (size_t i = 0; i < of->count; i++)
                loads[i] = view_next(view_get(conditions[i], "load"), loads[i]);
        }
}

static void put_condition(struct line *json, struct sessions *of, const struct value *first)
{
    static const struct over runs[] = {{"runs", SUM}, {0}}, ends[] = {{"converged", ALL},
                                                                      {"stop_reason", FIRST},
                                                                      {"failed", SUM},
                                                                      {"censored", SUM},
                                                                      {0}};
    const struct metric_list *list = &of->part[0].metrics;
    const char *name = view_text(first, "name");
    const struct value **conditions = values_new(of);
    for (size_t i = 0; i < of->count; i++)
        conditions[i] = condition_named(&of->part[i], name);
    if (!are_objects(of, conditions))
        return;
    line_object(json, NULL);
    line_text(json, "name", name);
    put_over(json, of, conditions, runs);
    put_loads(json, of, conditions);
    put_over(json, of, conditions, ends);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        put_figure(json, &metrics[i], of, conditions);
    LINE_OBJECT (json, "metrics")
        for (size_t i = METRIC_COUNT; i < list->count; i++)
            put_figure(json, &list->item[i], of, conditions);
    line_close(json);
}

// Standard error of a session's own ratio, from its interval; NAN: that is no multiple
// of it.
static double own_error(struct sessions *of, const struct value *slowdown)
{
    const double pairs = view_real(slowdown, "pairs");
    const char *method = view_text(slowdown, "method");
    const bool repeated = method && (strstr(method, "-sequence") || strstr(method, "-looks"));
    if (repeated || !(pairs > 1))
        return NAN;
    return view_real(slowdown, "error") * view_real(slowdown, "ratio") /
           critical_t(&of->critical, pairs - 1);
}

// A ratio that a session has of two conditions: its own, or another one of the same pairs, and of
// which of a condition's figures that is.
struct kind {
    const char *ratio, *figure; // members; NULL: its own
};

// What the ratio is of in a session: its denominator. Where higher is better that is the
// condition itself. An interaction is a ratio of ratios: all of them count alike.
static double base_of(const struct experiment *part, const struct value *ratio, struct kind kind)
{
    const bool higher = view_matches(ratio, "better", "higher");
    const char *name = view_text(ratio, higher ? "condition" : "reference");
    const struct value *condition = condition_named(part, name);
    const size_t place = metric_named(&part->metrics, view_get(ratio, "metric"));
    if (!name && !higher && !view_has_text(ratio, "variant"))
        condition = part->baseline; // of an older version
    if (place == part->metrics.count || !condition)
        return 1;
    const struct value *figure = metric_figure(condition, &part->metrics.item[place]);
    return kind.figure ? view_real(figure, kind.figure) : figure_center(figure);
}

// Of the sessions that have one of this kind.
static struct levels levels_of(struct sessions *of, const struct value *const *ratios,
                               struct kind kind)
{
    struct level_session *session = arena_take(of->part->texts, of->count * sizeof *session);
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct value *ratio = kind.ratio ? view_get(ratios[i], kind.ratio) : ratios[i];
        const double base = base_of(&of->part[i], ratios[i], kind);
        if (kind.ratio && isnan(base * view_real(ratio, "ratio")))
            continue;
        session[count++] = (struct level_session){
            .base = base,
            .loaded = base * view_real(ratio, "ratio"),
            .error = kind.ratio ? NAN : own_error(of, ratios[i]),
            .runs = view_count(view_get(ratios[i], "pairs"), 0),
        };
    }
    return levels_estimate(&of->critical, session, count);
}

// ---- what seldom happens

// The runs of one session on one side.
struct straggling {
    size_t count;
    double times;
};

static int worst_first(const void *a, const void *b)
{
    const struct straggling *one = a, *other = b;
    return (one->times < other->times) - (one->times > other->times);
}

// Of the condition ("own"), or of its reference, in all sessions that recorded them; none of them
// did: of no runs. Of a session's stragglers the one in the middle is known: the one in the middle
// of all is taken from the session in which it would be, were they all like that.
static struct stragglers stragglers_over(const struct sessions *of,
                                         const struct value *const *ratios, const char *side)
{
    struct stragglers all = {.limit = NAN, .times = NAN};
    struct straggling *session = arena_take(of->part->texts, of->count * sizeof *session);
    for (size_t i = 0; i < of->count; i++) {
        const struct value *its = view_path(ratios[i], "stragglers", side);
        session[i] = (struct straggling){view_count(view_get(its, "runs"), 0),
                                         view_number(view_get(its, "times"), 0)};
        all.count += session[i].count;
        all.runs += view_count(view_get(its, "of"), 0);
    }
    qsort(session, of->count, sizeof *session, worst_first);
    size_t worse = 0;
    for (size_t i = 0; i < of->count && worse <= all.count / 2; i++) {
        worse += session[i].count;
        all.times = session[i].times;
    }
    if (all.count == 0)
        all.times = NAN;
    stragglers_share(&all, of->critical.confidence);
    return all;
}

static void put_stragglers(struct line *json, const char *name, const struct stragglers *of)
{
    LINE_OBJECT (json, name) {
        line_count(json, "runs", of->count);
        line_count(json, "of", of->runs);
        LINE_ARRAY (json, "share") {
            line_real(json, NULL, of->low);
            line_real(json, NULL, of->high);
        }
        line_real(json, "times", of->times);
        line_count(json, "needed", stragglers_needed(of));
    }
}

static void put_bounded(struct line *json, const char *name, const struct interval *ratio)
{
    LINE_OBJECT (json, name) {
        line_real(json, "ratio", ratio->center);
        LINE_ARRAY (json, "ci") {
            line_real(json, NULL, ratio->constant ? NAN : ratio->low);
            line_real(json, NULL, ratio->constant ? NAN : ratio->high);
        }
    }
}

// The interval of the ratio of the means over the sessions. As within one (stragglers_mean()),
// those that were not seen may raise a side's mean by any amount, until enough of them were; until
// then all that is sure is what typically happens: sessions that have equally few by chance show no
// spread.
static struct interval mean_ratio_over(struct sessions *of, const struct value *const *ratios,
                                       const struct seldom *seldom, const struct interval *typical)
{
    struct interval ratio = levels_of(of, ratios, (struct kind){"mean", "mean"}).ratio;
    const bool own_open = stragglers_needed(&seldom->own) > 0,
               other_open = stragglers_needed(&seldom->other) > 0;
    if (own_open || other_open) {
        ratio.low = other_open || isnan(typical->low) ? NAN : fmin(ratio.low, typical->low);
        ratio.high = own_open || isnan(typical->high) ? NAN : fmax(ratio.high, typical->high);
        ratio.constant = false;
    }
    if (!(ratio.low > 0))
        ratio.low = NAN;
    return ratio;
}

// Both answers, as a session has them (ratio_record_add() in harness/stats/result.h); of records
// from before there were any, nothing.
static void put_answers(struct line *json, struct sessions *of, const struct value *const *ratios)
{
    const struct value *first = ratios[0];
    struct arena *texts = of->part->texts;
    const char *variant = view_text(first, "reference_variant"),
               *load = view_text(first, "load") ?: view_text(first, "condition");
    struct seldom seldom = {
        .own = stragglers_over(of, ratios, "own"),
        .other = stragglers_over(of, ratios, "reference"),
        .confidence = of->critical.confidence,
        .higher_is_better = view_matches(first, "better", "higher"),
        .place = variant ? said(texts, "with %s", view_text(first, "variant") ?: "?")
                         : said(texts, "beside %s", load ?: "?"),
        .other_place = variant ? said(texts, "with %s", variant) : "alone",
    };
    const double runs = (double)seldom.own.runs, others = (double)seldom.other.runs;
    if (!(runs > 0) || !(others > 0))
        return;
    const struct interval typical = levels_of(of, ratios, (struct kind){"typical", "median"}).ratio;
    seldom.is_time = relation_is_time(view_text(first, "unit") ?: "", seldom.higher_is_better);
    seldom.p = stragglers_p(seldom.own.count, seldom.other.count, runs / (runs + others));
    seldom.typical = typical.center;
    seldom.mean = mean_ratio_over(of, ratios, &seldom, &typical);
    put_bounded(json, "typical", &typical);
    put_bounded(json, "mean", &seldom.mean);
    LINE_OBJECT (json, "stragglers") {
        put_stragglers(json, "own", &seldom.own);
        put_stragglers(json, "reference", &seldom.other);
        line_real(json, "p", seldom.p);
    }
    const bool known = typical.center > 0 && !(number_over(of, ratios, "censored", SUM) > 0);
    OWNED char *text = NULL;
    if (known && seldom.own.count + seldom.other.count > 0) {
        size_t size;
        FILE *stream = must(open_memstream(&text, &size));
        seldom_print(&seldom, stream);
        stream_text(stream, &text);
    }
    line_text(json, "seldom", text);
}

// ---- ratios

// Whether a session's warning is about that ratio, and biases it.
static enum bias bias_of(const struct value *warning, const struct value *ratio)
{
    enum bias bias = 0;
    while (bias < BIAS_NONE && !view_matches(warning, "bias", bias_names[bias]))
        bias++;
    const struct value *of = view_get(warning, "condition"), *metric = view_get(warning, "metric");
    const bool about = !view_is(of, VIEW_STRING) || bias_is_of_all(bias) ||
                       view_same(of, view_get(ratio, "condition")) ||
                       view_same(of, view_get(ratio, "reference"));
    return about && (!view_is(metric, VIEW_STRING) || view_same(metric, view_get(ratio, "metric")))
               ? bias
               : BIAS_NONE;
}

// The gate's answer over the sessions, where each of them has one for that ratio: the same rule
// as for one of them (harness/stats/gate.h).
static void put_gate(struct line *json, const struct sessions *of, const struct interval *ratio,
                     const struct value *first)
{
    const double most = limit_of(&of->part[0], LIMIT_AT_MOST);
    const bool variants = view_get(first, "reference_variant") != NULL;
    const enum verdict seen = ratio->low > most     ? VERDICT_ABOVE
                              : ratio->high <= most ? VERDICT_BELOW
                                                    : VERDICT_UNDECIDED;
    enum verdict verdict = seen;
    struct line why = {0};
    LINE_ARRAY (&why, NULL)
        for (size_t i = 0; i < of->count; i++) {
            EACH_VALUE (item, of->part[i].warnings) {
                const enum bias bias = bias_of(item, first);
                if (bias == BIAS_NONE || bias_beside(bias, seen, variants) != VERDICT_UNDECIDED)
                    continue;
                const struct value *flag = view_get(item, "flag");
                verdict = VERDICT_UNDECIDED;
                if (!memmem(why.text, why.used, flag->text, flag->length)) // each once
                    view_put(&why, NULL, flag);
            }
        }
    line_text(json, "gate", isnan(most) ? NULL : verdict_names[verdict]);
    line_raw(json, "why", why.text);
    line_free(&why);
}

static void put_ratio(struct line *json, struct sessions *of, const struct value *const *ratios)
{
    static const char *const names[] = {"condition", "reference", "variant", "reference_variant",
                                        "load",      "metric",    "unit",    "better",
                                        "requested", "statistic", NULL};
    static const struct over ends[] = {{"simultaneous", FIRST}, {"censored", SUM}, {0}};
    const struct value *first = ratios[0];
    const struct levels levels = levels_of(of, ratios, (struct kind){0});
    const struct interval *ratio = &levels.ratio;
    line_object(json, NULL);
    put_known(json, first, names);
    line_real(json, "ratio", ratio->center);
    put_interval(json, ratio);
    line_real(json, "p", levels.p);
    line_text(json, "method", "sessions-fieller");
    line_count(json, "pairs", of->count);
    const enum effect effect = effect_of(ratio, true);
    if (isnan(ratio->center))
        line_null(json, "distinguishable");
    else
        line_bool(json, "distinguishable", effect == EFFECT_SEEN);
    LINE_OBJECT (json, "judgement") {
        line_text(json, "effect", effect_names[effect]);
        line_real(json, "at_most", effect == EFFECT_NONE ? effect_at_most(ratio) : NAN);
    }
    if (view_get(first, "reference_variant") && view_get(first, "verdict")) {
        const bool time = relation_is_time(view_text(first, "unit") ?: "",
                                           view_matches(first, "better", "higher"));
        const double same = fmax(limit_of(&of->part[0], LIMIT_SAME), 0);
        line_text(json, "verdict", relation_name(relation_of(ratio, same), time));
    }
    if (view_is(view_get(first, "gate"), VIEW_NULL)) // --at-most does not judge it
        line_null(json, "gate");
    else if (view_has_text(first, "gate"))
        put_gate(json, of, ratio, first);
    put_over(json, of, ratios, ends);
    put_answers(json, of, ratios);
    line_object(json, "sessions");
    LINE_ARRAY (json, "numbers")
        for (size_t i = 0; i < of->count; i++)
            line_count(json, NULL, of->part[i].session);
    LINE_ARRAY (json, "ratios")
        for (size_t i = 0; i < of->count; i++)
            view_put(json, NULL, view_get(ratios[i], "ratio"));
    line_real(json, "between", levels.between);
    line_real(json, "within", levels.within);
    line_close(json);
    line_close(json);
}

// The same ratio in another session's list; NULL: it is not there.
static const struct value *same_ratio(const struct value *list, const struct value *wanted)
{
    static const char *const members[] = {"condition", "metric", "variant", "load"};
    EACH_VALUE (item, list) {
        bool same = true;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            const struct value *a = view_get(item, members[i]), *b = view_get(wanted, members[i]);
            same = same && ((!a && !b) || view_same(a, b));
        }
        if (same)
            return item;
    }
    return NULL;
}

// A list of ratios, which is at that place in each part.
static void put_ratios(struct line *json, const char *name, struct sessions *of, size_t place)
{
    const struct value *const *list = (const void *)((const char *)of->part + place);
    const size_t step = sizeof *of->part / sizeof *list;
    LINE_ARRAY (json, name)
        EACH_VALUE (item, *list) {
            const struct value **ratios = values_new(of);
            for (size_t i = 0; i < of->count; i++)
                ratios[i] = same_ratio(list[i * step], item);
            if (are_objects(of, ratios))
                put_ratio(json, of, ratios);
        }
}

static void put_warnings(struct line *json, const struct experiment *part)
{
    static const char *const members[] = {"flag",   "severity", "condition", "metric",
                                          "advice", "bias",     NULL};
    EACH_VALUE (item, part->warnings) {
        // Whether a session converged, or is noise, is not what the interval over them is about.
        if (view_matches(item, "flag", "noise") || view_matches(item, "flag", "not-converged"))
            continue;
        line_object(json, NULL);
        view_put_members(json, item, members);
        line_text(
            json, "message",
            said(part->texts, "session %u: %s", part->session, view_text(item, "message") ?: ""));
        line_raw(json, "runs", "[]"); // their numbers are of one session
        line_close(json);
    }
}

// The result over them, as jostle.result/1 as far as a report reads it; to be freed. Its ratios are
// those of harness/stats/interval.h, its other figures means over the sessions with the interval of
// Student's t, at the confidence of the first session's intervals.
static char *result_over(const struct experiment *part, size_t count)
{
    const struct experiment *first = &part[0];
    const double family = view_number(view_get(first->intervals, "family"), 1);
    const double confidence = settings_confidence(node_of_view(first->settings));
    struct sessions of = {.part = part, .count = count};
    struct line json = {0};
    critical_init(&of.critical, 1 - (1 - confidence) / fmax(family, 1));
    line_object(&json, NULL);
    line_text(&json, "schema", SCHEMA_RESULT);
    LINE_ARRAY (&json, "conditions")
        EACH_VALUE (item, first->conditions)
            put_condition(&json, &of, item);
    put_ratios(&json, "slowdowns", &of, offsetof(struct experiment, slowdowns));
    put_ratios(&json, "comparisons", &of, offsetof(struct experiment, comparisons));
    put_ratios(&json, "interactions", &of, offsetof(struct experiment, interactions));
    LINE_ARRAY (&json, "warnings")
        for (size_t i = 0; i < count; i++)
            put_warnings(&json, &part[i]);
    view_put(&json, "intervals", first->intervals);
    critical_free(&of.critical);
    return json_text_end(&json);
}

// Appends the runs of the next session, which come after those before.
static void append_runs(struct runs *to, size_t metrics_kept, const struct experiment *part)
{
    uint32_t last = 0;
    for (size_t i = 0; i < to->count; i++)
        last = to->item[i].order > last ? to->item[i].order : last;
    for (size_t i = 0; i < part->runs.count; i++) {
        struct run_record run = part->runs.item[i];
        const size_t condition = runs_condition(to, part->runs.conditions.item[run.condition]);
        if (condition == SIZE_MAX)
            continue;
        run.condition = (uint32_t)condition;
        run.order += last;
        MORE(to) = run;
        // Sessions of one cell have the same metrics.
        for (size_t k = 0; k < metrics_kept; k++)
            MORE(&to->values) = part->metrics.count == metrics_kept ? runs_value(part, i, k) : NAN;
    }
    to->measured += part->runs.measured;
}

void sessions_join(struct experiment *all, struct experiment *part, size_t count, const char *name)
{
    OWNED char *text = result_over(part, count);
    *all = (struct experiment){.name = name,
                               .texts = must(calloc(1, sizeof *all->texts)),
                               .record = part[0].record,
                               .runs = part[0].runs,
                               .sessions = (unsigned)count};
    part[0].record = (struct document){0};
    part[0].runs = (struct runs){0};
    all->result.top = view_parse(&all->result.view, text, strlen(text));
    for (size_t i = 1; i < count; i++)
        append_runs(&all->runs, part[0].metrics.count, &part[i]);
    experiment_settle(all);
    // Those of the first that is not done.
    all->state = "done";
    for (size_t i = 0; i < count && strcmp(all->state, "done") == 0; i++)
        if (strcmp(part[i].state, "done") != 0) {
            all->state = part[i].state;
            all->reason = part[i].reason;
        }
}

const char *sessions_text(struct arena *texts, const struct value *slowdown)
{
    enum { FEW = 4 };
    const struct value *sessions = view_get(slowdown, "sessions");
    const char *text = NULL, *spread = "";
    size_t count = 0;
    if (!sessions)
        return NULL;
    EACH_VALUE (item, view_get(sessions, "ratios")) {
        const double ratio = view_number(item, NAN);
        const int decimals = ratio < 10 ? 3 : number_decimals(ratio);
        text = joined(texts, text, ", ", kept(texts, number_fixed(ratio, decimals, ROOM)));
        count++;
    }
    if (!isnan(view_real(sessions, "between")))
        spread =
            said(texts, "; standard deviation %s between sessions, %s from pair to pair within one",
                 number_percent(view_real(sessions, "between"), ROOM),
                 number_percent(view_real(sessions, "within"), ROOM));
    return said(texts, "%zu sessions: %s%s%s", count, text ?: "-", spread,
                count < FEW ? "; so few make a wide interval: 5 narrow it" : "");
}
