#include "plan.h"

#include "common/memory.h"
#include "common/messages.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

json_t *plan_read(const char *path)
{
    json_error_t error = {0};
    json_t *plan = json_read_record(path, 0, &error), *cell;
    const json_t *cells = json_object_get(plan, "cells");
    bool good = json_is_array(cells);
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        // A cell's name is that of its folder: it must not lead anywhere else.
        const char *name = json_text_or_empty(cell, "name");
        good = good && *name != '\0' && *name != '.' && !strchr(name, '/');
    }
    if (good)
        return plan;
    complain("%s cannot be read: is it damaged?%s%s", path, error.text[0] ? " " : "", error.text);
    exit(1);
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

static bool is_chosen(const json_t *cell, const struct choice *choice, const struct range *ranges,
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

json_t *plan_choose(const json_t *plan, const struct choice *choice)
{
    size_t count = 0, i;
    struct range *ranges = choice->cells ? parse_ranges(choice->cells, &count) : NULL;
    json_t *chosen = must(json_array()), *cell;
    json_array_foreach(json_object_get(plan, "cells"), i, cell)
    {
        if (is_chosen(cell, choice, ranges, count))
            json_array_append(chosen, cell);
    }
    free(ranges);
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
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(plan, "cells"), i, cell) most =
        most_nodes(cell, "spec", most_nodes(cell, "node", most));
    return most;
}

bool plan_has_input(const json_t *plan)
{
    bool has = false;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(plan, "cells"), i, cell) has =
        has || json_text_at(json_object_get(cell, "settings"), "input");
    return has;
}

// ---- sessions

unsigned session_of(const json_t *cell)
{
    return (unsigned)number_of(cell, "session", 1);
}

static json_t *repeated(const json_t *first, unsigned session, size_t number)
{
    json_t *cell = json_copy((json_t *)first);
    const json_t *settings = json_object_get(first, "settings");
    const char *seed = json_text_at(settings, "seed");
    json_object_set_new(cell, "name",
                        json_sprintf("%s.session%u", json_text_at(first, "name"), session));
    json_object_set(cell, "of", json_object_get(first, "name"));
    json_object_set_new(cell, "number", json_integer((json_int_t)number));
    json_object_set_new(cell, "session", json_integer(session));
    if (!seed)
        return cell;
    // The same seed would repeat the order of the runs, too.
    json_t *own = json_copy((json_t *)settings);
    json_object_set_new(own, "seed", json_sprintf("%llu", strtoull(seed, NULL, 10) + session - 1));
    json_object_set_new(cell, "settings", own);
    return cell;
}

void sessions_repeat(json_t *cells, unsigned repeat)
{
    const size_t count = json_array_size(cells);
    for (size_t i = 0; repeat > 1 && i < count; i++)
        json_object_set_new(json_array_get(cells, i), "session", json_integer(1));
    for (unsigned session = 2; session <= repeat; session++)
        for (size_t i = 0; i < count; i++)
            json_array_append_new(
                cells, repeated(json_array_get(cells, i), session, json_array_size(cells) + 1));
}

// ---- for the shell

void print_safe(FILE *stream, const char *text, const char *allowed)
{
    for (; *text != '\0'; text++)
        if (!allowed || strchr(allowed, *text))
            fputc(*text, stream);
        else if (((unsigned char)*text & 0xC0) != 0x80) // not inside a UTF-8 character
            fputc('_', stream);
}

int print_end(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
