// The runs of one experiment of a study.

#include "study.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"
#include "harness/stats/shares.h"

#include <math.h>
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

bool measured_open(struct measured *measured, const char *folder, const char *name)
{
    *measured = (struct measured){.folder = text_of("%s/%s", folder, name)};
    return replay_open(&measured->experiment, &measured->session, measured->folder, true);
}

double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count)
{
    double *value = must(calloc(measured->session.count + 1, sizeof *value));
    *count = 0;
    EACH_USED (run, &measured->session, condition)
        value[(*count)++] = run->value[metric];
    return value;
}

double *measured_by_block(const struct measured *measured, size_t condition, size_t metric)
{
    const size_t blocks = measured->session.blocks;
    double *value = must(calloc(blocks + 1, sizeof *value));
    for (size_t i = 0; i < blocks; i++)
        value[i] = NAN;
    EACH_USED (run, &measured->session, condition)
        if (run->block > 0 && run->block <= blocks)
            value[run->block - 1] = run->value[metric];
    return value;
}

double measured_overhead_s(const struct measured *measured)
{
    const size_t count = measured->session.count;
    if (count < 2)
        return 0;
    const struct observation *run = measured->session.runs;
    const struct facts *first = &measured->session.facts[run->fact],
                       *last = &measured->session.facts[run[count - 1].fact];
    double runs_s = 0;
    for (size_t i = 0; i + 1 < count; i++)
        runs_s += run[i].value[WALL_S];
    const double each_s = (elapsed_between_s(first, last) - runs_s) / (double)(count - 1);
    return isfinite(each_s) && each_s > 0 ? each_s : 0;
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
