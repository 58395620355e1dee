#include "findings.h"

#include "json.h"

#include "harness/report/memory.h"

#include <stdlib.h>
#include <string.h>

/* Where a finding of that kind and text is; else at the end, new. `text` NULL: any text. */
static size_t finding_of(json_t *findings, const char *flag, const char *text, const char *advice)
{
    json_t *one;
    size_t index;
    json_array_foreach(findings, index, one)
    {
        if (strcmp(json_text_at(one, "flag"), flag) == 0 &&
            (strcmp(flag, "mark") != 0 || strcmp(json_text_at(one, "text"), text) == 0))
            return index;
    }
    json_add(findings, must(json_pack("{s:s, s:s?, s:s?, s:[]}", "flag", flag, "text", text,
                                      "advice", advice, "cells")));
    return json_array_size(findings) - 1;
}

static void find(json_t *findings, json_t *row, const char *flag, const char *text,
                 const char *advice)
{
    const size_t index = finding_of(findings, flag, text, advice);
    json_t *cells = json_object_get(json_array_get(findings, index), "cells");
    json_t *last = json_array_get(cells, json_array_size(cells) - 1);
    const char *name = json_text_at(row, "cell");
    if (last != NULL && strcmp(json_string_value(last), name) == 0)
        return;
    json_add(cells, json_text(name));
    json_add(json_object_get(row, "numbers"), json_integer((json_int_t)index + 1));
}

void findings_put(json_t *findings, json_t *row)
{
    const json_t *one;
    size_t index;
    const char *state = json_text_at(row, "state");
    json_put(row, "numbers", must(json_array()));
    if (strcmp(state, "waiting") == 0 || strcmp(state, "skipped") == 0)
        return;
    json_array_foreach(json_object_get(row, "problems"), index, one)
    {
        find(findings, row, json_text_at(one, "flag"), json_text_at(one, "text"),
             json_text_at(one, "advice"));
    }
    json_array_foreach(json_object_get(row, "marks"), index, one)
    {
        find(findings, row, "mark", json_string_value(one), NULL);
    }
}

void findings_put_source(json_t *lines, const json_t *row)
{
    const json_t *peak = json_object_get(row, "peak");
    const char *text =
        json_has(row, "peak") ? json_text_at(peak, "source") : json_text_at(row, "peak_reason");
    json_t *line, *old;
    size_t index;
    if (text == NULL || !json_has(row, "value"))
        return;
    char *made = text_of("peak: %s", text);
    line = json_text(made);
    free(made);
    json_array_foreach(lines, index, old)
    {
        if (json_equal(old, line)) {
            json_decref(line);
            return;
        }
    }
    json_add(lines, line);
}

/* Why a row, or a peer of it, has no figure: each reason once, with the rows. */
static void put_reason(json_t *reasons, const json_t *row, const char *who, const json_t *of)
{
    if (!json_has(of, "reason"))
        return;
    char *text = text_of("%s%s%s", who, *who ? ": " : "", json_text_at(of, "reason"));
    json_t *one, *found = NULL;
    size_t index;
    json_array_foreach(reasons, index, one)
    {
        if (strcmp(json_text_at(one, "text"), text) == 0)
            found = one;
    }
    if (found == NULL) {
        found = must(json_pack("{s:s, s:[]}", "text", text, "cells"));
        json_add(reasons, found);
    }
    json_add(json_object_get(found, "cells"), json_text(json_text_at(row, "cell")));
    free(text);
}

void findings_put_reasons(json_t *reasons, const json_t *row)
{
    const json_t *peer;
    size_t index;
    put_reason(reasons, row, "", row);
    json_array_foreach(json_object_get(row, "peers"), index, peer)
    {
        put_reason(reasons, row, json_text_at(peer, "name"), peer);
    }
}
