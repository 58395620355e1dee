#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_waiting(struct collected *to, const struct experiment *experiment,
                        const char *state, const char *reason)
{
    struct arena *texts = &to->texts;
    MORE(&to->waiting) = (struct waiting){
        .name = kept(texts, view_text(experiment->cell, "name")) ?: experiment->name,
        .reason = kept(texts, reason),
        .host = kept(texts, view_text(experiment->environment, "host")
                                ?: view_text(experiment->status.top, "host")),
        .state = state,
        .runs = experiment->runs.measured,
    };
}

void collect_unstarted(struct collected *collected, const struct campaigns *campaigns,
                       const struct folders *folders, const struct wanted *wanted)
{
    OWNED const char **known = must(calloc(folders->count + 1, sizeof *known));
    for (size_t i = 0; i < folders->count; i++)
        known[i] = folders->item[i].name;
    qsort(known, folders->count, sizeof *known, by_text);
    for (size_t i = 0; i < campaigns->count; i++) {
        EACH_VALUE (cell, view_get(campaigns->item[i].document.top, "cells")) {
            const char *name = view_text(cell, "name");
            if (name && !bsearch(&name, known, folders->count, sizeof *known, by_text) &&
                name_wanted(wanted, name))
                MORE(&collected->waiting) =
                    (struct waiting){.name = name, .reason = "not started", .state = "waiting"};
        }
    }
}

// Why an experiment is not done; state as it is listed.
static const char *why_not_done(const struct experiment *experiment, const char *state)
{
    const size_t runs = experiment->runs.measured;
    if (strcmp(state, "done") == 0)
        return !experiment->record.top ? "experiment.json cannot be used"
                                       : "result.json cannot be used";
    if (strcmp(state, "running") == 0)
        return said(experiment->texts,
                    "not ended when this report was made; %zu runs so far, last noted %s", runs,
                    view_text(experiment->status.top, "updated") ?: "never");
    if (experiment->reason)
        return experiment->reason;
    if (strcmp(state, "failed") == 0)
        return said(experiment->texts, "failed after %zu runs", runs);
    if (strcmp(state, "waiting") == 0)
        return "not started";
    return said(experiment->texts,
                !experiment->result.top ? "no result; %zu runs are recorded"
                                        : "stopped after %zu runs",
                runs);
}

// A folder without a result, or with one that is not the last word.
static void note_unfinished(struct collected *to, const struct experiment *experiment)
{
    const char *state = experiment->state;
    if (!state) // of no campaign
        state = experiment->runs.failure                                  ? "failed"
                : experiment->runs.measured > 0 || experiment->record.top ? "interrupted"
                                                                          : "waiting";
    if (strcmp(state, "done") == 0 && experiment->result.top && experiment->record.top)
        return;
    add_waiting(to, experiment, strcmp(state, "done") == 0 ? "interrupted" : state,
                why_not_done(experiment, state));
}

static void add_host(struct collected *to, const struct host *host)
{
    for (size_t i = 0; i < to->hosts.count; i++) {
        bool equal = true;
        for (size_t j = HOST_ENVIRONMENT; j < HOST_TEXTS; j++)
            equal = equal && strcmp(to->hosts.item[i].text[j], host->text[j]) == 0;
        if (equal)
            return;
    }
    struct host *own = &MORE(&to->hosts);
    for (size_t i = 0; i < HOST_TEXTS; i++)
        own->text[i] = kept(&to->texts, host->text[i]);
}

static struct host host_of(const struct experiment *experiment)
{
    static const char *const lasting[] = {"host",
                                          "os",
                                          "kernel",
                                          "architecture",
                                          "cpu",
                                          "cpus_online",
                                          "virtual_machine",
                                          "memory_bytes",
                                          "clocksource",
                                          "versions",
                                          NULL};
    static const char *const varied[] = {"cpus_allowed", "governor", "file_system", "device"};
    const struct value *environment = experiment->environment;
    struct arena *texts = experiment->texts;
    struct line json = {0};
    struct host host = {{view_text(environment, "host"), node_kind(texts, environment)}};
    line_object(&json, NULL);
    view_put_members(&json, environment, lasting);
    line_text(&json, "kind", host.text[HOST_KIND]);
    host.text[HOST_ENVIRONMENT] = kept(texts, json.text + 1);
    line_free(&json);
    for (size_t i = 0; i < 4; i++)
        host.text[HOST_VARIED + i] = view_copy(texts, view_get(environment, varied[i]));
    return host;
}

