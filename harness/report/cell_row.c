#include "cell_row.h"

#include "checks.h"
#include "columns.h"
#include "experiment.h"
#include "row.h"
#include "sessions.h"
#include "variants.h"
#include "view.h"

#include "common/memory.h"
#include "common/text.h"
#include "common/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command line that measures a cell's experiment again: what was not the
 * default. To be freed. */
char *reproduce_command(const struct cell *cell);

struct words {
    const char **item;
    size_t count, allocated;
};

/* Takes text. */
static void add(struct words *words, char *text)
{
    words->item = grown(words->item, words->count, &words->allocated, sizeof *words->item);
    words->item[words->count++] = text;
}

static char *plain_text(const struct value *value)
{
    return view_is(value, VIEW_STRING) ? must(view_string(value)) : must(view_copy(value));
}

static char *joined(const struct value *list)
{
    char *all = must(strdup(""));
    for (const struct value *item = NULL; view_each(list, &item);) {
        OWNED char *text = plain_text(item);
        all = text_joined(all, ",", text);
    }
    return all;
}

/* "load_cpus" -> --load-cpus, "settle_s" -> --settle; what is --conclude now was --cleanup in
 * older records. */
static char *option_name(const struct value *settings, const struct value *setting)
{
    const bool old = view_get(settings, "conclude") == NULL;
    if (old && view_get(settings, "cleanup") == setting)
        return must(strdup("--conclude"));
    char *name = text_of("--%.*s", (int)setting->key_length, setting->key);
    name[text_before(name, "_s")] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return name;
}

/* Not given, or what is so without it. */
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

/* What is given in another way: how a variant's words are read is in its words. */
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

static void add_setting(struct words *words, const struct value *settings,
                        const struct value *setting)
{
    OWNED char *option = option_name(settings, setting);
    if (setting->type == VIEW_OBJECT) /* of capacity: its members are options */
        for (const struct value *item = NULL; view_each(setting, &item);)
            add_setting(words, setting, item);
    if (is_apart(option) || preset(option, setting) || setting->type == VIEW_OBJECT)
        return;
    if (strcmp(option, "--cold-path") == 0) {
        for (const struct value *path = NULL; view_each(setting, &path);) {
            add(words, must(strdup(option)));
            add(words, plain_text(path));
        }
        return;
    }
    const bool percent = strcmp(option, "--same-within") == 0;
    add(words, must(strdup(option)));
    if (setting->type == VIEW_ARRAY)
        add(words, joined(setting));
    else if (percent)
        add(words, text_of("%.6g%%", 100 * view_number(setting, 0)));
    else if (setting->type != VIEW_TRUE)
        add(words, plain_text(setting));
}

static void add_ignored(struct words *words, const struct value *settings)
{
    const struct value *codes = view_get(settings, "ignore_codes");
    if (!view_true(view_get(settings, "ignore_failure")))
        return;
    OWNED char *list = joined(codes);
    add(words, text_of("--ignore-failure%s%s", *list == '\0' ? "" : "=", list));
}

/* "p99_ms=stdout:/.../,unit=ms", as --metric takes it (common/metric.h). */
static char *definition_text(const struct value *metric)
{
    static const char *const options[] = {"take", "scale", "unit",    "better",
                                          "role", "loop",  "quantile"};
    OWNED char *name = plain_text(view_get(metric, "name")),
               *source = plain_text(view_get(metric, "source"));
    OWNED char *variant = view_text(metric, "variant");
    char *text = text_of("%s%s%s=%s", name, variant == NULL ? "" : "@",
                         variant == NULL ? "" : variant, source);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct value *value = view_get(metric, options[i]);
        if (value == NULL || value->type == VIEW_NULL || view_equals(value, "") ||
            view_equals(value, "last") || view_equals(value, "lower") ||
            view_equals(value, "result"))
            continue;
        char *plain = plain_text(value), *more = text_of("%s,%s=%s", text, options[i], plain);
        free(plain);
        free(text);
        text = more;
    }
    return text;
}

static bool has_definition(const struct value *settings, const struct value *name)
{
    const struct value *all = view_get(settings, "metrics");
    for (const struct value *item = NULL; view_each(all, &item);)
        if (view_same(view_get(item, "name"), name))
            return true;
    return false;
}

