// A cell as a format reads it: as in jostle.report/1, or as texts, for the page with the numbers to
// sort by, what it draws, and how to measure it again.
#include "report.h"

#include "common/text.h"

// ---- the model

// Members that are objects of a record, without two of theirs.
static void put_without(struct line *json, const char *name, const struct value *object,
                        const char *first, const char *second)
{
    if (!line_object_if(json, name, object != NULL))
        return;
    EACH_VALUE (item, object) {
        if (strcmp(item->key, first) != 0 && strcmp(item->key, second) != 0)
            view_put(json, item->key, item);
    }
}

static void put_slowdowns(struct line *json, const struct cell *cell)
{
    put_without(json, "slowdown", cell->slowdown, "attribution", "condition");
    if (cell->slowdown) {
        line_real(json, "noise_floor", cell->noise_floor);
        family_put_ratio(json, cell->of, cell->slowdown);
        line_close(json);
    }
    line_array(json, "all_slowdowns");
    const struct value *all = cell->of->slowdowns;
    for (const struct value *item = NULL; cell->condition && view_each(all, &item);)
        if (view_matches(item, "condition", cell->condition)) {
            put_without(json, NULL, item, "attribution", "condition");
            family_put_ratio(json, cell->of, item);
            line_close(json);
        }
    line_close(json);
}

// The comparisons, or interactions, of the cell's variant: alone, and under its load.
static void put_of_variant(struct line *json, const char *name, const struct value *list,
                           const struct cell *cell)
{
    const struct value *load = view_get(experiment_condition(cell->of, cell->condition), "load");
    const struct value *variant =
        view_get(experiment_condition(cell->of, cell->reference), "variant");
    LINE_ARRAY (json, name)
        EACH_VALUE (item, list) {
            if (!comparison_is_of(item, variant, NULL) && !comparison_is_of(item, variant, load))
                continue;
            put_without(json, NULL, item, "text", "variant");
            family_put_ratio(json, cell->of, item);
            line_close(json);
        }
}

static void put_achieved(struct line *json, const struct cell *cell)
{
    static const char *const members[] = {"unit",    "offered", "achieved", "late",
                                          "dropped", "cpu_s",   NULL};
    if (!line_object_if(json, "achieved", cell->load_entry != NULL))
        return;
    view_put_members(json, cell->load_entry, members);
    line_bool(json, "short", cell->is_short);
    view_put(json, "loads", view_get(cell->loaded, "load"));
    line_close(json);
}

static void put_warnings(struct line *json, const struct cell *cell)
{
    LINE_ARRAY (json, "warnings")
        EACH_VALUE (item, cell->of->warnings) {
            if (!warning_is_of(item, cell->reference, cell->condition, true))
                continue;
            line_object(json, NULL);
            line_text(json, "flag", view_text(item, "flag"));
            line_text(json, "severity", warning_is_problem(item) ? "problem" : "note");
            view_put(json, "condition", view_get(item, "condition"));
            view_put(json, "metric", view_get(item, "metric"));
            line_text(json, "message", warning_text(cell->of->texts, item));
            if (view_get(item, "runs"))
                view_put(json, "runs", view_get(item, "runs"));
            else
                line_raw(json, "runs", "[]");
            line_close(json);
        }
    LINE_ARRAY (json, "flags")
        for (size_t i = 0; i < cell->flag_count; i++)
            line_text(json, NULL, cell->flags[i]);
}

static void put_names(struct line *json, const struct cell *cell)
{
    const struct experiment *of = cell->of;
    const struct origin origin = cell_origin(cell);
    line_text(json, "name", cell->name);
    line_text(json, "experiment", of->name);
    line_text(json, "target", cell->target);
    line_text(json, "label", cell->label);
    line_text(json, "main", cell->main->name);
    line_text(json, "row", cell->row);
    if (cell->parameters)
        view_put(json, "parameters", cell->parameters);
    else
        line_raw(json, "parameters", "{}");
    view_put(json, "command", cell->command);
    line_text(json, "line", cell->line);
    line_text(json, "title", cell->title);
    line_text(json, "named", cell->named);
    line_text(json, "variant", cell->variant);
    line_text(json, "load", cell->load);
    line_text(json, "level", cell->level);
    line_text(json, "condition", cell->condition);
    line_text(json, "spec", cell->spec);
    line_text(json, "reference", cell->reference);
    if (of->is_session || of->sessions > 0) {
        line_real(json, "session", origin.session);
        line_count(json, "sessions", origin.sessions);
    }
    line_text(json, "host", origin.host);
    line_text(json, "kind", cell->kind);
    line_text(json, "state", of->state);
    line_text(json, "reason", of->reason);
    line_text(json, "started", of->runs.started);
}

