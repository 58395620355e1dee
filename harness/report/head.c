// The head of a report: its machines, its settings, and the texts that are of no single cell.
#include "report.h"

#include "common/schemas.h"
#include "harness/record/defaults.h"

// What the nodes of a report have in common, and in what they differ.

struct between { // one target alone, on several nodes
    const struct report_line *first;
    double mean_s, variance, variation; // the last one NAN: the mean is 0
    struct node {
        const char *host, *kind;
        double sum_s, mean_s, runs;
        size_t cells;
    } * node;
    size_t count;
};

struct nodes {
    struct between *item;
    size_t count, allocated;
    const char *hosts; // each environment, as JSON
};

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

// The baselines of a row of cells by node; experiments with several loads have
// one baseline: it counts once.
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

// The kinds of several nodes with the nodes of each; NULL: one kind.
static const char *kinds_text(struct arena *texts, struct node *node, size_t count)
{
    const char *text = NULL, *hosts = NULL;
    qsort(node, count, sizeof *node, by_kind);
    if (strcmp(node[0].kind, node[count - 1].kind) == 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        hosts = joined(texts, hosts, ", ", node[i].host ?: "?");
        if (i + 1 < count && strcmp(node[i].kind, node[i + 1].kind) == 0)
            continue;
        text = joined(texts, text, "; ", said(texts, "%s: %s", hosts, node[i].kind));
        hosts = NULL;
    }
    return text;
}

// A target whose cells come from different kinds of node is a problem of the report.
static void compare_row(struct nodes *nodes, struct collected *collected,
                        const struct report_line *row, size_t count)
{
    struct node *node = must(calloc(count, sizeof *node));
    const size_t found = group(row, count, node);
    const char *kinds = found > 1 ? kinds_text(&collected->texts, node, found) : NULL;
    if (kinds)
        problems_add(&collected->problems, "different-nodes", NULL,
                     text_of("%s: its cells come from different kinds of node (%s): slowdowns "
                             "compare, times do not",
                             row->label, kinds));
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
    between.variation = between.mean_s > 0 ? sqrt(between.variance) / between.mean_s : NAN;
    MORE(nodes) = between;
}

static void nodes_compare(struct nodes *nodes, struct collected *collected)
{
    const struct report_line *line = collected->lines.item;
    *nodes = (struct nodes){0};
    for (size_t start = 0, end; start < collected->lines.count; start = end) {
        for (end = start + 1;
             end < collected->lines.count && strcmp(line[end].same, line[start].same) == 0;)
            end++;
        compare_row(nodes, collected, &line[start], end - start);
    }
}

static int by_environment(const void *a, const void *b)
{
    const struct host *x = a, *y = b;
    int order = 0;
    for (size_t i = 0; i <= HOST_ENVIRONMENT && order == 0; i++)
        order = compare_texts(x->text[i], y->text[i]);
    return order;
}

// The values of one varying fact in a group, each once; null and "" are none.
static void put_varied(struct line *json, const char *name, const struct host *group, size_t count,
                       size_t which)
{
    OWNED const char **value = must(calloc(count, sizeof *value));
    for (size_t i = 0; i < count; i++)
        value[i] = group[i].text[which];
    qsort(value, count, sizeof *value, by_text);
    LINE_ARRAY (json, name)
        for (size_t i = 0; i < count; i++)
            if (strcmp(value[i], "null") != 0 && strcmp(value[i], "\"\"") != 0 &&
                (i == 0 || strcmp(value[i], value[i - 1]) != 0))
                line_raw(json, NULL, value[i]);
}

