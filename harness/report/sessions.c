#include "report.h"

#include "harness/stats/interval.h"

#include "common/schemas.h"

// The same object of each session's result.
struct parts {
    const struct value **of;
    size_t count;
};

// What the sessions come to together in a member: of numbers, of truth, or what the first has.
enum how { SUM, MEAN, LEAST, MOST, ANY, ALL, FIRST };

static double number_over(const struct parts *parts, const char *key, enum how how)
{
    double sum = 0, least = NAN, most = NAN;
    for (size_t i = 0; i < parts->count; i++) {
        const double value = view_real(parts->of[i], key);
        sum += value;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return how == LEAST  ? least
           : how == MOST ? most
           : how == SUM  ? sum
                         : sum / (double)parts->count;
}

struct over {
    const char *key; // NULL: the end
    enum how how;
};

static void put_over(struct line *json, const struct parts *parts, const struct over *over)
{
    for (; over->key; over++) {
        size_t true_in = 0;
        for (size_t i = 0; i < parts->count; i++)
            true_in += view_holds(parts->of[i], over->key);
        if (over->how == FIRST)
            view_put(json, over->key, view_get(parts->of[0], over->key));
        else if (over->how == ANY || over->how == ALL)
            line_bool(json, over->key, true_in >= (over->how == ALL ? parts->count : 1));
        else
            line_real(json, over->key, number_over(parts, over->key, over->how));
    }
}

// All of them have an object there.
static bool are_objects(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (!view_is(parts->of[i], VIEW_OBJECT))
            return false;
    return parts->count > 0;
}

struct sessions {
    const struct experiment *part;
    size_t count; // 2 or more
    struct critical critical;
};

// They live as long as the first session.
static struct parts parts_new(const struct sessions *of)
{
    return (struct parts){.of = arena_take(of->part->texts, of->count * sizeof(struct value *)),
                          .count = of->count};
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
static struct interval mean_over(struct sessions *of, const struct parts *figures)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < figures->count; i++) {
        const double center = figure_center(figures->of[i]), change = center - mean;
        mean += change / (double)(i + 1);
        squares += change * (center - mean);
    }
    return interval_positive(interval_mean(
        &of->critical, mean, squares / (double)(figures->count - 1), figures->count, 1));
}

// The variance of a run is that within a session: between them is another.
static void put_figure(struct line *json, const struct quantity *metric, struct sessions *of,
                       const struct parts *conditions)
{
    static const char *const known[] = {"unit", "better", NULL};
    static const struct over extent[] = {
        {"median", MEAN}, {"min", LEAST}, {"max", MOST}, {"statistic", FIRST}, {0}};
    struct parts figures = parts_new(of);
    for (size_t i = 0; i < figures.count; i++)
        figures.of[i] = metric_figure(conditions->of[i], metric);
    if (are_objects(&figures)) {
        const struct interval mean = mean_over(of, &figures);
        const double variance = number_over(&figures, "variance", MEAN);
        line_object(json, metric->name);
        put_known(json, figures.of[0], known);
        line_real(json, "mean", number_over(&figures, "mean", MEAN));
        line_real(json, "variance", variance);
        line_real(json, "stddev", sqrt(variance));
        put_over(json, &figures, extent);
        line_real(json, "center", mean.center);
        put_interval(json, &mean);
        line_close(json);
    } else {
        line_null(json, metric->name);
    }
}

// A condition has the same loads in all sessions, in the same order.
static void put_loads(struct line *json, const struct sessions *of, const struct parts *conditions)
{
    static const struct over members[] = {
        {"name", FIRST}, {"unit", FIRST},  {"offered", MEAN}, {"achieved", MEAN}, {"cpu_s", MEAN},
        {"late", SUM},   {"dropped", SUM}, {"runs", SUM},     {"short", ANY},     {0}};
    struct parts loads = parts_new(of);
    for (size_t i = 0; i < loads.count; i++)
        loads.of[i] = view_first(view_get(conditions->of[i], "load"));
    LINE_ARRAY (json, "load")
        while (are_objects(&loads)) {
            line_object(json, NULL);
            put_over(json, &loads, members);
            line_close(json);
            for (size_t i = 0; i < loads.count; i++)
                loads.of[i] = view_next(view_get(conditions->of[i], "load"), loads.of[i]);
        }
}

