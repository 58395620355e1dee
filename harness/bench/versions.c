#include "versions.h"

#include "json.h"

#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `with` for each peer of each cell of the plan. */
static void each_peer(const json_t *plan, void (*with)(json_t *peer, json_t *context),
                      json_t *context)
{
    const json_t *part, *cell;
    json_t *peer;
    size_t i, k, m;
    json_array_foreach(json_object_get(plan, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "cells"), k, cell)
        {
            json_array_foreach(json_object_get(cell, "peers"), m, peer) with(peer, context);
        }
    }
}

static void print_text(const char *text)
{
    printf("%s%c", text, 0);
}

static void print_peer(json_t *peer, json_t *seen)
{
    const char *name = json_text_at(peer, "name");
    if (json_has(peer, "reason") || !json_has(peer, "version") || json_has(seen, name))
        return;
    json_put(seen, name, json_true());
    print_text(name);
    print_text(json_text_at(peer, "program"));
    print_text(json_text_at(peer, "version"));
}

void versions_print(const json_t *plan)
{
    json_t *seen = must(json_object());
    each_peer(plan, print_peer, seen);
    json_decref(seen);
}

static void put_version(json_t *peer, json_t *versions)
{
    const json_t *version = json_object_get(versions, json_text_at(peer, "name"));
    json_put(peer, "version", version == NULL ? json_null() : must(json_deep_copy(version)));
}

/* {NAME: VERSION} of a file; {} where there is none. */
static json_t *read_versions(const char *path)
{
    json_t *versions = must(json_object());
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    while (file != NULL && getline(&line, &size, file) > 0) {
        char *version = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (version == NULL)
            continue;
        *version++ = '\0';
        json_t *text = json_string(version); /* NULL where it is not UTF-8 */
        if (text != NULL)
            json_put(versions, line, text);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return versions;
}

void versions_put(json_t *plan, const char *dir)
{
    char *path = text_of("%s/bench-peers.tsv", dir);
    json_t *versions = read_versions(path);
    each_peer(plan, put_version, versions);
    json_decref(versions);
    free(path);
}
