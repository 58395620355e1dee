#include "sessions.h"

#include "rows.h"

#include "harness/stats/json.h"

#include "common/record_json.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { EXIT_ABOVE = 3, EXIT_UNDECIDED = 4 };

// The logarithms of the ratios of all sessions.
struct ratios {
    json_t *list;
    double sum, squares;
    size_t n;
};

static const json_t *same_row(const json_t *session, const json_t *row)
{
    const json_t *rows = json_object_get(session, "comparisons");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *its = json_array_get(rows, i);
        if (json_equal(json_object_get(its, "condition"), json_object_get(row, "condition")) &&
            json_equal(json_object_get(its, "metric"), json_object_get(row, "metric")))
            return its;
    }
    return NULL;
}

// False: a session has no ratio.
static bool gather(struct ratios *ratios, const json_t *sessions, const json_t *row)
{
    for (size_t i = 0; i < json_array_size(sessions); i++) {
        const json_t *ratio = json_object_get(same_row(json_array_get(sessions, i), row), "ratio");
        if (!json_is_number(ratio))
            return false;
        json_array_append(ratios->list, (json_t *)ratio);
        ratios->sum += log(json_number_value(ratio));
        ratios->squares += log(json_number_value(ratio)) * log(json_number_value(ratio));
        ratios->n++;
    }
    return true;
}

static json_t *pair_json(double low, double high)
{
    return json_pack("[o, o]", json_figure(low), json_figure(high));
}

static json_t *row_of(const struct ratios *ratios, const json_t *row, double level)
{
    const double n = (double)ratios->n, mean = ratios->sum / n;
    const double spread = fmax(ratios->squares - n * mean * mean, 0) / (n - 1);
    const double error = sqrt(spread / n), t = fabs(mean) / error;
    const double reach = gsl_cdf_tdist_Qinv((1 - level) / 2, n - 1) * error;
    const bool told = fabs(mean) > reach;
    const int way = strcmp(json_text_or_empty(row, "better"), "higher") == 0 ? -1 : 1;
    return json_pack("{s:O, s:O, s:O, s:O, s:O, s:o, s:o, s:o, s:o, s:o, s:b, s:s}", "condition",
                     json_object_get(row, "condition"), "metric", json_object_get(row, "metric"),
                     "unit", json_object_get(row, "unit"), "better", json_object_get(row, "better"),
                     "ratios", ratios->list, "ratio", json_figure(exp(mean)), "ci",
                     pair_json(exp(mean - reach), exp(mean + reach)), "of_reference",
                     json_figure(exp(way * mean)), "of_reference_ci",
                     pair_json(exp(way * mean - reach), exp(way * mean + reach)), "p",
                     error > 0 ? json_figure(2 * gsl_cdf_tdist_Q(t, n - 1)) : json_null(),
                     "distinguishable", told, "verdict",
                     !told      ? "noise"
                     : mean > 0 ? "worse"
                                : "better");
}

json_t *sessions_rows(const json_t *sessions)
{
    const json_t *first = json_array_get(sessions, 0),
                 *rows = json_object_get(first, "comparisons");
    const double level = json_number_value(json_object_get(first, "interval_level"));
    json_t *list = json_array();
    for (size_t i = 0; json_array_size(sessions) > 1 && i < json_array_size(rows); i++) {
        struct ratios ratios = {.list = json_array()};
        if (gather(&ratios, sessions, json_array_get(rows, i)))
            json_array_append_new(list, row_of(&ratios, json_array_get(rows, i), level));
        json_decref(ratios.list);
    }
    comparison_settle(list, 1 - json_number_value(json_object_get(first, "confidence")));
    return list;
}

// The flags of what would bias the ratio of either side.
static void add_biased(json_t *why, const json_t *session)
{
    const json_t *flags = json_object_get(session, "biased_by");
    for (size_t i = 0; i < json_array_size(flags); i++) {
        size_t k = 0;
        while (k < json_array_size(why) &&
               !json_equal(json_array_get(why, k), json_array_get(flags, i)))
            k++;
        if (k == json_array_size(why))
            json_array_append(why, json_array_get(flags, i));
    }
}

static const char *verdict_of(const json_t *rows, double at_most)
{
    const char *verdict = json_array_size(rows) > 0 ? "below" : "undecided";
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *ci = json_object_get(json_array_get(rows, i), "ci");
        if (json_number_value(json_array_get(ci, 0)) > at_most)
            return "above";
        if (!(json_number_value(json_array_get(ci, 1)) <= at_most))
            verdict = "undecided";
    }
    return verdict;
}

json_t *sessions_gate(const json_t *rows, const json_t *sessions, double at_most)
{
    json_t *why = json_array();
    if (!(at_most > 0)) {
        json_decref(why);
        return json_null();
    }
    for (size_t i = 0; i < json_array_size(sessions); i++)
        add_biased(why, json_array_get(sessions, i));
    const bool once = json_array_size(sessions) < 2;
    const json_t *wanted = json_object_get(json_array_get(sessions, 0), "comparisons");
    const bool lacking = json_array_size(rows) < json_array_size(wanted);
    const char *verdict =
        once || lacking || json_array_size(why) > 0 ? "undecided" : verdict_of(rows, at_most);
    if (once)
        json_array_append_new(why, json_string("one-session"));
    return json_pack("{s:o, s:s, s:o}", "at_most", json_figure(at_most), "verdict", verdict, "why",
                     why);
}

int sessions_exit(const json_t *gate)
{
    const char *verdict = json_string_value(json_object_get(gate, "verdict"));
    if (verdict == NULL || strcmp(verdict, "below") == 0)
        return 0;
    return strcmp(verdict, "above") == 0 ? EXIT_ABOVE : EXIT_UNDECIDED;
}
