// A row of bench.json: what a cell showed.

#include "bench.h"
#include "harness/stats/json.h"
#include "harness/stats/metrics.h"

#include "common/file.h"
#include "common/memory.h"

#include <math.h>
#include <string.h>

static const char *const state_names[] = {[STATE_DONE] = "done",
                                          [STATE_UNFINISHED] = "unfinished",
                                          [STATE_WAITING] = "waiting",
                                          [STATE_SKIPPED] = "skipped",
                                          [STATE_FAILED] = "failed"};

static const char *load_of(const json_t *cell)
{
    return json_text_at(json_object_get(cell, "load"), "name");
}

bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell)
{
    const char *load = load_of(cell), *of = json_text_at(cell, "of");
    *measured = (struct measured){.folder = text_of("%s/cells/%s%s%s", dir,
                                                    of ? of : json_text_at(cell, "cell"),
                                                    load ? "@" : "", load ? load : "")};
    *state = STATE_SKIPPED;
    if (json_has(cell, "skip"))
        return true;
    const bool good = measured_read(measured);
    *state = !good || json_text_is(measured->status, "state", "failed") ? STATE_FAILED
             : !measured->has_runs                                      ? STATE_WAITING
             : measured_is_done(measured)                               ? STATE_DONE
                                                                        : STATE_UNFINISHED;
    return good;
}

int measured_condition(const struct measured *measured, const json_t *cell, const char *variant)
{
    const struct settings *settings = &measured->experiment.settings;
    const bool several = settings->variants > 1;
    const char *load = load_of(cell), *name = !variant ? "jostle" : variant;
    if (!measured->has_runs || (!several && variant))
        return -1;
    OWNED char *condition = !several ? text_of("%s", load ? load : settings->conditions[0])
                            : !load ? text_of("%s", name)
                                     : text_of("%s@%s", name, load);
    return settings_condition(settings, condition);
}

// How the run of a record failed, to be freed; NULL: it did not.
static char *failure_in(const json_t *record)
{
    struct run run;
    (void)run_read(&run, node_of_json(record));
    const enum failure failure = run_failure(&run);
    OWNED char *text = failure == FAILURE_NONE ? NULL : failure_text(&run);
    return !text ? NULL
                 : text_of("%s %s%s", failure == FAILURE_SERVICE ? "its service" : "it", text,
                           failure == FAILURE_TIMED_OUT
                               ? " (end whatever else runs, or allow more with --set timeout=TIME)"
                               : "");
}

// The last line of what the run wrote to stderr, to be freed; NULL: nothing was kept.
static char *last_words(const struct measured *measured, const json_t *record)
{
    const char *name = json_text_at(json_object_get(record, "output"), "stderr");
    OWNED char *path = !name ? NULL : text_of("%s/%s", measured->folder, name);
    char *line = NULL, *last = NULL;
    size_t size = 0;
    FILE *file = !path ? NULL : file_open_record(path);
    while (file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line == '\0')
            continue;
        free(last);
        last = must(strdup(line));
    }
    if (file)
        fclose(file);
    free(line);
    return last;
}

double measured_load(const struct measured *measured, int condition)
{
    const struct condition *runs = condition < 0 ? NULL : &measured->session.conditions[condition];
    return !runs || runs->load_count == 0 || runs->loads[0].known[LOAD_ACHIEVED] == 0
               ? NAN
               : runs->loads[0].sum[LOAD_ACHIEVED] / (double)runs->loads[0].known[LOAD_ACHIEVED];
}

// What all functions here are about.
struct context {
    struct measured *measured;
    enum state state;
    const char *part;
    const json_t *cell;
    int ours;      // the condition of jostle's own command
    char *why;     // its last failed run failed, NULL: none did
    size_t failed; // how many
    json_t *row;
};

// Why the last failed run of a condition failed, with what it said last; to be freed. NULL: none
// did. *failed: how many.
static char *failure(const struct measured *measured, int condition, size_t *failed)
{
    char *why = NULL;
    const json_t *last = NULL;
    *failed = 0;
    JSON_EACH (record, condition < 0 ? NULL : measured->session.records) {
        const char *name = measured->experiment.settings.conditions[condition];
        char *one = json_text_is(record, "condition", name) ? failure_in(record) : NULL;
        if (!one)
            continue;
        free(why);
        why = one;
        last = record;
        ++*failed;
    }
    OWNED char *words = !last ? NULL : last_words(measured, last);
    return words ? text_added(why, ": %.200s", words) : why;
}

