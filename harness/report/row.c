// The texts of a row: its figures, its remarks, and what its runs were slowed down by.
#include "texts.h"

#include "common/text.h"

void row_say(struct line *json, const char *who, const char *words)
{
    OWNED char *text = who && words ? text_of("%s: %s", who, words) : NULL;
    visible_add(json, text);
}

void others_say(struct line *json, const char *who, const struct value *others)
{
    row_say(json, who, view_text(others, "text"));
    row_say(json, who, view_string(view_path(others, "steadier", "text")));
}

const char *row_achieved(struct arena *texts, const struct value *load, bool is_short)
{
    const double offered = view_real(load, "offered"), achieved = view_real(load, "achieved"),
                 cpu_s = view_real(load, "cpu_s");
    if (isnan(offered) || isnan(achieved))
        return isnan(cpu_s) ? "-" : said(texts, "%s CPU", number_scaled(cpu_s, "s", ROOM));
    const struct scale s = scale_of(fmax(offered, achieved), view_text(load, "unit") ?: "");
    const int decimals = number_decimals(fmax(offered, achieved) * s.factor);
    return said(texts, "%s of %s %.60s%s", number_fixed(achieved * s.factor, decimals, ROOM),
                number_fixed(offered * s.factor, decimals, ROOM), shown(texts, s.unit),
                is_short ? " (short)" : "");
}

const char *row_loads(struct arena *texts, const struct value *condition)
{
    const char *all = NULL;
    EACH_VALUE (load, view_get(condition, "load"))
        all = joined(texts, all, " + ", row_achieved(texts, load, view_holds(load, "short")));
    return all ?: "-";
}

const char *row_rate(struct arena *texts, const struct value *condition, bool with_short)
{
    const char *all = NULL;
    EACH_VALUE (load, view_get(condition, "load")) {
        const double offered = view_real(load, "offered");
        const char *unit = shown(texts, view_text(load, "unit") ?: "");
        if (isnan(offered))
            continue;
        all = joined(texts, all, " + ",
                     with_short && view_holds(load, "short")
                         ? row_achieved(texts, load, false)
                         : kept(texts, number_scaled(offered, unit, ROOM)));
    }
    return all;
}

void row_warnings(struct line *json, const struct experiment *experiment, const char *condition,
                  const char *other, bool general)
{
    for (unsigned problem = 2; problem-- > 0;) {
        LINE_ARRAY (json, problem ? "problems" : "notes")
            EACH_VALUE (item, experiment->warnings) {
                if (!warning_is_of(item, condition, other, general) ||
                    warning_is_problem(item) != problem)
                    continue;
                line_object(json, NULL);
                visible_put(json, "flag", view_text(item, "flag"));
                view_put(json, "condition", view_get(item, "condition"));
                visible_put(json, "metric", view_text(item, "metric"));
                visible_put(json, "text", warning_text(experiment->texts, item));
                line_close(json);
            }
    }
}

bool row_has_metric(const struct experiment *experiment, size_t metric)
{
    return experiment->metrics.item[metric].chosen && metric != experiment->metrics.main &&
           !experiment->capacity;
}

const char *row_load(const struct cell *cell)
{
    struct arena *texts = cell->of->texts;
    return shown(texts, cell->load && cell->level ? said(texts, "%s %s", cell->load, cell->level)
                                                  : cell->load ?: "-");
}

const struct value *row_attribution(const struct cell *cell)
{
    return view_get(slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name),
                    "attribution");
}

