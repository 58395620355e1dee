#include "texts.h"

#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void row_say(struct line *json, const char *who, const char *words)
{
    if (who && words)
        visible_add(json, text_of("%s: %s", who, words));
}

const char *row_achieved(const struct value *load, bool is_short, char *text)
{
    const double offered = view_real(load, "offered"), achieved = view_real(load, "achieved");
    if (isnan(offered) || isnan(achieved)) {
        number_scaled(view_real(load, "cpu_s"), "s", text);
        return strcmp(text, "-") == 0 ? text : strcat(text, " CPU");
    }
    OWNED char *unit = view_text(load, "unit");
    const struct scale s = scale_of(fmax(offered, achieved), unit ?: "");
    const int decimals = number_decimals(fmax(offered, achieved) * s.factor);
    OWNED char *plain = visible(s.unit);
    snprintf(text, NUMBER_SIZE, "%.40s of %.40s %.60s%s",
             number_fixed(achieved * s.factor, decimals, ROOM),
             number_fixed(offered * s.factor, decimals, ROOM), plain, is_short ? " (short)" : "");
    return text;
}

char *row_loads(const struct value *condition)
{
    char *all = NULL;
    EACH_VALUE (load, view_get(condition, "load"))
        all = text_joined(all, " + ", row_achieved(load, view_holds(load, "short"), ROOM));
    return !all ? must(strdup("-")) : all;
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
    struct warning *warning = NULL;
    size_t count = 0, allocated = 0;
    EACH_VALUE (item, view_get(experiment->result.top, "warnings")) {
        const struct value *of = view_get(item, "condition");
        if (view_has_text(item, "flag") &&
            (!condition ? !view_is(of, VIEW_STRING) : view_equals(of, condition))) {
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
    OWNED char *both = cell->load && cell->level ? text_of("%s %s", cell->load, cell->level) : NULL;
    return visible(both ?: cell->load ?: "-");
}

const struct value *row_attribution(const struct cell *cell)
{
    return view_get(slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name),
                    "attribution");
}

char *row_attribution_words(const struct cell *cell)
{
    OWNED char *text = view_text(row_attribution(cell), "text");
    if (!text)
        return NULL;
    OWNED char *name = text_of("%s: ", cell->condition);
    return visible(text_after(text, name) ?: text);
}

double figure_bound(const struct value *figure, bool high)
{
    const struct value *ci = view_get(figure, "ci"), *low = view_first(ci);
    return view_number(high && low ? view_next(ci, low) : low, NAN);
}

// Results of older versions left rare outliers out of the mean.
static bool is_without_outliers(const struct value *figure)
{
    return view_matches(figure, "statistic", "mean-without-outliers");
}

double figure_center(const struct value *figure)
{
    const double center = view_real(figure, "center");
    return isnan(center) ? view_real(figure, "mean") : center;
}

// "697 ± 5 ms" for a mean whose interval has two equal sides, "697 [691, 706] ms" for others and
// for quantiles, and "2.00 MiB (constant)" where all runs are alike. With a star for the mean
// without outliers of older results. text has room for NUMBER_SIZE.
static const char *figure_text(const struct value *figure, const char *unit, char *text)
{
    const double center = figure_center(figure);
    const double low = figure_bound(figure, false), high = figure_bound(figure, true);
    if (isnan(center))
        return strcpy(text, "-");
    if (view_holds(figure, "constant")) {
        number_scaled(center, unit, text);
        return strcat(text, " (constant)");
    }
    if (!view_get(figure, "statistic") || view_matches(figure, "statistic", "mean") ||
        is_without_outliers(figure))
        number_with_interval(center, low, high, unit, text);
    else if (isnan(low))
        snprintf(text, NUMBER_SIZE, "%.100s (no interval)", number_scaled(center, unit, ROOM));
    else
        number_with_bounds(center, low, high, unit, text);
    return is_without_outliers(figure) ? strcat(text, " *") : text;
}

const char *row_figure(const struct value *condition, const struct quantity *metric, char *text)
{
    const struct value *figure = metric_figure(condition, metric);
    // Runs that the time-out ended: what is shown is then a lower bound.
    if (!(view_real(condition, "censored") > 0))
        return figure_text(figure, metric->unit, text);
    snprintf(text, NUMBER_SIZE, "at least %.60s",
             number_scaled(figure_center(figure), metric->unit, ROOM));
    return text;
}

char *row_star(const struct value *condition, const char *who)
{
    const struct value *figure = view_get(condition, "wall_s");
    const double count = view_number(view_get(figure, "set_aside"), 0);
    if (!is_without_outliers(figure))
        return NULL;
    return text_of("* %s: mean-without-outliers, %.0f run%s set aside; the mean of all runs is %s",
                   who, count, count == 1 ? "" : "s",
                   number_scaled(view_real(figure, "mean"), "s", ROOM));
}

struct estimate ratio_estimate(const struct value *slowdown)
{
    return (struct estimate){view_real(slowdown, "ratio"), figure_bound(slowdown, false),
                             figure_bound(slowdown, true)};
}

struct estimate ratio_of_alone(const struct value *slowdown, const struct quantity *metric)
{
    const struct estimate worse = ratio_estimate(slowdown);
    if (!metric->higher)
        return worse;
    const bool bounded = worse.low > 0;
    return (struct estimate){1 / worse.center, bounded ? 1 / worse.high : NAN,
                             bounded ? 1 / worse.low : NAN};
}

bool ratio_excludes_one(const struct value *slowdown)
{
    return figure_bound(slowdown, false) > 1 || figure_bound(slowdown, true) < 1;
}

// What is to be known of a ratio besides its bounds.
static const char *remark(const struct value *slowdown)
{
    if (view_holds(slowdown, "constant"))
        return " (constant)";
    if (isnan(figure_bound(slowdown, false)))
        return " (no interval)";
    if (!view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE))
        return "";
    // The order of the runs may be chance all the same, where they are few.
    return ratio_excludes_one(slowdown) ? " (too few runs)" : " (noise)";
}

