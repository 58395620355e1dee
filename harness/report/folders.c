// Which folders a report is of, and what each is called.
#include "report.h"

#include "common/lock.h"
#include "common/schemas.h"
#include "harness/record/files.h"

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
        if (all ? folder_has(path, ".") : folder_has(path, EXPERIMENT_FILE))
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
    } else if (folder_has(dir, EXPERIMENT_FILE) || folder_has(dir, RUNS_FILE)) {
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
    OWNED char *derived = text_of("%s/%zu", wanted->derived ?: "/", number),
               *runs = record_path(folder->path, RUNS_FILE);
    const bool has_derived = wanted->derived && record_is_in(derived, RESULT_FILE);
    *experiment =
        (struct experiment){.name = who, .texts = must(calloc(1, sizeof *experiment->texts))};
    struct document *status = &experiment->status, *result = &experiment->result;
    problems_add_document(problems, status, who,
                          document_read(status, folder->path, "status.json", SCHEMA_STATUS, who));
    problems_add_document(problems, &experiment->record, who,
                          experiment_document(&experiment->record, folder->path, who));
    problems_add_document(problems, result, who,
                          document_read(result, has_derived ? derived : folder->path, RESULT_FILE,
                                        SCHEMA_RESULT, who));
    experiment_settle(experiment);
    // Who measures has the lock of its runs. A campaign's cell has noted more than that.
    if (!experiment->status.top && !record_is_in(folder->path, RESULT_FILE) && lock_is_held(runs))
        experiment->state = "running";
    if (!options)
        return;
    runs_read(&experiment->runs, folder->path, experiment, options, who, problems);
    experiment->reason = experiment->reason ?: experiment->runs.failure;
}

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems)
{
    OWNED char *source = text_of("%s/campaign.conf", dir);
    struct document document;
    OWNED char *wrong = document_read(&document, dir, "campaign.json", SCHEMA_CAMPAIGN, "campaign");
    const char *what =
        wrong ? wrong + strlen("campaign/") : "campaign.json is broken or half-written";
    const bool form = !document.top || view_is(view_get(document.top, "cells"), VIEW_ARRAY);
    if (wrong && document.is_unknown)
        problems_add(problems, "unknown-schema", NULL, must(strdup(what)));
    else if (wrong || !form)
        problems_add(problems, "broken-record", NULL,
                     text_of("%s: cells that were not started are not known", what));
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
