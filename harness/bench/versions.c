// The versions of the peers, which the shell asks them for.

#include "bench.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "harness/stats/json.h"

#include <string.h>

void versions_print(const json_t *plan)
{
    json_auto_t *seen = must(json_object());
    JSON_EACH (part, json_object_get(plan, "parts"))
        JSON_EACH (cell, json_object_get(part, "cells"))
            JSON_EACH (peer, json_object_get(cell, "peers")) {
                const char *name = json_text_at(peer, "name");
                const char *words = json_text_at(peer, "version");
                if (json_has(peer, "reason") || !words || *words == '\0' || json_has(seen, name))
                    continue;
                json_put(seen, name, json_true());
                pair_put(name, json_text_at(peer, "program"));
                printf("%s%c", words, 0);
            }
}

// {NAME: VERSION} of a file; {} where there is none.
static json_t *read_versions(const char *path)
{
    json_t *versions = must(json_object());
    FILE *file = fopen(path, "re");
    OWNED char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        char *version = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (!version)
            continue;
        *version++ = '\0';
        json_t *text = json_string(version); // NULL where it is not UTF-8
        if (text)
            json_put(versions, line, text);
    }
    if (file)
        fclose(file);
    return versions;
}

void versions_put(json_t *plan, const char *dir)
{
    OWNED char *path = text_of("%s/bench-peers.tsv", dir);
    json_auto_t *versions = read_versions(path);
    JSON_EACH (part, json_object_get(plan, "parts"))
        JSON_EACH (cell, json_object_get(part, "cells"))
            JSON_EACH (peer, json_object_get(cell, "peers"))
                json_put(peer, "version", json_member(versions, json_text_at(peer, "name")));
}
