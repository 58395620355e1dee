// What only the page has of a cell: numbers to sort by, what it draws, how to measure it again.
#include "texts.h"

#include "common/text.h"

// ---- the command line that measures again

struct command {
    struct arena *texts;
    const char *line;
};

static void add(struct command *command, const char *word)
{
    command->line = joined(command->texts, command->line, " ", word_quoted(command->texts, word));
}

static void add_option(struct command *command, const char *name, const char *value)
{
    add(command, name);
    add(command, value);
}

static const char *commas(struct command *command, const struct value *list)
{
    return view_joined(command->texts, list, ",") ?: "";
}

// "load_cpus" -> --load-cpus, "settle_s" -> --settle; what is --conclude now was --cleanup in
// older records.
static const char *option_name(struct arena *texts, const struct value *settings,
                               const struct value *setting)
{
    const bool old = !view_get(settings, "conclude");
    if (old && view_get(settings, "cleanup") == setting)
        return "--conclude";
    char *name = text_of("--%s", setting->key);
    name[text_before(name, "_s")] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return arena_keep(texts, name);
}

// Not given, or what is so without it.
static bool preset(const char *option, const struct value *setting)
{
    const char *text = setting->text;
    const size_t length = setting->length;
    const bool nothing = setting->type == VIEW_NULL || setting->type == VIEW_FALSE ||
                         (length == 2 && (*text == '"' || *text == '[')) ||
                         (setting->type == VIEW_NUMBER && view_number(setting, 0) == 0);
    return nothing || (strcmp(option, "--engine") == 0 && view_equals(setting, "meter")) ||
           (strcmp(option, "--washout") == 0 && view_equals(setting, "auto")) ||
           (strcmp(option, "--settle") == 0 && view_number(setting, 0) == 1);
}

