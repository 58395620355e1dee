// Finds the nodes of a job, and the hosts, that the spec of a load names.

#include "nodes.h"

#include "common/memory.h"
#include "common/messages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLACEHOLDER "{node"
#define ALL_OTHERS  "all-others"

struct option_list nodes_of_job(struct arena *arena)
{
    const char *hosts = getenv("JOSTLE_JOB_HOSTS");
    struct option_list nodes = {0};
    char *rest = NULL, *text = arena_format(arena, "%s", hosts ? hosts : "");
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        list_add(&nodes, arena, line);
    return nodes;
}

static void need_job(const struct option_list *nodes, const char *spec)
{
    if (nodes->count == 0)
        usage_error("load '%s': other nodes are those of a job: submit it with jostle submit or "
                    "your scheduler, or name a host that ssh reaches: @HOST",
                    spec);
}

// A node's number at *text, which is moved behind it; 0: there is none.
static size_t scan_node(const char **text)
{
    char *end;
    if (**text < '1' || **text > '9')
        return 0;
    const unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    return number;
}

// "2", "2-4": false when it is neither.
static bool scan_range(const char *where, size_t *first, size_t *last)
{
    const char *at = where;
    *first = *last = scan_node(&at);
    if (*first > 0 && *at == '-') {
        at++;
        *last = scan_node(&at);
    }
    return *first > 0 && *last > 0 && *at == '\0';
}

// The nodes of the job that "@2", "@2-4" and "@all-others" mean.
static struct option_list places_in_job(const struct option_list *nodes, const char *where,
                                        const char *spec)
{
    size_t first = 2, last = nodes->count;
    need_job(nodes, spec);
    if (strcmp(where, ALL_OTHERS) != 0 && !scan_range(where, &first, &last))
        usage_error("load '%s': @%s names no node: give @2, @2-4, @" ALL_OTHERS
                    " or the name of a host",
                    spec, where);
    if (first > last || last > nodes->count)
        usage_error("load '%s': @%s, but the job has %zu node%s: submit it with more", spec, where,
                    nodes->count, nodes->count == 1 ? "" : "s");
    return (struct option_list){.count = last - first + 1, .item = nodes->item + first - 1};
}

const char *nodes_select(const struct option_list *nodes, struct arena *arena, const char *spec,
                         struct option_list *places)
{
    const char *text = spec + strspn(spec, BLANKS);
    const size_t length = strcspn(text, BLANKS);
    *places = (struct option_list){0};
    list_add(places, arena, NULL);
    if (text[0] != '@' || length == 1 || text[length] == '\0')
        return spec;
    const char *where = arena_format(arena, "%.*s", (int)length - 1, text + 1);
    // A host is reached by ssh, which would take a - for an option.
    const bool host = isalpha((unsigned char)*where) && strcmp(where, ALL_OTHERS) != 0 &&
                      strspn(where, HOST_CHARACTERS) == length - 1;
    if (host)
        places->item[0] = where;
    else
        *places = places_in_job(nodes, where, spec);
    return text + length + strspn(text + length, BLANKS);
}

const char *nodes_fill(const struct option_list *nodes, struct arena *arena, const char *spec)
{
    const char *filled = "";
    for (const char *at = spec;;) {
        const char *next = strstr(at, PLACEHOLDER);
        if (!next)
            return arena_format(arena, "%s%s", filled, at);
        const char *end = next + sizeof PLACEHOLDER - 1;
        const size_t number = scan_node(&end);
        if (number == 0 || *end != '}') {
            filled = arena_format(arena, "%s%.*s" PLACEHOLDER, filled, (int)(next - at), at);
            at = next + sizeof PLACEHOLDER - 1;
            continue;
        }
        need_job(nodes, spec);
        if (number > nodes->count)
            usage_error("load '%s': {node%zu}, but the job has %zu node%s: submit it with more",
                        spec, number, nodes->count, nodes->count == 1 ? "" : "s");
        filled =
            arena_format(arena, "%s%.*s%s", filled, (int)(next - at), at, nodes->item[number - 1]);
        at = end + 1;
    }
}
