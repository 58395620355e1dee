#include "report.h"

#include "common/file.h"
#include "common/schemas.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int folder_has(const char *dir, const char *name)
{
    OWNED char *path = text_of("%s/%s", dir, name);
    const int there = access(path, F_OK) == 0;
    return there;
}

// The last part of a path; of "." and such, that of what it stands for.
static const char *name_of(struct arena *texts, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *plain = said(texts, "%.*s", (int)length, path), *last = strrchr(plain, '/');
    if (!last || strcmp(last + 1, ".") == 0 || strcmp(last + 1, "..") == 0) {
        OWNED char *real = realpath(plain, NULL);
        last = real ? strrchr(kept(texts, real), '/') : NULL;
    }
    return last ? last + 1 : plain;
}

void folders_add_named(struct folders *folders, const char *path)
{
    MORE(folders) = (struct folder){name_of(&folders->texts, path), kept(&folders->texts, path)};
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Adds the folders in dir; those with experiment.json only, or all.
static void add_below(struct folders *folders, const char *dir, int all)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, is_visible, versionsort);
    for (int i = 0; i < count; i++) {
        OWNED char *path = text_of("%s/%s", dir, entry[i]->d_name);
        if (all ? folder_has(path, ".") : folder_has(path, "experiment.json"))
            folders_add_named(folders, path);
        free(entry[i]);
    }
    free(entry);
}

void folders_add(struct folders *folders, const char *dir)
{
    if (folder_has(dir, "cells/.")) {
        OWNED char *cells = text_of("%s/cells", dir);
        add_below(folders, cells, 1);
    } else if (folder_has(dir, "experiment.json") || folder_has(dir, "runs.jsonl")) {
        folders_add_named(folders, dir);
    } else if (!folder_has(dir, "campaign.json")) {
        add_below(folders, dir, 0);
    }
}

struct seen {
    const char *name;
    unsigned times;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->name, ((const struct seen *)b)->name);
}

void folders_distinguish(struct folders *folders)
{
    struct seen *seen = must(calloc(folders->count + 1, sizeof *seen));
    void *root = NULL;
    for (size_t i = 0; i < folders->count; i++) {
        struct folder *folder = &folders->item[i];
        seen[i] = (struct seen){folder->name, 0};
        struct seen **known = must(tsearch(&seen[i], &root, by_name));
        if (++(*known)->times > 1)
            folder->name = said(&folders->texts, "%s#%u", folder->name, (*known)->times);
    }
    for (size_t i = 0; i < folders->count; i++)
        tdelete(&seen[i], &root, by_name);
    free(seen);
}

void folders_free(struct folders *folders)
{
    arena_free(&folders->texts);
    free(folders->item);
    *folders = (struct folders){0};
}

// * is any text, ? any character; nothing else is special.
bool name_wanted(const struct wanted *wanted, const char *name)
{
    return !wanted->only || fnmatch(wanted->only, name, FNM_NOESCAPE) == 0;
}

bool cell_wanted(const struct wanted *wanted, const struct cell *cell)
{
    return name_wanted(wanted, cell->name) ||
           (cell->sessions && name_wanted(wanted, cell->sessions));
}

