#include "row.h"

#include "memory.h"
#include "model.h"
#include "reproduce.h"
#include "visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

static double bound(const struct value *figure, bool high)
{
    const struct value *ci = view_get(figure, "ci"), *low = view_first(ci);
    return view_number(high && low != NULL ? view_next(ci, low) : low, NAN);
}

double metric_mean(const struct value *condition, unsigned metric)
{
    return number_of(view_get(condition, metrics[metric].name), "mean");
}

static double row_center(const struct value *metric)
{
    const double center = number_of(metric, "center");
    return isnan(center) ? number_of(metric, "mean") : center;
}

/* The statistic that stands for the mean; NULL: it is the mean. */
static char *substitute(const struct value *metric)
{
    char *statistic = view_string(view_get(metric, "statistic"));
    if (statistic == NULL || strcmp(statistic, "mean") != 0)
        return statistic;
    free(statistic);
    return NULL;
}

/* Runs that the time-out ended: what is shown is then a lower bound. */
static bool is_censored(const struct value *object)
{
    return view_number(view_get(object, "censored"), 0) > 0;
}

const char *row_time(const struct value *condition, char *text)
{
    const struct value *wall = view_get(condition, "wall_s");
    if (is_censored(condition)) {
        char mean[NUMBER_SIZE];
        snprintf(text, NUMBER_SIZE, "at least %.60s",
                 number_scaled(number_of(wall, "mean"), scale_time, "", mean));
        return text;
    }
    char *statistic = substitute(wall);
    number_with_error(row_center(wall), (bound(wall, true) - bound(wall, false)) / 2, scale_time,
                      text);
    if (statistic != NULL)
        strcat(text, " *");
    free(statistic);
    return text;
}

char *row_star(const struct value *condition, const char *who)
{
    const struct value *wall = view_get(condition, "wall_s"), *aside = view_get(wall, "set_aside");
    char mean[NUMBER_SIZE], *statistic = substitute(wall);
    double count = view_number(aside, 0);
    for (const struct value *item = view_first(aside); item != NULL; item = view_next(aside, item))
        count++;
    if (statistic == NULL)
        return NULL;
    char *text =
        text_of("* %s: %s, %.0f run(s) set aside; the mean of all runs is %s", who, statistic,
                count, number_scaled(number_of(wall, "mean"), scale_time, "", mean));
    free(statistic);
    return text;
}

double row_q(const struct value *slowdown, const struct family *family)
{
    return family == NULL ? NAN : family_q(family, number_of(slowdown, "p"));
}

bool row_survives(const struct value *slowdown, const struct family *family)
{
    return view_true(view_get(slowdown, "distinguishable")) &&
           row_q(slowdown, family) <= FAMILY_RATE;
}

const char *row_slowdown(const struct value *slowdown, const struct family *family, char *text)
{
    char ratio[NUMBER_SIZE], interval[NUMBER_SIZE] = "";
    if (isnan(number_of(slowdown, "ratio")))
        return strcpy(text, is_censored(slowdown) ? "not known (time-out)" : "-");
    if (!isnan(bound(slowdown, false)))
        number_interval(bound(slowdown, false), bound(slowdown, true), 3, interval);
    /* One slowdown is no family: there is nothing to mark. */
    const bool marked = family->count > 1 && row_survives(slowdown, family);
    snprintf(text, NUMBER_SIZE, "%.40s%s%.80s%s%s",
             number_fixed(number_of(slowdown, "ratio"), 3, ratio), *interval == '\0' ? "" : " ",
             interval, view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE) ? " (noise)" : "",
             marked ? " " FAMILY_MARK : "");
    return text;
}

const char *row_achieved(const struct value *load, bool is_short, char *text)
{
    const double offered = number_of(load, "offered"), achieved = number_of(load, "achieved");
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    if (isnan(offered) || isnan(achieved)) {
        number_scaled(number_of(load, "cpu_s"), scale_time, "", text);
        return strcmp(text, "-") == 0 ? text : strcat(text, " CPU");
    }
    char *unit = view_string(view_get(load, "unit"));
    const struct scale s = scale_rate(fmax(offered, achieved), unit == NULL ? "" : unit);
    const int decimals = number_decimals(fmax(offered, achieved) * s.factor);
    char *plain = visible(s.unit);
    snprintf(text, NUMBER_SIZE, "%.40s of %.40s %.60s%s",
             number_fixed(achieved * s.factor, decimals, one),
             number_fixed(offered * s.factor, decimals, two), plain, is_short ? " (short)" : "");
    free(plain);
    free(unit);
    return text;
}