// A figure of a variant; NULL: of jostle's command.
struct figure {
    int condition;
    size_t metric, count; // count: runs that have it
    struct interval value;
};

static struct figure figure_of(const struct context *context, const char *variant, const char *name)
{
    struct figure figure = {
        .condition = measured_condition(context->measured, context->cell, variant),
        .metric = measured_metric(context->measured, name),
    };
    figure.count = measured_count(context->measured, figure.condition, figure.metric);
    figure.value = measured_figure(context->measured, figure.condition, figure.metric);
    return figure;
}

// How many times the second the first one is, from the blocks that have both; NAN: from fewer
// than two.
static struct interval ratio_of(struct measured *measured, struct figure of, struct figure to)
{
    struct pairs pairs = {0};
    struct interval ratio = interval_unbounded(NAN);
    for (size_t block = 0; of.count > 0 && to.count > 0 && block < measured->session.blocks;
         block++) {
        const double y = measured_value(measured, block, (size_t)of.condition, of.metric),
                     x = measured_value(measured, block, (size_t)to.condition, to.metric);
        if (!isnan(x) && !isnan(y))
            pairs_add(&pairs, x, y);
    }
    if (pairs.count >= 2)
        ratio = metric_pairs_ratio(&measured->session, &pairs);
    pairs_free(&pairs);
    return ratio;
}

static const char *figure_name(const struct context *context)
{
    return json_text_at(json_object_get(context->cell, "figure"), "name");
}

static void add_problem(const struct context *context, const char *flag, char *text)
{
    json_add(json_object_get(context->row, "problems"), problem_json(flag, text));
    free(text);
}

static double low_of(const struct interval *interval)
{
    return interval->constant ? interval->center : interval->low;
}

static double high_of(const struct interval *interval)
{
    return interval->constant ? interval->center : interval->high;
}

// What share of a peak that does not vary a figure reaches; of a figure of which less is better the
// peak is the least that there can be.
static struct interval share_of(struct interval value, double peak, const char *better)
{
    if (strcmp(better, "lower") != 0)
        return interval_scaled(value, 1 / peak);
    if (value.constant)
        return interval_constant(peak / value.center);
    return value.low > 0
               ? interval_between(peak / value.center, peak / value.high, peak / value.low)
               : interval_unbounded(peak / value.center);
}

// {ratio, ci}; null where it is not known.
static json_t *ratio_json(struct interval ratio)
{
    return isnan(ratio.center) ? json_null() : figure_json("ratio", ratio);
}

static json_t *peak_json(struct interval value, const json_t *peak)
{
    json_t *object = figure_json("value", value);
    json_put(object, "source", json_text(json_text_at(peak, "source")));
    return object;
}

static void check_peak(const struct context *context, const char *who, struct interval ratio)
{
    if (low_of(&ratio) > 1)
        add_problem(context, "above-peak",
                    text_of("%s reaches %.0f %% of the theoretical peak: %s", who,
                            ratio.center * 100, problem_likely(context->part)));
}

// What share of its runs, in percent, ended well, which of a program that verifies its result are
// those whose result was right.
static double passed_percent(const struct context *context, const struct figure *figure)
{
    size_t failed;
    free(failure(context->measured, figure->condition, &failed));
    return 100 * (double)figure->count / (double)(figure->count + failed);
}

// What a figure is of the runs: `of` is passed, max or min.
static struct interval over_runs(const struct context *context, const struct figure *figure,
                                 const char *of)
{
    double most = NAN;
    if (strcmp(of, "passed") == 0)
        return interval_unbounded(passed_percent(context, figure));
    for (size_t block = 0; block < context->measured->session.blocks; block++) {
        const double value =
            measured_value(context->measured, block, (size_t)figure->condition, figure->metric);
        most = strcmp(of, "max") == 0 ? fmax(most, value) : fmin(most, value);
    }
    return interval_unbounded(most);
}

