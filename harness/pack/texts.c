#include "rows.h"

#include "common/record_json.h"

#include "common/memory.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers */

static struct {
    const char *key, *title;
    bool left;
    int rank;
} const columns[] = {{"copies", "copies", false, 0},         {"runs", "runs", false, 4},
                     {"copy_s", "time of a copy", false, 0}, {"worst_s", "worst copy", false, 3},
                     {"slowdown", "slowdown", false, 0},     {"throughput", "throughput", false, 0},
                     {"efficiency", "efficiency", false, 1}, {"verdict", "", true, 0}};

static bool is_reference(const json_t *row)
{
    return json_is_true(json_object_get(row, "reference"));
}

static json_t *ratio_text(const json_t *row, const char *name)
{
    return is_reference(row)
               ? json_text("1")
               : json_owned_text(study_ratio_text(json_object_get(row, name), "value"));
}

static json_t *percent_text(const json_t *row, const char *name)
{
    const json_t *figure = json_object_get(row, name);
    char text[NUMBER_SIZE];
    const double value = 100 * json_number_at(figure, "value"),
                 low = 100 * json_bound_at(figure, 0), high = 100 * json_bound_at(figure, 1);
    if (isnan(value))
        return json_text("-");
    if (is_reference(row))
        return json_text("100 %");
    return json_text(isnan(low) ? number_scaled(value, "%", text)
                                : number_with_bounds(value, low, high, "%", text));
}

/* ---- a row */

static json_t *verdict_text(const json_t *pack, const json_t *row)
{
    const double at_most = json_number_at(json_object_get(pack, "settings"), "at_most");
    const char *word = json_text_at(row, "verdict");
    const json_t *knee = json_object_get(pack, "knee");
    char limit[32] = "", *text;
    if (strcmp(word, "undecided") != 0)
        snprintf(limit, sizeof limit, " %.4g", at_most);
    text = text_of("%s%s%s%s", is_reference(row) ? "" : word, is_reference(row) ? "" : limit,
                   json_is_true(json_object_get(row, "shares_cpus")) ? ", shares CPUs" : "",
                   json_number_at(knee, "copies") != json_number_at(row, "copies") ? ""
                   : is_reference(row)                                             ? "knee"
                                                                                   : ", knee");
    return json_owned_text(text);
}

static json_t *copies_text(const json_t *pack, const json_t *row)
{
    char text[32];
    if (is_reference(row) && json_array_size(json_object_get(pack, "programs")) > 1)
        return json_text("each alone");
    snprintf(text, sizeof text, "%.0f", json_number_at(row, "copies"));
    return json_text(text);
}

static void add_row(const json_t *pack, json_t *row)
{
    char runs[32];
    snprintf(runs, sizeof runs, "%.0f", json_number_at(row, "runs"));
    json_t *texts = must(json_object());
    json_put(texts, "copies", copies_text(pack, row));
    json_put(texts, "runs", json_text(runs));
    json_put(texts, "copy_s", study_figure_text(json_object_get(row, "copy_s"), "s"));
    json_put(texts, "worst_s", study_figure_text(json_object_get(row, "worst_s"), "s"));
    json_put(texts, "slowdown", ratio_text(row, "slowdown"));
    json_put(texts, "throughput", study_figure_text(json_object_get(row, "throughput"), "1/s"));
    json_put(texts, "efficiency", percent_text(row, "efficiency"));
    json_put(texts, "verdict", verdict_text(pack, row));
    json_put(row, "texts", texts);
}

/* ---- the answers */

static void add_line(json_t *lines, char *text)
{
    json_add(lines, json_owned_text(text));
}

static const char *plural(double count)
{
    return count == 1 ? "copy" : "copies";
}

static const json_t *row_of(const json_t *pack, double copies)
{
    const json_t *row;
    size_t index;
    json_array_foreach(json_object_get(pack, "rows"), index, row)
    {
        if (!is_reference(row) && json_number_at(row, "copies") == copies)
            return row;
    }
    return NULL;
}

