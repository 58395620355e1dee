#include "series.h"

#include "json.h"
#include "problems.h"

#include "harness/stats/dependence.h"
#include "harness/stats/typical.h"

#include "common/file.h"
#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How likely it is held to be, before they are seen, that figures of one run depend on
 * their neighbours: as for runs in docs/statistics.md. */
static const double prior = 0.5;

static void add(struct sequence *sequence, double time_s, double value)
{
    size_t allocated = sequence->allocated;
    sequence->time_s = grown(sequence->time_s, sequence->count, &allocated, sizeof(double));
    sequence->value = grown(sequence->value, sequence->count, &sequence->allocated, sizeof(double));
    sequence->time_s[sequence->count] = time_s;
    sequence->value[sequence->count++] = value;
}

/* A line that loadgen printed; those that are no interval are passed over. */
static void take(struct sequence *sequence, const char *line, const char *key, double scale)
{
    json_t *event = json_loads(line, 0, NULL);
    const char *kind = json_text_at(event, "event");
    const double value = json_number_at(event, key), took_s = json_number_at(event, "elapsed_s");
    const double before_s = sequence->count > 0 ? sequence->time_s[sequence->count - 1] : 0;
    if (kind != NULL && strcmp(kind, "interval") == 0 && !isnan(value) && !isnan(took_s))
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
    while (file != NULL && getline(&line, &size, file) >= 0)
        take(sequence, line, json_text_at(series, "key"), json_number_at(series, "scale"));
    free(line);
    free(path);
    if (file != NULL)
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

/* Fewer than were asked for: the machine stood still, or more was printed than is kept. */
static void check_count(json_t *row, size_t count, const json_t *series)
{
    const double asked = json_number_at(series, "samples");
    if (!(asked - (double)count > fmax(1, asked / 20)))
        return;
    char *text = text_of("the series has %zu of %.0f figures: the machine could not keep up, or "
                         "more was printed than is kept (1 MiB)",
                         count, asked);
    json_add(json_object_get(row, "problems"), problem_json("short", text));
    free(text);
}

void series_put(json_t *row, const struct measured *measured, const json_t *cell)
{
    struct sequence sequence;
    struct sample sample = {0};
    sequence_read(&sequence, measured, cell);
    for (size_t i = 0; i < sequence.count; i++)
        if (!sample_add(&sample, sequence.value[i]))
            must(NULL);
    if (sample.count >= 2 && measured->has_runs) {
        const char *unit = json_text_at(row, "unit");
        const struct interval mean = mean_of(&sample, measured->experiment.settings.confidence);
        json_put_interval(row, "value", &mean);
        json_put(row, "n", must(json_integer((json_int_t)sample.count)));
        check_count(row, sample.count, json_object_get(cell, "series"));
        add_more(row, "variation", sqrt(sample_variance(&sample)) / sample.mean, "fraction");
        add_more(row, "min", sample.sorted[0], unit);
        add_more(row, "max", sample.sorted[sample.count - 1], unit);
    }
    sample_free(&sample);
    sequence_free(&sequence);
}