// The peak of a further figure, where one is stated, and the share of it.
static void put_further_peak(const struct context *context, json_t *figure, const char *who,
                             struct interval value)
{
    const json_t *peak =
        json_named(json_object_get(context->cell, "peaks"), "figure", json_text_at(figure, "name"));
    const double most = json_number_at(peak, "value");
    if (isnan(most))
        return;
    const struct interval share = share_of(value, most, json_text_at(figure, "better"));
    json_put(figure, "peak", peak_json(interval_constant(most), peak));
    json_put(figure, "of_peak", ratio_json(share));
    check_peak(context, who, share);
}

// {name, value, ci, unit, better} of each further figure that the variant has; with its peak.
static json_t *more_json(const struct context *context, const char *variant)
{
    json_t *list = must(json_array());
    JSON_EACH (figure, json_object_get(context->cell, "more")) {
        const char *name = json_text_at(figure, "name"), *of = json_text_at(figure, "of");
        const struct figure found = figure_of(
            context, variant, json_has(figure, "metric") ? json_text_at(figure, "metric") : name);
        if (!json_is_true(json_object_get(figure, "shown")) || found.count == 0)
            continue;
        json_t *one =
            must(json_pack("{s:s, s:s, s:s}", "name", name, "unit", json_text_at(figure, "unit"),
                           "better", json_text_at(figure, "better")));
        const struct interval value = of ? over_runs(context, &found, of) : found.value;
        json_put_interval(one, "value", &value);
        put_further_peak(context, one, variant ? variant : "jostle", value);
        json_add(list, one);
    }
    return list;
}

// How far jostle's own command was above the peak in its CPU time, with the whole interval: then
// it is not this CPU's, whatever else delayed the runs. NAN: it was not.
static double above_peak(const struct context *context)
{
    const struct interval share = figure_of(context, NULL, PEAK_SHARE).value;
    return low_of(&share) > 1 ? share.center : NAN;
}

// The peak that each of our runs prints: where the row's figure is the one that it is of.
static struct figure measured_peak(const struct context *context)
{
    const bool has =
        json_has(json_object_get(context->cell, "peak"), "metric") && isnan(above_peak(context));
    return has ? figure_of(context, NULL, "bench_peak")
               : (struct figure){-1, MAX_METRICS, 0, interval_unbounded(NAN)};
}

// How much of the peak a variant reaches; NAN: no peak is known.
static struct interval of_peak(const struct context *context, const char *variant)
{
    const json_t *peak = json_object_get(context->cell, "peak");
    const struct figure of = figure_of(context, variant, figure_name(context));
    return json_has(peak, "value")
               ? share_of(of.value, json_number_at(peak, "value"),
                          json_text_at(json_object_get(context->cell, "figure"), "better"))
               : ratio_of(context->measured, of, measured_peak(context));
}

// Why the row has no peak.
static char *no_peak(const struct context *context)
{
    const json_t *peak = json_object_get(context->cell, "peak");
    const char *reason = json_text_at(peak, "reason");
    const double above = above_peak(context);
    if (isnan(above))
        return text_of("%s", reason ? reason : "not known here");
    return text_of("not known here: jostle reached %.0f %% of what would be the peak in its CPU "
                   "time: %s",
                   above * 100, json_text_at(peak, "source"));
}

static void put_peak(const struct context *context)
{
    const json_t *peak = json_object_get(context->cell, "peak");
    const struct interval value = json_has(peak, "value")
                                      ? interval_constant(json_number_at(peak, "value"))
                                      : measured_peak(context).value;
    const struct interval ratio = of_peak(context, NULL);
    if (isnan(value.center)) {
        json_put(context->row, "peak", json_null());
        json_put(context->row, "peak_reason", json_owned_text(no_peak(context)));
        json_put(context->row, "of_peak", json_null());
        return;
    }
    json_put(context->row, "peak", peak_json(value, peak));
    json_put(context->row, "peak_reason", json_null());
    json_put(context->row, "of_peak", ratio_json(ratio));
    check_peak(context, "jostle", ratio);
}