// What is given in another way: how a variant's words are read is in its words.
static bool is_apart(const char *option)
{
    static const char *const names[] = {"--metric",         "--metrics",      "--decide",
                                        "--shell",          "--command",      "--kind",
                                        "--ignore-failure", "--ignore-codes", NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

static void add_setting(struct command *command, const struct value *settings,
                        const struct value *setting)
{
    const char *option = option_name(command->texts, settings, setting);
    if (setting->type == VIEW_OBJECT) // of capacity: its members are options
        EACH_VALUE (item, setting)
            add_setting(command, setting, item);
    if (is_apart(option) || preset(option, setting) || setting->type == VIEW_OBJECT)
        return;
    if (strcmp(option, "--cold-path") == 0)
        EACH_VALUE (path, setting)
            add_option(command, option, view_plain(command->texts, path));
    else if (limit_is_share(setting->key))
        add_option(command, option, said(command->texts, "%.6g%%", 100 * view_number(setting, 0)));
    else if (setting->type == VIEW_TRUE)
        add(command, option);
    else
        add_option(command, option,
                   setting->type == VIEW_ARRAY ? commas(command, setting)
                                               : view_plain(command->texts, setting));
}

// "p99_ms=stdout:/.../,unit=ms", as --metric takes it (common/metric.h).
static const char *definition_text(struct arena *texts, const struct value *metric)
{
    static const char *const options[] = {"take", "scale", "unit",    "better",
                                          "role", "loop",  "quantile"};
    const char *variant = view_text(metric, "variant");
    const char *text =
        said(texts, "%s%s%s=%s", view_plain(texts, view_get(metric, "name")), variant ? "@" : "",
             variant ?: "", view_plain(texts, view_get(metric, "source")));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct value *value = view_get(metric, options[i]);
        if (!value || value->type == VIEW_NULL || view_equals(value, "") ||
            view_equals(value, "last") || view_equals(value, "lower") ||
            view_equals(value, "result"))
            continue;
        text = said(texts, "%s,%s=%s", text, options[i], view_plain(texts, value));
    }
    return text;
}

// Names that are built in, and definitions.
static void add_metrics(struct command *command, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"), *own = view_get(settings, "metrics"),
                       *decide = view_get(settings, "decide");
    const char *names = "";
    EACH_VALUE (item, chosen)
        if (!metric_entry(settings, item))
            names = joined(command->texts, names, ",", view_plain(command->texts, item));
    if (*names != '\0' && (view_first(own) || strcmp(names, "wall_s") != 0))
        add_option(command, "--metric", names);
    EACH_VALUE (item, own)
        add_option(command, "--metric", definition_text(command->texts, item));
    if (view_first(decide) && !view_same(decide, chosen))
        add_option(command, "--decide", commas(command, decide));
}

// What was built from a revision is built again.
static void add_variants(struct command *command, const struct value *record)
{
    struct arena *texts = command->texts;
    EACH_VALUE (item, view_get(record, "variants")) {
        const char *commit = view_string(view_path(item, "revision", "commit"));
        add_option(command, commit ? "--revision" : "--variant",
                   said(texts, "%s=%s", view_plain(texts, view_get(item, "name")),
                        commit ?: command_text(texts, view_get(item, "command"))));
    }
    if (view_has_text(record, "build"))
        add_option(command, "--build", view_text(record, "build"));
}

// The command line that measures a cell's experiment again: what was not the default.
static const char *reproduce_command(const struct cell *cell)
{
    const struct value *record = cell->of->record.top, *settings = cell->of->settings,
                       *variants = view_get(record, "variants"), *loads = view_get(record, "loads");
    const bool built = view_is(view_path(view_first(variants), "revision", "commit"), VIEW_STRING);
    struct arena *texts = cell->of->texts;
    struct command command = {texts, cell->of->capacity                ? "jostle capacity"
                                     : !cell->loaded && !cell->variant ? "jostle run"
                                                                       : "jostle slowdown"};
    const char *codes = commas(&command, view_get(settings, "ignore_codes"));
    add_variants(&command, record);
    EACH_VALUE (load, loads)
        if (view_has_text(load, "name") && view_has_text(load, "spec"))
            add_option(&command, "--load",
                       said(texts, "%s=%s", view_text(load, "name"), view_text(load, "spec")));
    add_metrics(&command, settings);
    EACH_VALUE (setting, settings)
        add_setting(&command, settings, setting);
    if (view_holds(settings, "ignore_failure"))
        add(&command, said(texts, "--ignore-failure%s%s", *codes == '\0' ? "" : "=", codes));
    return view_first(variants) && !built ? command.line
                                          : said(texts, "%s -- %s", command.line,
                                                 command_text(texts, view_get(record, "command")));
}

// ---- charts

void page_put_point(struct line *json, const struct value *slowdown, bool sure)
{
    const struct estimate its = ratio_estimate(slowdown);
    const double ratio = its.center, low = isnan(its.low) ? ratio : its.low,
                 high = isnan(its.high) ? ratio : its.high;
    const int decimals = ratio_decimals(low, high);
    OWNED char *times = text_of("%s times, %s%s", number_fixed(ratio, decimals, ROOM),
                                number_interval(low, high, decimals, ROOM),
                                sure ? "" : ", not distinguishable from noise");
    line_real(json, "ratio", ratio);
    line_real(json, "low", low);
    line_real(json, "high", high);
    line_bool(json, "sure", sure);
    line_text(json, "times", times);
}

static void put_extent(struct line *json, const char *name, const struct value *condition,
                       const struct quantity *metric)
{
    const struct value *figure = metric_figure(condition, metric);
    if (!line_object_if(json, name, condition != NULL))
        return;
    line_real(json, "min", view_real(figure, "min"));
    line_real(json, "median", view_real(figure, "median"));
    line_real(json, "max", view_real(figure, "max"));
    line_close(json);
}

static bool is_drawn(const struct experiment *of, size_t metric)
{
    return of->metrics.item[metric].chosen || metric == of->metrics.main;
}

static void put_metric(struct line *json, const struct cell *cell, size_t number)
{
    const struct quantity *metric = &cell->of->metrics.item[number];
    const struct value *slowdown = slowdown_of(cell->of, cell->condition, metric->name);
    line_object(json, NULL);
    line_text(json, "metric", metric->words);
    line_text(json, "unit", metric->unit);
    line_bool(json, "timed", number == METRIC_WALL);
    line_bool(json, "main", number == cell->of->metrics.main);
    page_put_point(json, slowdown, !view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE));
    put_extent(json, "alone", cell->baseline, metric);
    put_extent(json, "loaded", cell->loaded, metric);
    line_close(json);
}

// The main metric first.
static void put_metrics(struct line *json, const struct cell *cell)
{
    const struct metric_list *list = &cell->of->metrics;
    line_array(json, "metrics");
    put_metric(json, cell, list->main);
    for (size_t i = 0; i < list->count; i++)
        if (i != list->main && is_drawn(cell->of, i))
            put_metric(json, cell, i);
    line_close(json);
}

