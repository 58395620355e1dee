#include "bench.h"
#include "harness/stats/json.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

// The problems that a bench finds in its figures, one table: docs/bench.md has the same.
static const struct problem {
    const char *flag, *text, *advice;
} problems[] = {
    {.flag = "above-peak",
     .text = "the figure is above the theoretical peak, with its whole interval",
     .advice = "one of the two is not what it is said to be: see the source of the peak"},
    {.flag = "above-device",
     .text = "the kernel says that less reached the device than the program claims",
     .advice = "a cache answered: measure direct, or with a file larger than memory"},
    {.flag = "cache-sized",
     .text = "an array is less than 4 times the last-level caches, or all are less than where "
             "latency stops rising: caches may serve a part of it",
     .advice = "read it as a bound: leave out --quick, or give more memory"},
    {.flag = "sparse-file",
     .text = "parts of the file were never written, so that reading them reads no disk",
     .advice = "write the whole file before it is read"},
    {.flag = "cached-as-direct",
     .text = "the file system does not bypass its cache although it was asked to",
     .advice = "measure on another file system, or read the row as cached"},
    {.flag = "beyond-cpus",
     .text = "more threads than this process may use CPUs: they take turns",
     .advice = "read it as what oversubscription does, not as scaling"},
    {.flag = "not-converged",
     .text = "the error is larger than --error allows",
     .advice = "allow more runs with --max-runs, or longer ones with --duration"},
    {.flag = "peer-failed",
     .text = "a peer failed in some or all of its runs",
     .advice = "see failed/ in the folder of the cell"},
    {.flag = "invalid",
     .text = "the program's own check of its result failed",
     .advice = "do not use the figure: the memory, the CPU or the program is faulty"},
    {.flag = "short",
     .text = "a run was too short for its figure",
     .advice = "measure longer, with --duration"},
    {.flag = NULL}};

json_t *problem_json(const char *flag, const char *text)
{
    const struct problem *problem = problems;
    while (problem->flag && strcmp(problem->flag, flag) != 0)
        problem++;
    return must(json_pack("{s:s, s:o, s:o}", "flag", flag, "text",
                          json_text(text ? text : problem->text), "advice",
                          json_text(problem->advice)));
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

void versions_print(const json_t *plan)
{
    json_auto_t *seen = must(json_object());
    JSON_EACH (part, json_object_get(plan, "parts"))
        JSON_EACH (cell, json_object_get(part, "cells"))
            JSON_EACH (peer, json_object_get(cell, "peers")) {
                const char *name = json_text_at(peer, "name");
                const char *words = json_text_at(peer, "version");
                if (json_has(peer, "reason") || !words || *words == '\0' || json_has(seen, name))
                    continue;
                json_put(seen, name, json_true());
                pair_put(name, json_text_at(peer, "program"));
                printf("%s%c", words, 0);
            }
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
    json_auto_t *versions = read_versions(path);
    JSON_EACH (part, json_object_get(plan, "parts"))
        JSON_EACH (cell, json_object_get(part, "cells"))
            JSON_EACH (peer, json_object_get(cell, "peers"))
                json_put(peer, "version", json_member(versions, json_text_at(peer, "name")));
}

// How likely it is held to be, before they are seen, that figures of one run depend on
// their neighbours: as for runs in docs/statistics.md.
static const double prior = 0.5;

struct sequence sequence_read(const struct measured *measured, const json_t *cell)
{
    const json_t *series = json_object_get(cell, "series");
    OWNED char *path = text_of("%s/target.stdout", measured->folder), *line = NULL;
    size_t size = 0;
    double time_s = 0;
    struct sequence sequence = {0};
    FILE *file = file_open_record(path);
    while (file && getline(&line, &size, file) >= 0) {
        json_auto_t *event = json_loads(line, 0, NULL); // those that are none are passed over
        const double value = json_number_at(event, json_text_at(series, "key")),
                     took_s = json_number_at(event, "elapsed_s");
        if (json_text_is(event, "event", "interval") && !isnan(value) && !isnan(took_s))
            MORE(&sequence) =
                (struct moment){time_s += took_s, value * json_number_at(series, "scale")};
    }
    if (file)
        fclose(file);
    return sequence;
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
    const struct sequence sequence = sequence_read(measured, cell);
    struct sample sample = {0};
    for (size_t i = 0; i < sequence.count; i++)
        sample_add(&sample, sequence.item[i].value);
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
    free(sequence.item);
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

// The texts of a row by the titles of their columns.

static void put_more(json_t *texts, const json_t *row, const char *who)
{
    JSON_EACH (figure, json_object_get(row, "more")) {
        OWNED char *title = text_of("%s%s%s", who, *who ? " " : "", json_text_at(figure, "name"));
        json_put(texts, title, study_figure_text(figure, json_text_at(figure, "unit")));
        if (!json_has(figure, "peak"))
            continue;
        OWNED char *peak = text_of("%s peak", json_text_at(figure, "name")),
                   *share = text_of("%s/peak", title);
        json_put(texts, peak,
                 study_figure_text(json_object_get(figure, "peak"), json_text_at(figure, "unit")));
        json_put(texts, share, percent_text(json_object_get(figure, "of_peak")));
    }
}

static void put_peers(json_t *texts, const json_t *row)
{
    JSON_EACH (peer, json_object_get(row, "peers")) {
        const char *name = json_text_at(peer, "name");
        OWNED char *of_peak = text_of("%s/peak", name), *ours_of = text_of("ours/%s", name);
        json_put(texts, name, study_figure_text(peer, json_text_at(row, "unit")));
        json_put(texts, of_peak, percent_text(json_object_get(peer, "of_peak")));
        json_put(texts, ours_of,
                 json_owned_text(study_ratio_text(json_object_get(peer, "ours_of_peer"), "ratio")));
        put_more(texts, peer, name);
    }
}

static void put_row(json_t *row)
{
    json_t *texts = must(json_deep_copy(json_object_get(row, "labels")));
    const double count = json_number_at(row, "n");
    json_put(texts, "jostle",
             json_has(row, "value") || json_text_is(row, "state", "done")
                 ? study_figure_text(row, json_text_at(row, "unit"))
                 : json_text(json_text_at(row, "state")));
    json_put(texts, "n", count > 0 ? json_owned_text(text_of("%.0f", count)) : json_text("-"));
    json_put(texts, "peak",
             json_has(row, "peak")
                 ? study_figure_text(json_object_get(row, "peak"), json_text_at(row, "unit"))
                 : json_text("-"));
    json_put(texts, "ours/peak", percent_text(json_object_get(row, "of_peak")));
    put_peers(texts, row);
    put_more(texts, row, "");
    json_put(row, "texts", texts);
}

void bench_texts_add(json_t *bench)
{
    JSON_EACH (part, json_object_get(bench, "parts"))
        JSON_EACH (row, json_object_get(part, "rows"))
            put_row(row);
}
