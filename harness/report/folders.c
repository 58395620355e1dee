// Which folders a report is of, and what each is called.
#include "report.h"

#include "common/lock.h"
#include "common/schemas.h"

#include <dirent.h>
#include <fnmatch.h>
#include <search.h>
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
    const char *who = folder->name;
    OWNED char *derived = text_of("%s/%zu/result.json", wanted->derived ?: "/", number);
    OWNED char *status = text_of("%s/status.json", folder->path),
               *record = text_of("%s/experiment.json", folder->path),
               *result = text_of("%s/result.json", folder->path),
               *runs = text_of("%s/runs.jsonl", folder->path);
    const bool has_derived = wanted->derived && access(derived, R_OK) == 0;
    *experiment =
        (struct experiment){.name = who, .texts = must(calloc(1, sizeof *experiment->texts))};
    document_read(&experiment->status, status, SCHEMA_STATUS, who, problems);
    document_read(&experiment->record, record, SCHEMA_EXPERIMENT, who, problems);
    document_read(&experiment->result, has_derived ? derived : result, SCHEMA_RESULT, who,
                  problems);
    experiment_settle(experiment);
    // Who measures has the lock of its runs. A campaign's cell has noted more than that.
    if (!experiment->status.top && access(result, F_OK) != 0 && lock_is_held(runs))
        experiment->state = "running";
    if (!options)
        return;
    runs_read(&experiment->runs, runs, experiment, options, who, problems);
    experiment->reason = experiment->reason ?: experiment->runs.failure;
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