// What makes two cells of one label comparable from node to node.
static char *same_key(const struct cell *cell)
{
    static const char *const settings[] = {
        "cold",  "cold_path", "shell",        "setup",        "prepare",     "conclude", "cleanup",
        "input", "service",   "keep_service", "service_cpus", "target_cpus", "nice",     "engine"};
    struct line json = {0};
    line_array(&json, NULL);
    line_text(&json, NULL, cell->target);
    line_text(&json, NULL, cell->label);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        view_put(&json, NULL, view_get(cell->of->settings, settings[i]));
    return json_text_end(&json);
}

static char *settings_of(const struct cell *cell)
{
    const struct value *settings = cell->of->settings;
    struct line json = {0};
    line_object(&json, NULL);
    EACH_VALUE (item, settings) {
        if (item->key && strcmp(item->key, "seed") != 0) // settings may be no object
            view_put(&json, item->key, item);
    }
    return json_text_end(&json);
}

// What is known of a cell after its records are gone.
static struct report_line line_of(struct arena *texts, const struct cell *cell)
{
    const bool over_sessions = cell->of->sessions > 0;
    return (struct report_line){
        .name = kept(texts, cell->name),
        .target = kept(texts, cell->target),
        .label = kept(texts, cell->label),
        .load = kept(texts, cell->load ?: "-"),
        .level = kept(texts, cell->level ?: "-"),
        .experiment = cell->of->name,
        .of_campaign = cell->of->cell != NULL,
        .same = arena_keep(texts, same_key(cell)),
        .host = kept(texts, cell->host),
        .kind = kept(texts, cell->kind),
        .wall_s = over_sessions
                      ? NAN
                      : view_real(view_get(cell->baseline, metrics[METRIC_WALL].name), "mean"),
        .runs = view_number(view_get(cell->baseline, "runs"), 0),
        .slowdown = ratio_estimate(cell->slowdown),
        .is_time = metric_is_wall(cell->main),
        .is_distinguishable = view_holds(cell->slowdown, "distinguishable"),
        .legend = legend_of(cell->of),
    };
}

static void add_cell(struct collected *to, struct cell *cell, const struct wanted *wanted)
{
    if (!cell_wanted(wanted, cell))
        return;
    struct report_line line = line_of(&to->texts, cell);
    // People want one row of all sessions.
    if (!wanted->rows || !cell->of->is_session) {
        const bool first = to->lines.count == 0 ||
                           to->lines.item[to->lines.count - 1].experiment != line.experiment;
        line.text = arena_keep(&to->texts, cell_text(cell, wanted, first));
        line.settings = wanted->page ? arena_keep(&to->texts, settings_of(cell)) : NULL;
    }
    MORE(&to->lines) = line;
}

// False: the records lack what a report needs.
static bool make_cells(struct collected *to, const struct experiment *experiment,
                       const struct wanted *wanted)
{
    bool good = view_is(experiment->conditions, VIEW_ARRAY) && experiment->state != NULL;
    struct pairing pairing;
    for (size_t i = 0; good && experiment_pairing(experiment, i, &pairing); i++) {
        struct cell cell;
        good = cell_make(&cell, experiment, pairing);
        if (good)
            add_cell(to, &cell, wanted);
    }
    return good;
}

static void collect_folder(struct collected *to, const struct folder *folder, size_t number,
                           const struct wanted *wanted, bool is_session)
{
    struct experiment experiment;
    const struct run_options options = {.keep = wanted->page || wanted->lists};
    experiment_read(&experiment, folder, number, wanted, &options, &to->problems);
    experiment.is_session = is_session;
    if (is_session) // its ratio is not one of the family, but that over all sessions
        experiment.family = NULL;
    if (experiment.record.top) {
        const struct host host = host_of(&experiment);
        add_host(to, &host);
    }
    const size_t before = to->lines.count;
    bool listed = false;
    if (experiment.record.top && experiment.result.top && !make_cells(to, &experiment, wanted)) {
        to->lines.count = before;
        problems_add(
            &to->problems, "broken-record", folder->name,
            text_of("%s/result.json or experiment.json lacks what a report needs", folder->name));
        add_waiting(to, &experiment, "interrupted", "its records cannot be used");
        listed = true;
    }
    if (!listed)
        note_unfinished(to, &experiment);
    if (wanted->table && to->lines.count > before)
        to->table = arena_keep(&to->texts, table_of(&experiment));
    if (to->waiting.count > 0 && !name_wanted(wanted, to->waiting.item[to->waiting.count - 1].name))
        to->waiting.count--;
    if (!wanted->only || to->lines.count > before || to->waiting.count > 0) {
        to->experiments++;
        to->runs += experiment.runs.measured;
    }
    experiment_free(&experiment);
}