/* Names that are built in, and definitions. */
static void add_metrics(struct words *words, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"), *own = view_get(settings, "metrics"),
                       *decide = view_get(settings, "decide");
    OWNED char *names = must(strdup(""));
    for (const struct value *item = NULL; view_each(chosen, &item);) {
        if (has_definition(settings, item))
            continue;
        OWNED char *name = plain_text(item);
        names = text_joined(names, ",", name);
    }
    if (*names != '\0' && (view_first(own) != NULL || strcmp(names, "wall_s") != 0)) {
        add(words, must(strdup("--metric")));
        add(words, must(strdup(names)));
    }
    for (const struct value *item = NULL; view_each(own, &item);) {
        add(words, must(strdup("--metric")));
        add(words, definition_text(item));
    }
    if (view_first(decide) != NULL && !view_same(decide, chosen)) {
        add(words, must(strdup("--decide")));
        add(words, joined(decide));
    }
}

static void add_loads(struct words *words, const struct value *loads)
{
    for (const struct value *load = NULL; view_each(loads, &load);) {
        OWNED char *name = view_text(load, "name"), *spec = view_text(load, "spec");
        if (name != NULL && spec != NULL) {
            add(words, must(strdup("--load")));
            add(words, text_of("%s=%s", name, spec));
        }
    }
}

/* What was built from a revision is built again. */
static void add_variants(struct words *words, const struct value *record)
{
    const struct value *variants = view_get(record, "variants");
    char *build = view_text(record, "build");
    for (const struct value *item = NULL; view_each(variants, &item);) {
        OWNED char *name = plain_text(view_get(item, "name")),
                   *commit = view_string(view_path(item, "revision", "commit"));
        OWNED char *command = command_text(view_get(item, "command"));
        add(words, must(strdup(commit == NULL ? "--variant" : "--revision")));
        add(words, text_of("%s=%s", name, commit == NULL ? command : commit));
    }
    if (build != NULL) {
        add(words, must(strdup("--build")));
        add(words, build);
    }
}

static void add_command(struct words *words, const struct value *command)
{
    add(words, must(strdup("--")));
    for (const struct value *word = NULL; view_each(command, &word);)
        add(words, plain_text(word));
}

static const char *command_name(const struct cell *cell)
{
    if (capacity_searched(cell->of))
        return "capacity";
    return cell->loaded == NULL && cell->variant == NULL ? "run" : "slowdown";
}

char *reproduce_command(const struct cell *cell)
{
    const struct value *record = cell->of->record.top, *settings = cell->of->settings,
                       *variants = view_get(record, "variants");
    const bool built = view_is(view_path(view_first(variants), "revision", "commit"), VIEW_STRING);
    struct words words = {0};
    add(&words, must(strdup("jostle")));
    add(&words, must(strdup(command_name(cell))));
    add_variants(&words, record);
    add_loads(&words, view_get(record, "loads"));
    add_metrics(&words, settings);
    for (const struct value *setting = NULL; view_each(settings, &setting);)
        add_setting(&words, settings, setting);
    add_ignored(&words, settings);
    if (view_first(variants) == NULL || built)
        add_command(&words, view_get(record, "command"));
    char *text = must(words_quote(words.item, words.count));
    for (size_t i = 0; i < words.count; i++)
        free((char *)(uintptr_t)words.item[i]);
    free(words.item);
    return text;
}

static struct row row_of(const struct cell *cell)
{
    return (struct row){.of = cell->of,
                        .cell = cell,
                        .metric = cell->main,
                        .baseline = cell->baseline,
                        .condition = cell->loaded,
                        .slowdown = cell->slowdown};
}

/* What the page's table of answers needs of a metric: the ratio with as many decimals as its
 * interval deserves. */
static void put_ratio(struct line *json, const struct cell *cell, const struct metric *metric)
{
    const struct value *slowdown = slowdown_of(cell->of, cell->condition, metric->name);
    const double ratio = view_real(slowdown, "ratio"), low = figure_bound(slowdown, false),
                 high = figure_bound(slowdown, true);
    const int decimals = ratio_decimals(low, high);
    char text[NUMBER_SIZE];
    line_real(json, "ratio_value", ratio);
    line_text(json, "ratio", isnan(ratio) ? NULL : number_fixed(ratio, decimals, text));
    line_text(json, "interval",
              isnan(low) ? "no interval" : number_interval(low, high, decimals, text));
    line_bool(json, "survives", family_survives(cell->of->family, slowdown));
}

/* The metrics of --metric besides the main one, a row for each. */
static void put_metrics(struct line *json, const struct cell *cell, bool page)
{
    line_array(json, "metrics");
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        if (!row_has_metric(cell->of, i))
            continue;
        const struct metric *metric = &cell->of->metrics.item[i];
        struct row row = row_of(cell);
        row.metric = metric;
        row.slowdown = slowdown_of(cell->of, cell->condition, metric->name);
        line_object(json, NULL);
        columns_put_texts(json, TABLE_CELL_METRICS, &row);
        view_put(json, "distinguishable", view_get(row.slowdown, "distinguishable"));
        if (page)
            put_ratio(json, cell, metric);
        line_close(json);
    }
    line_close(json);
}

