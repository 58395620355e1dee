#include "bench.h"
#include "harness/stats/json.h"
#include "harness/stats/sample.h"
#include "harness/stats/statistic.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The problems that a bench finds in its figures, one table: docs/bench.md has the same.
static const struct problem {
    const char *flag, *text, *advice;
    bool misread; // the figure is something else than what its row says, not only uncertain
} problems[] = {
    {.flag = "above-peak",
     .text = "the figure is above the theoretical peak, with its whole interval",
     .advice = "one of the two is not what it is said to be: see the source of the peak",
     .misread = true},
    {.flag = "above-device",
     .text = "the kernel says that less reached the device than the program claims",
     .advice = "a cache answered: measure direct, or with a file larger than memory",
     .misread = true},
    {.flag = "cache-sized",
     .text = "an array is less than 4 times the last-level caches, or all are less than where "
             "latency stops rising: caches may serve a part of it",
     .advice = "read it as a bound: leave out --quick, or give more memory",
     .misread = true},
    {.flag = "sparse-file",
     .text = "parts of the file were never written, so that reading them reads no disk",
     .advice = "write the whole file before it is read",
     .misread = true},
    {.flag = "cached-as-direct",
     .text = "the file system does not bypass its cache although it was asked to",
     .advice = "measure on another file system, or read the row as cached",
     .misread = true},
    {.flag = "beyond-cpus",
     .text = "more threads than this process may use CPUs: they take turns",
     .advice = "read it as what oversubscription does, not as scaling",
     .misread = true},
    {.flag = "not-converged",
     .text = "the error is larger than --error allows",
     .advice = "allow more runs with --max-runs, or longer ones with --duration"},
    {.flag = "peer-failed",
     .text = "a peer failed in some or all of its runs",
     .advice = "see failed/ in the folder of the cell"},
    {.flag = "invalid",
     .text = "the program's own check of its result failed",
     .advice = "do not use the figure: the memory, the CPU or the program is faulty",
     .misread = true},
    {.flag = "short",
     .text = "a run was too short for its figure",
     .advice = "measure longer, with --duration"},
    {.flag = NULL}};

static const struct problem *problem_find(const char *flag)
{
    const struct problem *problem = problems;
    while (problem->flag && strcmp(problem->flag, flag) != 0)
        problem++;
    return problem;
}

json_t *problem_json(const char *flag, const char *text)
{
    const struct problem *problem = problem_find(flag);
    return must(json_pack("{s:s, s:o, s:o}", "flag", flag, "text",
                          json_text(text ? text : problem->text), "advice",
                          json_text(problem->advice)));
}

bool problem_misread(const char *flag)
{
    return problem_find(flag)->misread;
}

const char *problem_likely(const char *part)
{
    static const char *const likely[][2] = {
        {"cpu", "likely the clock rose after it was measured, or the CPU has more or wider ports "
                "than is assumed"},
        {"memory", "likely a cache answered, or a hypervisor's DIMMs are not those that DMI names"},
        {"disk", "likely a cache answered: the page cache, the device's or the hypervisor's"},
        {"network", "likely the two ends are on one machine, and no wire is between them"},
    };
    for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
        if (strcmp(likely[i][0], part) == 0)
            return likely[i][1];
    return "see the source of the peak";
}

// Calls `with` for each peer of each cell of the plan.
static void each_peer(const json_t *plan, void (*with)(json_t *peer, json_t *context),
                      json_t *context)
{
    JSON_EACH (part, json_object_get(plan, "parts")) {
        JSON_EACH (cell, json_object_get(part, "cells")) {
            JSON_EACH (peer, json_object_get(cell, "peers"))
                with(peer, context);
        }
    }
}

static void print_text(const char *text)
{
    printf("%s%c", text, 0);
}

static void print_peer(json_t *peer, json_t *seen)
{
    const char *name = json_text_at(peer, "name");
    if (json_has(peer, "reason") || !json_has(peer, "version") || json_has(seen, name))
        return;
    json_put(seen, name, json_true());
    print_text(name);
    print_text(json_text_at(peer, "program"));
    print_text(json_text_at(peer, "version"));
}

