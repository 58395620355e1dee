// A series: one run whose figures over time are kept, and the mean of these.

#include "bench.h"

#include "common/file.h"
#include "common/memory.h"
#include "harness/stats/json.h"

#include <math.h>

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
