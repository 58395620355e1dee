#include "formats.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The same as in lib/text.jq. Options of programs stay as they are: -O2 calls nothing.
static bool is_formula(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '=' || (*text != '\0' && strchr("+-@", *text) && strpbrk(text, "(|!#&'\""));
}

// The terminal is only asked about where there is something that it could obey.
static bool is_to_be_visible(const char *text)
{
    while (*text >= ' ' && *text < 0x7f)
        text++;
    return *text != '\0' && isatty(STDOUT_FILENO);
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

void csv_text(struct csv *csv, const char *text)
{
    begin(csv);
    if (!text)
        return;
    OWNED char *plain = is_to_be_visible(text) ? visible(text) : NULL;
    quote(csv, !plain ? text : plain);
}

void csv_value(struct csv *csv, const struct value *value)
{
    if (view_is(value, VIEW_STRING)) {
        OWNED char *text = must(view_string(value));
        csv_text(csv, text);
        return;
    }
    begin(csv);
    if (value && value->type != VIEW_NULL && value->type != VIEW_ARRAY &&
        value->type != VIEW_OBJECT)
        fwrite_unlocked(value->text, 1, value->length, csv->file);
}

void csv_number(struct csv *csv, double number)
{
    struct line json = {0};
    if (isfinite(number))
        line_real(&json, NULL, number);
    csv_plain(csv, json.text ?: "");
    line_free(&json);
}

// The field "" for NULL and for what is no text.
static void csv_name(struct csv *csv, const struct value *value)
{
    if (view_is(value, VIEW_STRING))
        csv_value(csv, value);
    else
        csv_text(csv, "");
}

// "load-short,steal" of a list of texts.
static void csv_list(struct csv *csv, const struct value *list)
{
    OWNED char *all = view_joined(list, ",");
    csv_text(csv, all ?: "");
}

void csv_plain(struct csv *csv, const char *text)
{
    begin(csv);
    fputs_unlocked(text, csv->file);
}

void csv_end(struct csv *csv)
{
    putc_unlocked('\n', csv->file);
    csv->inside = false;
}

static const char *const numbers[] = {"block",  "order",    "start",         "wall_s",
                                      "user_s", "system_s", "max_rss_bytes", "exit_code"};

static const char columns[] = "experiment,target,label,condition,block,order,start,wall_s,user_s,"
                              "system_s,max_rss_bytes,exit_code,offered,achieved,flags,used,host,"
                              "signal";

// What some experiments have besides: a column for each metric of --metric, and for the
// variants where there are some.
struct more {
    char **metric;
    size_t count, allocated;
    bool variants;
};

// What is the same in each line of an experiment.
struct context {
    const struct more *more;
    const char *experiment;
    struct cell cell; // the first; target and label NULL: not known
};

static void print_run(void *argument, const struct value *run, bool used)
{
    const struct context *context = argument;
    const struct value *load = rated_load(view_get(run, "load"));
    struct csv csv = {.file = stdout};
    csv_text(&csv, context->experiment);
    csv_text(&csv, context->cell.target);
    csv_text(&csv, context->cell.label);
    csv_value(&csv, view_get(run, "condition"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        csv_value(&csv, view_get(run, numbers[i]));
    csv_value(&csv, view_get(load, "offered"));
    csv_value(&csv, view_get(load, "achieved"));
    csv_list(&csv, view_get(run, "flags"));
    csv_plain(&csv, used ? "1" : "0");
    csv_name(&csv, view_get(run, "host"));
    csv_value(&csv, view_get(run, "signal"));
    if (context->more->variants)
        csv_value(&csv, view_get(run, "variant"));
    for (size_t i = 0; i < context->more->count; i++) {
        const double value = run_value(run, context->more->metric[i]);
        char text[32] = "";
        if (!isnan(value))
            snprintf(text, sizeof text, "%.12g", value);
        csv_plain(&csv, text);
    }
    csv_end(&csv);
}

// The experiment's first cell; nothing of one that cannot be made. False: it is not selected.
static bool find_cell(struct cell *cell, const struct experiment *experiment, const char *only)
{
    struct pairing pairing;
    const bool good = experiment->record.top && experiment->result.top && experiment->state &&
                      experiment_pairing(experiment, 0, &pairing) &&
                      cell_make(cell, experiment, pairing);
    if (!good) {
        cell_free(cell);
        *cell = (struct cell){0};
    }
    return !only || (good && pattern_fits(only, cell->name));
}

static void print_folder(const struct folder *folder, size_t number, const struct wanted *wanted,
                         const struct more *more, struct problems *problems)
{
    struct experiment experiment;
    struct context context = {.more = more, .experiment = folder->name};
    struct runs runs = {0};
    OWNED char *path = text_of("%s/runs.jsonl", folder->path);
    experiment_read(&experiment, folder, number, wanted, NULL, problems);
    if (find_cell(&context.cell, &experiment, wanted->only)) {
        const struct run_options options = {.visit = print_run, .context = &context};
        runs_read(&runs, path, experiment.settings, view_get(experiment.result.top, "washout"),
                  &options, folder->name, problems);
    }
    runs_free(&runs);
    cell_free(&context.cell);
    experiment_free(&experiment);
}

static void add_metric(struct more *more, const char *name)
{
    for (size_t i = 0; i < more->count; i++)
        if (strcmp(more->metric[i], name) == 0)
            return;
    more->metric = grown(more->metric, more->count, &more->allocated, sizeof *more->metric);
    more->metric[more->count++] = must(strdup(name));
}

static struct more find_more(const struct folders *folders, const struct wanted *wanted)
{
    struct more more = {.count = 0};
    struct problems ignored = {0}; // who prints the runs names them
    for (size_t i = 0; i < folders->count; i++) {
        struct experiment experiment;
        experiment_read(&experiment, &folders->item[i], i + 1, wanted, NULL, &ignored);
        more.variants = more.variants || experiment_has_variants(&experiment);
        for (size_t k = METRIC_COUNT; k < experiment.metrics.count; k++)
            add_metric(&more, experiment.metrics.item[k].name);
        experiment_free(&experiment);
    }
    problems_free(&ignored);
    return more;
}

static void print_titles(const struct more *more)
{
    struct csv csv = {.file = stdout};
    csv_plain(&csv, columns);
    if (more->variants)
        csv_plain(&csv, "variant");
    for (size_t i = 0; i < more->count; i++)
        csv_text(&csv, more->metric[i]);
    csv_end(&csv);
}

bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems)
{
    struct more more = find_more(folders, wanted);
    print_titles(&more);
    for (size_t i = 0; i < folders->count; i++)
        print_folder(&folders->item[i], i + 1, wanted, &more, problems);
    for (size_t i = 0; i < more.count; i++)
        free(more.metric[i]);
    free(more.metric);
    return fflush(stdout) == 0 && !ferror(stdout);
}