void versions_print(const json_t *plan)
{
    json_t *seen = must(json_object());
    each_peer(plan, print_peer, seen);
    json_decref(seen);
}

static void put_version(json_t *peer, json_t *versions)
{
    const json_t *version = json_object_get(versions, json_text_at(peer, "name"));
    json_put(peer, "version", !version ? json_null() : must(json_deep_copy(version)));
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
    json_t *versions = read_versions(path);
    each_peer(plan, put_version, versions);
    json_decref(versions);
}

// How likely it is held to be, before they are seen, that figures of one run depend on
// their neighbours: as for runs in docs/statistics.md.
static const double prior = 0.5;

static void add(struct sequence *sequence, double time_s, double value)
{
    size_t allocated = sequence->allocated;
    sequence->time_s = grown(sequence->time_s, sequence->count, &allocated, sizeof(double));
    sequence->value = grown(sequence->value, sequence->count, &sequence->allocated, sizeof(double));
    sequence->time_s[sequence->count] = time_s;
    sequence->value[sequence->count++] = value;
}

// A line that loadgen printed; those that are no interval are passed over.
static void take(struct sequence *sequence, const char *line, const char *key, double scale)
{
    json_t *event = json_loads(line, 0, NULL);
    const double value = json_number_at(event, key), took_s = json_number_at(event, "elapsed_s");
    const double before_s = sequence->count > 0 ? sequence->time_s[sequence->count - 1] : 0;
    if (json_text_is(event, "event", "interval") && !isnan(value) && !isnan(took_s))
        add(sequence, before_s + took_s, value * scale);
    json_decref(event);
}

void sequence_read(struct sequence *sequence, const struct measured *measured, const json_t *cell)
{
    const json_t *series = json_object_get(cell, "series");
    char *path = text_of("%s/target.stdout", measured->folder), *line = NULL;
    size_t size = 0;
    FILE *file = file_open_record(path);
    *sequence = (struct sequence){0};
    while (file && getline(&line, &size, file) >= 0)
        take(sequence, line, json_text_at(series, "key"), json_number_at(series, "scale"));
    free(line);
    free(path);
    if (file)
        fclose(file);
}

void sequence_free(struct sequence *sequence)
{
    free(sequence->time_s);
    free(sequence->value);
}

static void add_more(json_t *row, const char *name, double value, const char *unit)
{
    json_add(json_object_get(row, "more"),
             must(json_pack("{s:s, s:o, s:n, s:s?, s:s}", "name", name, "value", json_number(value),
                            "ci", "unit", unit, "better", "lower")));
}

static struct interval mean_of(const struct sample *sample, double confidence)
{
    struct critical critical;
    const struct dependence seen =
        dependence_see(sample->value, sample->count, sample->mean, sample->squares, 1);
    critical_init(&critical, confidence);
    const struct interval mean = location_estimate(
        &critical, sample, sqrt(dependence_factor(&seen, prior, sample->count, 1)));
    critical_free(&critical);
    return interval_positive(mean);
}

// Fewer than were asked for: the machine stood still, or more was printed than is kept.
static void check_count(json_t *row, size_t count, const json_t *series)
{
    const double asked = json_number_at(series, "samples");
    if (!(asked - (double)count > fmax(1, asked / 20)))
        return;
    OWNED char *text =
        text_of("the series has %zu of %.0f figures: the machine could not keep up, or "
                "more was printed than is kept (1 MiB)",
                count, asked);
    json_add(json_object_get(row, "problems"), problem_json("short", text));
}