static const char *put_text(const struct value *slowdown, const struct family *family,
                            const char *remarks, char *text)
{
    const struct estimate its = ratio_estimate(slowdown);
    if (isnan(its.center))
        return strcpy(text, view_real(slowdown, "censored") > 0 ? "not known (time-out)" : "-");
    // One slowdown is no family: there is nothing to mark.
    const bool marked = family && family->count > 1 && family_survives(family, slowdown);
    snprintf(text, NUMBER_SIZE, "%.120s%s%s", number_ratio(its.center, its.low, its.high, ROOM),
             remarks, marked ? " " FAMILY_MARK : "");
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

const char *ratio_plain(const struct value *slowdown, const struct quantity *metric, char *text)
{
    const struct estimate plain = ratio_of_alone(slowdown, metric);
    if (!metric->higher || !(plain.center > 0))
        return strcpy(text, "-");
    return number_ratio(plain.center, plain.low, plain.high, text);
}

char *ratio_direction(const struct experiment *experiment, const struct value *slowdown)
{
    const struct quantity *metric =
        metric_chosen(&experiment->metrics, view_get(slowdown, "metric"));
    const char *text = metric ? ratio_plain(slowdown, metric, ROOM) : "-";
    return strcmp(text, "-") == 0 ? NULL : text_of("%s %s of alone", metric->words, text);
}

bool capacity_searched(const struct experiment *experiment)
{
    return view_is(view_get(experiment->result.top, "capacity"), VIEW_OBJECT);
}

const char *capacity_value(const struct value *capacity, const struct value *entry, char *text)
{
    const double value = view_real(entry, "value");
    const double low = figure_bound(entry, false), high = figure_bound(entry, true);
    const bool below = view_matches(entry, "bound", "below"),
               above = view_matches(entry, "bound", "at-least");
    const double edge = view_real(capacity, below ? "low" : "high");
    OWNED char *own = view_text(capacity, "unit"), *unit = visible(own ?: "");
    if (below || above)
        snprintf(text, NUMBER_SIZE, "%s %.100s", below ? "below" : "at least",
                 number_scaled(edge, unit, ROOM));
    else if (isnan(value) || isnan(low) || isnan(high))
        number_scaled(value, unit, text);
    else
        number_with_bounds(value, low, high, unit, text);
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
    return text_of("service: %s%s%s%s", command ?: "?", ready ? ", ready by " : "", ready ?: "",
                   view_holds(settings, "keep_service") ? ", kept for all blocks"
                                                        : ", a new one for each block");
}

// ", started 6 times"; nothing where it is not known, or none where there may be none.
static char *times_text(const char *what, double times, bool always)
{
    if (isnan(times) || (times == 0 && !always))
        return must(strdup(""));
    return text_of(", %s %.0f time%s", what, times, times == 1 ? "" : "s");
}

// " (0.72 CPUs, 3.1 % of the time waiting for one)"
static char *busy_text(const struct value *service)
{
    const double cpus = view_real(service, "cpus"), stalls = view_real(service, "cpu_stall_share");
    const char *number = number_fixed(cpus, 2, ROOM);
    if (isnan(cpus))
        return must(strdup(""));
    return isnan(stalls) ? text_of(" (%s CPUs)", number)
                         : text_of(" (%s CPUs, %s of the time waiting for one)", number,
                                   number_percent(stalls, ROOM));
}

// "service, mem-50: CPU time 183 ms a run (0.72 CPUs), memory 12.0 MiB, started 6 times"
static char *condition_line(const struct value *condition)
{
    const struct value *service = view_get(condition, "service");
    OWNED char *name = view_text(condition, "name"), *busy = busy_text(service),
               *started = times_text("started", view_real(service, "starts"), true),
               *died = times_text("died", view_number(view_get(service, "died"), 0), false);
    return text_of("service, %s: CPU time %s a run%s, memory %s%s%s", name ?: "?",
                   number_scaled(view_real(service, "cpu_s"), "s", ROOM), busy,
                   number_scaled(view_real(service, "memory_bytes"), "B", ROOM), started, died);
}

void service_put_lines(struct line *json, const struct experiment *experiment, const char *who)
{
    const struct value *service = view_get(experiment->settings, "service");
    if (!view_is(service, VIEW_STRING) && !view_is(service, VIEW_ARRAY))
        return;
    OWNED char *begin = who ? text_of("%s: ", who) : must(strdup("")),
               *head = head_line(experiment);
    visible_add(json, text_of("%s%s", begin, head));
    EACH_VALUE (item, experiment->conditions)
        if (view_is(view_get(item, "service"), VIEW_OBJECT)) {
            OWNED char *line = condition_line(item);
            visible_add(json, text_of("%s%s", begin, line));
        }
}