// The used runs of a condition: {"times": [..], "memory_usage_byte": [..], "exit_codes": [..]}
static void put_runs(struct line *json, const struct experiment *of, const char *name)
{
    static const char *const lists[] = {"times", "memory_usage_byte", "exit_codes"};
    const struct runs *runs = &of->runs;
    const size_t condition = runs_condition(runs, name);
    LINE_OBJECT (json, name)
        for (size_t list = 0; list < 3; list++)
            LINE_ARRAY (json, lists[list])
                for (size_t i = 0; i < runs->count; i++)
                    if (runs->item[i].used && runs->item[i].condition == condition)
                        line_real(json, NULL,
                                  list == 0   ? runs_value(of, i, METRIC_WALL)
                                  : list == 1 ? runs_value(of, i, METRIC_MEMORY)
                                              : runs->item[i].exit_code);
}

static char *model_of(const struct cell *cell, bool lists)
{
    const struct experiment *of = cell->of;
    struct line json = {0};
    line_object(&json, NULL);
    put_names(&json, cell);
    view_put(&json, "settings", of->settings);
    line_real(&json, "interval_level", legend_of(of).level);
    put_without(&json, "baseline", cell->baseline, "name", "load");
    line_close(&json);
    put_without(&json, "loaded", cell->loaded, "name", "load");
    if (cell->loaded)
        line_close(&json);
    put_slowdowns(&json, cell);
    if (cell->variant) {
        put_of_variant(&json, "comparisons", of->comparisons, cell);
        put_of_variant(&json, "interactions", of->interactions, cell);
        view_put(&json, "gate", of->gate);
    }
    view_put(&json, "capacity", of->capacity);
    view_put(&json, "protection", of->protection);
    put_achieved(&json, cell);
    view_put(&json, "attribution",
             view_get(slowdown_of(of, cell->condition, metrics[METRIC_WALL].name), "attribution"));
    if (of->machine)
        view_put(&json, "machine", of->machine);
    put_warnings(&json, cell);
    if (!lists)
        return json_text_end(&json);
    line_object(&json, "runs");
    put_runs(&json, of, cell->reference);
    if (cell->condition)
        put_runs(&json, of, cell->condition);
    return json_text_end(&json);
}

// ---- the command line that measures again

struct command {
    struct arena *texts;
    const char *line;
};

static void add_word(struct command *command, const char *word)
{
    command->line = joined(command->texts, command->line, " ", word_quoted(command->texts, word));
}

static void add_option(struct command *command, const char *name, const char *value)
{
    add_word(command, name);
    add_word(command, value);
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
        add_word(command, option);
    else
        add_option(command, option,
                   setting->type == VIEW_ARRAY ? commas(command, setting)
                                               : view_plain(command->texts, setting));
}

// "p99_ms=stdout:/.../,unit=ms", as --metric takes it (common/metric.h).
static const char *definition_text(struct arena *texts, const struct value *metric)
{
    static const char *const options[] = {"take",   "scale", "comma", "unit",
                                          "better", "role",  "loop",  "quantile"};
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
        add_word(&command, said(texts, "--ignore-failure%s%s", *codes == '\0' ? "" : "=", codes));
    return view_first(variants) && !built ? command.line
                                          : said(texts, "%s -- %s", command.line,
                                                 command_text(texts, view_get(record, "command")));
}

// ---- charts

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
    ratio_put_point(json, slowdown, ratio_effect(slowdown) == EFFECT_SEEN);
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

// Writes the phases of all runs of a condition; nothing where its loads have no stages.
static void put_phases(struct line *json, const struct runs *runs, size_t condition)
{
    bool any = false;
    for (size_t i = 0; i < runs->count; i++)
        any = any || (runs->item[i].condition == condition && !isnan(runs->item[i].phase_s));
    if (!any)
        return;
    LINE_ARRAY (json, "phase_s")
        for (size_t i = 0; i < runs->count; i++)
            if (runs->item[i].condition == condition)
                line_real(json, NULL, runs->item[i].phase_s);
}

static void put_condition_runs(struct line *json, const struct experiment *of, size_t condition)
{
    const struct runs *runs = &of->runs;
    line_object(json, runs->conditions.item[condition]);
    LINE_ARRAY (json, "order")
        for (size_t i = 0; i < runs->count; i++)
            if (runs->item[i].condition == condition)
                line_count(json, NULL, runs->item[i].order);
    put_places(json, "flagged", runs, condition, true);
    put_places(json, "unused", runs, condition, false);
    put_phases(json, runs, condition);
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
                put_condition_runs(json, cell->of, i);
    }
    line_close(json);
}

// ---- what the page has besides