void series_put(json_t *row, const struct measured *measured, const json_t *cell)
{
    struct sequence sequence;
    struct sample sample = {0};
    sequence_read(&sequence, measured, cell);
    for (size_t i = 0; i < sequence.count; i++)
        sample_add(&sample, sequence.value[i]);
    if (sample.count >= 2 && measured->has_runs) {
        const char *unit = json_text_at(row, "unit");
        const struct interval mean = mean_of(&sample, measured->experiment.settings.confidence);
        json_put_interval(row, "value", &mean);
        json_put(row, "n", must(json_integer((json_int_t)sample.count)));
        check_count(row, sample.count, json_object_get(cell, "series"));
        add_more(row, "variation", sqrt(sample_variance(&sample)) / sample.mean, "fraction");
        add_more(row, "min", sample_sorted(&sample)[0], unit);
        add_more(row, "max", sample_sorted(&sample)[sample.count - 1], unit);
    }
    sample_free(&sample);
    sequence_free(&sequence);
}

// What is said below a table: each thing once, with the rows that it is about.

// Where a finding of that kind and text is; else at the end, new. `text` NULL: any text.
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

static void add_finding(json_t *findings, json_t *row, const char *flag, const char *text,
                        const char *advice)
{
    const size_t index = finding_of(findings, flag, text, advice);
    json_t *cells = json_object_get(json_array_get(findings, index), "cells");
    json_t *last = json_array_get(cells, json_array_size(cells) - 1);
    const char *name = json_text_at(row, "cell");
    if (last && strcmp(json_string_value(last), name) == 0)
        return;
    json_add(cells, json_text(name));
    json_add(json_object_get(row, "numbers"), json_integer((json_int_t)index + 1));
}

// Each mark and each kind of problem, as {flag, text, advice, cells}; puts into the row's
// `numbers` which of them it has, from 1.
static void findings_put(json_t *findings, json_t *row)
{
    json_put(row, "numbers", must(json_array()));
    if (json_text_is(row, "state", "waiting") || json_text_is(row, "state", "skipped"))
        return;
    JSON_EACH (one, json_object_get(row, "problems"))
        add_finding(findings, row, json_text_at(one, "flag"), json_text_at(one, "text"),
                    json_text_at(one, "advice"));
    JSON_EACH (one, json_object_get(row, "marks"))
        add_finding(findings, row, "mark", json_string_value(one), NULL);
}

// Of what its peak is made, or why there is none: texts.
static void findings_put_source(json_t *lines, const json_t *row)
{
    const json_t *peak = json_object_get(row, "peak");
    const char *text =
        json_has(row, "peak") ? json_text_at(peak, "source") : json_text_at(row, "peak_reason");
    json_t *line;
    if (!text || !json_has(row, "value"))
        return;
    line = json_owned_text(text_of("peak: %s", text));
    JSON_EACH (old, lines) {
        if (json_equal(old, line)) {
            json_decref(line);
            return;
        }
    }
    json_add(lines, line);
}

// Why a row, or a peer of it, has no figure: each reason once, with the rows.
static void put_reason(json_t *reasons, const json_t *row, const char *who, const json_t *of)
{
    if (!json_has(of, "reason"))
        return;
    OWNED char *text = text_of("%s%s%s", who, *who ? ": " : "", json_text_at(of, "reason"));
    json_t *found = json_named(reasons, "text", text);
    if (!found) {
        found = must(json_pack("{s:s, s:[]}", "text", text, "cells"));
        json_add(reasons, found);
    }
    json_add(json_object_get(found, "cells"), json_text(json_text_at(row, "cell")));
}

// Why the row, or a peer of it, has no figure, as {text, cells}.
static void findings_put_reasons(json_t *reasons, const json_t *row)
{
    put_reason(reasons, row, "", row);
    JSON_EACH (peer, json_object_get(row, "peers"))
        put_reason(reasons, row, json_text_at(peer, "name"), peer);
}

// Which row of a part is shown as its answer.

// What is said to be of a cache is not what the part can do: "L2", "page cache", "cached".
static bool names_cache(const char *label)
{
    const char *level = text_after(label, "L");
    return strcmp(label, "page cache") == 0 || strcmp(label, "cached") == 0 ||
           (level && isdigit((unsigned char)level[0]) && level[1] == '\0');
}

static bool is_of_cache(const json_t *row)
{
    const char *name;
    json_t *label;
    json_object_foreach(json_object_get(row, "labels"), name, label)
    {
        if (json_is_string(label) && names_cache(json_string_value(label)))
            return true;
    }
    return false;
}