const char *row_attribution_words(const struct cell *cell)
{
    struct arena *texts = cell->of->texts;
    const char *text = view_text(row_attribution(cell), "text");
    return shown(texts,
                 text ? text_after(text, said(texts, "%s: ", cell->condition)) ?: text : NULL);
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

const char *row_star(struct arena *texts, const struct value *condition, const char *who)
{
    const struct value *figure = view_get(condition, "wall_s");
    const double count = view_number(view_get(figure, "set_aside"), 0);
    if (!is_without_outliers(figure))
        return NULL;
    return said(
        texts, "* %s: mean-without-outliers, %.0f run%s set aside; the mean of all runs is %s", who,
        count, count == 1 ? "" : "s", number_scaled(view_real(figure, "mean"), "s", ROOM));
}

struct estimate estimate_of(const struct value *figure, const char *member)
{
    return (struct estimate){view_real(figure, member), figure_bound(figure, false),
                             figure_bound(figure, true)};
}

struct estimate ratio_of_alone(const struct value *slowdown, const struct quantity *metric)
{
    const struct estimate worse = estimate_of(slowdown, "ratio");
    if (!metric->higher)
        return worse;
    const bool bounded = worse.low > 0;
    return (struct estimate){1 / worse.center, bounded ? 1 / worse.high : NAN,
                             bounded ? 1 / worse.low : NAN};
}

enum effect ratio_effect(const struct value *ratio)
{
    const enum effect told = effect_named(view_text(view_get(ratio, "judgement"), "effect"));
    const struct interval its = {.center = view_real(ratio, "ratio"),
                                 .low = figure_bound(ratio, false),
                                 .high = figure_bound(ratio, true),
                                 .constant = view_holds(ratio, "constant")};
    return told < EFFECTS ? told : effect_of(&its, view_holds(ratio, "distinguishable"));
}

void effect_put(struct line *json, const char *name, const struct value *ratio)
{
    if (!ratio || view_is(view_get(ratio, "distinguishable"), VIEW_NULL))
        line_null(json, name);
    else
        line_bool(json, name, ratio_effect(ratio) == EFFECT_SEEN);
}

// What is to be known of a ratio besides its bounds.
static const char *remark(const struct value *slowdown)
{
    if (view_holds(slowdown, "constant"))
        return " (constant)";
    if (isnan(figure_bound(slowdown, false)))
        return " (no interval)";
    return effect_remarks[ratio_effect(slowdown)];
}

static const char *put_text(const struct value *slowdown, const char *remarks, char *text)
{
    const struct estimate its = estimate_of(slowdown, "ratio");
    if (isnan(its.center))
        return strcpy(text, view_real(slowdown, "censored") > 0 ? "not known (time-out)" : "-");
    snprintf(text, NUMBER_SIZE, "%.120s%s", number_ratio(its.center, its.low, its.high, ROOM),
             remarks);
    return text;
}

const char *ratio_remarked(const struct value *slowdown, char *text)
{
    return put_text(slowdown, remark(slowdown), text);
}

const char *ratio_text(const struct value *slowdown, char *text)
{
    return put_text(slowdown, "", text);
}

const char *ratio_plain(const struct value *slowdown, const struct quantity *metric, char *text)
{
    const struct estimate plain = ratio_of_alone(slowdown, metric);
    if (!metric->higher || !(plain.center > 0))
        return strcpy(text, "-");
    return number_ratio(plain.center, plain.low, plain.high, text);
}

void ratio_put_point(struct line *json, const struct value *slowdown, bool sure)
{
    const struct estimate its = estimate_of(slowdown, "ratio");
    const double ratio = its.center, low = isnan(its.low) ? ratio : its.low,
                 high = isnan(its.high) ? ratio : its.high;
    const int decimals = ratio_decimals(low, high);
    OWNED char *times = text_of("%s times, %s%s", number_fixed(ratio, decimals, ROOM),
                                number_interval(low, high, decimals, ROOM),
                                sure ? "" : effect_remarks[ratio_effect(slowdown)]);
    line_real(json, "ratio", ratio);
    line_real(json, "low", low);
    line_real(json, "high", high);
    line_bool(json, "sure", sure);
    line_text(json, "times", times);
}

const char *ratio_direction(const struct experiment *experiment, const struct value *slowdown)
{
    const struct quantity *metric =
        metric_chosen(&experiment->metrics, view_get(slowdown, "metric"));
    const char *text = metric ? ratio_plain(slowdown, metric, ROOM) : "-";
    return strcmp(text, "-") == 0 ? NULL
                                  : said(experiment->texts, "%s %s of alone", metric->words, text);
}

const char *capacity_value(const struct experiment *of, const struct value *entry)
{
    const struct value *capacity = of->capacity;
    const struct estimate its = estimate_of(entry, "value");
    const bool below = view_matches(entry, "bound", "below"),
               above = view_matches(entry, "bound", "at-least");
    const char *unit = shown(of->texts, view_text(capacity, "unit") ?: "");
    if (below || above)
        return said(of->texts, "%s %s", below ? "below" : "at least",
                    number_scaled(view_real(capacity, below ? "low" : "high"), unit, ROOM));
    return kept(of->texts, isnan(its.center) || isnan(its.low) || isnan(its.high)
                               ? number_scaled(its.center, unit, ROOM)
                               : number_with_bounds(its.center, its.low, its.high, unit, ROOM));
}

static const char *text_or_words(struct arena *texts, const struct value *value)
{
    return view_is(value, VIEW_ARRAY) ? command_text(texts, value) : view_string(value);
}

// Whether a condition has settings of the service: then each run has a new one.
static bool service_is_set(const struct experiment *experiment)
{
    EACH_VALUE (load, experiment->loads)
        if (view_first(view_path(load, "settings", "service")))
            return true;
    return false;
}

static const char *head_line(const struct experiment *experiment)
{
    const struct value *settings = experiment->settings;
    struct arena *texts = experiment->texts;
    const char *ready = text_or_words(texts, view_get(settings, "ready"));
    return said(texts, "service: %s%s%s%s",
                text_or_words(texts, view_get(settings, "service")) ?: "?",
                ready ? ", ready by " : "", ready ?: "",
                view_holds(settings, "keep_service") ? ", kept for all blocks"
                : service_is_set(experiment)         ? ", a new one for each run"
                                                     : ", a new one for each block");
}

// ", started 6 times"; nothing where it is not known, or none where there may be none.
static const char *times_text(struct arena *texts, const char *what, double times, bool always)
{
    return isnan(times) || (times == 0 && !always)
               ? ""
               : said(texts, ", %s %.0f time%s", what, times, times == 1 ? "" : "s");
}

// " (0.72 CPUs, 3.1 % of the time waiting for one)"
static const char *busy_text(struct arena *texts, const struct value *used)
{
    const double cpus = view_real(used, "cpus"), stalls = view_real(used, "cpu_stall_share");
    const char *number = number_fixed(cpus, 2, ROOM);
    return isnan(cpus)     ? ""
           : isnan(stalls) ? said(texts, " (%s CPUs)", number)
                           : said(texts, " (%s CPUs, %s of the time waiting for one)", number,
                                  number_percent(stalls, ROOM));
}

// "service, mem-50: CPU time 183 ms a run (0.72 CPUs), memory 12.0 MiB, started 6 times"
static const char *condition_line(struct arena *texts, const struct value *condition)
{
    const struct value *service = view_get(condition, "service");
    return said(texts, "service, %s: CPU time %s a run%s, memory %s%s%s",
                view_text(condition, "name") ?: "?",
                number_scaled(view_real(service, "cpu_s"), "s", ROOM), busy_text(texts, service),
                number_scaled(view_real(service, "memory_bytes"), "B", ROOM),
                times_text(texts, "started", view_real(service, "starts"), true),
                times_text(texts, "died", view_number(view_get(service, "died"), 0), false));
}

// "client, mem-50: CPU time 241 ms a run (0.95 CPUs, 17 % of the time waiting for one)"
static const char *client_line(struct arena *texts, const struct value *condition)
{
    const struct value *client = view_get(condition, "client");
    return said(texts, "client, %s: CPU time %s a run%s", view_text(condition, "name") ?: "?",
                number_scaled(view_real(client, "cpu_s"), "s", ROOM), busy_text(texts, client));
}

void service_put_lines(struct line *json, const struct experiment *experiment, const char *who)
{
    const struct value *service = view_get(experiment->settings, "service");
    struct arena *texts = experiment->texts;
    const char *begin = who ? said(texts, "%s: ", who) : "";
    if (!view_is(service, VIEW_STRING) && !view_is(service, VIEW_ARRAY))
        return;
    visible_add(json, said(texts, "%s%s", begin, head_line(experiment)));
    EACH_VALUE (item, experiment->conditions) {
        if (view_is(view_get(item, "service"), VIEW_OBJECT))
            visible_add(json, said(texts, "%s%s", begin, condition_line(texts, item)));
        if (view_is(view_get(item, "client"), VIEW_OBJECT))
            visible_add(json, said(texts, "%s%s", begin, client_line(texts, item)));
    }
}
