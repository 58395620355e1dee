#include "nodes.h"

#include "collect.h"

#include "common/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

static int by_host(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    const int order = compare_texts(x->host, y->host);
    return order != 0 ? order : compare_texts(x->kind, y->kind);
}

static int by_kind(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    const int order = compare_texts(x->kind, y->kind);
    return order != 0 ? order : compare_texts(x->host, y->host);
}

/* The baselines of a row of cells by node; experiments with several loads have
 * one baseline: it counts once. */
static size_t group(const struct report_line *row, size_t count, struct node *node)
{
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = isnan(row[i].wall_s);
        for (size_t j = 0; j < i && !again; j++)
            again = row[j].experiment == row[i].experiment;
        if (again)
            continue;
        size_t at = 0;
        while (at < nodes && (compare_texts(node[at].host, row[i].host) != 0 ||
                              strcmp(node[at].kind, row[i].kind) != 0))
            at++;
        if (at == nodes)
            node[nodes++] = (struct node){.host = row[i].host, .kind = row[i].kind};
        node[at].cells++;
        node[at].sum_s += row[i].wall_s;
        node[at].runs += row[i].runs;
    }
    for (size_t i = 0; i < nodes; i++)
        node[i].mean_s = node[i].sum_s / (double)node[i].cells;
    return nodes;
}

/* The kinds of several nodes with the nodes of each, to be freed; NULL: one kind. */
static char *kinds_text(struct node *node, size_t count)
{
    char *text = NULL;
    qsort(node, count, sizeof *node, by_kind);
    if (strcmp(node[0].kind, node[count - 1].kind) == 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *host = node[i].host == NULL ? "?" : node[i].host;
        const bool more = i + 1 < count && strcmp(node[i].kind, node[i + 1].kind) == 0;
        char *longer = text_of("%s%s%s%s%s", text == NULL ? "" : text, host, more ? ", " : ": ",
                               more ? "" : node[i].kind, more || i + 1 == count ? "" : "; ");
        free(text);
        text = longer;
    }
    return text;
}

static void compare_row(struct nodes *nodes, const struct report_line *row, size_t count)
{
    struct node *node = must(calloc(count, sizeof *node));
    const size_t found = group(row, count, node);
    char *kinds = found > 1 ? kinds_text(node, found) : NULL;
    if (kinds != NULL) {
        nodes->warnings = grown(nodes->warnings, nodes->warning_count, &nodes->warning_allocated,
                                sizeof *nodes->warnings);
        nodes->warnings[nodes->warning_count++] = text_of(
            "%s: its cells come from different kinds of node (%s): slowdowns compare, times do not",
            row->label, kinds);
        free(kinds);
    }
    if (found < 2) {
        free(node);
        return;
    }
    struct between between = {.first = row, .node = node, .count = found};
    qsort(node, found, sizeof *node, by_host);
    for (size_t i = 0; i < found; i++)
        between.mean_s += node[i].mean_s / (double)found;
    for (size_t i = 0; i < found; i++)
        between.variance += (node[i].mean_s - between.mean_s) * (node[i].mean_s - between.mean_s) /
                            (double)(found - 1);
    nodes->between = grown(nodes->between, nodes->between_count, &nodes->between_allocated,
                           sizeof *nodes->between);
    nodes->between[nodes->between_count++] = between;
}

void nodes_compare(struct nodes *nodes, const struct collected *collected)
{
    const size_t count = collected->line_count + collected->hidden_count;
    struct report_line *line = must(calloc(count + 1, sizeof *line));
    if (collected->line_count > 0)
        memcpy(line, collected->lines, collected->line_count * sizeof *line);
    if (collected->hidden_count > 0)
        memcpy(&line[collected->line_count], collected->hidden,
               collected->hidden_count * sizeof *line);
    if (collected->hidden_count > 0)
        qsort(line, count, sizeof *line, order_of_entries);
    *nodes = (struct nodes){.lines = line};
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && strcmp(line[end].same, line[start].same) == 0;)
            end++;
        compare_row(nodes, &line[start], end - start);
    }
}

void nodes_free(struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->between_count; i++)
        free(nodes->between[i].node);
    for (size_t i = 0; i < nodes->warning_count; i++)
        free(nodes->warnings[i]);
    free(nodes->between);
    free(nodes->lines);
    free(nodes->warnings);
}

static int by_environment(const void *a, const void *b)
{
    const struct host *x = a, *y = b;
    int order = compare_texts(x->host, y->host);
    if (order == 0)
        order = strcmp(x->kind, y->kind);
    return order != 0 ? order : strcmp(x->environment, y->environment);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The values of one varying fact in a group, each once; null and "" are none. */
static void put_varied(struct line *json, const char *name, const struct host *group, size_t count,
                       size_t which)
{
    char **value = must(calloc(count, sizeof *value));
    for (size_t i = 0; i < count; i++)
        value[i] = group[i].varied[which];
    qsort(value, count, sizeof *value, by_text);
    line_array(json, name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(value[i], "null") != 0 && strcmp(value[i], "\"\"") != 0 &&
            (i == 0 || strcmp(value[i], value[i - 1]) != 0))
            line_raw(json, NULL, value[i]);
    line_close(json);
    free(value);
}

void nodes_put_hosts(struct line *json, const struct collected *collected)
{
    static const char *const varied[] = {"cpus_allowed", "governors", "file_systems", "devices"};
    struct host *host = collected->hosts;
    if (host != NULL)
        qsort(host, collected->host_count, sizeof *host, by_environment);
    line_array(json, "hosts");
    for (size_t start = 0, end; start < collected->host_count; start = end) {
        for (end = start + 1; end < collected->host_count &&
                              strcmp(host[end].environment, host[start].environment) == 0;)
            end++;
        /* The environment of one is an object that is open still. */
        struct line one = {0};
        line_object(&one, NULL);
        for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
            put_varied(&one, varied[i], &host[start], end - start, i);
        line_close(&one);
        char *both = text_of("{%s,%s", host[start].environment, (char *)must(one.text) + 1);
        line_raw(json, NULL, both);
        line_free(&one);
        free(both);
    }
    line_close(json);
}