// A list of one for each environment, with the devices, file systems, governors and
// CPU lists that its cells had.
static const char *hosts_of(struct collected *collected)
{
    struct line json = {0};
    static const char *const varied[] = {"cpus_allowed", "governors", "file_systems", "devices"};
    struct host *host = collected->hosts.item;
    if (host)
        qsort(host, collected->hosts.count, sizeof *host, by_environment);
    line_array(&json, NULL);
    for (size_t start = 0, end; start < collected->hosts.count; start = end) {
        for (end = start + 1;
             end < collected->hosts.count &&
             strcmp(host[end].text[HOST_ENVIRONMENT], host[start].text[HOST_ENVIRONMENT]) == 0;)
            end++;
        // The environment of one is an object that is open still.
        struct line one = {0};
        LINE_OBJECT (&one, NULL)
            for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
                put_varied(&one, varied[i], &host[start], end - start, HOST_VARIED + i);
        OWNED char *both =
            text_of("{%s,%s", host[start].text[HOST_ENVIRONMENT], (char *)must(one.text) + 1);
        line_raw(&json, NULL, both);
        line_free(&one);
    }
    return arena_keep(&collected->texts, json_text_end(&json));
}

// The name of its file, without the folder; "": it is not known.
static const char *campaign_file(const struct campaigns *campaigns)
{
    const char *file = view_text(campaigns->item[0].document.top, "file"),
               *base = file ? strrchr(file, '/') : NULL;
    return base ? base + 1 : file ?: "";
}

static void put_campaign(struct line *json, const struct campaigns *campaigns)
{
    if (!line_object_if(json, "campaign", campaigns->count > 0))
        return;
    const struct value *first = campaigns->item[0].document.top,
                       *settings = view_get(first, "settings");
    line_text(json, "name", view_text(first, "name"));
    line_text(json, "file", campaign_file(campaigns));
    view_put(json, "settings", view_is(settings, VIEW_OBJECT) ? settings : NULL);
    line_count(json, "cells", campaigns_cells(campaigns));
    if (campaigns->item[0].text)
        line_text(json, "text", campaigns->item[0].text);
    line_close(json);
}

static void put_between(struct line *json, const struct between *between)
{
    line_object(json, NULL);
    line_text(json, "target", between->first->target);
    line_text(json, "label", between->first->label);
    line_text(json, "metric", "wall_s");
    line_real(json, "mean_s", between->mean_s);
    line_real(json, "variance", between->variance);
    line_real(json, "stddev", sqrt(between->variance));
    line_real(json, "cv", between->variation);
    LINE_ARRAY (json, "hosts")
        for (const struct node *node = between->node; node < between->node + between->count;
             node++) {
            line_object(json, NULL);
            line_text(json, "host", node->host);
            line_text(json, "kind", node->kind);
            line_count(json, "cells", node->cells);
            line_real(json, "runs", node->runs);
            line_real(json, "mean_s", node->mean_s);
            line_close(json);
        }
    line_close(json);
}

// jostle.report/1 but for its cells.
static void put_model(struct line *json, const char *name, const struct collected *collected,
                      const struct campaigns *campaigns, const struct nodes *nodes)
{
    line_text(json, "schema", SCHEMA_REPORT);
    line_text(json, "name", name);
    put_campaign(json, campaigns);
    line_object(json, "totals");
    line_count(json, "cells", collected_cells(collected));
    line_count(json, "experiments", collected->experiments);
    line_count(json, "runs", collected->runs);
    line_count(json, "not_done", collected->waiting.count);
    line_close(json);
    line_raw(json, "hosts", nodes->hosts);
    family_put(json, &collected->family);
    LINE_ARRAY (json, "between_hosts")
        for (size_t i = 0; i < nodes->count; i++)
            put_between(json, &nodes->item[i]);
    LINE_ARRAY (json, "waiting")
        for (size_t i = 0; i < collected->waiting.count; i++) {
            const struct waiting *waiting = &collected->waiting.item[i];
            line_object(json, NULL);
            line_text(json, "name", waiting->name);
            line_text(json, "title", waiting->title);
            line_text(json, "state", waiting->state);
            line_text(json, "reason", waiting->reason);
            line_text(json, "host", waiting->host);
            line_count(json, "runs", waiting->runs);
            line_close(json);
        }
    LINE_ARRAY (json, "warnings")
        for (size_t i = 0; i < collected->problems.count; i++) {
            const struct problem *problem = &collected->problems.item[i];
            line_object(json, NULL);
            line_text(json, "kind", problem->kind);
            line_text(json, "cell", problem->cell);
            line_text(json, "message", problem->message);
            line_close(json);
        }
}