void row_warnings(struct line *json, const struct warning *warnings, size_t count)
{
    for (unsigned problem = 2; problem-- > 0;) {
        line_array(json, problem ? "problems" : "notes");
        for (size_t i = 0; i < count; i++) {
            if (warnings[i].problem != problem)
                continue;
            char *text = visible(warnings[i].text);
            line_object(json, NULL);
            line_text(json, "flag", warnings[i].flag);
            put_value(json, "condition", view_get(warnings[i].record, "condition"));
            line_text(json, "text", text);
            line_close(json);
            free(text);
        }
        line_close(json);
    }
}

static void put_number(struct line *json, const char *name, double value)
{
    if (isnan(value))
        line_null(json, name);
    else
        line_real(json, name, value);
}

static void put_visible(struct line *json, const char *name, const char *text)
{
    char *plain = text == NULL ? NULL : visible(text);
    line_text(json, name, plain);
    free(plain);
}

static char *load_name(const struct cell *cell)
{
    char *load = visible(cell->load == NULL ? "-" : cell->load);
    if (cell->load == NULL || cell->level == NULL)
        return load;
    char *level = visible(cell->level), *both = text_of("%s %s", load, level);
    free(load);
    free(level);
    return both;
}

static const char *runs_text(const struct cell *cell, char *text)
{
    const double alone = number_of(cell->of->baseline, "runs");
    if (cell->loaded == NULL)
        snprintf(text, NUMBER_SIZE, "%.0f", alone);
    else
        snprintf(text, NUMBER_SIZE, "%.0f + %.0f", alone, number_of(cell->loaded, "runs"));
    return text;
}

static const char *pair_text(const struct cell *cell, unsigned metric, char *text)
{
    return number_pair(metric_mean(cell->of->baseline, metric),
                       cell->loaded == NULL ? NAN : metric_mean(cell->loaded, metric),
                       metrics[metric].scale, text);
}

static void put_texts(struct line *json, const struct cell *cell)
{
    char text[NUMBER_SIZE], *load = load_name(cell);
    line_object(json, "texts");
    put_visible(json, "program", cell->row);
    line_text(json, "load", load);
    line_text(json, "runs", runs_text(cell, text));
    line_text(json, "alone", row_time(cell->of->baseline, text));
    line_text(json, "loaded", cell->loaded == NULL ? "-" : row_time(cell->loaded, text));
    line_text(json, "slowdown", row_slowdown(cell->slowdown, cell->of->family, text));
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        line_text(json, metrics[i].title, pair_text(cell, i, text));
    line_text(json, "achieved",
              cell->load_entry == NULL ? "-"
                                       : row_achieved(cell->load_entry, cell->is_short, text));
    line_close(json);
    free(load);
}

/* Where the extra time went, without the condition's name; to be freed. NULL: not known. */
static char *attribution_words(const struct cell *cell)
{
    char *text = view_string(view_path(cell->slowdown, "attribution", "text"));
    if (text == NULL)
        return NULL;
    const size_t length = strlen(cell->condition);
    const bool named =
        strncmp(text, cell->condition, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    char *words = visible(text + (named ? length + 2 : 0));
    free(text);
    return words;
}

/* What is said on a cell below its table, each with who it is of. */
static void put_lines(struct line *json, const struct cell *cell)
{
    char *load = load_name(cell), *row = visible(cell->row), text[NUMBER_SIZE];
    char *who = text_of("%s, %s", row, load);
    if (!isnan(cell->noise_floor)) {
        char *floor = text_of("%s: the noise floor is %s: the baseline measured against itself "
                              "(A/A) still allows that much",
                              row, number_percent(cell->noise_floor, text));
        line_text(json, "floor", floor);
        free(floor);
    }
    line_array(json, "lines");
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        char *what = text_of("%s, %s", who, loaded ? "under load" : "alone");
        char *star = row_star(loaded ? cell->loaded : cell->of->baseline, what);
        if (star != NULL)
            line_text(json, NULL, star);
        free(star);
        free(what);
    }
    const struct value *all = view_get(cell->of->result.top, "slowdowns");
    for (const struct value *item = view_first(all); item != NULL && cell->condition != NULL;
         item = view_next(all, item)) {
        if (!view_equals(view_get(item, "condition"), cell->condition) ||
            view_equals(view_get(item, "metric"), "wall_s"))
            continue;
        char *metric = view_string(view_get(item, "metric"));
        char *line = text_of("%s: slowdown of %s %s", who, metric == NULL ? "?" : metric,
                             row_slowdown(item, cell->of->family, text));
        line_text(json, NULL, line);
        free(metric);
        free(line);
    }
    char *attribution = attribution_words(cell);
    if (attribution != NULL) {
        char *line = text_of("%s: %s", who, attribution);
        line_text(json, NULL, line);
        free(line);
    }
    line_close(json);
    free(attribution);
    free(load);
    free(row);
    free(who);
}