// The places, among the runs of a condition, of those that are flagged or in no figure.
static void put_places(struct line *json, const char *name, const struct runs *runs,
                       size_t condition, bool flagged)
{
    size_t place = 0;
    LINE_ARRAY (json, name)
        for (size_t i = 0; i < runs->count; i++) {
            const struct run_record *run = &runs->item[i];
            if (run->condition != condition)
                continue;
            if (flagged ? run->flagged : !run->used)
                line_count(json, NULL, place);
            place++;
        }
}

static void put_condition(struct line *json, const struct experiment *of, size_t condition)
{
    const struct runs *runs = &of->runs;
    line_object(json, runs->conditions.item[condition]);
    LINE_ARRAY (json, "order")
        for (size_t i = 0; i < runs->count; i++)
            if (runs->item[i].condition == condition)
                line_count(json, NULL, runs->item[i].order);
    put_places(json, "flagged", runs, condition, true);
    put_places(json, "unused", runs, condition, false);
    LINE_OBJECT (json, "values")
        for (size_t metric = 0; metric < of->metrics.count; metric++) {
            if (!is_drawn(of, metric))
                continue;
            LINE_ARRAY (json, of->metrics.item[metric].words)
                for (size_t i = 0; i < runs->count; i++)
                    if (runs->item[i].condition == condition)
                        line_real(json, NULL, runs_value(of, i, metric));
        }
    line_close(json);
}

// What the page draws of a cell; of a search for capacities nothing.
static void put_charts(struct line *json, const struct cell *cell, bool first)
{
    line_object(json, "charts");
    if (!cell->of->capacity) {
        // What it is called where its variant is known from its row.
        const char *load = view_text(experiment_condition(cell->of, cell->condition), "load");
        visible_put(json, "condition", cell->variant && load ? load : cell->condition);
        line_text(json, "reference", cell->reference);
        line_text(json, "under", cell->condition);
        line_real(json, "offered", view_real(cell->load_entry, "offered"));
        line_real(json, "achieved", view_real(cell->load_entry, "achieved"));
        visible_put(json, "unit", view_text(cell->load_entry, "unit"));
        put_metrics(json, cell);
    }
    if (!cell->of->capacity && first) {
        LINE_OBJECT (json, "runs")
            for (size_t i = 0; i < cell->of->runs.conditions.count; i++)
                put_condition(json, cell->of, i);
    }
    line_close(json);
}

// ---- numbers

// The ratio with as many decimals as its interval deserves.
void page_put_ratio(struct line *json, const struct value *slowdown)
{
    const struct estimate ratio = ratio_estimate(slowdown);
    const int decimals = ratio_decimals(ratio.low, ratio.high);
    line_text(json, "ratio",
              isnan(ratio.center) ? NULL : number_fixed(ratio.center, decimals, ROOM));
    line_text(json, "interval",
              isnan(ratio.low) ? "no interval"
                               : number_interval(ratio.low, ratio.high, decimals, ROOM));
}

void page_put(struct line *json, const struct cell *cell, bool first)
{
    const struct value *loaded = cell->loaded ?: cell->baseline;
    const struct value *figures = cell->of->capacity ? NULL : loaded,
                       *alone = figures ? cell->baseline : NULL,
                       *points = view_get(row_attribution(cell), "points");
    line_object(json, "values");
    line_real(json, "runs", view_real(loaded, "runs"));
    line_real(json, "ratio", view_real(cell->slowdown, "ratio"));
    line_real(json, "alone", figure_center(metric_figure(alone, cell->main)));
    line_real(json, "loaded",
              cell->loaded ? figure_center(metric_figure(figures, cell->main)) : NAN);
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        line_real(json, metrics[i].title, figure_center(view_get(figures, metrics[i].name)));
    line_real(json, "achieved", view_real(cell->load_entry, "achieved"));
    line_close(json);
    page_put_ratio(json, cell->slowdown);
    visible_put(json, "spec", cell->spec);
    view_put(json, "points", view_is(points, VIEW_OBJECT) ? points : NULL);
    visible_put(json, "attribution", row_attribution_words(cell));
    line_text(json, "again", reproduce_command(cell));
    put_charts(json, cell, first);
}
