#include "head.h"

#include "nodes.h"
#include "visible.h"

#include "common/memory.h"
#include "common/numbers.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_campaign(struct line *json, const struct campaigns *campaigns)
{
    if (campaigns->count == 0) {
        line_null(json, "campaign");
        return;
    }
    const struct value *first = campaigns->item[0].top, *settings = view_get(first, "settings");
    char *name = view_string(view_get(first, "name")), *file = view_string(view_get(first, "file"));
    const char *base = file == NULL ? NULL : strrchr(file, '/');
    line_object(json, "campaign");
    line_text(json, "name", name);
    line_text(json, "file", file == NULL ? "" : base == NULL ? file : base + 1);
    view_put(json, "settings", view_is(settings, VIEW_OBJECT) ? settings : NULL);
    line_count(json, "cells", campaigns_cells(campaigns));
    if (campaigns->text[0] != NULL)
        line_text(json, "text", campaigns->text[0]);
    line_close(json);
    free(name);
    free(file);
}

static void put_totals(struct line *json, const struct collected *collected,
                       const struct campaigns *campaigns)
{
    line_object(json, "totals");
    line_count(json, "cells", collected->line_count);
    line_count(json, "experiments", collected->experiments);
    line_count(json, "runs", collected->runs);
    line_count(json, "not_done", collected->waiting_count + campaigns->unstarted_count);
    line_close(json);
}

static void put_node(struct line *json, const struct node *node)
{
    line_object(json, NULL);
    line_text(json, "host", node->host);
    line_text(json, "kind", node->kind);
    line_count(json, "cells", node->cells);
    line_real(json, "runs", node->runs);
    line_real(json, "mean_s", node->mean_s);
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
    if (between->mean_s > 0)
        line_real(json, "cv", sqrt(between->variance) / between->mean_s);
    else
        line_null(json, "cv");
    line_array(json, "hosts");
    for (size_t i = 0; i < between->count; i++)
        put_node(json, &between->node[i]);
    line_close(json);
    line_close(json);
}

static void put_waiting(struct line *json, const char *name, const char *state, const char *reason,
                        const char *host, size_t runs)
{
    line_object(json, NULL);
    line_text(json, "name", name);
    line_text(json, "state", state);
    line_text(json, "reason", reason);
    line_text(json, "host", host);
    line_count(json, "runs", runs);
    line_close(json);
}

static void put_problem(struct line *json, const char *kind, const char *cell, const char *message)
{
    line_object(json, NULL);
    line_text(json, "kind", kind);
    line_text(json, "cell", cell);
    line_text(json, "message", message);
    line_close(json);
}

void head_put(struct line *json, const char *name, const struct collected *collected,
              const struct campaigns *campaigns)
{
    struct nodes nodes;
    nodes_compare(&nodes, collected);
    line_text(json, "schema", SCHEMA_REPORT);
    line_text(json, "name", name);
    put_campaign(json, campaigns);
    put_totals(json, collected, campaigns);
    nodes_put_hosts(json, collected);
    family_put(json, &collected->family);
    line_array(json, "between_hosts");
    for (size_t i = 0; i < nodes.between_count; i++)
        put_between(json, &nodes.between[i]);
    line_close(json);
    line_array(json, "waiting");
    for (size_t i = 0; i < collected->waiting_count; i++) {
        const struct waiting *waiting = &collected->waiting[i];
        put_waiting(json, waiting->name, waiting->state, waiting->reason, waiting->host,
                    waiting->runs);
    }
    for (size_t i = 0; i < campaigns->unstarted_count; i++)
        put_waiting(json, campaigns->unstarted[i], "waiting", "not started", NULL, 0);
    line_close(json);
    line_array(json, "warnings");
    for (size_t i = 0; i < collected->problems.count; i++)
        put_problem(json, collected->problems.item[i].kind, collected->problems.item[i].cell,
                    collected->problems.item[i].message);
    for (size_t i = 0; i < nodes.warning_count; i++)
        put_problem(json, "different-nodes", NULL, nodes.warnings[i]);
    line_close(json);
    nodes_free(&nodes);
}

struct legend head_legend(const struct collected *collected)
{
    struct legend legend = {.level = 0.95,
                            .family = 0.95,
                            .intervals = 1,
                            .statistic = STATISTIC_TYPICAL,
                            .main = "wall time",
                            .timed = true};
    for (size_t i = 0; i < collected->line_count; i++)
        legend =
            i == 0 ? collected->lines[0].legend : legend_join(legend, collected->lines[i].legend);
    return legend;
}

void head_put_legend(struct line *json, const struct legend *legend)
{
    char *level = legend_level(legend), *figure = legend_figure(legend), *key = legend_key(legend);
    char *unseen = legend_unseen(legend), *scope = legend_scope(legend),
         *statistic = legend_statistic(legend);
    line_object(json, "legend");
    line_text(json, "main", legend->mixed ? NULL : legend->main);
    line_text(json, "figure", figure);
    line_text(json, "key", key);
    line_text(json, "scope", scope);
    line_text(json, "statistic", statistic);
    line_text(json, "unseen", unseen);
    line_close(json);
    line_text(json, "level", level);
    free(level);
    free(figure);
    free(key);
    free(unseen);
    free(scope);
    free(statistic);
}

/* Takes text. */
static void put_visible(struct line *json, const char *name, char *text)
{
    char *plain = text == NULL ? NULL : visible(text);
    line_text(json, name, plain);
    free(plain);
    free(text);
}

