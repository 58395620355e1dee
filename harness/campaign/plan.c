// A plan, jostle.campaign/1: reads and writes it, chooses the cells that are wanted, and says what
// a job needs for them.

#include "campaign.h"

#include "common/memory.h"
#include "common/save.h"
#include "common/units.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *plan_read(const char *path)
{
    json_error_t error = {0};
    json_t *plan = json_read_record(path, 0, &error);
    const json_t *cells = json_object_get(plan, "cells");
    bool good = json_is_array(cells);
    JSON_EACH (cell, cells) {
        // A cell's name is that of its folder: it must not lead anywhere else.
        const char *name = json_text_or_empty(cell, "name");
        good = good && *name != '\0' && *name != '.' && !strchr(name, '/');
    }
    if (good)
        return plan;
    complain("%s cannot be read: is it damaged?%s%s", path, error.text[0] ? " " : "", error.text);
    exit(1);
}

bool campaign_plan_write(const json_t *plan, const char *path)
{
    OWNED char *text = must(json_dumps(plan, JSON_COMPACT));
    return save_text(path, text, SAVE_STATE);
}

double number_of(const json_t *object, const char *name, double otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

double setting_of_cell(const json_t *cell, const char *name, double otherwise)
{
    const char *text = json_text_at(json_object_get(cell, "settings"), name);
    return text ? strtod(text, NULL) : otherwise;
}

unsigned session_of(const json_t *cell)
{
    return (unsigned)number_of(cell, "session", 1);
}

const char *cell_path(const char *folder, const char *name, const char *file, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/cells/%s%s%s", folder, name, *file ? "/" : "", file);
    return path;
}

// ---- the cells that are wanted

struct range {
    long first, last;
};

// "3-7,9" -> ranges, to be freed.
static struct range *parse_ranges(const char *text, size_t *count)
{
    struct range *ranges = must(calloc(strlen(text) + 1, sizeof *ranges));
    const char *at = text;
    for (*count = 0; isdigit((unsigned char)*at); at++) {
        char *end;
        struct range *range = &ranges[(*count)++];
        range->first = range->last = strtol(at, &end, 10);
        if (*end == '-' && isdigit((unsigned char)end[1]))
            range->last = strtol(end + 1, &end, 10);
        if (*end == '\0')
            return ranges;
        if (*end != ',')
            break;
        at = end;
    }
    usage_error("--cells %s: give numbers such as 3-7,9: jostle plan lists them", text);
}

static bool is_chosen(const json_t *cell, const struct campaign *choice, const struct range *ranges,
                      size_t count)
{
    const char *name = json_text_at(cell, "name"), *of = json_text_at(cell, "of");
    const long number = (long)number_of(cell, "number", 0);
    bool in_range = !ranges;
    if (choice->session > 0 && choice->session != session_of(cell))
        return false;
    if (choice->only && fnmatch(choice->only, name, FNM_NOESCAPE) != 0 &&
        (!of || fnmatch(choice->only, of, FNM_NOESCAPE) != 0))
        return false;
    for (size_t i = 0; i < count; i++)
        in_range = in_range || (ranges[i].first <= number && number <= ranges[i].last);
    return in_range;
}

json_t *plan_choose(const struct campaign *choice)
{
    size_t count = 0;
    OWNED struct range *ranges = choice->cells ? parse_ranges(choice->cells, &count) : NULL;
    json_t *chosen = must(json_array());
    JSON_EACH (cell, json_object_get(choice->plan, "cells")) {
        if (is_chosen(cell, choice, ranges, count))
            json_array_append(chosen, cell);
    }
    if (json_array_size(chosen) == 0 && choice->session > 0)
        usage_error("--session %llu: no cell of it is chosen: repeat in the campaign file says how "
                    "many sessions there are",
                    (unsigned long long)choice->session);
    if (json_array_size(chosen) == 0 && (choice->only || choice->cells))
        usage_error("%s%s%s%s: no cell matches: jostle plan lists them",
                    choice->only ? "--only " : "", choice->only ? choice->only : "",
                    choice->cells ? "--cells " : "", choice->cells ? choice->cells : "");
    return chosen;
}

// ---- what a job needs

// The largest number of a node in "@2", "@2-4", "@all-others" or "{node3}", or most.
static long most_nodes(const json_t *cell, const char *member, long most)
{
    static const char others[] = "@all-others", name[] = "{node";
    const char *text = json_text_or_empty(cell, member);
    if (most < 2 && strstr(text, others))
        most = 2;
    for (const char *at = text; *at != '\0'; at++) {
        const char *digits = *at == '@'                                ? at + 1
                             : strncmp(at, name, sizeof name - 1) == 0 ? at + sizeof name - 1
                                                                       : "";
        char *end;
        if (!isdigit((unsigned char)*digits))
            continue;
        const long first = strtol(digits, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
        most = first > most ? first : most;
        most = last > most ? last : most;
    }
    return most;
}

long plan_nodes(const json_t *plan)
{
    long most = 1;
    JSON_EACH (cell, json_object_get(plan, "cells"))
        most = most_nodes(cell, "spec", most_nodes(cell, "node", most));
    return most;
}

bool plan_has_input(const json_t *plan)
{
    bool has = false;
    JSON_EACH (cell, json_object_get(plan, "cells"))
        has = has || json_text_at(json_object_get(cell, "settings"), "input");
    return has;
}
