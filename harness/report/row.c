#include "row.h"

#include "experiment.h"
#include "view.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs that the time-out ended: what is shown is then a lower bound. */
static bool is_censored(const struct value *object)
{
    return view_number(view_get(object, "censored"), 0) > 0;
}

const char *row_figure(const struct value *condition, const struct metric *metric, char *text)
{
    const struct value *figure = metric_figure(condition, metric);
    char bound[NUMBER_SIZE];
    if (!is_censored(condition))
        return figure_text(figure, metric->unit, text);
    snprintf(text, NUMBER_SIZE, "at least %.60s",
             number_scaled(figure_center(figure), metric->unit, bound));
    return text;
}

char *row_star(const struct value *condition, const char *who)
{
    return figure_star(view_get(condition, "wall_s"), "s", who);
}

const char *row_achieved(const struct value *load, bool is_short, char *text)
{
    const double offered = view_real(load, "offered"), achieved = view_real(load, "achieved");
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    if (isnan(offered) || isnan(achieved)) {
        number_scaled(view_real(load, "cpu_s"), "s", text);
        return strcmp(text, "-") == 0 ? text : strcat(text, " CPU");
    }
    OWNED char *unit = view_text(load, "unit");
    const struct scale s = scale_of(fmax(offered, achieved), unit == NULL ? "" : unit);
    const int decimals = number_decimals(fmax(offered, achieved) * s.factor);
    OWNED char *plain = visible(s.unit);
    snprintf(text, NUMBER_SIZE, "%.40s of %.40s %.60s%s",
             number_fixed(achieved * s.factor, decimals, one),
             number_fixed(offered * s.factor, decimals, two), plain, is_short ? " (short)" : "");
    return text;
}

char *row_loads(const struct value *condition)
{
    const struct value *loads = view_get(condition, "load");
    char text[NUMBER_SIZE], *all = NULL;
    for (const struct value *load = NULL; view_each(loads, &load);)
        all = text_joined(all, " + ", row_achieved(load, view_true(view_get(load, "short")), text));
    return all == NULL ? must(strdup("-")) : all;
}

void row_warnings(struct line *json, const struct warning *warnings, size_t count)
{
    for (unsigned problem = 2; problem-- > 0;) {
        line_array(json, problem ? "problems" : "notes");
        for (size_t i = 0; i < count; i++) {
            if (warnings[i].problem != problem)
                continue;
            line_object(json, NULL);
            line_text(json, "flag", warnings[i].flag);
            view_put(json, "condition", view_get(warnings[i].record, "condition"));
            visible_put(json, "text", warnings[i].text);
            line_close(json);
        }
        line_close(json);
    }
}

void row_condition_warnings(struct line *json, const struct experiment *experiment,
                            const char *condition)
{
    const struct value *all = view_get(experiment->result.top, "warnings");
    struct warning *warning = NULL;
    size_t count = 0, allocated = 0;
    for (const struct value *item = NULL; view_each(all, &item);) {
        const struct value *of = view_get(item, "condition");
        if (view_is(view_get(item, "flag"), VIEW_STRING) &&
            (condition == NULL ? !view_is(of, VIEW_STRING) : view_equals(of, condition))) {
            warning = grown(warning, count, &allocated, sizeof *warning);
            warning[count++] = severity_warning(item);
        }
    }
    row_warnings(json, warning, count);
    for (size_t i = 0; i < count; i++) {
        free(warning[i].flag);
        free(warning[i].text);
    }
    free(warning);
}

bool row_has_metric(const struct experiment *experiment, size_t metric)
{
    return experiment->metrics.item[metric].chosen && metric != experiment->metrics.main &&
           !capacity_searched(experiment);
}

char *row_load(const struct cell *cell)
{
    char *load = visible(cell->load == NULL ? "-" : cell->load);
    if (cell->load == NULL || cell->level == NULL)
        return load;
    char *level = visible(cell->level), *both = text_of("%s %s", load, level);
    free(load);
    free(level);
    return both;
}

double figure_bound(const struct value *figure, bool high)
{
    const struct value *ci = view_get(figure, "ci"), *low = view_first(ci);
    return view_number(high && low != NULL ? view_next(ci, low) : low, NAN);
}

