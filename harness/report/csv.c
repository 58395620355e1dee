// CSV for programs: a line for each figure, or for each run.
#include "report.h"

#include "common/schemas.h"
#include "common/text.h"

#include <unistd.h>

// CSV for programs: RFC 4180 but for the line ends. Numbers are as recorded. Text is quoted, and as
// it was, but for what a spreadsheet would take for a formula that calls something, and for what a
// terminal would obey. Lines stay lines, unless standard output is a terminal.
struct csv {
    FILE *file;
    bool inside; // a line has begun
};

// The same as in lib/text.jq. Options of programs stay as they are: -O2 calls nothing.
static bool is_formula(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '=' || (*text != '\0' && strchr("+-@", *text) && strpbrk(text, "(|!#&'\""));
}

// What the reader may see of a text.
static const char *readable(struct arena *texts, const char *text)
{
    const char *end = text;
    while (*end >= ' ' && *end < 0x7f)
        end++;
    if (*end == '\0')
        return text;
    if (isatty(STDOUT_FILENO))
        return shown(texts, text);
    const char *result = "";
    for (size_t length; *text != '\0'; text += length) {
        const size_t blanks = strspn(text, "\n\t");
        length = blanks + strcspn(text + blanks, "\n\t");
        result = said(texts, "%s%.*s%s", result, (int)blanks, text,
                      shown(texts, said(texts, "%.*s", (int)(length - blanks), text + blanks)));
    }
    return result;
}

static void begin(struct csv *csv)
{
    if (csv->inside)
        putc_unlocked(',', csv->file);
    csv->inside = true;
}

static void quote(struct csv *csv, const char *text)
{
    putc_unlocked('"', csv->file);
    if (is_formula(text))
        putc_unlocked('\'', csv->file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc_unlocked('"', csv->file);
        putc_unlocked(*text, csv->file);
    }
    putc_unlocked('"', csv->file);
}

// A field of the line; NULL, null, NAN, lists and objects: an empty one.
static void csv_text(struct csv *csv, const char *text)
{
    begin(csv);
    if (!text)
        return;
    struct arena texts = {0};
    quote(csv, readable(&texts, text));
    arena_free(&texts);
}

static void csv_value(struct csv *csv, const struct value *value)
{
    if (view_is(value, VIEW_STRING)) {
        csv_text(csv, value->string);
        return;
    }
    begin(csv);
    if (value && value->type != VIEW_NULL && value->type != VIEW_ARRAY &&
        value->type != VIEW_OBJECT)
        fwrite_unlocked(value->text, 1, value->length, csv->file);
}

// As it is: a name of a column, a number.
static void csv_plain(struct csv *csv, const char *text)
{
    begin(csv);
    fputs_unlocked(text, csv->file);
}

// The digits that make the number again.
static void csv_number(struct csv *csv, double number)
{
    struct line json = {0};
    if (isfinite(number))
        line_real(&json, NULL, number);
    csv_plain(csv, json.text ?: "");
    line_free(&json);
}

static void csv_end(struct csv *csv)
{
    putc_unlocked('\n', csv->file);
    csv->inside = false;
}

// ---- columns

// Where the value of a column is from.
enum source {
    NO_RECORD,
    RUN,
    LOAD,        // what was delivered
    FIGURE,      // {mean, variance, ...} of the condition
    MEASURED,    // the same; of a capacity what it says of the condition
    CENTER,      // of that
    SUMMARY,     // of the condition
    SETTINGS,    // of the experiment
    SLOWDOWN,    // of the figure's metric
    COMPARISON,  // of the cell's variant, alone or under its load
    INTERACTION, // of the same
    ANSWER,      // of the slowdown, else of the comparison
    SOURCES
};

// What a line is of: a figure, or a run, which has no more than its cell, its experiment, its host
// and its flags, and whether it is used.
struct figure {
    const struct cell *cell;
    bool loaded, used;
    // Texts and numbers of columns.
    const char *experiment, *state, *host, *name, *role, *metric, *unit, *better, *flags;
    const char *parameters, *command;
    double session, sessions, level, noise_floor;
    const struct value *of;       // {mean, variance, ...}; NULL: a capacity has none of these
    const struct value *capacity; // of the condition; NULL: it is a figure of runs
    const struct value *from[SOURCES];
};