static void put_condition(struct line *json, struct sessions *of, const struct value *first)
{
    static const struct over ends[] = {
        {"converged", ALL}, {"stop_reason", FIRST}, {"failed", SUM}, {"censored", SUM}, {0}};
    const char *name = view_text(first, "name");
    struct parts conditions = parts_new(of);
    for (size_t i = 0; i < conditions.count && name != NULL; i++)
        conditions.of[i] = condition_named(&of->part[i], name);
    if (are_objects(&conditions)) {
        line_object(json, NULL);
        line_text(json, "name", name);
        line_real(json, "runs", number_over(&conditions, "runs", SUM));
        put_loads(json, of, &conditions);
        put_over(json, &conditions, ends);
        for (unsigned i = 0; i < METRIC_COUNT; i++)
            put_figure(json, &metrics[i], of, &conditions);
        LINE_OBJECT (json, "metrics")
            for (size_t i = METRIC_COUNT; i < of->part[0].metrics.count; i++)
                put_figure(json, &of->part[0].metrics.item[i], of, &conditions);
        line_close(json);
    }
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

// What the ratio is of in a session: its denominator. Where higher is better that is the
// condition itself. An interaction is a ratio of ratios: all of them count alike.
static double base_of(const struct experiment *part, const struct value *ratio)
{
    const bool higher = view_matches(ratio, "better", "higher");
    const char *name = view_text(ratio, higher ? "condition" : "reference");
    const struct value *condition = condition_named(part, name);
    const size_t place = metric_named(&part->metrics, view_get(ratio, "metric"));
    if (!name && !higher && !view_has_text(ratio, "variant"))
        condition = part->baseline; // of an older version
    return place == part->metrics.count || !condition
               ? 1
               : figure_center(metric_figure(condition, &part->metrics.item[place]));
}

static struct levels levels_of(struct sessions *of, const struct parts *ratios)
{
    struct level_session *session = arena_take(of->part->texts, ratios->count * sizeof *session);
    for (size_t i = 0; i < ratios->count; i++) {
        const double base = base_of(&of->part[i], ratios->of[i]);
        session[i] = (struct level_session){
            .base = base,
            .loaded = base * view_real(ratios->of[i], "ratio"),
            .error = own_error(of, ratios->of[i]),
            .runs = view_count(view_get(ratios->of[i], "pairs"), 0),
        };
    }
    return levels_estimate(&of->critical, session, ratios->count);
}

static void put_sessions(struct line *json, const struct sessions *of,
                         const struct parts *slowdowns, const struct levels *levels)
{
    line_object(json, "sessions");
    LINE_ARRAY (json, "numbers")
        for (size_t i = 0; i < slowdowns->count; i++)
            line_count(json, NULL, of->part[i].session);
    LINE_ARRAY (json, "ratios")
        for (size_t i = 0; i < slowdowns->count; i++)
            view_put(json, NULL, view_get(slowdowns->of[i], "ratio"));
    line_real(json, "between", levels->between);
    line_real(json, "within", levels->within);
    line_close(json);
}

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

static void put_ratio(struct line *json, struct sessions *of, const struct parts *ratios)
{
    static const char *const names[] = {"condition", "reference", "variant", "reference_variant",
                                        "load",      "metric",    "unit",    "better",
                                        "requested", "statistic", NULL};
    const struct value *first = ratios->of[0];
    const struct levels levels = levels_of(of, ratios);
    const struct interval *ratio = &levels.ratio;
    line_object(json, NULL);
    put_known(json, first, names);
    line_real(json, "ratio", ratio->center);
    put_interval(json, ratio);
    line_real(json, "p", levels.p);
    line_text(json, "method", "sessions-fieller");
    line_count(json, "pairs", ratios->count);
    if (isnan(ratio->center))
        line_null(json, "distinguishable");
    else
        line_bool(json, "distinguishable", ratio->low > 1 || ratio->high < 1);
    if (view_get(first, "reference_variant") && view_get(first, "verdict")) {
        const double same = fmax(limit_of(&of->part[0], LIMIT_SAME), 0);
        const bool time = relation_is_time(view_text(first, "unit") ?: "",
                                           view_matches(first, "better", "higher"));
        line_text(json, "verdict", relation_name(relation_of(ratio, same), time));
    }
    if (view_is(view_get(first, "gate"), VIEW_NULL)) // --at-most does not judge it
        line_null(json, "gate");
    else if (view_has_text(first, "gate"))
        put_gate(json, of, ratio, first);
    view_put(json, "simultaneous", view_get(first, "simultaneous"));
    line_real(json, "censored", number_over(ratios, "censored", SUM));
    put_sessions(json, of, ratios, &levels);
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
            struct parts ratios = parts_new(of);
            for (size_t i = 0; i < ratios.count; i++)
                ratios.of[i] = same_ratio(list[i * step], item);
            if (are_objects(&ratios))
                put_ratio(json, of, &ratios);
        }
}

static void put_warning(struct line *json, const struct value *warning, unsigned session)
{
    static const char *const members[] = {"flag",   "severity", "condition", "metric",
                                          "advice", "bias",     NULL};
    OWNED char *text = text_of("session %u: %s", session, view_text(warning, "message") ?: "");
    line_object(json, NULL);
    view_put_members(json, warning, members);
    line_text(json, "message", text);
    line_raw(json, "runs", "[]"); // their numbers are of one session
    line_close(json);
}

static void put_warnings(struct line *json, const struct sessions *of)
{
    LINE_ARRAY (json, "warnings")
        for (size_t i = 0; i < of->count; i++) {
            EACH_VALUE (item, of->part[i].warnings)
                // Whether a session converged, or is noise, is not what the interval over them is
                // about.
                if (!view_matches(item, "flag", "noise") &&
                    !view_matches(item, "flag", "not-converged"))
                    put_warning(json, item, of->part[i].session);
        }
}

// The result over them, as jostle.result/1 as far as a report reads it; to be freed. Its ratios are
// those of harness/stats/interval.h, its other figures means over the sessions with the interval of
// Student's t, at the confidence of the first session's intervals.
static char *result_over(const struct experiment *part, size_t count)
{
    const struct experiment *first = &part[0];
    const double family = view_number(view_get(first->intervals, "family"), 1);
    const double confidence = view_confidence(first->settings);
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
    put_warnings(&json, &of);
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
    // That of the first which is not done.
    all->state = "done";
    for (size_t i = 0; i < count && all->state && strcmp(all->state, "done") == 0; i++)
        all->state = part[i].state;
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
        text =
            joined(texts, text, ", ", kept(texts, number_fixed(view_number(item, NAN), 3, ROOM)));
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