// Writes what all cells have in common.
static struct legend legend_of_all(const struct collected *collected)
{
    struct legend legend = {.level = DEFAULT_CONFIDENCE,
                            .family = DEFAULT_CONFIDENCE,
                            .intervals = 1,
                            .statistic = STATISTIC_TYPICAL,
                            .main = "wall time",
                            .timed = true};
    bool any = false;
    for (size_t i = 0; i < collected->lines.count; i++) {
        const struct report_line *line = &collected->lines.item[i];
        if (line->text)
            legend = any ? legend_join(legend, line->legend) : line->legend;
        any = any || line->text;
    }
    return legend;
}

static void put_legend(struct line *json, struct arena *texts, const struct legend *legend)
{
    line_object(json, "legend");
    line_text(json, "main", legend->mixed ? NULL : legend->main);
    line_text(json, "figure", legend_figure(texts, legend));
    line_text(json, "key", legend_key(texts, legend));
    line_text(json, "scope", legend_scope(texts, legend));
    line_text(json, "statistic", legend_statistic(legend));
    line_text(json, "unseen", legend_unseen(texts, legend));
    line_close(json);
    line_text(json, "level", legend_level(texts, legend));
}

// "; not done: 2 failed, 1 waiting"
static const char *states_text(struct collected *collected)
{
    static const char *const states[] = {"failed", "interrupted", "running", "waiting"};
    struct arena *texts = &collected->texts;
    const char *text = NULL;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t count = 0;
        for (size_t j = 0; j < collected->waiting.count; j++)
            count += strcmp(collected->waiting.item[j].state, states[i]) == 0;
        if (count > 0)
            text = joined(texts, text, ", ", said(texts, "%zu %s", count, states[i]));
    }
    return text ? said(texts, "; not done: %s", text) : "";
}

static const char *between_line(struct arena *texts, const struct between *between)
{
    const char *line = NULL;
    for (size_t i = 0; i < between->count; i++)
        line = joined(texts, line, ", ",
                      said(texts, "%s %s", between->node[i].host ?: "?",
                           number_scaled(between->node[i].mean_s, "s", ROOM)));
    return said(texts,
                "%s: alone it takes %s on average over %zu nodes, standard deviation "
                "between nodes %s (%s): %s",
                between->first->label, number_scaled(between->mean_s, "s", ROOM), between->count,
                number_scaled(sqrt(between->variance), "s", ROOM),
                number_percent(between->variation, ROOM), line);
}

// What a campaign has found, in a sentence: NULL where no cell has a slowdown.
static const char *answer_text(struct collected *collected)
{
    const struct report_line *largest = NULL;
    struct arena *texts = &collected->texts;
    size_t judged = 0, slower = 0, without = 0;
    for (size_t i = 0; i < collected->lines.count; i++) {
        const struct report_line *line = &collected->lines.item[i];
        if (!line->text || isnan(line->slowdown.low))
            continue;
        judged++;
        const bool is_slower = line->effect == EFFECT_SEEN && line->slowdown.center > 1;
        slower += is_slower;
        without += line->effect == EFFECT_NONE;
        if (is_slower && (!largest || line->slowdown.center > largest->slowdown.center))
            largest = line;
    }
    if (judged == 0)
        return NULL;
    if (!largest && judged == 1)
        return "The cell is not clearly slower beside its load.";
    if (!largest)
        return said(texts,
                    "None of %zu cells is clearly slower beside its load; %zu of them surely not "
                    "by %.0f %%.",
                    judged, without, 100 * EFFECT_NEGLIGIBLE);
    const bool has_level = strcmp(largest->level, "-") != 0;
    const char *worst =
        said(texts, "%s beside %s%s%s: %s.", largest->label, largest->load, has_level ? " " : "",
             has_level ? largest->level : "",
             times_as(texts, &largest->slowdown, largest->is_time ? "long" : "bad", NAN));
    if (judged == 1)
        return worst;
    return said(texts, "%zu of %zu cells are surely %s beside their load, most of all %s%s", slower,
                judged, largest->is_time ? "slower" : "worse", worst,
                without == 0 ? "" : said(texts, " In %zu no effect is seen.", without));
}