void experiment_read(struct experiment *experiment, const struct folder *folder, size_t number,
                     const struct wanted *wanted, const struct run_options *options,
                     struct problems *problems)
{
    *experiment = (struct experiment){.name = folder->name,
                                      .texts = must(calloc(1, sizeof *experiment->texts)),
                                      .family = wanted->family};
    OWNED char *derived = text_of("%s/%zu/result.json", wanted->derived ?: "/", number);
    OWNED char *status = text_of("%s/status.json", folder->path),
               *record = text_of("%s/experiment.json", folder->path),
               *result = text_of("%s/result.json", folder->path),
               *runs = text_of("%s/runs.jsonl", folder->path);
    const bool has_derived = wanted->derived && access(derived, R_OK) == 0;
    document_read(&experiment->status, status, SCHEMA_STATUS, folder->name, problems);
    document_read(&experiment->record, record, SCHEMA_EXPERIMENT, folder->name, problems);
    document_read(&experiment->result, has_derived ? derived : result, SCHEMA_RESULT, folder->name,
                  problems);
    experiment->metrics = metric_list(experiment->texts, experiment->result.top,
                                      view_get(experiment->record.top, "settings"));
    if (options) {
        struct run_options with_metrics = *options;
        with_metrics.metrics = &experiment->metrics;
        runs_read(&experiment->runs, runs, view_get(experiment->record.top, "settings"),
                  view_get(experiment->result.top, "washout"), &with_metrics, folder->name,
                  problems);
    }
    experiment_settle(experiment);
}

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems)
{
    OWNED char *path = text_of("%s/campaign.json", dir), *source = text_of("%s/campaign.conf", dir);
    struct problems found = {0};
    struct document document;
    document_read(&document, path, SCHEMA_CAMPAIGN, "campaign", &found);
    const bool form = !document.top || view_is(view_get(document.top, "cells"), VIEW_ARRAY);
    if (found.count > 0 && strcmp(found.item[0].kind, "unknown-schema") == 0)
        problems_add(problems, "unknown-schema", NULL,
                     must(strdup(found.item[0].message + strlen("campaign/"))));
    else if (found.count > 0 || !form)
        problems_add(problems, "broken-record", NULL,
                     text_of("%s: cells that were not started are not known",
                             found.count > 0 ? found.item[0].message + strlen("campaign/")
                                             : "campaign.json is broken or half-written"));
    problems_free(&found);
    if (!document.top || !form) {
        document_free(&document);
    } else {
        // The text goes into the report as it is: a link would bring in any file of the user's.
        MORE(campaigns) = (struct campaign){document, file_whole(source, false, NULL)};
    }
}

size_t campaigns_cells(const struct campaigns *campaigns)
{
    size_t count = 0;
    for (size_t i = 0; i < campaigns->count; i++) {
        EACH_VALUE (cell, view_get(campaigns->item[i].document.top, "cells"))
            count++;
    }
    return count;
}

void campaigns_free(struct campaigns *campaigns)
{
    for (size_t i = 0; i < campaigns->count; i++) {
        document_free(&campaigns->item[i].document);
        free(campaigns->item[i].text);
    }
    free(campaigns->item);
}

// ---- sessions

// Appends the runs of the next session, which come after those before.
static void append_runs(struct runs *to, const struct runs *from)
{
    uint32_t last = 0;
    for (size_t i = 0; i < to->count; i++)
        last = to->item[i].order > last ? to->item[i].order : last;
    for (size_t i = 0; i < from->count; i++) {
        struct run_record run = from->item[i];
        const size_t condition = runs_condition(to, from->conditions.item[run.condition]);
        if (condition == SIZE_MAX)
            continue;
        run.condition = (uint32_t)condition;
        run.order += last;
        MORE(to) = run;
        // Sessions of one cell have the same metrics.
        for (size_t k = 0; k < to->metric_count; k++) {
            MORE(&to->values) = from->metric_count == to->metric_count
                                    ? from->values.item[i * from->metric_count + k]
                                    : NAN;
        }
    }
    to->measured += from->measured;
}

static void take_over(struct experiment *all, struct experiment *part, const struct group *group)
{
    OWNED char *text = sessions_result(part, group);
    all->result.top = view_parse(&all->result.view, text, strlen(text));
    all->record = part[0].record;
    all->runs = part[0].runs;
    part[0].record = (struct document){0};
    part[0].runs = (struct runs){0};
    for (size_t i = 1; i < group->count; i++)
        append_runs(&all->runs, &part[i].runs);
    all->sessions = (unsigned)group->count;
    all->metrics = metric_list(all->texts, all->result.top, view_get(all->record.top, "settings"));
    experiment_settle(all);
    // That of the first which is not done.
    all->state = "done";
    for (size_t i = 0; i < group->count && all->state && strcmp(all->state, "done") == 0; i++)
        all->state = part[i].state;
}