/* Mean and variance of each metric, in the unit of the table. */
static void put_means(struct line *json, const char *name, const struct value *condition)
{
    char text[NUMBER_SIZE];
    if (condition == NULL) {
        line_null(json, name);
        return;
    }
    line_array(json, name);
    snprintf(text, sizeof text, "%.0f", number_of(condition, "runs"));
    line_text(json, NULL, text);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *metric = view_get(condition, metrics[i].name);
        const double factor = metrics[i].table_factor;
        line_text(json, NULL, number_significant(number_of(metric, "mean") * factor, text));
        line_text(json, NULL,
                  number_significant(number_of(metric, "variance") * factor * factor, text));
    }
    line_close(json);
}

/* What the page needs besides: numbers to sort by, and a ratio with as many
 * decimals as its interval deserves. */
static void put_page(struct line *json, const struct cell *cell)
{
    const struct value *loaded = cell->loaded == NULL ? cell->of->baseline : cell->loaded;
    const double ratio = number_of(cell->slowdown, "ratio"), low = bound(cell->slowdown, false),
                 high = bound(cell->slowdown, true);
    char text[NUMBER_SIZE];
    line_object(json, "values");
    put_number(json, "runs", number_of(loaded, "runs"));
    put_number(json, "ratio", ratio);
    put_number(json, "alone", row_center(view_get(cell->of->baseline, "wall_s")));
    put_number(json, "loaded", row_center(view_get(cell->loaded, "wall_s")));
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        put_number(json, metrics[i].title, metric_mean(loaded, i));
    put_number(json, "achieved", number_of(cell->load_entry, "achieved"));
    line_close(json);
    const int decimals = ratio_decimals(ratio, low, high);
    line_text(json, "ratio", isnan(ratio) ? NULL : number_fixed(ratio, decimals, text));
    line_text(json, "interval",
              isnan(low) ? "no interval" : number_interval(low, high, decimals, text));
    put_visible(json, "host", cell->host);
    put_visible(json, "spec", cell->spec);
    put_value(json, "points", view_path(cell->slowdown, "attribution", "points"));
    char *attribution = attribution_words(cell);
    line_text(json, "attribution", attribution);
    free(attribution);
    char *again = reproduce_command(cell);
    line_text(json, "again", again);
    free(again);
}

char *row_of_cell(const struct cell *cell, const char *chart)
{
    struct line json = {0};
    line_object(&json, NULL);
    put_visible(&json, "target", cell->target);
    line_text(&json, "experiment", cell->of->name);
    put_visible(&json, "load", cell->load);
    put_visible(&json, "level", cell->level);
    put_visible(&json, "condition", cell->condition);
    line_text(&json, "state", cell->of->state);
    put_texts(&json, cell);
    put_value(&json, "distinguishable", view_get(cell->slowdown, "distinguishable"));
    line_bool(&json, "survives", row_survives(cell->slowdown, cell->of->family));
    line_bool(&json, "short", cell->is_short);
    row_warnings(&json, cell->warnings, cell->warning_count);
    put_lines(&json, cell);
    put_means(&json, "alone", cell->of->baseline);
    put_means(&json, "loaded", cell->loaded);
    if (chart != NULL) {
        put_page(&json, cell);
        line_raw(&json, "chart", chart);
    }
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