// Writes the same as texts.
static void put_texts(struct line *json, const char *name, struct collected *collected,
                      const struct nodes *nodes)
{
    struct arena *texts = &collected->texts;
    const size_t cells = collected_cells(collected);
    struct view view = {0};
    line_object(json, "texts");
    visible_put(json, "name", name);
    visible_put(json, "totals",
                said(texts, "%zu cell%s with figures, %zu runs%s", cells, cells == 1 ? "" : "s",
                     collected->runs, states_text(collected)));
    visible_put(json, "answer", answer_text(collected));
    visible_put(json, "family", family_text(texts, &collected->family));
    LINE_ARRAY (json, "hosts")
        EACH_VALUE (item, view_parse(&view, nodes->hosts, strlen(nodes->hosts)))
            visible_add(json, said(texts, "%s: %s, CPUs %s, %s, %s", view_text(item, "host") ?: "?",
                                   view_text(item, "cpu") ?: "?",
                                   view_joined(texts, view_get(item, "cpus_allowed"), " or ") ?: "",
                                   number_scaled(view_real(item, "memory_bytes"), "B", ROOM),
                                   view_text(item, "kernel") ?: "?"));
    LINE_ARRAY (json, "memories")
        EACH_VALUE (item, view_parse(&view, nodes->hosts, strlen(nodes->hosts)))
            line_text(json, NULL, number_scaled(view_real(item, "memory_bytes"), "B", ROOM));
    view_free(&view);
    LINE_ARRAY (json, "between")
        for (size_t i = 0; i < nodes->count; i++)
            visible_add(json, between_line(texts, &nodes->item[i]));
    LINE_ARRAY (json, "waiting")
        for (size_t i = 0; i < collected->waiting.count; i++) {
            const struct waiting *waiting = &collected->waiting.item[i];
            visible_add(json,
                        said(texts, "%s: %s: %s", waiting->name, waiting->state, waiting->reason));
        }
    LINE_ARRAY (json, "warnings")
        for (size_t i = 0; i < collected->problems.count; i++)
            visible_put(json, NULL, collected->problems.item[i].message);
    line_close(json);
}

// Member "settings": each set of settings once, the seed left out.
static void put_settings(struct line *json, const struct collected *collected)
{
    const char **known = must(calloc(collected->lines.count + 1, sizeof *known));
    size_t count = 0;
    LINE_ARRAY (json, "settings")
        for (size_t i = 0; i < collected->lines.count; i++) {
            const char *settings = collected->lines.item[i].settings;
            size_t at = 0;
            while (settings && at < count && strcmp(known[at], settings) != 0)
                at++;
            if (!settings || at < count)
                continue;
            known[count++] = settings;
            line_raw(json, NULL, settings);
        }
    free(known);
}

// Member "again": the command line that measures the campaign once more.
static void put_again(struct line *json, struct arena *texts, const struct campaigns *campaigns)
{
    if (campaigns->count > 0)
        line_text(json, "again",
                  said(texts, "jostle campaign %s --output DIR",
                       word_quoted(texts, campaign_file(campaigns))));
}

char *head_of(const char *name, struct collected *collected, const struct campaigns *campaigns,
              const struct wanted *wanted)
{
    struct line json = {0};
    struct nodes nodes;
    nodes_compare(&nodes, collected);
    nodes.hosts = hosts_of(collected);
    line_object(&json, NULL);
    put_model(&json, name, collected, campaigns, &nodes);
    if (wanted->rows) {
        const struct legend legend = legend_of_all(collected);
        put_legend(&json, &collected->texts, &legend);
        put_texts(&json, name, collected, &nodes);
        columns_put_all(&json, &collected->texts, &legend);
        metrics_put(&json, wanted->units);
        line_bool(&json, "split", wanted->split);
        line_raw(&json, "experiment", collected->table ?: "null");
    }
    if (wanted->tables) {
        tables_put(&json, wanted->tables);
        means_put(&json, collected, wanted->units);
    }
    if (wanted->page) {
        put_settings(&json, collected);
        put_again(&json, &collected->texts, campaigns);
    }
    for (size_t i = 0; i < nodes.count; i++)
        free(nodes.item[i].node);
    free(nodes.item);
    return json_text_end(&json);
}