// The ratio with as many decimals as its interval deserves.
static void put_rounded(struct line *json, const struct value *slowdown)
{
    const struct estimate ratio = estimate_of(slowdown, "ratio");
    const int decimals = ratio_decimals(ratio.low, ratio.high);
    line_text(json, "ratio",
              isnan(ratio.center) ? NULL : number_fixed(ratio.center, decimals, ROOM));
    line_text(json, "interval",
              isnan(ratio.low) ? "no interval"
                               : number_interval(ratio.low, ratio.high, decimals, ROOM));
}

// What share of the extra time each cause has, of those that have any, in the order of the legend
// of the page; null: it is not known.
static void put_shares(struct line *json, const struct value *points, double ratio)
{
    static const char *const causes[] = {"execution", "cpu",   "memory",
                                         "io",        "steal", "unexplained"};
    enum { CAUSES = sizeof causes / sizeof *causes };
    double sum = 0, share[CAUSES];
    for (size_t i = 0; i < CAUSES; i++) {
        share[i] = fmax(view_number(view_get(points, causes[i]), 0), 0);
        sum += share[i];
    }
    if (!view_is(points, VIEW_OBJECT)) {
        line_null(json, "shares");
        return;
    }
    char extra[NUMBER_SIZE + 1] = "+";
    strcpy(extra + 1, number_percent(ratio - 1, ROOM));
    line_text(json, "extra", extra);
    LINE_ARRAY (json, "shares")
        for (size_t i = 0; i < CAUSES; i++) {
            if (share[i] == 0)
                continue;
            line_object(json, NULL);
            line_text(json, "cause", causes[i]);
            line_real(json, "share", share[i] / sum);
            line_text(json, "text", number_fixed(100 * share[i] / sum, 0, ROOM));
            line_close(json);
        }
}

// values, ratio, interval, extra, shares, attribution, again, and charts, what it draws:
//   {condition, reference, under, offered, achieved, unit,
//    metrics: [{metric, unit, timed, main, ratio, low, high, sure, times, alone, loaded}],
//    runs: {CONDITION: {order, flagged, unused, phase_s, values: {METRIC: [...]}}}}
// condition: as the page calls it; reference, under: which of the runs are those without and with
// load; alone, loaded: {min, median, max}; times: the ratio in words; flagged, unused: places in
// order; phase_s: where in its stages the load was, only of loads that have some. runs are those of
// the whole experiment: of its first cell, else null. There are no metrics of a search for
// capacities.
static void put_page(struct line *json, const struct cell *cell, bool first)
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
    put_rounded(json, cell->slowdown);
    put_shares(json, points, view_real(cell->slowdown, "ratio"));
    visible_put(json, "attribution", row_attribution_words(cell));
    line_text(json, "again", reproduce_command(cell));
    put_charts(json, cell, first);
}

// ---- texts

static struct row row_of(const struct cell *cell)
{
    return (struct row){.of = cell->of,
                        .cell = cell,
                        .metric = cell->main,
                        .baseline = cell->baseline,
                        .condition = cell->loaded,
                        .slowdown = cell->slowdown};
}

// The metrics of --metric besides the main one, a row for each.
static void put_other_metrics(struct line *json, const struct cell *cell, bool page)
{
    LINE_ARRAY (json, "metrics")
        for (size_t i = 0; i < cell->of->metrics.count; i++) {
            if (!row_has_metric(cell->of, i))
                continue;
            const struct quantity *metric = &cell->of->metrics.item[i];
            struct row row = row_of(cell);
            row.metric = metric;
            row.slowdown = slowdown_of(cell->of, cell->condition, metric->name);
            columns_put_row(json, TABLE_CELL_METRICS, &row, row.slowdown);
            if (page) { // for its table of answers
                line_real(json, "ratio_value", view_real(row.slowdown, "ratio"));
                put_rounded(json, row.slowdown);
                survives_put(json, cell->of, row.slowdown);
            }
            line_close(json);
        }
}

// What is said on a cell below its table, each with who it is of.
static void put_lines(struct line *json, const struct cell *cell, bool first)
{
    struct arena *texts = cell->of->texts;
    const char *row = shown(texts, cell->row), *who = said(texts, "%s, %s", row, row_load(cell));
    if (!isnan(cell->noise_floor))
        visible_put(json, "floor",
                    said(texts,
                         "%s: the noise floor is %s: the baseline measured against itself "
                         "(A/A) still allows that much",
                         row, number_percent(cell->noise_floor, ROOM)));
    line_array(json, "lines");
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        const struct value *condition = loaded ? cell->loaded : cell->baseline,
                           *time = view_get(condition, "time");
        const char *what = said(texts, "%s, %s", who, loaded ? "under load" : "alone");
        visible_add(json, row_star(texts, condition, what));
        if (!first && !loaded)
            continue;
        // What its time was made of.
        others_say(json, what, view_get(time, "others"));
        row_say(json, what, view_text(time, "text"));
    }
    for (size_t i = 0; i < cell->of->metrics.count; i++)
        row_say(json, who,
                ratio_direction(cell->of, slowdown_of(cell->of, cell->condition,
                                                      cell->of->metrics.item[i].name)));
    row_say(json, who, sessions_text(texts, cell->slowdown));
    row_say(json, who, view_text(cell->slowdown, "seldom"));
    row_say(json, who, row_attribution_words(cell));
    if (first)
        service_put_lines(json, cell->of, row);
    line_close(json);
}

