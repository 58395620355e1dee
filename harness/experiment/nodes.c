#include "nodes.h"

#include "common/messages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PLACEHOLDER "{node"
#define BLANKS      " \t\n"

struct nodes nodes_of_job(struct arena *arena)
{
    const char *hosts = getenv("JOSTLE_JOB_HOSTS");
    struct nodes nodes = {0};
    char *rest = NULL;
    if (hosts == NULL || hosts[0] == '\0')
        return nodes;
    char *text = arena_format(arena, "%s", hosts);
    nodes.name = arena_take(arena, (strlen(text) / 2 + 1) * sizeof *nodes.name);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        nodes.name[nodes.count++] = line;
    return nodes;
}

static void need_job(const struct nodes *nodes, const char *spec)
{
    if (nodes->count == 0)
        usage_error("load '%s': other nodes are those of a job: submit it with jostle submit or "
                    "your scheduler",
                    spec);
}

/* A node's number at *text, which is moved behind it; 0: there is none. */
static size_t scan_node(const char **text)
{
    char *end;
    if (**text < '1' || **text > '9')
        return 0;
    const unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    return number;
}

/* "2", "2-4": false when it is neither. */
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

const char *nodes_select(const struct nodes *nodes, const char *spec, size_t *first, size_t *last)
{
    char where[64];
    const char *text = spec + strspn(spec, BLANKS);
    *first = *last = 0;
    const size_t length = strcspn(text, BLANKS);
    if (text[0] != '@' || text[length] == '\0')
        return spec;
    need_job(nodes, spec);
    const size_t shown = length - 1 < sizeof where ? length - 1 : sizeof where - 1;
    memcpy(where, text + 1, shown);
    where[shown] = '\0';
    if (strcmp(where, "all-others") == 0) {
        *first = 2;
        *last = nodes->count;
    } else if (!scan_range(where, first, last)) {
        usage_error("load '%s': @%s names no node: give @2, @2-4 or @all-others", spec, where);
    }
    if (*first > *last || *last > nodes->count)
        usage_error("load '%s': @%s, but the job has %zu node%s: submit it with more", spec, where,
                    nodes->count, nodes->count == 1 ? "" : "s");
    return text + length + strspn(text + length, BLANKS);
}

/* The number in "{node12}", and its length with the braces; 0: it is something else. */
static size_t scan_placeholder(const char *text, size_t *length)
{
    const char *at = text + sizeof PLACEHOLDER - 1;
    const size_t number = scan_node(&at);
    *length = (size_t)(at - text) + 1;
    return *at == '}' ? number : 0;
}

const char *nodes_fill(const struct nodes *nodes, struct arena *arena, const char *spec)
{
    const char *filled = "";
    for (const char *at = spec;;) {
        const char *next = strstr(at, PLACEHOLDER);
        if (next == NULL)
            return arena_format(arena, "%s%s", filled, at);
        size_t length = sizeof PLACEHOLDER - 1;
        const size_t number = scan_placeholder(next, &length);
        if (number == 0) {
            filled = arena_format(arena, "%s%.*s" PLACEHOLDER, filled, (int)(next - at), at);
            at = next + sizeof PLACEHOLDER - 1;
            continue;
        }
        need_job(nodes, spec);
        if (number > nodes->count)
            usage_error("load '%s': {node%zu}, but the job has %zu node%s: submit it with more",
                        spec, number, nodes->count, nodes->count == 1 ? "" : "s");
        filled =
            arena_format(arena, "%s%.*s%s", filled, (int)(next - at), at, nodes->name[number - 1]);
        at = next + length;
    }
}