static json_t *peer_json(const struct context *context, const json_t *peer)
{
    const char *name = json_text_at(peer, "name"), *figure = figure_name(context);
    const struct figure ours = figure_of(context, NULL, figure),
                        its = figure_of(context, name, figure);
    const struct interval peak = of_peak(context, name);
    size_t failed;
    OWNED char *why = failure(context->measured, its.condition, &failed);
    json_t *row = must(json_pack(
        "{s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "name", name, "version",
        json_text(json_text_at(peer, "version")), "n", (json_int_t)its.count, "of_peak",
        ratio_json(peak), "ours_of_peer", ratio_json(ratio_of(context->measured, ours, its)),
        "more", more_json(context, name), "reason", json_text(json_text_at(peer, "reason"))));
    json_put_interval(row, "value", &its.value);
    check_peak(context, name, peak);
    // Runs which failed are named, and nothing of ours is lost.
    if (why && its.count == 0)
        json_put(row, "reason", json_text(why));
    if (why)
        add_problem(context, "peer-failed",
                    text_of("%s failed in %zu of its runs: %s", name, failed, why));
    return row;
}

// Whether a figure is wholly beyond the limit of a rule. Of a single run, such as a series, the
// figure itself is all that is known: what it wrote has reached the device, or has not.
static bool is_beyond(const struct figure *figure, const json_t *rule)
{
    const struct interval *value = &figure->value;
    const bool is_single = figure->count == 1;
    return json_has(rule, "below")
               ? (is_single ? value->center : high_of(value)) < json_number_at(rule, "below")
               : (is_single ? value->center : low_of(value)) > json_number_at(rule, "above");
}

// What the part said beforehand, and its rules about figures.
static void put_known_problems(const struct context *context)
{
    json_t *problems = json_object_get(context->row, "problems");
    JSON_EACH (one, json_object_get(context->cell, "problems"))
        json_add(problems, problem_json(json_text_at(one, "flag"), json_text_at(one, "text")));
    JSON_EACH (one, json_object_get(context->cell, "rules")) {
        const struct figure figure = figure_of(context, NULL, json_text_at(one, "figure"));
        if (is_beyond(&figure, one))
            json_add(problems, problem_json(json_text_at(one, "flag"), json_text_at(one, "text")));
    }
}

// What is left out: that there are too few runs, of a series, which is one run on purpose, and
// of a peer that has no figures; that runs failed, where it is a peer's, which is said of it.
static bool is_known(const struct context *context, const char *flag, const char *condition)
{
    const struct settings *settings = &context->measured->experiment.settings;
    const int its = !condition ? -1 : settings_condition(settings, condition);
    if (strcmp(flag, "not-converged") == 0)
        return json_has(context->cell, "series") ||
               (its >= 0 && its != context->ours &&
                measured_count(context->measured, its,
                               measured_metric(context->measured, figure_name(context))) == 0);
    return strcmp(flag, "failed-runs") == 0 && context->failed == 0;
}

// The problems that stats has found in the runs, in its words.
static void put_warnings(const struct context *context)
{
    const struct settings *settings = &context->measured->experiment.settings;
    const int ours = context->ours;
    JSON_EACH (warning, json_object_get(context->measured->summary, "warnings")) {
        const char *flag = json_text_at(warning, "flag"),
                   *condition = json_text_at(warning, "condition");
        if (!json_text_is(warning, "severity", "problem") || is_known(context, flag, condition))
            continue;
        const bool is_ours =
            !condition || (ours >= 0 && strcmp(condition, settings->conditions[ours]) == 0);
        OWNED char *text = text_of("%s%s%s", is_ours ? "" : condition, is_ours ? "" : ": ",
                                   json_text_at(warning, "message"));
        json_add(json_object_get(context->row, "problems"),
                 must(json_pack("{s:s, s:s, s:s?}", "flag", flag, "text", text, "advice",
                                json_text_at(warning, "advice"))));
    }
}

// Why a row has no run: what kept it from its first one, where that was no signal.
static json_t *waiting_json(const struct measured *measured)
{
    static const char by_signal[] = "interrupted by ";
    const char *reason = json_text_at(measured->status, "reason");
    if (!reason || !json_text_is(measured->status, "state", "interrupted") ||
        strncmp(reason, by_signal, sizeof by_signal - 1) == 0)
        return json_text("not measured yet: the same command continues");
    return json_text(reason);
}

