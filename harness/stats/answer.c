#include "answer.h"

#include "describe.h"
#include "direction.h"
#include "json.h"
#include "metrics.h"
#include "statistic.h"
#include "stragglers.h"
#include "typical.h"

#include "common/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PART = 160 };

// A mean that is so close to the typical ratio says the same.
static const double alike = 0.02;
// A share of runs from which on "1 run in N" says less than so many of ten.
static const double often = 0.25;

struct answer {
    struct session *session;
    size_t condition, metric, reference;
    enum against against;
    struct interval typical, mean; // above 1 is worse
    struct stragglers own, other;
    double p;
    char place[PART], other_place[PART]; // "beside half", "alone"
};

// ---- numbers ----

static int decimals_of(double low, double high, double number)
{
    const double width = high - low;
    const double needed = width > 0 && isfinite(width) ? 1 - floor(log10(width)) : 2;
    return decimals_apart(needed < 0 ? 0 : needed > 4 ? 4 : (int)needed, low, high, number);
}

// "1.50", with as many digits as its interval deserves.
static void number_text(const struct interval *of, double value, char *text)
{
    const bool known = isfinite(of->low) && isfinite(of->high) && !of->constant;
    snprintf(text, PART, "%.*f", known ? decimals_of(of->low, of->high, 1) : 2, value);
}

// " (1.46 to 1.54)", " (at least 1.5)", ""
static void bounds_text(const struct interval *of, char *text)
{
    const bool low = isfinite(of->low), high = isfinite(of->high);
    char from[PART], to[PART];
    number_text(of, of->low, from);
    number_text(of, of->high, to);
    if (of->constant || (!low && !high))
        text[0] = '\0';
    else if (low && high)
        snprintf(text, PART, " (%.40s to %.40s)", from, to);
    else
        snprintf(text, PART, " (at %s %.40s)", low ? "least" : "most", low ? from : to);
}

// ---- sentences ----

// "Beside half it takes 1.50 times as long (1.46 to 1.54).", in the metric's own direction.
static void print_typical(const struct answer *answer, FILE *stream)
{
    const struct metric_setting *metric = &answer->session->settings->metrics.item[answer->metric];
    const bool is_time = words_is_time(metric);
    const struct interval plain =
        direction_of_reference(&answer->typical, metric->higher_is_better);
    const size_t pairs =
        answer->session->conditions[answer->condition].pairs[answer->against][answer->metric].count;
    const size_t needed = statistic_runs(STATISTIC_TYPICAL, answer->session->critical.confidence);
    char figure[PART], bounds[PART];
    number_text(&plain, plain.center, figure);
    bounds_text(&plain, bounds);
    if (is_time)
        fprintf(stream, "%c%s it takes %s times as long%s", toupper(answer->place[0]),
                answer->place + 1, figure, bounds);
    else
        fprintf(stream, "%c%s its %s is %s times that %s%s", toupper(answer->place[0]),
                answer->place + 1, metric->name, figure, answer->other_place, bounds);
    if (!isfinite(answer->typical.low) && pairs < needed)
        fprintf(stream, "; how sure that is shows from %zu pairs of runs on, there are %zu", needed,
                pairs);
    else if (!metric_is_distinguishable(answer->session, answer->condition, answer->against,
                                        answer->metric))
        fputs(", which is not distinguishable from no effect", stream);
    fputc('.', stream);
}

// "1 in 10"
static void share_text(double share, char *text)
{
    const double runs = 1 / share;
    snprintf(text, PART, runs < 10 ? "1 in %.2g" : "1 in %.0f", runs);
}

// "1 run in 10 (1 in 30 to 1 in 4) takes 10 times as long"
static void print_share(const struct stragglers *of, bool is_time, FILE *stream)
{
    const double share = (double)of->count / (double)of->runs;
    char low[PART], high[PART];
    share_text(of->low, low);
    share_text(of->high, high);
    if (share > often)
        fprintf(stream, "%zu of %zu runs", of->count, of->runs);
    else
        fprintf(stream, "1 run in %.0f", 1 / share);
    fprintf(stream, " (%s to %s) %s%s %.2g times ", low, high, is_time ? "take" : "show",
            share > often ? "" : "s", of->times);
    fputs(is_time ? "as long" : "as bad a figure", stream);
}

