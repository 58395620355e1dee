#include "campaigns.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/schemas.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text file, to be freed; NULL: there is none. */
static char *file_text(const char *path)
{
    char *text = NULL, *clean;
    size_t size = 0;
    /* It goes into the report as it is: a link would bring in any file of the user's. */
    const int fd = file_open_regular(path, false);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (file == NULL)
        return NULL;
    ssize_t length = getdelim(&text, &size, '\0', file);
    fclose(file);
    if (length < 0) {
        free(text);
        return must(strdup(""));
    }
    clean = must(strdup(text));
    free(text);
    return clean;
}

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems)
{
    char *path = text_of("%s/campaign.json", dir), *source = text_of("%s/campaign.conf", dir);
    struct problems found = {0};
    struct document document;
    document_read(&document, path, SCHEMA_CAMPAIGN, "campaign", &found);
    const bool form = document.top == NULL || view_is(view_get(document.top, "cells"), VIEW_ARRAY);
    if (found.count > 0 && strcmp(found.item[0].kind, "unknown-schema") == 0)
        problems_add(problems, "unknown-schema", NULL,
                     must(strdup(found.item[0].message + strlen("campaign/"))));
    else if (found.count > 0 || !form)
        problems_add(problems, "broken-record", NULL,
                     text_of("%s: cells that were not started are not known",
                             found.count > 0 ? found.item[0].message + strlen("campaign/")
                                             : "campaign.json is broken or half-written"));
    problems_free(&found);
    if (document.top == NULL || !form) {
        document_free(&document);
    } else {
        const size_t allocated = campaigns->allocated;
        size_t same = allocated;
        campaigns->item = grown(campaigns->item, campaigns->count, &same, sizeof *campaigns->item);
        campaigns->text = grown(campaigns->text, campaigns->count, &campaigns->allocated,
                                sizeof *campaigns->text);
        campaigns->text[campaigns->count] = file_text(source);
        campaigns->item[campaigns->count++] = document;
    }
    free(path);
    free(source);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_unstarted(struct campaigns *campaigns, const struct value *cells, char **known,
                          size_t count, const struct wanted *wanted)
{
    for (const struct value *cell = view_first(cells); cell != NULL;
         cell = view_next(cells, cell)) {
        char *name = view_string(view_get(cell, "name"));
        if (name == NULL || bsearch(&name, known, count, sizeof *known, by_text) != NULL ||
            !name_wanted(wanted, name)) {
            free(name);
            continue;
        }
        campaigns->unstarted = grown(campaigns->unstarted, campaigns->unstarted_count,
                                     &campaigns->unstarted_allocated, sizeof *campaigns->unstarted);
        campaigns->unstarted[campaigns->unstarted_count++] = name;
    }
}

void campaigns_settle(struct campaigns *campaigns, const struct folders *folders,
                      const struct wanted *wanted)
{
    char **known = must(calloc(folders->count + 1, sizeof *known));
    for (size_t i = 0; i < folders->count; i++)
        known[i] = folders->item[i].name;
    qsort(known, folders->count, sizeof *known, by_text);
    for (size_t i = 0; i < campaigns->count; i++)
        add_unstarted(campaigns, view_get(campaigns->item[i].top, "cells"), known, folders->count,
                      wanted);
    free(known);
}

size_t campaigns_cells(const struct campaigns *campaigns)
{
    size_t count = 0;
    for (size_t i = 0; i < campaigns->count; i++) {
        const struct value *cells = view_get(campaigns->item[i].top, "cells");
        for (const struct value *cell = view_first(cells); cell != NULL;
             cell = view_next(cells, cell))
            count++;
    }
    return count;
}

void campaigns_free(struct campaigns *campaigns)
{
    for (size_t i = 0; i < campaigns->count; i++) {
        document_free(&campaigns->item[i]);
        free(campaigns->text[i]);
    }
    for (size_t i = 0; i < campaigns->unstarted_count; i++)
        free(campaigns->unstarted[i]);
    free(campaigns->item);
    free(campaigns->text);
    free(campaigns->unstarted);
}
