#include "texts.h"

#include "json.h"

#include "harness/report/memory.h"
#include "harness/report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far the bounds of an interval may be from the same distance to the value, relative to
 * its width, to be shown as one half width. */
static const double lopsided = 0.05;

static double bound(const json_t *object, size_t index)
{
    const json_t *ci = json_object_get(object, "ci");
    return json_is_array(ci) ? json_number_value(json_array_get(ci, index)) : NAN;
}

/* "18.4 ± 0.5 GB/s", "18.4 [17.0, 21.2] GB/s", "18.4 GB/s" where no interval is known. */
static json_t *figure_text(const json_t *object, const char *unit)
{
    char text[NUMBER_SIZE];
    const double value = json_number_at(object, "value"), low = bound(object, 0),
                 high = bound(object, 1);
    if (unit != NULL && strcmp(unit, "fraction") == 0)
        number_percent(value, text);
    else if (isnan(value) || isnan(low))
        number_scaled(value, unit ? unit : "", text);
    else if (fabs(high + low - 2 * value) > lopsided * (high - low))
        number_with_bounds(value, low, high, unit, text);
    else
        number_with_error(value, (high - low) / 2, unit, text);
    return json_text(text);
}

/* "93.2 [92.8, 93.6] %" of a share of the peak. */
static json_t *percent_text(const json_t *object)
{
    char text[NUMBER_SIZE], number[NUMBER_SIZE];
    const double ratio = 100 * json_number_at(object, "ratio"), low = 100 * bound(object, 0),
                 high = 100 * bound(object, 1);
    if (isnan(ratio))
        return json_text("-");
    if (isnan(low))
        snprintf(text, sizeof text, "%s ± ? %%",
                 number_fixed(ratio, number_decimals(ratio), number));
    else
        number_with_bounds(ratio, low, high, "%", text);
    return json_text(text);
}

/* "1.021 [1.010, 1.032]" */
static json_t *ratio_text(const json_t *object)
{
    char text[NUMBER_SIZE], number[NUMBER_SIZE], interval[NUMBER_SIZE];
    const double ratio = json_number_at(object, "ratio"), low = bound(object, 0),
                 high = bound(object, 1);
    if (isnan(ratio))
        return json_text("-");
    const int decimals = ratio_decimals(ratio, low, high);
    snprintf(text, sizeof text, "%.60s %.100s", number_fixed(ratio, decimals, number),
             isnan(low) ? "± ?" : number_interval(low, high, decimals, interval));
    return json_text(text);
}

/* A column, once: the first that has the key decides its title. */
static void add_column(json_t *columns, const char *key, const char *title, bool left)
{
    const json_t *column;
    size_t index;
    json_array_foreach(columns, index, column)
    {
        if (strcmp(json_text_at(column, "key"), key) == 0)
            return;
    }
    json_add(columns, must(json_pack("{s:s, s:s, s:b}", "key", key, "title", title, "left", left)));
}

/* A cell of the table, and its column. */
static void put(json_t *columns, json_t *texts, const char *key, const char *title, json_t *text)
{
    add_column(columns, key, title, false);
    json_put(texts, key, text);
}

static void put_named(json_t *columns, json_t *texts, const char *format, const char *name,
                      json_t *text)
{
    char *key = text_of("%s %s", format, name), *title = NULL;
    const char *at = strchr(format, '@');
    title = at == NULL ? text_of("%s", name)
                       : text_of("%.*s%s%s", (int)(at - format), format, name, at + 1);
    put(columns, texts, key, title, text);
    free(title);
    free(key);
}

static void put_more(json_t *columns, json_t *texts, const json_t *row, const char *who)
{
    const json_t *figure;
    size_t index;
    json_array_foreach(json_object_get(row, "more"), index, figure)
    {
        char *title = text_of("%s%s%s", who, *who ? " " : "", json_text_at(figure, "name"));
        put(columns, texts, title, title, figure_text(figure, json_text_at(figure, "unit")));
        free(title);
    }
}

static void put_peers(json_t *columns, json_t *texts, const json_t *row)
{
    const json_t *peer;
    size_t index;
    json_array_foreach(json_object_get(row, "peers"), index, peer)
    {
        const char *name = json_text_at(peer, "name");
        put_named(columns, texts, "", name, figure_text(peer, json_text_at(row, "unit")));
        put_named(columns, texts, "@/peak", name, percent_text(json_object_get(peer, "of_peak")));
        put_named(columns, texts, "ours/@", name,
                  ratio_text(json_object_get(peer, "ours_of_peer")));
        put_more(columns, texts, peer, name);
    }
}

static const char *state_text(const json_t *row)
{
    const char *state = json_text_at(row, "state");
    return strcmp(state, "done") == 0 ? NULL : state;
}

static json_t *value_text(const json_t *row)
{
    const char *state = state_text(row);
    return state != NULL && !json_has(row, "value") ? json_text(state)
                                                    : figure_text(row, json_text_at(row, "unit"));
}

static json_t *count_text(const json_t *row)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", json_number_at(row, "n"));
    return json_text(json_number_at(row, "n") > 0 ? text : "-");
}

static void put_row(json_t *columns, json_t *row)
{
    json_t *texts = must(json_object());
    const json_t *label;
    const char *name;
    json_t *labels = json_object_get(row, "labels");
    json_object_foreach(labels, name, label)
    {
        json_put(texts, name, json_text(json_string_value(label)));
    }
    put(columns, texts, "jostle", "jostle", value_text(row));
    put(columns, texts, "n", "n", count_text(row));
    put(columns, texts, "peak", "peak",
        json_has(row, "peak") ? figure_text(json_object_get(row, "peak"), json_text_at(row, "unit"))
                              : json_text("-"));
    put(columns, texts, "ours/peak", "ours/peak", percent_text(json_object_get(row, "of_peak")));
    put_peers(columns, texts, row);
    put_more(columns, texts, row, "");
    json_put(row, "texts", texts);
}