// Why the row is as it is.
static json_t *reason_json(const struct context *context)
{
    const struct measured *measured = context->measured;
    if (context->state == STATE_SKIPPED)
        return json_text(json_text_at(context->cell, "skip"));
    if (context->state == STATE_WAITING)
        return waiting_json(measured);
    if (context->state == STATE_UNFINISHED)
        return json_text(json_text_is(measured->status, "state", "done")
                             ? "its time was over before it had a figure: allow more --max-time"
                             : "more runs are to come: the same command continues");
    if (context->state != STATE_FAILED)
        return json_null();
    return json_text(context->why ? context->why : json_text_at(measured->status, "reason"));
}

// The share of a series: of its mean, and of the peak that the same run prints.
static void put_series_share(const struct context *context)
{
    const double peak = json_number_at(json_object_get(context->row, "peak"), "value");
    const struct interval mean = {.center = json_number_at(context->row, "value"),
                                  .low = json_bound_at(context->row, 0),
                                  .high = json_bound_at(context->row, 1)};
    if (isnan(peak) || isnan(mean.low))
        return;
    const struct interval share = share_of(mean, peak, json_text_at(context->row, "better"));
    json_put(context->row, "of_peak", ratio_json(share));
    check_peak(context, "jostle", share);
}

json_t *row_build(struct measured *measured, enum state state, const char *part, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure");
    json_t *labels = must(json_object()), *peers = must(json_array());
    JSON_EACH (pair, json_object_get(cell, "labels"))
        json_put(labels, json_string_value(json_array_get(pair, 0)),
                 json_incref(json_array_get(pair, 1)));
    struct context context = {.measured = measured, .state = state, .part = part, .cell = cell};
    context.ours = measured_condition(measured, cell, NULL);
    context.why = failure(measured, context.ours, &context.failed);
    context.row = must(json_pack(
        "{s:O, s:o, s:s, s:n, s:o, s:o, s:o, s:O, s:[]}", "cell", json_object_get(cell, "cell"),
        "labels", labels, "state", state_names[state], "reason", "metric",
        json_text(json_text_at(figure, "name")), "unit", json_text(json_text_at(figure, "unit")),
        "better", json_text(json_text_at(figure, "better")), "marks",
        json_object_get(cell, "marks"), "problems"));
    const struct figure ours = figure_of(&context, NULL, figure_name(&context));
    json_put_interval(context.row, "value", &ours.value);
    json_put(context.row, "n", must(json_integer((json_int_t)ours.count)));
    json_put(context.row, "more", more_json(&context, NULL));
    put_peak(&context);
    JSON_EACH (peer, json_object_get(cell, "peers"))
        json_add(peers, peer_json(&context, peer));
    json_put(context.row, "peers", peers);
    put_known_problems(&context);
    put_warnings(&context);
    if (json_has(cell, "series")) {
        series_put(context.row, measured, cell);
        put_series_share(&context);
    }
    if (state == STATE_DONE && !json_has(context.row, "value")) {
        context.state = context.failed > 0 ? STATE_FAILED : STATE_UNFINISHED;
        json_put(context.row, "state", json_text(state_names[context.state]));
    }
    json_put(context.row, "reason", reason_json(&context));
    free(context.why);
    return context.row;
}

// Whether the peak of the cell, which is made of facts of the CPU, was found not to hold.
static bool is_withdrawn(const json_t *cell, const json_t *row)
{
    return json_has(json_object_get(cell, "peak"), "metric") && json_has(row, "value") &&
           !json_has(row, "peak");
}

static void withdraw(json_t *row, const char *by)
{
    OWNED char *reason =
        text_of("not known here: this CPU exceeds what would be the peak of %s", by);
    json_put(row, "peak", json_null());
    json_put(row, "of_peak", json_null());
    json_put(row, "peak_reason", json_text(reason));
    JSON_EACH (peer, json_object_get(row, "peers"))
        json_put(peer, "of_peak", json_null());
}

void rows_check_peaks(const json_t *cells, json_t *rows)
{
    const char *by = NULL;
    for (size_t i = 0; !by && i < json_array_size(cells); i++)
        if (is_withdrawn(json_array_get(cells, i), json_array_get(rows, i)))
            by = json_text_at(json_array_get(cells, i), "cell");
    for (size_t i = 0; by && i < json_array_size(cells); i++)
        if (json_has(json_object_get(json_array_get(cells, i), "peak"), "metric") &&
            json_has(json_array_get(rows, i), "peak"))
            withdraw(json_array_get(rows, i), by);
}