/* Where the extra time went, without the condition's name; to be freed. NULL: not known. */
static char *attribution_words(const struct cell *cell)
{
    const struct value *slowdown =
        slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name);
    OWNED char *text = view_string(view_path(slowdown, "attribution", "text"));
    if (text == NULL)
        return NULL;
    const size_t length = strlen(cell->condition);
    const bool named =
        strncmp(text, cell->condition, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    char *words = visible(text + (named ? length + 2 : 0));
    return words;
}

static void put_directions(struct line *json, const struct cell *cell, const char *who)
{
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        OWNED char *words = ratio_direction(
            cell->of, slowdown_of(cell->of, cell->condition, cell->of->metrics.item[i].name));
        OWNED char *line = words == NULL ? NULL : text_of("%s: %s", who, words);
        if (line != NULL)
            visible_put(json, NULL, line);
    }
}

/* What a condition's time was made of. */
static void put_time(struct line *json, const struct value *condition, const char *who)
{
    const struct value *time = view_get(condition, "time");
    char *words[] = {view_string(view_path(time, "others", "text")),
                     view_string(view_path(view_get(time, "others"), "steadier", "text")),
                     view_text(time, "text")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWNED char *line = words[i] == NULL ? NULL : text_of("%s: %s", who, words[i]);
        if (line != NULL)
            visible_put(json, NULL, line);
        free(words[i]);
    }
}

/* What is said on a cell below its table, each with who it is of. */
static void put_lines(struct line *json, const struct cell *cell, bool first)
{
    char *load = row_load(cell), *row = visible(cell->row), text[NUMBER_SIZE];
    OWNED char *who = text_of("%s, %s", row, load);
    if (!isnan(cell->noise_floor)) {
        OWNED char *floor =
            text_of("%s: the noise floor is %s: the baseline measured against itself "
                    "(A/A) still allows that much",
                    row, number_percent(cell->noise_floor, text));
        line_text(json, "floor", floor);
    }
    line_array(json, "lines");
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        OWNED char *what = text_of("%s, %s", who, loaded ? "under load" : "alone");
        OWNED char *star = row_star(loaded ? cell->loaded : cell->baseline, what);
        if (star != NULL)
            line_text(json, NULL, star);
        if (first || loaded)
            put_time(json, loaded ? cell->loaded : cell->baseline, what);
    }
    OWNED char *attribution = attribution_words(cell), *sessions = sessions_text(cell->slowdown);
    OWNED char *seldom = view_text(cell->slowdown, "seldom");
    put_directions(json, cell, who);
    for (unsigned i = 0; i < 3; i++) {
        const char *words = i == 0 ? sessions : i == 1 ? seldom : attribution;
        OWNED char *line = words == NULL ? NULL : text_of("%s: %s", who, words);
        if (line != NULL)
            line_text(json, NULL, line);
    }
    if (first) {
        service_put_lines(json, cell->of, row);
    }
    line_close(json);
    free(load);
    free(row);
}

/* What a condition's wall time is besides: the outliers, and the interval that also holds
 * where runs depend on each other, in the unit of the table. */
static void put_caution(struct line *json, const struct value *condition)
{
    const struct value *wall = view_get(condition, metrics[METRIC_WALL].name);
    const struct value *robust = view_get(wall, "ci_robust"), *low = view_first(robust);
    const double outliers = view_real(wall, "outliers");
    char text[NUMBER_SIZE], high[NUMBER_SIZE];
    snprintf(text, sizeof text, "%.0f", outliers);
    line_text(json, NULL, isnan(outliers) ? "-" : text);
    if (low == NULL) {
        line_text(json, NULL, "-");
        return;
    }
    number_significant(view_number(view_next(robust, low), NAN), high);
    OWNED char *interval =
        text_of("[%s, %s]", number_significant(view_number(low, NAN), text), high);
    line_text(json, NULL, interval);
}

/* Mean and variance of each metric, in the unit of the table; and put_caution. */
static void put_means(struct line *json, const char *name, const struct cell *cell,
                      const struct value *condition)
{
    const struct value *figures = capacity_searched(cell->of) ? NULL : condition;
    char text[NUMBER_SIZE];
    if (condition == NULL) {
        line_null(json, name);
        return;
    }
    line_array(json, name);
    snprintf(text, sizeof text, "%.0f", view_real(condition, "runs"));
    line_text(json, NULL, text);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *metric = view_get(figures, metrics[i].name);
        const double factor = metrics[i].table_factor;
        line_text(json, NULL, number_significant(view_real(metric, "mean") * factor, text));
        line_text(json, NULL,
                  number_significant(view_real(metric, "variance") * factor * factor, text));
    }
    put_caution(json, figures);
    line_close(json);
}