// A column: what `put` writes; else the value at the path in what it is from, where that is an
// interval two columns, NAME_low and NAME_high; else the cell's or the line's text, or the line's
// number, at that place.
struct column {
    const char *name;
    enum source source;
    const char *path[3];
    bool is_interval;
    void (*put)(struct csv *csv, const struct figure *figure);
    size_t of_cell, text, number; // places behind the first member, which none of them is
};

#define OF_CELL(member) .of_cell = offsetof(struct cell, member)
#define TEXT(member)    .text = offsetof(struct figure, member)
#define NUMBER(member)  .number = offsetof(struct figure, member)
#define OF(from, ...)   .source = from, .path = {__VA_ARGS__}

static const struct value *value_at(const struct figure *figure, const struct column *column)
{
    const struct value *value = figure->from[column->source];
    for (size_t i = 0; i < sizeof column->path / sizeof *column->path && column->path[i] != NULL;
         i++)
        value = view_get(value, column->path[i]);
    return value;
}

static void put_bounds(struct csv *csv, const struct value *interval)
{
    const struct value *low = view_first(interval);
    csv_value(csv, low);
    csv_value(csv, low ? view_next(interval, low) : NULL);
}

static void put_column(struct csv *csv, const struct figure *figure, const struct column *column)
{
    const char *cell = (const char *)figure->cell, *own = (const char *)figure;
    if (column->put)
        column->put(csv, figure);
    else if (column->is_interval)
        put_bounds(csv, value_at(figure, column));
    else if (column->source != NO_RECORD)
        csv_value(csv, value_at(figure, column));
    else if (column->number > 0)
        csv_number(csv, *(const double *)(const void *)(own + column->number));
    else
        csv_text(csv, *(char *const *)(const void *)(column->text > 0 ? own + column->text
                                                                      : cell + column->of_cell));
}

// ---- runs

static void put_used(struct csv *csv, const struct figure *line)
{
    csv_plain(csv, line->used ? "1" : "0");
}

static void put_phase(struct csv *csv, const struct figure *line)
{
    csv_number(csv, phase_of(view_get(line->from[RUN], "load")));
}

static const struct column run_columns[] = {
    {"experiment", TEXT(experiment)},
    {"target", OF_CELL(target)},
    {"label", OF_CELL(label)},
    {"condition", OF(RUN, "condition")},
    {"block", OF(RUN, "block")},
    {"order", OF(RUN, "order")},
    {"start", OF(RUN, "start")},
    {"wall_s", OF(RUN, "wall_s")},
    {"user_s", OF(RUN, "user_s")},
    {"system_s", OF(RUN, "system_s")},
    {"max_rss_bytes", OF(RUN, "max_rss_bytes")},
    {"exit_code", OF(RUN, "exit_code")},
    {"offered", OF(LOAD, "offered")},
    {"achieved", OF(LOAD, "achieved")},
    {"flags", TEXT(flags)},
    {"used", .put = put_used},
    {"host", TEXT(host)},
    {"signal", OF(RUN, "signal")},
    {"phase_s", .put = put_phase},
    {"variant", OF(RUN, "variant")}, // the last one: only where there are some
};

// What some experiments have besides: a column for each metric of --metric, and for the
// variants where there are some.
struct more {
    const char **item; // metrics
    size_t count, allocated;
    struct arena texts;
    bool variants;
};

static size_t columns_of(const struct more *more)
{
    return sizeof run_columns / sizeof *run_columns - !more->variants;
}

// What is the same in each line of an experiment.
struct context {
    const struct more *more;
    const char *experiment;
    struct cell cell; // the first; target and label NULL: not known
};

static void print_run(void *argument, const struct value *run, bool used)
{
    const struct context *context = argument;
    struct arena texts = {0};
    const struct figure line = {
        .cell = &context->cell,
        .experiment = context->experiment,
        .host = view_text(run, "host") ?: "", // where it is not known
        .flags = view_joined(&texts, view_get(run, "flags"), ",") ?: "",
        .used = used,
        .from = {[RUN] = run, [LOAD] = rated_load(view_get(run, "load"))},
    };
    struct csv csv = {.file = stdout};
    for (size_t i = 0; i < columns_of(context->more); i++)
        put_column(&csv, &line, &run_columns[i]);
    for (size_t i = 0; i < context->more->count; i++) {
        const double value = run_value(run, context->more->item[i]);
        OWNED char *text = isnan(value) ? NULL : text_of("%.12g", value);
        csv_plain(&csv, text ?: "");
    }
    csv_end(&csv);
    arena_free(&texts);
}

