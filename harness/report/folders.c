#include "folders.h"

#include "common/memory.h"

#include <dirent.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int folder_has(const char *dir, const char *name)
{
    char *path = text_of("%s/%s", dir, name);
    const int there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* The last part of a path; of "." and such, that of what it stands for. */
static char *name_of(const char *path)
{
    char *real = NULL;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *plain = must(strndup(path, length));
    const char *last = strrchr(plain, '/');
    if (last == NULL || strcmp(last + 1, ".") == 0 || strcmp(last + 1, "..") == 0) {
        real = realpath(plain, NULL);
        last = real == NULL ? NULL : strrchr(real, '/');
    }
    char *name = must(strdup(last != NULL ? last + 1 : plain));
    free(plain);
    free(real);
    return name;
}

void folders_add_named(struct folders *folders, const char *path)
{
    folders->item =
        grown(folders->item, folders->count, &folders->allocated, sizeof *folders->item);
    folders->item[folders->count++] = (struct folder){name_of(path), must(strdup(path))};
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Adds the folders in dir; those with experiment.json only, or all. */
static void add_below(struct folders *folders, const char *dir, int all)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, visible, versionsort);
    for (int i = 0; i < count; i++) {
        char *path = text_of("%s/%s", dir, entry[i]->d_name);
        if (all ? folder_has(path, ".") : folder_has(path, "experiment.json"))
            folders_add_named(folders, path);
        free(path);
        free(entry[i]);
    }
    free(entry);
}

void folders_add(struct folders *folders, const char *dir)
{
    if (folder_has(dir, "cells/.")) {
        char *cells = text_of("%s/cells", dir);
        add_below(folders, cells, 1);
        free(cells);
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
    char **original = must(calloc(folders->count + 1, sizeof *original));
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
    free(original);
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