/* Results of older versions left rare outliers out of the mean. */
static bool is_without_outliers(const struct value *figure)
{
    return view_equals(view_get(figure, "statistic"), "mean-without-outliers");
}

static bool is_mean(const struct value *figure)
{
    const struct value *statistic = view_get(figure, "statistic");
    return statistic == NULL || view_equals(statistic, "mean") || is_without_outliers(figure);
}

double figure_center(const struct value *figure)
{
    const double center = view_real(figure, "center");
    return isnan(center) ? view_real(figure, "mean") : center;
}

const char *figure_text(const struct value *figure, const char *unit, char *text)
{
    const double center = figure_center(figure);
    const double low = figure_bound(figure, false), high = figure_bound(figure, true);
    char number[NUMBER_SIZE];
    if (isnan(center))
        return strcpy(text, "-");
    if (view_true(view_get(figure, "constant"))) {
        number_scaled(center, unit, text);
        return strcat(text, " (constant)");
    }
    if (is_mean(figure))
        number_with_interval(center, low, high, unit, text);
    else if (isnan(low))
        snprintf(text, NUMBER_SIZE, "%.100s (no interval)", number_scaled(center, unit, number));
    else
        number_with_bounds(center, low, high, unit, text);
    return is_without_outliers(figure) ? strcat(text, " *") : text;
}

char *figure_star(const struct value *figure, const char *unit, const char *who)
{
    const double count = view_number(view_get(figure, "set_aside"), 0);
    char mean[NUMBER_SIZE];
    if (!is_without_outliers(figure))
        return NULL;
    return text_of("* %s: mean-without-outliers, %.0f run%s set aside; the mean of all runs is %s",
                   who, count, count == 1 ? "" : "s",
                   number_scaled(view_real(figure, "mean"), unit, mean));
}

bool ratio_excludes_one(const struct value *slowdown)
{
    return figure_bound(slowdown, false) > 1 || figure_bound(slowdown, true) < 1;
}

/* What is to be known of a ratio besides its bounds. */
static const char *remark(const struct value *slowdown)
{
    if (view_true(view_get(slowdown, "constant")))
        return " (constant)";
    if (isnan(figure_bound(slowdown, false)))
        return " (no interval)";
    if (!view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE))
        return "";
    /* The order of the runs may be chance all the same, where they are few. */
    return ratio_excludes_one(slowdown) ? " (too few runs)" : " (noise)";
}

static const char *put_text(const struct value *slowdown, const struct family *family,
                            const char *remarks, char *text)
{
    char ratio[NUMBER_SIZE];
    if (isnan(view_real(slowdown, "ratio")))
        return strcpy(text, view_real(slowdown, "censored") > 0 ? "not known (time-out)" : "-");
    number_ratio(view_real(slowdown, "ratio"), figure_bound(slowdown, false),
                 figure_bound(slowdown, true), ratio);
    /* One slowdown is no family: there is nothing to mark. */
    const bool marked = family != NULL && family->count > 1 && family_survives(family, slowdown);
    snprintf(text, NUMBER_SIZE, "%.120s%s%s", ratio, remarks, marked ? " " FAMILY_MARK : "");
    return text;
}

const char *ratio_remarked(const struct value *slowdown, const struct family *family, char *text)
{
    return put_text(slowdown, family, remark(slowdown), text);
}

const char *ratio_text(const struct value *slowdown, const struct family *family, char *text)
{
    return put_text(slowdown, family, "", text);
}

const char *ratio_plain(const struct value *slowdown, const struct metric *metric, char *text)
{
    const double ratio = view_real(slowdown, "ratio"), low = figure_bound(slowdown, false),
                 high = figure_bound(slowdown, true);
    if (!metric->higher || !(ratio > 0))
        return strcpy(text, "-");
    return number_ratio(1 / ratio, low > 0 ? 1 / high : NAN, low > 0 ? 1 / low : NAN, text);
}

char *ratio_direction(const struct experiment *experiment, const struct value *slowdown)
{
    const struct metric_list *list = &experiment->metrics;
    const size_t place = metric_named(list, view_get(slowdown, "metric"));
    char text[NUMBER_SIZE];
    if (place == list->count || !list->item[place].chosen ||
        strcmp(ratio_plain(slowdown, &list->item[place], text), "-") == 0)
        return NULL;
    return text_of("%s %s of alone", list->item[place].words, text);
}

