#include "runs.h"

#include "memory.h"

#include "common/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const figures[] = {"block",  "order",    "start",         "wall_s",
                                      "user_s", "system_s", "max_rss_bytes", "exit_code"};

static const char columns[] = "[\"experiment\",\"target\",\"label\",\"condition\",\"block\","
                              "\"order\",\"start\",\"wall_s\",\"user_s\",\"system_s\","
                              "\"max_rss_bytes\",\"exit_code\",\"offered\",\"achieved\",\"flags\","
                              "\"used\",\"host\",\"signal\"]\n";

static void print_value(const struct value *value, const char *otherwise)
{
    if (value == NULL || value->type == VIEW_NULL)
        fputs(otherwise, stdout);
    else
        fwrite(value->text, 1, value->length, stdout);
}

/* "load-short,steal": flags need no escapes. */
static void print_flags(const struct value *flags)
{
    putchar('"');
    for (const struct value *flag = view_first(flags); flag != NULL; flag = view_next(flags, flag))
        if (view_is(flag, VIEW_STRING))
            printf("%s%.*s", flag == view_first(flags) ? "" : ",", (int)flag->length - 2,
                   flag->text + 1);
    putchar('"');
}

static const struct value *rated(const struct value *loads)
{
    for (const struct value *load = view_first(loads); load != NULL; load = view_next(loads, load))
        if (view_is(view_get(load, "offered"), VIEW_NUMBER))
            return load;
    return NULL;
}

/* context: experiment, target and label as JSON. */
static void print_run(void *context, const struct value *run, bool used)
{
    const struct value *load = rated(view_get(run, "load"));
    printf("[%s,", (const char *)context);
    print_value(view_get(run, "condition"), "null");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        putchar(',');
        print_value(view_get(run, figures[i]), "null");
    }
    putchar(',');
    print_value(view_get(load, "offered"), "null");
    putchar(',');
    print_value(view_get(load, "achieved"), "null");
    putchar(',');
    print_flags(view_get(run, "flags"));
    printf(",%d,", used);
    print_value(view_get(run, "host"), "\"\"");
    putchar(',');
    print_value(view_get(run, "signal"), "null");
    fputs("]\n", stdout);
}

/* experiment, target and label as the cells of this experiment have them. */
static char *who_of(const struct experiment *experiment, bool *wanted_too, const char *only)
{
    const struct value *condition = view_first(experiment->conditions);
    const struct value *next =
        condition == NULL ? NULL : view_next(experiment->conditions, condition);
    char *name = view_string(view_get(next, "name"));
    struct cell cell;
    struct line json = {0};
    const bool good = experiment->record.top != NULL && experiment->result.top != NULL &&
                      experiment->state != NULL && cell_make(&cell, experiment, name);
    *wanted_too = only == NULL || (good && pattern_fits(only, cell.name));
    line_text(&json, NULL, experiment->name);
    char *text = text_of("%s,", (char *)must(json.text));
    line_free(&json);
    if (good) {
        struct line more = {0};
        line_array(&more, NULL);
        line_text(&more, NULL, cell.target);
        line_text(&more, NULL, cell.label);
        char *all = text_of("%s%s", text, (char *)must(more.text) + 1);
        free(text);
        text = all;
        line_free(&more);
    } else {
        char *all = text_of("%snull,null", text);
        free(text);
        text = all;
    }
    if (good)
        cell_free(&cell);
    free(name);
    return text;
}

static void print_folder(const struct folder *folder, size_t number, const struct wanted *wanted,
                         struct problems *problems)
{
    struct experiment experiment;
    struct problems known = {0};
    const struct run_options nothing = {0};
    bool selected = false;
    char *path = text_of("%s/runs.jsonl", folder->path);
    /* Names first: they are in documents that come after. */
    struct folder documents = {folder->name, folder->path};
    experiment_read(&experiment, &documents, number, wanted, &nothing, problems);
    char *who = who_of(&experiment, &selected, wanted->only);
    if (selected) {
        struct runs runs;
        const struct run_options options = {.visit = print_run, .context = who};
        runs_read(&runs, path, experiment.settings, &options, folder->name, &known);
        runs_free(&runs);
    }
    problems_free(&known);
    experiment_free(&experiment);
    free(who);
    free(path);
}

bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems)
{
    fputs(columns, stdout);
    for (size_t i = 0; i < folders->count; i++)
        print_folder(&folders->item[i], i + 1, wanted, problems);
    return fflush(stdout) == 0 && !ferror(stdout);
}