static bool is_misread(const json_t *row)
{
    JSON_EACH (problem, json_object_get(row, "problems")) {
        const char *flag = json_text_at(problem, "flag");
        if (flag && problem_misread(flag))
            return true;
    }
    return false;
}

static bool is_answer(const json_t *row)
{
    return json_text_is(row, "state", "done") && json_text_is(row, "better", "higher") &&
           !isnan(json_number_at(row, "value")) &&
           json_array_size(json_object_get(row, "marks")) == 0 && !is_of_cache(row) &&
           !is_misread(row);
}

// The index of the row with the highest figure of which more is better, of those that nothing is
// to be said against, and that are not of a cache; null: there is none. A new reference.
static json_t *best_row(const json_t *part)
{
    const json_t *rows = json_object_get(part, "rows"), *row;
    size_t i, best = json_array_size(rows);
    double most = -INFINITY;
    json_array_foreach(rows, i, row)
    {
        if (!is_answer(row) || json_number_at(row, "value") < most)
            continue;
        most = json_number_at(row, "value");
        best = i;
    }
    return best == json_array_size(rows) ? json_null() : json_integer((json_int_t)best);
}

// "93.2 [92.8, 93.6] %" of a share of the peak.
static json_t *percent_text(const json_t *object)
{
    char text[NUMBER_SIZE], number[NUMBER_SIZE];
    const double ratio = 100 * json_number_at(object, "ratio"),
                 low = 100 * json_bound_at(object, 0), high = 100 * json_bound_at(object, 1);
    if (isnan(ratio))
        return json_text("-");
    if (isnan(low))
        snprintf(text, sizeof text, "%s ± ? %%",
                 number_fixed(ratio, number_decimals(ratio), number));
    else
        number_with_bounds(ratio, low, high, "%", text);
    return json_text(text);
}

static json_t *ratio_text(const json_t *object)
{
    return json_owned_text(study_ratio_text(object, "ratio"));
}

// Columns in the order of the table, and which of them a narrow terminal leaves out first: those
// of the highest rank; of rank 0 none.
enum group { LABELS, OURS, COUNT, PEAK, SHARE, PEERS, MORE, GROUPS };
static const int rank_of[GROUPS] = {[COUNT] = 3, [PEAK] = 4, [SHARE] = 1, [PEERS] = 2, [MORE] = 5};

// A column, once: the first that has the key decides its title.
static void add_column(json_t *columns, const char *key, const char *title, enum group group)
{
    if (json_named(columns, "key", key))
        return;
    json_add(columns,
             must(json_pack("{s:s, s:s, s:b, s:i, s:i}", "key", key, "title", title, "left",
                            group == LABELS, "group", (int)group, "rank", rank_of[group])));
}

// A cell of the table, and its column, whose key is its title.
static void put(json_t *columns, json_t *texts, const char *title, enum group group, json_t *text)
{
    add_column(columns, title, title, group);
    json_put(texts, title, text);
}

static void put_named(json_t *columns, json_t *texts, const char *before, const char *name,
                      const char *behind, json_t *text)
{
    OWNED char *title = text_of("%s%s%s", before, name, behind);
    put(columns, texts, title, PEERS, text);
}

static void put_more(json_t *columns, json_t *texts, const json_t *row, const char *who)
{
    JSON_EACH (figure, json_object_get(row, "more")) {
        OWNED char *title = text_of("%s%s%s", who, *who ? " " : "", json_text_at(figure, "name"));
        put(columns, texts, title, MORE, study_figure_text(figure, json_text_at(figure, "unit")));
    }
}

static void put_peers(json_t *columns, json_t *texts, const json_t *row)
{
    JSON_EACH (peer, json_object_get(row, "peers")) {
        const char *name = json_text_at(peer, "name");
        put_named(columns, texts, "", name, "", study_figure_text(peer, json_text_at(row, "unit")));
        put_named(columns, texts, "", name, "/peak",
                  percent_text(json_object_get(peer, "of_peak")));
        put_named(columns, texts, "ours/", name, "",
                  ratio_text(json_object_get(peer, "ours_of_peer")));
        put_more(columns, texts, peer, name);
    }
}

