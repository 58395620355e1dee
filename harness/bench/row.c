#include "bench.h"
#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const state_names[] = {[STATE_DONE] = "done",
                                   [STATE_UNFINISHED] = "unfinished",
                                   [STATE_WAITING] = "waiting",
                                   [STATE_SKIPPED] = "skipped",
                                   [STATE_FAILED] = "failed"};

static const char *load_of(const json_t *cell)
{
    return json_text_at(json_object_get(cell, "load"), "name");
}

static char *folder_of(const char *dir, const json_t *cell)
{
    const char *load = load_of(cell);
    const char *of = json_text_at(cell, "of");
    return text_of("%s/cells/%s%s%s", dir, of ? of : json_text_at(cell, "cell"), load ? "@" : "",
                   load ? load : "");
}

static enum state state_of(const struct measured *measured)
{
    if (json_text_is(measured->status, "state", "failed"))
        return STATE_FAILED;
    if (!measured->has_runs)
        return STATE_WAITING;
    return measured_is_done(measured) ? STATE_DONE : STATE_UNFINISHED;
}

bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell)
{
    *measured = (struct measured){.folder = folder_of(dir, cell)};
    *state = STATE_SKIPPED;
    if (json_has(cell, "skip"))
        return true;
    const bool good = measured_read(measured);
    *state = good ? state_of(measured) : STATE_FAILED;
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

struct interval measured_ratio(struct measured *measured, struct measured_of of,
                               struct measured_of to)
{
    struct session *session = &measured->session;
    struct pairs pairs = {0};
    struct interval ratio = interval_unbounded(NAN);
    if (measured_count(measured, of.condition, of.metric) == 0 ||
        measured_count(measured, to.condition, to.metric) == 0)
        return ratio;
    for (size_t block = 0; block < session->blocks; block++) {
        const double y = measured_value(measured, block, (size_t)of.condition, of.metric),
                     x = measured_value(measured, block, (size_t)to.condition, to.metric);
        if (!isnan(x) && !isnan(y))
            pairs_add(&pairs, x, y);
    }
    if (pairs.count >= 2)
        ratio = metric_pairs_ratio(session, &pairs);
    pairs_free(&pairs);
    return ratio;
}

// Of a record of a run: why it failed, to be freed; NULL: it did not.
static char *failure_of(const json_t *record)
{
    const json_t *signal = json_object_get(record, "signal"),
                 *metric = json_object_get(record, "metric_failure");
    const json_int_t exit_code = json_integer_value(json_object_get(record, "exit_code"));
    if (json_is_true(json_object_get(record, "timed_out")))
        return text_of("it took too long, and was ended");
    if (json_has(record, "start_error"))
        return text_of("it could not be started: %s", json_text_at(record, "start_error"));
    if (json_is_integer(signal))
        return text_of("signal %lld ended it", (long long)json_integer_value(signal));
    if (exit_code != 0)
        return text_of("exit status %lld", (long long)exit_code);
    return json_has(record, "metric_failure")
               ? text_of("%s: %s", json_text_at(metric, "metric"), json_text_at(metric, "reason"))
               : NULL;
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

static char *with_last_words(const struct measured *measured, const json_t *record, char *why)
{
    OWNED char *words = last_words(measured, record);
    char *both = !words ? must(strdup(why)) : text_of("%s: %.200s", why, words);
    free(why);
    return both;
}

char *measured_failure(const struct measured *measured, int condition, size_t *failed)
{
    const char *name;
    const json_t *last = NULL;
    *failed = 0;
    if (condition < 0)
        return NULL;
    name = measured->experiment.settings.conditions[condition];
    JSON_EACH (record, measured->session.records) {
        OWNED char *why = json_text_is(record, "condition", name) ? failure_of(record) : NULL;
        last = why ? record : last;
        *failed += why != NULL;
    }
    return !last ? NULL : with_last_words(measured, last, failure_of(last));
}

double measured_load(const struct measured *measured, int condition)
{
    const struct condition *runs = condition < 0 ? NULL : &measured->session.conditions[condition];
    return !runs || runs->load_count == 0 || runs->loads[0].achieved_runs == 0
               ? NAN
               : runs->loads[0].achieved / (double)runs->loads[0].achieved_runs;
}

// What all functions here are about.
struct context {
    struct measured *measured;
    enum state state;
    const char *part;
    const json_t *cell;
    json_t *row;
};

static struct measured_of of_variant(const struct context *context, const char *variant,
                                     const char *figure)
{
    return (struct measured_of){measured_condition(context->measured, context->cell, variant),
                                measured_metric(context->measured, figure)};
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

// {name, value, ci, unit, better} of each further figure that the variant has.
static json_t *more_json(const struct context *context, const char *variant)
{
    json_t *list = must(json_array());
    JSON_EACH (figure, json_object_get(context->cell, "more")) {
        const char *name = json_text_at(figure, "name");
        const struct measured_of of = of_variant(
            context, variant, json_has(figure, "metric") ? json_text_at(figure, "metric") : name);
        if (!json_is_true(json_object_get(figure, "shown")) ||
            measured_count(context->measured, of.condition, of.metric) == 0)
            continue;
        const struct interval interval =
            measured_figure(context->measured, of.condition, of.metric);
        json_t *one =
            must(json_pack("{s:s, s:s, s:s}", "name", name, "unit", json_text_at(figure, "unit"),
                           "better", json_text_at(figure, "better")));
        json_put_interval(one, "value", &interval);
        json_add(list, one);
    }
    return list;
}

static double low_of(const struct interval *interval)
{
    return interval->constant ? interval->center : interval->low;
}

static double high_of(const struct interval *interval)
{
    return interval->constant ? interval->center : interval->high;
}

// How far jostle's own command was above the peak in its CPU time, with the whole interval: then
// it is not this CPU's, whatever else delayed the runs. NAN: it was not.
static double above_peak(const struct context *context)
{
    const struct measured_of of = of_variant(context, NULL, PEAK_SHARE);
    const struct interval share = measured_figure(context->measured, of.condition, of.metric);
    return low_of(&share) > 1 ? share.center : NAN;
}

// The peak that each of our runs prints: where the row's figure is the one that it is of.
static struct measured_of measured_peak(const struct context *context)
{
    const bool has =
        json_has(json_object_get(context->cell, "peak"), "metric") && isnan(above_peak(context));
    return has ? of_variant(context, NULL, "bench_peak") : (struct measured_of){-1, MAX_METRICS};
}

// How much of the peak a variant reaches; NAN: no peak is known.
static struct interval of_peak(const struct context *context, const char *variant)
{
    const json_t *peak = json_object_get(context->cell, "peak");
    const struct measured_of of = of_variant(context, variant, figure_name(context));
    if (json_has(peak, "value"))
        return interval_scaled(measured_figure(context->measured, of.condition, of.metric),
                               1 / json_number_at(peak, "value"));
    return measured_ratio(context->measured, of, measured_peak(context));
}

// {ratio, ci}; null where it is not known.
static json_t *ratio_json(struct interval ratio)
{
    return isnan(ratio.center) ? json_null() : figure_json("ratio", ratio);
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

static void check_peak(const struct context *context, const char *who, struct interval ratio)
{
    if (low_of(&ratio) > 1)
        add_problem(context, "above-peak",
                    text_of("%s reaches %.0f %% of the theoretical peak: %s", who,
                            ratio.center * 100, problem_likely(context->part)));
}

static void put_peak(const struct context *context)
{
    const json_t *peak = json_object_get(context->cell, "peak");
    const struct measured_of of = measured_peak(context);
    struct interval value = json_has(peak, "value")
                                ? interval_constant(json_number_at(peak, "value"))
                                : measured_figure(context->measured, of.condition, of.metric);
    const struct interval ratio = of_peak(context, NULL);
    if (isnan(value.center)) {
        json_put(context->row, "peak", json_null());
        json_put(context->row, "peak_reason", json_owned_text(no_peak(context)));
        json_put(context->row, "of_peak", json_null());
        return;
    }
    json_t *object = figure_json("value", value);
    json_put(object, "source", json_text(json_text_at(peak, "source")));
    json_put(context->row, "peak", object);
    json_put(context->row, "peak_reason", json_null());
    json_put(context->row, "of_peak", ratio_json(ratio));
    check_peak(context, "jostle", ratio);
}

// A peer that has runs which failed: named, and nothing of ours is lost.
static void check_peer(const struct context *context, const char *name, size_t count, json_t *row)
{
    size_t failed;
    const int condition = measured_condition(context->measured, context->cell, name);
    OWNED char *why = measured_failure(context->measured, condition, &failed);
    if (!why)
        return;
    if (count == 0)
        json_put(row, "reason", json_text(why));
    add_problem(context, "peer-failed",
                text_of("%s failed in %zu of its runs: %s", name, failed, why));
}

static json_t *peer_json(const struct context *context, const json_t *peer)
{
    const char *name = json_text_at(peer, "name"), *figure = figure_name(context);
    const struct measured_of ours = of_variant(context, NULL, figure),
                             of = of_variant(context, name, figure);
    const size_t count = measured_count(context->measured, of.condition, of.metric);
    const struct interval value = measured_figure(context->measured, of.condition, of.metric),
                          peak = of_peak(context, name);
    json_t *row = must(json_pack(
        "{s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "name", name, "version",
        json_text(json_text_at(peer, "version")), "n", (json_int_t)count, "of_peak",
        ratio_json(peak), "ours_of_peer", ratio_json(measured_ratio(context->measured, ours, of)),
        "more", more_json(context, name), "reason", json_text(json_text_at(peer, "reason"))));
    json_put_interval(row, "value", &value);
    check_peak(context, name, peak);
    check_peer(context, name, count, row);
    return row;
}

static void put_peers(const struct context *context)
{
    json_t *list = must(json_array());
    JSON_EACH (peer, json_object_get(context->cell, "peers"))
        json_add(list, peer_json(context, peer));
    json_put(context->row, "peers", list);
}

// Whether a figure is wholly beyond the limit of a rule. Of a single run, such as a series, the
// figure itself is all that is known: what it wrote has reached the device, or has not.
static bool is_beyond(const struct interval *figure, bool is_single, const json_t *rule)
{
    return json_has(rule, "below")
               ? (is_single ? figure->center : high_of(figure)) < json_number_at(rule, "below")
               : (is_single ? figure->center : low_of(figure)) > json_number_at(rule, "above");
}

// What the part said beforehand, and its rules about figures.
static void put_known_problems(const struct context *context)
{
    JSON_EACH (one, json_object_get(context->cell, "problems"))
        json_add(json_object_get(context->row, "problems"),
                 problem_json(json_text_at(one, "flag"), json_text_at(one, "text")));
    JSON_EACH (one, json_object_get(context->cell, "rules")) {
        const struct measured_of of = of_variant(context, NULL, json_text_at(one, "figure"));
        const struct interval figure = measured_figure(context->measured, of.condition, of.metric);
        const bool is_single = measured_count(context->measured, of.condition, of.metric) == 1;
        if (is_beyond(&figure, is_single, one))
            json_add(json_object_get(context->row, "problems"),
                     problem_json(json_text_at(one, "flag"), json_text_at(one, "text")));
    }
}

// Whether runs of jostle's own command failed.
static bool has_failed(const struct context *context)
{
    size_t failed;
    const struct measured *measured = context->measured;
    free(measured_failure(measured, measured_condition(measured, context->cell, NULL), &failed));
    return failed > 0;
}

// What is left out: that there are too few runs, of a series, which is one run on purpose, and
// of a peer that has no figures; that runs failed, where it is a peer's, which is said of it.
static bool is_known(const struct context *context, const char *flag, const char *condition)
{
    const int ours = measured_condition(context->measured, context->cell, NULL),
              its = !condition
                        ? -1
                        : settings_condition(&context->measured->experiment.settings, condition);
    if (strcmp(flag, "not-converged") == 0)
        return json_has(context->cell, "series") ||
               (its >= 0 && its != ours &&
                measured_count(context->measured, its,
                               measured_metric(context->measured, figure_name(context))) == 0);
    return strcmp(flag, "failed-runs") == 0 && !has_failed(context);
}

// The problems that stats has found in the runs, in its words.
static void put_warnings(const struct context *context)
{
    const struct settings *settings = &context->measured->experiment.settings;
    const int ours = measured_condition(context->measured, context->cell, NULL);
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

static json_t *labels_json(const json_t *cell)
{
    json_t *labels = must(json_object());
    JSON_EACH (pair, json_object_get(cell, "labels"))
        json_put(labels, json_string_value(json_array_get(pair, 0)),
                 json_incref(json_array_get(pair, 1)));
    return labels;
}

static void put_figures(const struct context *context)
{
    const struct measured_of of = of_variant(context, NULL, figure_name(context));
    const struct interval value = measured_figure(context->measured, of.condition, of.metric);
    const size_t count = measured_count(context->measured, of.condition, of.metric);
    json_put_interval(context->row, "value", &value);
    json_put(context->row, "n", must(json_integer((json_int_t)count)));
    json_put(context->row, "more", more_json(context, NULL));
    put_peak(context);
    put_peers(context);
    put_known_problems(context);
    put_warnings(context);
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
    size_t failed;
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
    char *why =
        measured_failure(measured, measured_condition(measured, context->cell, NULL), &failed);
    return why ? json_owned_text(why) : json_text(json_text_at(measured->status, "reason"));
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
    const struct interval share = interval_scaled(mean, 1 / peak);
    json_put(context->row, "of_peak", ratio_json(share));
    check_peak(context, "jostle", share);
}

json_t *row_build(struct measured *measured, enum state state, const char *part, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure");
    struct context context = {
        .measured = measured,
        .state = state,
        .part = part,
        .cell = cell,
        .row = must(json_pack("{s:O, s:o, s:s, s:n, s:o, s:o, s:o, s:O, s:[]}", "cell",
                              json_object_get(cell, "cell"), "labels", labels_json(cell), "state",
                              state_names[state], "reason", "metric",
                              json_text(json_text_at(figure, "name")), "unit",
                              json_text(json_text_at(figure, "unit")), "better",
                              json_text(json_text_at(figure, "better")), "marks",
                              json_object_get(cell, "marks"), "problems"))};
    put_figures(&context);
    if (json_has(cell, "series")) {
        series_put(context.row, measured, cell);
        put_series_share(&context);
    }
    if (state == STATE_DONE && !json_has(context.row, "value")) {
        context.state = has_failed(&context) ? STATE_FAILED : STATE_UNFINISHED;
        json_put(context.row, "state", json_text(state_names[context.state]));
    }
    json_put(context.row, "reason", reason_json(&context));
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