static void print_mean(const struct answer *answer, FILE *stream)
{
    const bool higher = answer->session->settings->metrics.item[answer->metric].higher_is_better;
    const struct interval plain = direction_of_reference(&answer->mean, higher);
    const size_t own = stragglers_needed(&answer->own), other = stragglers_needed(&answer->other);
    char bounds[PART];
    if (!(fabs(answer->mean.center / answer->typical.center - 1) > alike))
        return;
    bounds_text(&plain, bounds);
    fprintf(stream, ": on average %.2f times%s", plain.center, bounds);
    if (own > 0 || other > 0)
        fprintf(stream, "; about %zu runs would tell", own > other ? own : other);
}

// "Besides, 1 run in 10 (...) takes 10 times as long, none alone: on average 2.4 times."
static void print_seldom(const struct answer *answer, FILE *stream)
{
    const bool is_time = words_is_time(&answer->session->settings->metrics.item[answer->metric]);
    char share[PART];
    if (answer->own.count > 0) {
        fputs("Besides, ", stream);
        print_share(&answer->own, is_time, stream);
        if (answer->other.count == 0)
            fprintf(stream, ", none %s", answer->other_place);
        else {
            share_text((double)answer->other.count / (double)answer->other.runs, share);
            fprintf(stream, ", %s %s", share, answer->other_place);
        }
    } else {
        fprintf(stream, "Besides, %s ", answer->other_place);
        print_share(&answer->other, is_time, stream);
    }
    if (answer->p <= 1 - answer->session->critical.confidence)
        fprintf(stream, " (more %s)",
                answer->own.count > answer->other.count ? answer->place : answer->other_place);
    print_mean(answer, stream);
    fputc('.', stream);
}

static json_t *text_json(const struct answer *answer,
                         void (*const print[])(const struct answer *answer, FILE *stream),
                         size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; stream && i < count; i++) {
        if (i > 0)
            fputc(' ', stream);
        print[i](answer, stream);
    }
    const bool good = stream && fclose(stream) == 0;
    json_t *json = good ? json_string(text) : json_null();
    free(text);
    return json;
}

// ---- the record ----

static json_t *bound_json(const struct interval *interval)
{
    return json_pack("{s:o, s:[o, o]}", "ratio", json_figure(interval->center), "ci",
                     json_figure(interval->constant ? NAN : interval->low),
                     json_figure(interval->constant ? NAN : interval->high));
}

static json_t *stragglers_json(const struct stragglers *of)
{
    return json_pack("{s:i, s:i, s:[o, o], s:o, s:i}", "runs", (int)of->count, "of", (int)of->runs,
                     "share", json_figure(of->low), json_figure(of->high), "times",
                     json_figure(of->times), "needed", (int)stragglers_needed(of));
}

static void name_places(struct answer *answer)
{
    const struct settings *settings = answer->session->settings;
    const char *load = settings_load_name(settings, answer->condition);
    const char *own = settings->conditions[settings_variant(settings, answer->condition)];
    const char *other = settings->conditions[settings_variant(settings, answer->reference)];
    if (answer->against == AGAINST_ALONE) {
        snprintf(answer->place, PART, "beside %.100s",
                 load ? load : settings->conditions[answer->condition]);
        snprintf(answer->other_place, PART, "alone");
    } else {
        snprintf(answer->place, PART, "with %.100s", own);
        snprintf(answer->other_place, PART, "with %.100s", other);
    }
}

void answer_add(struct session *session, size_t condition, enum against against, size_t metric,
                json_t *record)
{
    static void (*const both[])(const struct answer *, FILE *) = {print_typical, print_seldom};
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    struct answer answer = {
        .session = session,
        .condition = condition,
        .metric = metric,
        .reference = settings_reference(session->settings, condition, against),
        .against = against,
        .typical = metric_typical(session, condition, against, metric),
        .mean = stragglers_mean(session, condition, against, metric),
        .own = stragglers_of(session, condition, metric),
        .p = stragglers_p(session, condition, against, metric),
    };
    answer.other = stragglers_of(session, answer.reference, metric);
    const bool seldom = answer.own.count + answer.other.count > 0;
    const bool known = pairs->count > 0 && answer.typical.center > 0 &&
                       session_censored(session, condition, against) == 0;
    name_places(&answer);
    json_object_set_new(record, "typical", bound_json(&answer.typical));
    json_object_set_new(record, "mean", bound_json(&answer.mean));
    json_object_set_new(record, "stragglers",
                        json_pack("{s:o, s:o, s:o}", "own", stragglers_json(&answer.own),
                                  "reference", stragglers_json(&answer.other), "p",
                                  json_figure(answer.p)));
    json_object_set_new(record, "answer",
                        known ? text_json(&answer, both, seldom ? 2 : 1) : json_null());
    json_object_set_new(record, "seldom",
                        known && seldom ? text_json(&answer, both + 1, 1) : json_null());
}