void sessions_read(struct experiment *all, const struct group *group, const struct folders *folders,
                   const struct wanted *wanted, const struct run_options *options)
{
    struct experiment *part = must(calloc(group->count, sizeof *part));
    struct problems ignored = {0}; // who reads them one by one names them
    for (size_t i = 0; i < group->count; i++)
        experiment_read(&part[i], &folders->item[group->place[i].folder],
                        group->place[i].folder + 1, wanted, options, &ignored);
    *all = (struct experiment){.name = group->name,
                               .texts = must(calloc(1, sizeof *all->texts)),
                               .family = wanted->family};
    take_over(all, part, group);
    for (size_t i = 0; i < group->count; i++)
        experiment_free(&part[i]);
    free(part);
    problems_free(&ignored);
}

const char *sessions_text(struct arena *texts, const struct value *slowdown)
{
    enum { FEW = 4 };
    const struct value *sessions = view_get(slowdown, "sessions");
    const char *text = NULL, *spread = "";
    size_t count = 0;
    if (!sessions)
        return NULL;
    EACH_VALUE (item, view_get(sessions, "ratios")) {
        text =
            joined(texts, text, ", ", kept(texts, number_fixed(view_number(item, NAN), 3, ROOM)));
        count++;
    }
    if (!isnan(view_real(sessions, "between")))
        spread =
            said(texts, "; standard deviation %s between sessions, %s from pair to pair within one",
                 number_percent(view_real(sessions, "between"), ROOM),
                 number_percent(view_real(sessions, "within"), ROOM));
    return said(texts, "%zu sessions: %s%s%s", count, text ?: "-", spread,
                count < FEW ? "; so few make a wide interval: 5 narrow it" : "");
}

// Which experiments are sessions of one cell.

// What has another definition is another cell, whatever its name.
static int by_cell(const struct place *x, const struct place *y)
{
    const int order = compare_texts(x->name, y->name);
    return order != 0 ? order : compare_texts(x->key, y->key);
}

static int by_session(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int order = by_cell(x, y);
    if (order != 0)
        return order;
    return x->session != y->session ? (x->session > y->session) - (x->session < y->session)
                                    : (x->folder > y->folder) - (x->folder < y->folder);
}

// Of the places from start on: how many are sessions of one cell.
static size_t sessions_from(const struct place *places, size_t start, size_t count)
{
    size_t end = start + 1;
    while (end < count && places[start].name && by_cell(&places[end], &places[start]) == 0)
        end++;
    return end - start;
}

// Two of one number are no sessions of each other, but two results of the same, such as of two
// nodes.
static bool are_distinct(const struct place *places, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (places[i].session == places[i - 1].session)
            return false;
    return count > 1;
}

static void add_group(struct groups *groups, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        groups->of[places[i].folder] = groups->count;
    MORE(groups) = (struct group){.name = places[0].name, .place = places, .count = count};
}

// places: one for each folder; taken over.
static void groups_make(struct groups *groups, struct place *places, size_t count)
{
    *groups = (struct groups){
        .places = places, .folders = count, .of = must(calloc(count + 1, sizeof *groups->of))};
    for (size_t i = 0; i < count; i++)
        groups->of[i] = SIZE_MAX;
    if (count > 0) // qsort() takes no NULL
        qsort(places, count, sizeof *places, by_session);
    for (size_t i = 0, same; i < count; i += same) {
        same = sessions_from(places, i, count);
        if (are_distinct(&places[i], same))
            add_group(groups, &places[i], same);
    }
}

void groups_free(struct groups *groups)
{
    for (size_t i = 0; i < groups->folders; i++)
        arena_free(&groups->places[i].texts);
    free(groups->places);
    free(groups->item);
    free(groups->of);
}

struct work {
    const struct folders *folders;
    const struct wanted *wanted;
    const struct groups *groups;
    struct family *parts; // one for each folder, or each group
    struct place *places; // one for each folder
};

// What has no interval cannot look distinguishable.
static void add_ratio(struct family *family, const struct experiment *experiment,
                      const struct value *ratio)
{
    const struct value *intervals = view_get(experiment->result.top, "intervals");
    const double apart = fmax(view_number(view_get(intervals, "family"), 1), 1);
    if (view_is(view_get(ratio, "ci"), VIEW_ARRAY))
        family_add(family, (struct member){
                               .p = view_real(ratio, "p"),
                               .chance = (1 - view_confidence(intervals)) / apart,
                               .distinguishable = view_holds(ratio, "distinguishable"),
                           });
}