/* "below 2 %", of limits from 2 on "below 2.5 times" */
static char *limit_text(double at_most)
{
    return at_most < 2 ? text_of("%.4g %%", 100 * (at_most - 1)) : text_of("%.4g times", at_most);
}

/* Why no more are said to fit. */
static char *why_not_more(const json_t *pack, const json_t *fits)
{
    const double next = json_number_at(fits, "next");
    const json_t *row = isnan(next) ? NULL : row_of(pack, next);
    const char *why = json_text_at(fits, "why");
    if (row == NULL)
        return text_of("more were not measured");
    OWNED char *ratio = study_ratio_text(json_object_get(row, "slowdown"), "value");
    return text_of("%.0f %s: %s%s", next, plural(next), ratio,
                   strcmp(why, "undecided") == 0 ? ", which may be below or above"
                   : strcmp(why, "below") == 0   ? ", and between them nothing was measured"
                                                 : "");
}

static void add_fits(json_t *lines, const json_t *pack)
{
    const json_t *fits = json_object_get(pack, "fits");
    if (!json_is_object(fits))
        return;
    const double copies = json_number_at(fits, "copies");
    char *limit = limit_text(json_number_at(fits, "at_most")), *why = why_not_more(pack, fits);
    const double confidence = 100 * json_number_at(fits, "confidence");
    if (copies <= 1)
        add_line(lines,
                 text_of("%s is sure to fit with a slowdown below %s at %g %% confidence (%s)",
                         json_array_size(json_object_get(pack, "programs")) > 1
                             ? "not even one copy of each program"
                             : "no second copy",
                         limit, confidence, why));
    else
        add_line(lines, text_of("up to %.0f copies: slowdown below %s with %g %% confidence (%s%s)",
                                copies, limit, confidence, why,
                                json_is_true(json_object_get(fits, "assumes_smooth"))
                                    ? "; of numbers in between it follows if more copies are "
                                      "never faster than fewer"
                                    : ""));
    free(limit);
    free(why);
}

static void add_knee(json_t *lines, const json_t *pack)
{
    const json_t *knee = json_object_get(pack, "knee"), *ci = json_object_get(knee, "ci");
    if (!json_is_object(knee))
        return;
    const double copies = json_number_at(knee, "copies"),
                 low = json_number_value(json_array_get(ci, 0)),
                 high = json_number_value(json_array_get(ci, 1));
    add_line(lines, text_of("knee (best throughput by time of a copy): %.0f %s [%.0f, %.0f]%s",
                            copies, plural(copies), low, high,
                            json_is_true(json_object_get(knee, "at_least"))
                                ? "; more were not measured, and may be better"
                                : ""));
}

static void add_hints(json_t *lines, const json_t *pack, const char *what, const char *title)
{
    const json_t *answer = json_object_get(pack, what), *hint;
    size_t index;
    json_array_foreach(json_object_get(answer, "options"), index, hint)
    {
        add_line(lines, text_of("%s, %s: %s", json_text_at(hint, "scheduler"), title,
                                json_text_at(hint, "options")));
    }
}

void pack_texts_add(json_t *pack)
{
    json_t *list = must(json_array()), *lines = must(json_array()), *row;
    const double fits = json_number_at(json_object_get(pack, "fits"), "copies"),
                 knee = json_number_at(json_object_get(pack, "knee"), "copies");
    size_t index;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        json_add(list, must(json_pack("{s:s, s:s, s:b, s:i}", "key", columns[i].key, "title",
                                      columns[i].title, "left", columns[i].left, "rank",
                                      columns[i].rank)));
    json_array_foreach(json_object_get(pack, "rows"), index, row) add_row(pack, row);
    add_fits(lines, pack);
    add_knee(lines, pack);
    add_hints(lines, pack, "fits", fits == knee ? "for both" : "without a slowdown");
    if (fits != knee)
        add_hints(lines, pack, "knee", "at the knee");
    json_put(pack, "columns", list);
    json_put(pack, "lines", lines);
}
