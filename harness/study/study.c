#include "study.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/units.h"
#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool measured_read(struct measured *measured)
{
    char *path = text_of("%s/status.json", measured->folder);
    measured->status = json_read_record(path, 0, NULL);
    free(path);
    if (!file_is_in(measured->folder, "experiment.json", R_OK) ||
        !file_is_in(measured->folder, "runs.jsonl", R_OK))
        return true;
    if (!replay_open(&measured->experiment, &measured->session, measured->folder, true))
        return false;
    measured->summary = summary_build(&measured->session);
    disturbances_add(&measured->session, json_object_get(measured->summary, "warnings"));
    return measured->has_runs = true;
}

void measured_free(struct measured *measured)
{
    json_decref(measured->summary);
    session_free(&measured->session);
    experiment_close(&measured->experiment);
    json_decref(measured->status);
    free(measured->folder);
}

bool measured_is_done(const struct measured *measured)
{
    return file_is_in(measured->folder, "result.json", R_OK);
}

size_t measured_metric(const struct measured *measured, const char *name)
{
    return metrics_find(&measured->experiment.settings.metrics, name);
}

static const struct sample *sample_of(const struct measured *measured, int condition, size_t metric)
{
    return condition < 0 || metric == MAX_METRICS
               ? NULL
               : &measured->session.conditions[condition].metric[metric];
}

size_t measured_count(const struct measured *measured, int condition, size_t metric)
{
    const struct sample *sample = sample_of(measured, condition, metric);
    return !sample ? 0 : sample->count;
}

struct interval measured_figure(struct measured *measured, int condition, size_t metric)
{
    const size_t count = measured_count(measured, condition, metric);
    if (count < 2)
        return interval_unbounded(count == 0 ? NAN : sample_of(measured, condition, metric)->mean);
    return metric_location(&measured->session, (size_t)condition, metric).interval;
}

double measured_value(const struct measured *measured, size_t block, size_t condition,
                      size_t metric)
{
    const struct session *session = &measured->session;
    const int run = session->table[block * session->settings->condition_count + condition];
    if (run < 0 || metric == MAX_METRICS || !session_uses(session, &session->runs[run]))
        return NAN;
    return session->runs[run].value[metric];
}

json_t *figure_json(const char *name, struct interval interval)
{
    json_t *object = must(json_object());
    json_put_interval(object, name, &interval);
    return object;
}

struct interval interval_scaled(struct interval interval, double factor)
{
    interval.center *= factor;
    interval.low *= factor;
    interval.high *= factor;
    return interval;
}

json_t *study_figure_text(const json_t *object, const char *unit)
{
    char text[NUMBER_SIZE];
    const double value = json_number_at(object, "value"), low = json_bound_at(object, 0);
    if (unit && strcmp(unit, "fraction") == 0)
        number_percent(value, text);
    else if (isnan(value) || isnan(low))
        number_scaled(value, unit ? unit : "", text);
    else
        number_with_interval(value, low, json_bound_at(object, 1), unit, text);
    return json_text(text);
}

char *study_ratio_text(const json_t *object, const char *name)
{
    char number[NUMBER_SIZE];
    const double ratio = json_number_at(object, name), low = json_bound_at(object, 0);
    if (isnan(ratio))
        return text_of("-");
    return text_of("%s%s", number_ratio(ratio, low, json_bound_at(object, 1), number),
                   isnan(low) ? " ± ?" : "");
}