/* "; not done: 2 failed, 1 waiting" */
static char *states_text(const struct collected *collected, const struct campaigns *campaigns)
{
    static const char *const states[] = {"failed", "interrupted", "running", "waiting"};
    char *text = must(strdup(""));
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t count = strcmp(states[i], "waiting") == 0 ? campaigns->unstarted_count : 0;
        for (size_t j = 0; j < collected->waiting_count; j++)
            count += strcmp(collected->waiting[j].state, states[i]) == 0;
        if (count == 0)
            continue;
        char *more =
            text_of("%s%s%zu %s", text, *text == '\0' ? "; not done: " : ", ", count, states[i]);
        free(text);
        text = more;
    }
    return text;
}

static char *host_line(const struct host *host, const struct value *environment)
{
    char size[NUMBER_SIZE], *cpu = view_string(view_get(environment, "cpu")),
                            *kernel = view_string(view_get(environment, "kernel"));
    char *allowed = must(strdup(""));
    const struct value *lists = view_get(environment, "cpus_allowed");
    for (const struct value *item = view_first(lists); item != NULL;
         item = view_next(lists, item)) {
        char *one = must(view_string(item)),
             *more = text_of("%s%s%s", allowed, *allowed == '\0' ? "" : " or ", one);
        free(one);
        free(allowed);
        allowed = more;
    }
    char *line = text_of(
        "%s: %s, CPUs %s, %s, %s", host->host == NULL ? "?" : host->host, cpu == NULL ? "?" : cpu,
        allowed, number_scaled(view_number(view_get(environment, "memory_bytes"), NAN), "B", size),
        kernel == NULL ? "?" : kernel);
    free(cpu);
    free(kernel);
    free(allowed);
    return line;
}

static void put_host_lines(struct line *json, const struct collected *collected)
{
    struct line hosts = {0};
    struct view view = {0};
    nodes_put_hosts(&hosts, collected);
    const char *list = strchr((char *)must(hosts.text), '[');
    const struct value *all = must((void *)(uintptr_t)view_parse(&view, list, strlen(list)));
    line_array(json, "hosts");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item)) {
        char *name = view_string(view_get(item, "host"));
        const struct host host = {.host = name};
        put_visible(json, NULL, host_line(&host, item));
        free(name);
    }
    line_close(json);
    view_free(&view);
    line_free(&hosts);
}

static char *between_line(const struct between *between)
{
    char mean[NUMBER_SIZE], deviation[NUMBER_SIZE], share[NUMBER_SIZE];
    char *line =
        text_of("%s: alone it takes %s on average over %zu nodes, standard deviation between nodes "
                "%s (%s):",
                between->first->label, number_scaled(between->mean_s, "s", mean), between->count,
                number_scaled(sqrt(between->variance), "s", deviation),
                number_percent(
                    between->mean_s > 0 ? sqrt(between->variance) / between->mean_s : NAN, share));
    for (size_t i = 0; i < between->count; i++) {
        const char *host = between->node[i].host == NULL ? "?" : between->node[i].host;
        char *more = text_of("%s%s %s %s", line, i == 0 ? "" : ",", host,
                             number_scaled(between->node[i].mean_s, "s", mean));
        free(line);
        line = more;
    }
    return line;
}

static void put_between_lines(struct line *json, const struct between *between)
{
    put_visible(json, NULL, between_line(between));
}

void head_put_texts(struct line *json, const char *name, const struct collected *collected,
                    const struct campaigns *campaigns)
{
    struct nodes nodes;
    char *states = states_text(collected, campaigns);
    nodes_compare(&nodes, collected);
    line_object(json, "texts");
    put_visible(json, "name", must(strdup(name)));
    put_visible(json, "totals",
                text_of("%zu cell%s with figures, %zu runs%s", collected->line_count,
                        collected->line_count == 1 ? "" : "s", collected->runs, states));
    free(states);
    put_visible(json, "family", family_text(&collected->family));
    put_host_lines(json, collected);
    line_array(json, "between");
    for (size_t i = 0; i < nodes.between_count; i++)
        put_between_lines(json, &nodes.between[i]);
    line_close(json);
    line_array(json, "waiting");
    for (size_t i = 0; i < collected->waiting_count; i++)
        put_visible(json, NULL,
                    text_of("%s: %s: %s", collected->waiting[i].name, collected->waiting[i].state,
                            collected->waiting[i].reason));
    for (size_t i = 0; i < campaigns->unstarted_count; i++)
        put_visible(json, NULL, text_of("%s: waiting: not started", campaigns->unstarted[i]));
    line_close(json);
    line_array(json, "warnings");
    for (size_t i = 0; i < collected->problems.count; i++)
        put_visible(json, NULL, must(strdup(collected->problems.item[i].message)));
    for (size_t i = 0; i < nodes.warning_count; i++)
        put_visible(json, NULL, must(strdup(nodes.warnings[i])));
    line_close(json);
    line_close(json);
    nodes_free(&nodes);
}

void head_put_settings(struct line *json, const struct collected *collected)
{
    const char **known = must(calloc(collected->line_count + 1, sizeof *known));
    size_t count = 0;
    line_array(json, "settings");
    for (size_t i = 0; i < collected->line_count; i++) {
        const char *settings = collected->lines[i].settings;
        size_t at = 0;
        while (at < count && strcmp(known[at], settings) != 0)
            at++;
        if (at < count)
            continue;
        known[count++] = settings;
        line_raw(json, NULL, settings);
    }
    line_close(json);
    free(known);
}