// The cells over the sessions of a group; its folders are counted by themselves.
static void collect_group(struct collected *to, const struct group *group,
                          const struct folders *folders, const struct wanted *wanted)
{
    struct experiment all;
    const struct run_options options = {.keep = wanted->page};
    sessions_read(&all, group, folders, wanted, &options);
    make_cells(to, &all, wanted);
    experiment_free(&all);
}

// Target, label, load, level in natural order (n=2 before n=10), then the experiment.
static int order_of_entries(const void *a, const void *b)
{
    const struct report_line *x = a, *y = b;
    const char *keys[][2] = {
        {x->target, y->target},
        {x->label, y->label},
        {x->of_campaign ? "-" : x->experiment, y->of_campaign ? "-" : y->experiment},
        {x->load, y->load},
        {x->level, y->level},
        {x->experiment, y->experiment},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const int order = strverscmp(keys[i][0], keys[i][1]);
        if (order != 0)
            return order;
    }
    return strcmp(x->name, y->name);
}

struct work {
    const struct folders *folders;
    const struct wanted *wanted;
    const struct groups *groups;
    struct collected *parts; // one for each folder, then one for each group
};

static void work_on(void *context, size_t number)
{
    struct work *work = context;
    const size_t folders = work->folders->count;
    if (number < folders)
        collect_folder(&work->parts[number], &work->folders->item[number], number + 1, work->wanted,
                       work->groups->of[number] != SIZE_MAX);
    else
        collect_group(&work->parts[number], &work->groups->item[number - folders], work->folders,
                      work->wanted);
}

#define APPEND(list)                                                                               \
    for (size_t i = 0; i < part->list.count; i++)                                                  \
        MORE(&to->list) = part->list.item[i];                                                      \
    free(part->list.item)

// Takes over what a part has.
static void merge(struct collected *to, struct collected *part)
{
    APPEND(lines);
    APPEND(waiting);
    problems_move(&to->problems, &part->problems);
    for (size_t i = 0; i < part->hosts.count; i++)
        add_host(to, &part->hosts.item[i]);
    free(part->hosts.item);
    arena_move(&to->texts, &part->texts);
    if (part->table)
        to->table = part->table;
    to->experiments += part->experiments;
    to->runs += part->runs;
}

void collect(struct collected *collected, const struct folders *folders,
             const struct wanted *wanted)
{
    *collected = (struct collected){.groups = must(calloc(1, sizeof *collected->groups))};
    // Where a slowdown is in the family of all is to be known before it is put into words.
    survey(collected->groups, &collected->family, folders, wanted);
    struct wanted all = *wanted;
    all.family = &collected->family;
    // Who wants the runs gets them of each session.
    const size_t count = folders->count + (wanted->lists ? 0 : collected->groups->count);
    struct work work = {.folders = folders,
                        .wanted = &all,
                        .groups = collected->groups,
                        .parts = must(calloc(count + 1, sizeof *work.parts))};
    workers_each(count, work_on, &work);
    for (size_t i = 0; i < count; i++)
        merge(collected, &work.parts[i]);
    free(work.parts);
    if (collected->lines.count > 0) // qsort() takes no NULL
        qsort(collected->lines.item, collected->lines.count, sizeof *collected->lines.item,
              order_of_entries);
}

void collected_free(struct collected *collected)
{
    if (collected->groups)
        groups_free(collected->groups);
    free(collected->groups);
    free(collected->lines.item);
    free(collected->waiting.item);
    free(collected->hosts.item);
    arena_free(&collected->texts);
    problems_free(&collected->problems);
    family_free(&collected->family);
}

size_t collected_cells(const struct collected *collected)
{
    size_t count = 0;
    for (size_t i = 0; i < collected->lines.count; i++)
        count += collected->lines.item[i].text != NULL;
    return count;
}
