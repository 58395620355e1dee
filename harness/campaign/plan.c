#include "plan.h"

#include "sessions.h"

#include "common/messages.h"
#include "common/record_json.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A cell's name is that of its folder: it must not lead anywhere else. */
static bool are_named(const json_t *cells)
{
    json_t *cell;
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        const char *name = json_text_at(cell, "name");
        if (name == NULL || *name == '\0' || *name == '.' || strchr(name, '/') != NULL)
            return false;
    }
    return json_is_array(cells);
}

json_t *plan_read(const char *path)
{
    json_error_t error = {0};
    json_t *plan = json_read_record(path, 0, &error);
    if (plan != NULL && are_named(json_object_get(plan, "cells")))
        return plan;
    complain("%s cannot be read: is it damaged?%s%s", path, error.text[0] ? " " : "", error.text);
    exit(1);
}

double setting_of_cell(const json_t *cell, const char *name, double otherwise)
{
    const char *text = json_text_at(json_object_get(cell, "settings"), name);
    return text != NULL ? strtod(text, NULL) : otherwise;
}

struct range {
    long first, last;
};

/* "3-7,9" -> ranges, to be freed. */
static struct range *parse_ranges(const char *text, size_t *count)
{
    struct range *ranges = calloc(strlen(text) + 1, sizeof *ranges);
    const char *at = text;
    for (*count = 0; ranges != NULL; at++) {
        char *end;
        struct range *range = &ranges[(*count)++];
        if (!isdigit((unsigned char)*at))
            break;
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

static bool in_ranges(long number, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ranges[i].first <= number && number <= ranges[i].last)
            return true;
    return false;
}

static bool is_named(const json_t *cell, const char *only)
{
    const char *name = json_text_at(cell, "name");
    return name != NULL && (only == NULL || fnmatch(only, name, FNM_NOESCAPE) == 0 ||
                            fnmatch(only, session_name(cell), FNM_NOESCAPE) == 0);
}

json_t *plan_choose(const json_t *plan, const struct choice *choice)
{
    size_t count = 0, i;
    struct range *ranges = choice->cells != NULL ? parse_ranges(choice->cells, &count) : NULL;
    json_t *chosen = json_array(), *cell;
    json_array_foreach(json_object_get(plan, "cells"), i, cell)
    {
        if (!is_named(cell, choice->only) ||
            (choice->session > 0 && choice->session != session_of(cell)))
            continue;
        if (ranges == NULL || in_ranges((long)number_of(cell, "number", 0), ranges, count))
            json_array_append(chosen, cell);
    }
    free(ranges);
    if (json_array_size(chosen) == 0 && choice->session > 0)
        usage_error("--session %llu: no cell of it is chosen: repeat in the campaign file says how "
                    "many sessions there are",
                    (unsigned long long)choice->session);
    if (json_array_size(chosen) == 0 && (choice->only != NULL || choice->cells != NULL))
        usage_error("%s%s%s%s: no cell matches: jostle plan lists them",
                    choice->only ? "--only " : "", choice->only ? choice->only : "",
                    choice->cells ? "--cells " : "", choice->cells ? choice->cells : "");
    return chosen;
}

/* The largest number of a node in "@2", "@2-4", "@all-others" or "{node3}". */
static long nodes_of_text(const char *text)
{
    static const char others[] = "@all-others", name[] = "{node";
    long most = strstr(text, others) != NULL ? 2 : 1;
    for (const char *at = text; *at != '\0'; at++) {
        const char *digits = *at == '@'                                ? at + 1
                             : strncmp(at, name, sizeof name - 1) == 0 ? at + sizeof name - 1
                                                                       : NULL;
        char *end;
        if (digits == NULL || !isdigit((unsigned char)*digits))
            continue;
        const long first = strtol(digits, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
        most = first > most ? first : most;
        most = last > most ? last : most;
    }
    return most;
}

bool plan_has_input(const json_t *plan)
{
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(plan, "cells"), i,
                       cell) if (json_text_at(json_object_get(cell, "settings"), "input") !=
                                 NULL) return true;
    return false;
}

long plan_nodes(const json_t *plan)
{
    long most = 1;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(plan, "cells"), i, cell)
    {
        const char *node = json_text_at(cell, "node"), *spec = json_text_at(cell, "spec");
        const long first = node != NULL ? nodes_of_text(node) : 1;
        const long second = spec != NULL ? nodes_of_text(spec) : 1;
        most = first > most ? first : most;
        most = second > most ? second : most;
    }
    return most;
}