/* Where a finding of that kind and text is; else at the end, new. `text` NULL: any text. */
static size_t finding_of(json_t *findings, const char *flag, const char *text, const char *advice)
{
    json_t *one;
    size_t index;
    json_array_foreach(findings, index, one)
    {
        if (strcmp(json_text_at(one, "flag"), flag) == 0 &&
            (strcmp(flag, "mark") != 0 || strcmp(json_text_at(one, "text"), text) == 0))
            return index;
    }
    json_add(findings, must(json_pack("{s:s, s:s?, s:s?, s:[]}", "flag", flag, "text", text,
                                      "advice", advice, "cells")));
    return json_array_size(findings) - 1;
}

static void find(json_t *findings, json_t *row, const char *flag, const char *text,
                 const char *advice)
{
    const size_t index = finding_of(findings, flag, text, advice);
    json_t *cells = json_object_get(json_array_get(findings, index), "cells");
    json_t *last = json_array_get(cells, json_array_size(cells) - 1);
    const char *name = json_text_at(row, "cell");
    if (last != NULL && strcmp(json_string_value(last), name) == 0)
        return;
    json_add(cells, json_text(name));
    json_add(json_object_get(row, "numbers"), json_integer((json_int_t)index + 1));
}

/* Each mark and each kind of problem once, with the rows that have it. */
static void put_findings(json_t *findings, json_t *row)
{
    const json_t *one;
    size_t index;
    json_put(row, "numbers", must(json_array()));
    json_array_foreach(json_object_get(row, "problems"), index, one)
    {
        find(findings, row, json_text_at(one, "flag"), json_text_at(one, "text"),
             json_text_at(one, "advice"));
    }
    json_array_foreach(json_object_get(row, "marks"), index, one)
    {
        find(findings, row, "mark", json_string_value(one), NULL);
    }
}

/* Why there is no peak, and of what the peaks are made: each text once. */
static void put_sources(json_t *lines, const json_t *row)
{
    const json_t *peak = json_object_get(row, "peak");
    const char *text =
        json_has(row, "peak") ? json_text_at(peak, "source") : json_text_at(row, "peak_reason");
    json_t *line, *old;
    size_t index;
    if (text == NULL)
        return;
    char *made = text_of("peak: %s", text);
    line = json_text(made);
    free(made);
    json_array_foreach(lines, index, old)
    {
        if (json_equal(old, line)) {
            json_decref(line);
            return;
        }
    }
    json_add(lines, line);
}

/* Why a row, or a peer of it, has no figure: each reason once, with the rows. */
static void put_reason(json_t *reasons, const json_t *row, const char *who, const json_t *of)
{
    if (!json_has(of, "reason"))
        return;
    char *text = text_of("%s%s%s", who, *who ? ": " : "", json_text_at(of, "reason"));
    json_t *one, *found = NULL;
    size_t index;
    json_array_foreach(reasons, index, one)
    {
        if (strcmp(json_text_at(one, "text"), text) == 0)
            found = one;
    }
    if (found == NULL) {
        found = must(json_pack("{s:s, s:[]}", "text", text, "cells"));
        json_add(reasons, found);
    }
    json_add(json_object_get(found, "cells"), json_text(json_text_at(row, "cell")));
    free(text);
}

static void put_reasons(json_t *reasons, const json_t *row)
{
    const json_t *peer;
    size_t index;
    put_reason(reasons, row, "", row);
    json_array_foreach(json_object_get(row, "peers"), index, peer)
    {
        put_reason(reasons, row, json_text_at(peer, "name"), peer);
    }
}

/* Leaves out the columns in which no row has anything. */
static json_t *used_columns(json_t *columns, const json_t *rows)
{
    json_t *used = must(json_array()), *column;
    const json_t *row;
    size_t i, k;
    json_array_foreach(columns, i, column)
    {
        bool found = json_is_true(json_object_get(column, "left"));
        json_array_foreach(rows, k, row)
        {
            const char *text =
                json_text_at(json_object_get(row, "texts"), json_text_at(column, "key"));
            found = found || (text != NULL && strcmp(text, "-") != 0);
        }
        if (found)
            json_add(used, json_incref(column));
    }
    json_decref(columns);
    return used;
}

static void add_to_part(json_t *part)
{
    json_t *columns = must(json_array()), *findings = must(json_array());
    json_t *lines = must(json_array()), *reasons = must(json_array());
    json_t *rows = json_object_get(part, "rows"), *row;
    const json_t *label;
    size_t index;
    json_array_foreach(json_object_get(part, "columns"), index, label)
    {
        add_column(columns, json_string_value(label), json_string_value(label), true);
    }
    json_array_foreach(rows, index, row)
    {
        put_row(columns, row);
        put_findings(findings, row);
        put_sources(lines, row);
        put_reasons(reasons, row);
    }
    json_put(part, "texts",
             must(json_pack("{s:o, s:o, s:o, s:o}", "columns", used_columns(columns, rows),
                            "findings", findings, "lines", lines, "reasons", reasons)));
}

void texts_add(json_t *bench)
{
    json_t *part;
    size_t index;
    json_array_foreach(json_object_get(bench, "parts"), index, part) add_to_part(part);
}