// The wall time is in each record, also where it is neither one of --metric nor shown.
static bool is_shown(const struct experiment *experiment, const struct value *ratio)
{
    const struct metric_list *list = &experiment->metrics;
    return !view_matches(ratio, "metric", metrics[METRIC_WALL].name) ||
           list->item[METRIC_WALL].chosen || list->main == METRIC_WALL;
}

// What compares variants is of the experiment.
static void add_comparisons(struct family *family, const struct experiment *experiment,
                            const char *list)
{
    EACH_VALUE (item, view_get(experiment->result.top, list)) {
        if (!is_shown(experiment, item))
            continue;
        add_ratio(family, experiment, item);
        family->ratios = true;
    }
}

// Only what has a cell in the report. Returns whether there is any.
static bool add_experiment(struct family *family, const struct experiment *experiment,
                           const struct wanted *wanted)
{
    struct pairing pairing;
    bool any = false;
    if (!experiment->baseline || !experiment->state)
        return false;
    for (size_t i = 0; experiment_pairing(experiment, i, &pairing); i++) {
        struct cell cell;
        if (cell_make(&cell, experiment, pairing) && cell_wanted(wanted, &cell)) {
            EACH_VALUE (item, view_get(experiment->result.top, "slowdowns"))
                if (cell.condition && view_matches(item, "condition", cell.condition) &&
                    is_shown(experiment, item))
                    add_ratio(family, experiment, item);
            any = true;
        }
    }
    if (any) {
        add_comparisons(family, experiment, "comparisons");
        add_comparisons(family, experiment, "interactions");
    }
    return any;
}

static void survey_folder(void *context, size_t number)
{
    struct work *work = context;
    struct experiment experiment;
    struct problems ignored = {0};
    experiment_read(&experiment, &work->folders->item[number], number + 1, work->wanted, NULL,
                    &ignored);
    struct place *place = &work->places[number];
    place->folder = number;
    if (add_experiment(&work->parts[number], &experiment, work->wanted)) {
        const struct value *cell = experiment.cell;
        place->name = kept(&place->texts, view_text(cell, "of") ?: view_text(cell, "name"));
        place->key = kept(&place->texts, view_text(cell, "key"));
        place->session = view_count(view_get(cell, "session"), 1);
    }
    experiment_free(&experiment);
    problems_free(&ignored);
}

static void survey_group(void *context, size_t number)
{
    struct work *work = context;
    struct experiment all;
    sessions_read(&all, &work->groups->item[number], work->folders, work->wanted, NULL);
    add_experiment(&work->parts[number], &all, work->wanted);
    experiment_free(&all);
}

void survey(struct groups *groups, struct family *family, const struct folders *folders,
            const struct wanted *wanted)
{
    struct work work = {.folders = folders,
                        .wanted = wanted,
                        .groups = groups,
                        .parts = must(calloc(folders->count + 1, sizeof *work.parts)),
                        .places = must(calloc(folders->count + 1, sizeof *work.places))};
    workers_each(folders->count, survey_folder, &work);
    groups_make(groups, work.places, folders->count);
    for (size_t i = 0; i < folders->count; i++)
        if (groups->of[i] == SIZE_MAX)
            family_move(family, &work.parts[i]);
        else // the ratio over sessions takes their place
            family_free(&work.parts[i]);
    workers_each(groups->count, survey_group, &work);
    for (size_t i = 0; i < groups->count; i++)
        family_move(family, &work.parts[i]);
    free(work.parts);
    family_settle(family);
}

struct jobs {
    void (*job)(void *context, size_t number);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *work_on(void *argument)
{
    struct jobs *work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->job(work->context, i);
    return NULL;
}

void workers_each(size_t count, void (*job)(void *context, size_t number), void *context)
{
    enum { MOST = 4 };
    struct jobs work = {.job = job, .context = context, .count = count};
    pthread_t thread[MOST];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0;
    while (started + 1 < MOST && started + 1 < (size_t)(cpus < 1 ? 1 : cpus) && started + 1 < count)
        if (pthread_create(&thread[started], NULL, work_on, &work) != 0)
            break;
        else
            started++;
    work_on(&work);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}