static void print_folder(const struct folder *folder, size_t number, const struct wanted *wanted,
                         const struct more *more, struct problems *problems)
{
    struct experiment experiment;
    struct context context = {.more = more, .experiment = folder->name};
    struct runs runs = {0};
    OWNED char *path = text_of("%s/runs.jsonl", folder->path);
    experiment_read(&experiment, folder, number, wanted, NULL, problems);
    // Its first cell; nothing of one that cannot be made.
    struct pairing pairing;
    const bool good = experiment.record.top && experiment.result.top && experiment.state &&
                      experiment_pairing(&experiment, 0, &pairing) &&
                      cell_make(&context.cell, &experiment, pairing);
    if (!good)
        context.cell = (struct cell){0};
    if (!wanted->only || (good && name_wanted(wanted, context.cell.name))) {
        const struct run_options options = {.visit = print_run, .context = &context};
        runs_read(&runs, path, &experiment, &options, folder->name, problems);
    }
    runs_free(&runs);
    experiment_free(&experiment);
}

static void add_metric(struct more *more, const char *name)
{
    for (size_t i = 0; i < more->count; i++)
        if (strcmp(more->item[i], name) == 0)
            return;
    MORE(more) = kept(&more->texts, name);
}

// By what each measured: who prints the runs names what cannot be read.
static struct more find_more(const struct folders *folders)
{
    struct more more = {.count = 0};
    struct problems ignored = {0};
    for (size_t i = 0; i < folders->count; i++) {
        struct arena texts = {0};
        struct document record;
        OWNED char *path = text_of("%s/experiment.json", folders->item[i].path);
        document_read(&record, path, SCHEMA_EXPERIMENT, "", &ignored);
        const struct metric_list list =
            metric_list(&texts, NULL, NULL, view_get(record.top, "settings"));
        more.variants = more.variants || view_first(view_get(record.top, "variants"));
        for (size_t k = METRIC_COUNT; k < list.count; k++)
            add_metric(&more, list.item[k].name);
        free(list.item);
        document_free(&record);
        arena_free(&texts);
    }
    problems_free(&ignored);
    return more;
}

static void print_titles(const struct more *more)
{
    struct csv csv = {.file = stdout};
    for (size_t i = 0; i < columns_of(more); i++)
        csv_plain(&csv, run_columns[i].name);
    for (size_t i = 0; i < more->count; i++)
        csv_text(&csv, more->item[i]);
    csv_end(&csv);
}

bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems)
{
    struct more more = find_more(folders);
    print_titles(&more);
    for (size_t i = 0; i < folders->count; i++)
        print_folder(&folders->item[i], i + 1, wanted, &more, problems);
    arena_free(&more.texts);
    free(more.item);
    return fflush(stdout) == 0 && !ferror(stdout);
}

// ---- figures

static void put_q(struct csv *csv, const struct figure *figure)
{
    csv_plain(csv, "");
    spot_add(figure->cell->of->spots, SPOT_Q, (size_t)ftello(csv->file), 0, figure->from[SLOWDOWN]);
}

static void put_survives(struct csv *csv, const struct figure *figure)
{
    const struct value *slowdown = figure->from[SLOWDOWN];
    csv_plain(csv, !slowdown ? "" : "false");
    spot_add(figure->cell->of->spots, SPOT_SURVIVES, (size_t)ftello(csv->file) - strlen("false"),
             strlen("false"), slowdown);
}

// How many times as large the figure is as alone: the slowdown, or 1 over it where higher is
// better.
static void put_of_alone(struct csv *csv, const struct figure *figure)
{
    const struct value *ratio = view_get(figure->from[SLOWDOWN], "ratio");
    if (figure->capacity)
        csv_value(csv, view_get(figure->capacity, "of_reference"));
    else if (view_is(ratio, VIEW_NUMBER) && view_matches(figure->of, "better", "higher"))
        csv_number(csv, 1 / view_number(ratio, NAN));
    else
        csv_value(csv, ratio);
}