/* What share of the extra time each cause has, of those that have any: [{cause, share}]. */
static void put_shares(struct line *json, const struct value *points)
{
    static const char *const causes[] = {"execution", "cpu",   "memory",
                                         "io",        "steal", "unexplained"};
    enum { CAUSES = sizeof causes / sizeof *causes };
    double sum = 0;
    if (!view_is(points, VIEW_OBJECT)) {
        line_null(json, "shares");
        return;
    }
    for (size_t i = 0; i < CAUSES; i++)
        sum += fmax(view_real(points, causes[i]), 0); /* passes NAN over */
    line_array(json, "shares");
    for (size_t i = 0; i < CAUSES; i++) {
        const double one = view_real(points, causes[i]);
        if (!(one > 0))
            continue;
        line_object(json, NULL);
        line_text(json, "cause", causes[i]);
        line_real(json, "share", one / sum);
        line_close(json);
    }
    line_close(json);
}

/* What the page needs besides: numbers to sort by, and a ratio with as many
 * decimals as its interval deserves. */
static void put_page(struct line *json, const struct cell *cell)
{
    const struct value *loaded = cell->loaded == NULL ? cell->baseline : cell->loaded;
    const struct value *figures = capacity_searched(cell->of) ? NULL : loaded,
                       *alone = figures == NULL ? NULL : cell->baseline;
    const double ratio = view_real(cell->slowdown, "ratio"),
                 low = figure_bound(cell->slowdown, false),
                 high = figure_bound(cell->slowdown, true);
    char text[NUMBER_SIZE];
    line_object(json, "values");
    line_real(json, "runs", view_real(loaded, "runs"));
    line_real(json, "ratio", ratio);
    line_real(json, "alone", figure_center(metric_figure(alone, cell->main)));
    line_real(json, "loaded",
              cell->loaded == NULL ? NAN : figure_center(metric_figure(figures, cell->main)));
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        line_real(json, metrics[i].title, figure_center(view_get(figures, metrics[i].name)));
    line_real(json, "achieved", view_real(cell->load_entry, "achieved"));
    line_close(json);
    const int decimals = ratio_decimals(low, high);
    line_text(json, "ratio", isnan(ratio) ? NULL : number_fixed(ratio, decimals, text));
    line_text(json, "interval",
              isnan(low) ? "no interval" : number_interval(low, high, decimals, text));
    visible_put(json, "spec", cell->spec);
    put_shares(json, view_path(slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name),
                               "attribution", "points"));
    OWNED char *attribution = attribution_words(cell);
    line_text(json, "attribution", attribution);
    OWNED char *again = reproduce_command(cell);
    line_text(json, "again", again);
}

char *cell_row(const struct cell *cell, const char *charts, bool first)
{
    struct line json = {0};
    const struct row row = row_of(cell);
    line_object(&json, NULL);
    visible_put(&json, "target", cell->target);
    line_text(&json, "experiment", cell->of->name);
    visible_put(&json, "variant", cell->variant);
    visible_put(&json, "load", cell->load);
    visible_put(&json, "level", cell->level);
    visible_put(&json, "condition", cell->condition);
    line_text(&json, "state", cell->of->state);
    line_text(&json, "started", cell->of->runs.started);
    visible_put(&json, "host", cell->host);
    visible_put(&json, "main", cell->main->words);
    columns_put_texts(&json, TABLE_CELLS, &row);
    view_put(&json, "distinguishable", view_get(cell->slowdown, "distinguishable"));
    line_bool(&json, "survives", family_survives(cell->of->family, cell->slowdown));
    line_bool(&json, "short", cell->is_short);
    row_warnings(&json, cell->warnings, cell->warning_count);
    put_metrics(&json, cell, charts != NULL);
    put_lines(&json, cell, first);
    put_means(&json, "alone", cell, cell->baseline);
    put_means(&json, "loaded", cell, cell->loaded);
    if (first) {
        variants_put(&json, cell->of, charts != NULL);
        capacity_put(&json, cell->of);
        protection_put(&json, cell->of);
    }
    checks_put(&json, cell, first);
    if (charts != NULL) {
        put_page(&json, cell);
        line_raw(&json, "charts", charts);
    }
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
