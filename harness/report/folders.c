#include "report.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/schemas.h"

#include <dirent.h>
#include <search.h>
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
static char *name_of(const char *path)
{
    OWNED char *real = NULL;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    OWNED char *plain = must(strndup(path, length));
    const char *last = strrchr(plain, '/');
    if (!last || strcmp(last + 1, ".") == 0 || strcmp(last + 1, "..") == 0) {
        real = realpath(plain, NULL);
        last = real ? strrchr(real, '/') : NULL;
    }
    return must(strdup(last ? last + 1 : plain));
}

void folders_add_named(struct folders *folders, const char *path)
{
    folders->item =
        grown(folders->item, folders->count, &folders->allocated, sizeof *folders->item);
    folders->item[folders->count++] = (struct folder){name_of(path), must(strdup(path))};
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Adds the folders in dir; those with experiment.json only, or all.
static void add_below(struct folders *folders, const char *dir, int all)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, is_shown, versionsort);
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
    OWNED char **original = must(calloc(folders->count + 1, sizeof *original));
    void *root = NULL;
    for (size_t i = 0; i < folders->count; i++) {
        original[i] = folders->item[i].name;
        seen[i] = (struct seen){original[i], 0};
        struct seen **known = must(tsearch(&seen[i], &root, by_name));
        if (++(*known)->times > 1)
            folders->item[i].name = text_of("%s#%u", original[i], (*known)->times);
    }
    for (size_t i = 0; i < folders->count; i++)
        tdelete(&seen[i], &root, by_name);
    for (size_t i = 0; i < folders->count; i++)
        if (folders->item[i].name != original[i])
            free(original[i]);
    free(seen);
}

void folders_free(struct folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        free(folders->item[i].name);
        free(folders->item[i].path);
    }
    free(folders->item);
    *folders = (struct folders){0};
}

// * is any text, ? any character; nothing else is special.
bool pattern_fits(const char *pattern, const char *text)
{
    for (; *pattern != '\0'; pattern++, text++) {
        if (*pattern == '*') {
            while (*pattern == '*')
                pattern++;
            for (;; text++) {
                if (pattern_fits(pattern, text))
                    return true;
                if (*text == '\0')
                    return false;
            }
        }
        if (*text == '\0' || (*pattern != '?' && *pattern != *text))
            return false;
    }
    return *text == '\0';
}

bool name_wanted(const struct wanted *wanted, const char *name)
{
    return !wanted->only || pattern_fits(wanted->only, name);
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
    *experiment = (struct experiment){.name = folder->name, .family = wanted->family};
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
    experiment->metrics =
        metric_list(experiment->result.top, view_get(experiment->record.top, "settings"));
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
        campaigns->item = grown(campaigns->item, campaigns->count, &campaigns->allocated,
                                sizeof *campaigns->item);
        // The text goes into the report as it is: a link would bring in any file of the user's.
        campaigns->item[campaigns->count++] =
            (struct campaign){document, file_whole(source, false, NULL)};
    }
}

size_t campaigns_cells(const struct campaigns *campaigns)
{
    size_t count = 0;
    for (size_t i = 0; i < campaigns->count; i++) {
        const struct value *cells = view_get(campaigns->item[i].document.top, "cells");
        for (const struct value *cell = NULL; view_each(cells, &cell);)
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