static const char *state_text(const json_t *row)
{
    const char *state = json_text_at(row, "state");
    return strcmp(state, "done") == 0 ? NULL : state;
}

static json_t *value_text(const json_t *row)
{
    const char *state = state_text(row);
    return state && !json_has(row, "value") ? json_text(state)
                                            : study_figure_text(row, json_text_at(row, "unit"));
}

static json_t *count_text(const json_t *row)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", json_number_at(row, "n"));
    return json_text(json_number_at(row, "n") > 0 ? text : "-");
}

static void put_row(json_t *columns, json_t *row)
{
    json_t *texts = must(json_object());
    const json_t *label;
    const char *name;
    json_t *labels = json_object_get(row, "labels");
    json_object_foreach(labels, name, label)
    {
        json_put(texts, name, json_text(json_string_value(label)));
    }
    put(columns, texts, "jostle", OURS, value_text(row));
    put(columns, texts, "n", COUNT, count_text(row));
    put(columns, texts, "peak", PEAK,
        json_has(row, "peak")
            ? study_figure_text(json_object_get(row, "peak"), json_text_at(row, "unit"))
            : json_text("-"));
    put(columns, texts, "ours/peak", SHARE, percent_text(json_object_get(row, "of_peak")));
    put_peers(columns, texts, row);
    put_more(columns, texts, row, "");
    json_put(row, "texts", texts);
}

static bool is_used(const json_t *column, const json_t *rows)
{
    JSON_EACH (row, rows) {
        const char *text = json_text_at(json_object_get(row, "texts"), json_text_at(column, "key"));
        if (text && strcmp(text, "-") != 0)
            return true;
    }
    return false;
}

// In the order of their groups, without those in which no row has anything.
static json_t *used_columns(json_t *columns, const json_t *rows)
{
    json_t *used = must(json_array());
    for (int group = 0; group < GROUPS; group++) {
        JSON_EACH (column, columns) {
            if ((int)json_number_at(column, "group") == group && is_used(column, rows))
                json_add(used, json_incref(column));
        }
    }
    json_decref(columns);
    return used;
}

static void add_to_part(json_t *part)
{
    json_t *columns = must(json_array()), *findings = must(json_array());
    json_t *lines = must(json_array()), *reasons = must(json_array());
    json_t *rows = json_object_get(part, "rows");
    JSON_EACH (label, json_object_get(part, "columns"))
        add_column(columns, json_string_value(label), json_string_value(label), LABELS);
    JSON_EACH (row, rows) {
        put_row(columns, row);
        findings_put(findings, row);
        findings_put_source(lines, row);
        findings_put_reasons(reasons, row);
    }
    json_put(part, "texts",
             must(json_pack("{s:o, s:o, s:o, s:o, s:o}", "columns", used_columns(columns, rows),
                            "findings", findings, "lines", lines, "reasons", reasons, "best",
                            best_row(part))));
}

// {rows, done, skipped, failed} of all parts.
static json_t *counts_of(const json_t *bench)
{
    static const char *const states[] = {"done", "skipped", "failed"};
    json_int_t all = 0, count[sizeof states / sizeof *states] = {0};
    JSON_EACH (part, json_object_get(bench, "parts")) {
        JSON_EACH (row, json_object_get(part, "rows")) {
            all++;
            for (size_t s = 0; s < sizeof states / sizeof *states; s++)
                count[s] += json_text_is(row, "state", states[s]);
        }
    }
    return must(json_pack("{s:I, s:I, s:I, s:I}", "rows", all, states[0], count[0], states[1],
                          count[1], states[2], count[2]));
}

void bench_texts_add(json_t *bench)
{
    JSON_EACH (part, json_object_get(bench, "parts"))
        add_to_part(part);
    json_put(bench, "counts", counts_of(bench));
}