bool capacity_searched(const struct experiment *experiment)
{
    return view_is(view_get(experiment->result.top, "capacity"), VIEW_OBJECT);
}

const char *capacity_value(const struct value *capacity, const struct value *entry, char *text)
{
    const double value = view_real(entry, "value");
    const double low = figure_bound(entry, false), high = figure_bound(entry, true);
    const bool below = view_equals(view_get(entry, "bound"), "below"),
               above = view_equals(view_get(entry, "bound"), "at-least");
    const double edge = view_real(capacity, below ? "low" : "high");
    char number[NUMBER_SIZE], *own = view_text(capacity, "unit"),
                              *unit = visible(own == NULL ? "" : own);
    if (below || above)
        snprintf(text, NUMBER_SIZE, "%s %.100s", below ? "below" : "at least",
                 number_scaled(edge, unit, number));
    else if (isnan(value) || isnan(low) || isnan(high))
        number_scaled(value, unit, text);
    else
        number_with_bounds(value, low, high, unit, text);
    free(own);
    free(unit);
    return text;
}

static char *text_or_words(const struct value *value)
{
    return view_is(value, VIEW_ARRAY) ? command_text(value) : view_string(value);
}

static char *head_line(const struct experiment *experiment)
{
    const struct value *settings = experiment->settings;
    OWNED char *command = text_or_words(view_get(settings, "service")),
               *ready = text_or_words(view_get(settings, "ready"));
    char *text =
        text_of("service: %s%s%s%s", command == NULL ? "?" : command,
                ready == NULL ? "" : ", ready by ", ready == NULL ? "" : ready,
                view_true(view_get(settings, "keep_service")) ? ", kept for all blocks"
                                                              : ", a new one for each block");
    return text;
}

/* ", started 6 times"; nothing where it is not known, or none where there may be none. */
static char *times_text(const char *what, double times, bool always)
{
    if (isnan(times) || (times == 0 && !always))
        return must(strdup(""));
    return text_of(", %s %.0f time%s", what, times, times == 1 ? "" : "s");
}

/* " (0.72 CPUs, 3.1 % of the time waiting for one)" */
static char *busy_text(const struct value *service)
{
    const double cpus = view_real(service, "cpus"), stalls = view_real(service, "cpu_stall_share");
    char number[NUMBER_SIZE], share[NUMBER_SIZE];
    if (isnan(cpus))
        return must(strdup(""));
    number_fixed(cpus, 2, number);
    return isnan(stalls) ? text_of(" (%s CPUs)", number)
                         : text_of(" (%s CPUs, %s of the time waiting for one)", number,
                                   number_percent(stalls, share));
}

/* "service, mem-50: CPU time 183 ms a run (0.72 CPUs), memory 12.0 MiB, started 6 times" */
static char *condition_line(const struct value *condition)
{
    const struct value *service = view_get(condition, "service");
    char cpu[NUMBER_SIZE], memory[NUMBER_SIZE], *name = view_text(condition, "name");
    char *busy = busy_text(service),
         *started = times_text("started", view_real(service, "starts"), true),
         *died = times_text("died", view_number(view_get(service, "died"), 0), false);
    char *text =
        text_of("service, %s: CPU time %s a run%s, memory %s%s%s", name == NULL ? "?" : name,
                number_scaled(view_real(service, "cpu_s"), "s", cpu), busy,
                number_scaled(view_real(service, "memory_bytes"), "B", memory), started, died);
    char *texts[] = {name, busy, started, died};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return text;
}

/* Takes text. */
static void put_line(struct line *json, const char *who, char *text)
{
    OWNED char *line = text_of("%s%s%s", who == NULL ? "" : who, who == NULL ? "" : ": ", text);
    visible_put(json, NULL, line);
    free(text);
}

void service_put_lines(struct line *json, const struct experiment *experiment, const char *who)
{
    const struct value *service = view_get(experiment->settings, "service");
    if (!view_is(service, VIEW_STRING) && !view_is(service, VIEW_ARRAY))
        return;
    put_line(json, who, head_line(experiment));
    for (const struct value *item = NULL; view_each(experiment->conditions, &item);)
        if (view_is(view_get(item, "service"), VIEW_OBJECT))
            put_line(json, who, condition_line(item));
}