// Runs, mean and variance of each metric, in the unit of the table; and what a condition's wall
// time is besides: the outliers, and the interval that also holds where runs depend on each other.
static void put_means(struct line *json, const char *name, const struct cell *cell,
                      const struct value *condition, const char *unit_names)
{
    const struct mean_units units = mean_units_of(unit_names);
    const double seconds = units.time->factor;
    const struct value *figures = cell->of->capacity ? NULL : condition,
                       *wall = view_get(figures, metrics[METRIC_WALL].name),
                       *robust = view_get(wall, "ci_robust"), *low = view_first(robust);
    if (!line_object_if(json, name, condition != NULL))
        return;
    line_text(json, "runs", number_fixed(view_real(condition, "runs"), 0, ROOM));
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *metric = view_get(figures, metrics[i].name);
        const double factor =
            unit_names ? mean_unit_for(&units, i)->factor : metrics[i].table_factor;
        line_object(json, metrics[i].title);
        line_text(json, "mean", number_significant(view_real(metric, "mean") * factor, ROOM));
        line_text(json, "variance",
                  number_significant(view_real(metric, "variance") * factor * factor, ROOM));
        line_close(json);
    }
    line_text(json, "outliers", number_fixed(view_real(wall, "outliers"), 0, ROOM));
    visible_put(
        json, "robust",
        !low ? "-"
             : said(cell->of->texts, "[%s, %s]",
                    number_significant(view_number(low, NAN) * seconds, ROOM),
                    number_significant(view_number(view_next(robust, low), NAN) * seconds, ROOM)));
    line_close(json);
}

// Member "parameters", as texts by their names.
static void put_parameters(struct line *json, const struct cell *cell)
{
    struct arena *texts = cell->of->texts;
    LINE_OBJECT (json, "parameters")
        EACH_VALUE (item, cell->parameters)
            visible_put(json, shown(texts, item->key), view_plain(texts, item));
}

static char *row_texts(const struct cell *cell, const struct wanted *wanted, bool first)
{
    const bool page = wanted->page;
    struct line json = {0};
    const struct row row = row_of(cell);
    columns_put_row(&json, TABLE_CELLS, &row, cell->slowdown);
    line_text(&json, "experiment", cell->of->name);
    visible_put(&json, "title", cell->of->cell ? NULL : view_text(cell->of->record.top, "line"));
    visible_put(&json, "variant", cell->variant);
    visible_put(&json, "load", cell->load);
    visible_put(&json, "level", cell->level);
    visible_put(&json, "condition", cell->condition);
    visible_put(&json, "host", cell->host);
    visible_put(&json, "main", cell->main->words);
    survives_put(&json, cell->of, cell->slowdown);
    line_bool(&json, "short", cell->is_short);
    visible_put(&json, "rate", row_rate(cell->of->texts, cell->loaded, false));
    line_real(&json, "offered", view_real(cell->load_entry, "offered"));
    put_parameters(&json, cell);
    row_warnings(&json, cell->of, cell->reference, cell->condition, true);
    put_other_metrics(&json, cell, page);
    put_lines(&json, cell, first);
    put_means(&json, "alone", cell, cell->baseline, wanted->units);
    put_means(&json, "loaded", cell, cell->loaded, wanted->units);
    if (first) {
        variants_put(&json, cell->of, page);
        capacity_put(&json, cell->of);
        protection_put(&json, cell->of);
    }
    if (page) {
        put_page(&json, cell, first);
        return json_text_end(&json);
    }
    // What no page shows.
    visible_put(&json, "target", cell->target);
    line_text(&json, "state", cell->of->state);
    line_text(&json, "started", cell->of->runs.started);
    checks_put(&json, cell, first);
    return json_text_end(&json);
}

char *cell_text(const struct cell *cell, const struct wanted *wanted, bool first)
{
    if (wanted->rows)
        return row_texts(cell, wanted, first);
    return wanted->figures ? figures_of(cell) : model_of(cell, wanted->lists);
}