static const struct column columns[] = {
    {"cell", OF_CELL(name)},
    {"experiment", TEXT(experiment)},
    {"target", OF_CELL(target)},
    {"label", OF_CELL(label)},
    {"parameters", TEXT(parameters)},
    {"command", TEXT(command)},
    {"load", OF_CELL(load)},
    {"level", OF_CELL(level)},
    {"spec", OF_CELL(spec)},
    {"host", TEXT(host)},
    {"session", NUMBER(session)},
    {"sessions", NUMBER(sessions)},
    {"state", TEXT(state)},
    {"condition", TEXT(name)},
    {"role", TEXT(role)},
    {"metric", TEXT(metric)},
    {"unit", TEXT(unit)},
    {"runs", OF(SUMMARY, "runs")},
    {"mean", OF(FIGURE, "mean")},
    {"variance", OF(FIGURE, "variance")},
    {"stddev", OF(FIGURE, "stddev")},
    {"median", OF(FIGURE, "median")},
    {"min", OF(FIGURE, "min")},
    {"max", OF(FIGURE, "max")},
    {"statistic", OF(FIGURE, "statistic")},
    {"center", OF(CENTER)},
    {"set_aside", OF(FIGURE, "set_aside")},
    {"ci", OF(MEASURED, "ci"), .is_interval = true},
    {"error", OF(MEASURED, "error")},
    {"ci_robust", OF(FIGURE, "ci_robust"), .is_interval = true},
    {"constant", OF(FIGURE, "constant")},
    {"outliers", OF(FIGURE, "outliers")},
    {"confidence", OF(SETTINGS, "confidence")},
    {"interval_level", NUMBER(level)},
    {"converged", OF(SUMMARY, "converged")},
    {"stop_reason", OF(SUMMARY, "stop_reason")},
    {"slowdown", OF(SLOWDOWN, "ratio")},
    {"slowdown_ci", OF(SLOWDOWN, "ci"), .is_interval = true},
    {"slowdown_error", OF(SLOWDOWN, "error")},
    {"pairs", OF(SLOWDOWN, "pairs")},
    {"distinguishable", OF(SLOWDOWN, "distinguishable")},
    {"p", OF(SLOWDOWN, "p")},
    {"q", .put = put_q},
    {"survives", .put = put_survives},
    {"noise_floor", NUMBER(noise_floor)},
    {"offered", OF(LOAD, "offered")},
    {"achieved", OF(LOAD, "achieved")},
    {"load_unit", OF(LOAD, "unit")},
    {"late", OF(LOAD, "late")},
    {"dropped", OF(LOAD, "dropped")},
    {"load_cpu_s", OF(LOAD, "cpu_s")},
    {"flags", TEXT(flags)},
    {"better", TEXT(better)},
    {"variant", OF_CELL(variant)},
    {"of_alone", .put = put_of_alone},
    {"reference_variant", OF(COMPARISON, "reference_variant")},
    {"ratio_to_reference", OF(COMPARISON, "ratio")},
    {"ratio_to_reference_ci", OF(COMPARISON, "ci"), .is_interval = true},
    {"ratio_to_reference_p", OF(COMPARISON, "p")},
    {"verdict", OF(COMPARISON, "verdict")},
    {"gate", OF(COMPARISON, "gate")},
    {"interaction", OF(INTERACTION, "ratio")},
    {"interaction_ci", OF(INTERACTION, "ci"), .is_interval = true},
    {"interaction_p", OF(INTERACTION, "p")},
    {"typical", OF(ANSWER, "typical", "ratio")},
    {"typical_ci", OF(ANSWER, "typical", "ci"), .is_interval = true},
    {"mean_ratio", OF(ANSWER, "mean", "ratio")},
    {"mean_ratio_ci", OF(ANSWER, "mean", "ci"), .is_interval = true},
    {"stragglers", OF(ANSWER, "stragglers", "own", "runs")},
    {"stragglers_of_reference", OF(ANSWER, "stragglers", "reference", "runs")},
    {"stragglers_p", OF(ANSWER, "stragglers", "p")},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *unit_of(const struct figure *figure)
{
    const char *unit = !figure->capacity ? view_text(figure->of, "unit")
                                         : view_text(figure->cell->of->capacity, "unit");
    return unit
               ?: text_ends(figure->metric, "_s")   ? "s"
              : text_ends(figure->metric, "_bytes") ? "B"
                                                    : "";
}

static void put_figure(struct csv *csv, struct figure figure)
{
    const struct cell *cell = figure.cell;
    const struct experiment *of = cell->of;
    const struct value *condition = experiment_condition(of, figure.name),
                       *variant = view_get(condition, "variant"),
                       *load = view_get(condition, "load"), **from = figure.from;
    from[FIGURE] = figure.of;
    from[MEASURED] = figure.capacity ?: figure.of;
    from[CENTER] = view_get(from[MEASURED], figure.capacity ? "value" : "center");
    from[LOAD] = figure.loaded ? cell->load_entry : NULL;
    if (!figure.capacity) {
        if (figure.loaded && cell->condition)
            from[SLOWDOWN] = slowdown_of(of, cell->condition, figure.metric);
        from[COMPARISON] = comparison_of(of->comparisons, variant, load, figure.metric);
        from[INTERACTION] = comparison_of(of->interactions, variant, load, figure.metric);
        from[ANSWER] = !from[SLOWDOWN] ? from[COMPARISON] : from[SLOWDOWN];
    }
    figure.unit = unit_of(&figure);
    figure.better = view_text(figure.of, "better") ?: figure.capacity ? "higher" : "lower";
    figure.level = !figure.capacity ? legend_of(of).level : view_real(of->capacity, "confidence");
    figure.noise_floor =
        from[SLOWDOWN] && cell->slowdown && strcmp(figure.metric, metrics[METRIC_WALL].name) == 0
            ? cell->noise_floor
            : NAN;
    for (size_t i = 0; i < COLUMNS; i++)
        put_column(csv, &figure, &columns[i]);
    csv_end(csv);
}

// All figures of an object that have a mean: the main ones, and those of --metric.
static void put_figures(struct csv *csv, struct figure figure, const struct value *object)
{
    EACH_VALUE (item, object) {
        if (!item->key || !view_get(item, "mean"))
            continue;
        figure.metric = item->key;
        figure.of = item;
        put_figure(csv, figure);
    }
}

static void put_condition(struct csv *csv, const struct cell *cell, bool loaded)
{
    const struct origin origin = cell_origin(cell);
    struct arena *texts = cell->of->texts;
    struct figure figure = {
        .cell = cell,
        .from =
            {[SUMMARY] = loaded ? cell->loaded : cell->baseline, [SETTINGS] = cell->of->settings},
        .loaded = loaded,
        .experiment = cell->of->name,
        .state = cell->of->state,
        .host = origin.host,
        .name = loaded ? cell->condition : cell->reference,
        .role = loaded ? "loaded" : "baseline",
        .session = origin.session,
        .sessions = origin.sessions,
        .parameters = cell->parameters ? view_copy(texts, cell->parameters) : "{}",
        .command = view_copy(texts, cell->command),
        .flags = ""};
    if (!figure.from[SUMMARY])
        return;
    for (size_t i = 0; i < cell->flag_count; i++)
        figure.flags = joined(texts, figure.flags, " ", cell->flags[i]);
    // A capacity takes the place of figures: its runs are at different rates.
    if (cell->of->capacity) {
        figure.metric = "capacity";
        figure.capacity =
            view_entry(view_get(cell->of->capacity, "by_condition"), "condition", figure.name);
        if (figure.capacity)
            put_figure(csv, figure);
        return;
    }
    put_figures(csv, figure, figure.from[SUMMARY]);
    put_figures(csv, figure, view_get(figure.from[SUMMARY], "metrics"));
}

char *figures_columns(void)
{
    char *text = must(strdup(""));
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *name = columns[i].name;
        OWNED char *quoted = columns[i].is_interval ? text_of("\"%s_low\",\"%s_high\"", name, name)
                                                    : text_of("\"%s\"", name);
        text = text_joined(text, ",", quoted);
    }
    return text;
}

char *figures_of(const struct cell *cell)
{
    char *text = NULL;
    size_t size = 0;
    struct csv csv = {.file = must(open_memstream(&text, &size))};
    if (!cell->again)
        put_condition(&csv, cell, false);
    put_condition(&csv, cell, true);
    (void)stream_text(csv.file, &text);
    if (size > 0)
        text[size - 1] = '\0'; // who prints it ends the line
    return text;
}
