#include "measured.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const state_names[] = {[STATE_DONE] = "done",
                                   [STATE_UNFINISHED] = "unfinished",
                                   [STATE_WAITING] = "waiting",
                                   [STATE_SKIPPED] = "skipped",
                                   [STATE_FAILED] = "failed"};

static const struct interval unknown = {.center = NAN, .low = NAN, .high = NAN, .error = INFINITY};

static const char *load_of(const json_t *cell)
{
    return json_text_at(json_object_get(cell, "load"), "name");
}

static char *folder_of(const char *dir, const json_t *cell)
{
    const char *load = load_of(cell);
    const char *of = json_text_at(cell, "of");
    return text_of("%s/cells/%s%s%s", dir, of ? of : json_text_at(cell, "cell"), load ? "@" : "",
                   load ? load : "");
}

static bool has(const struct measured *measured, const char *name)
{
    char *path = text_of("%s/%s", measured->folder, name);
    const bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

static json_t *read_status(const struct measured *measured)
{
    char *path = text_of("%s/status.json", measured->folder);
    json_t *status = json_read_record(path, 0, NULL);
    free(path);
    return status;
}

static enum state state_of(const struct measured *measured)
{
    const char *state = json_text_at(measured->status, "state");
    if (state != NULL && strcmp(state, "failed") == 0)
        return STATE_FAILED;
    if (!measured->has_runs)
        return STATE_WAITING;
    return has(measured, "result.json") ? STATE_DONE : STATE_UNFINISHED;
}

static bool read_runs(struct measured *measured)
{
    if (!replay_open(&measured->replay, &measured->experiment, &measured->session,
                     measured->folder))
        return false;
    measured->summary = summary_build(&measured->session);
    disturbances_add(&measured->experiment, measured->replay.records,
                     session_left_out(&measured->session),
                     json_object_get(measured->summary, "warnings"));
    return true;
}

bool bench_measured_read(struct measured *measured, const char *dir, const json_t *cell)
{
    *measured = (struct measured){.state = STATE_SKIPPED, .folder = folder_of(dir, cell)};
    if (json_has(cell, "skip"))
        return true;
    measured->status = read_status(measured);
    measured->has_runs = has(measured, "experiment.json") && has(measured, "runs.jsonl");
    measured->state = state_of(measured);
    if (!measured->has_runs || read_runs(measured))
        return true;
    measured->has_runs = false;
    measured->state = STATE_FAILED;
    return false;
}

void bench_measured_free(struct measured *measured)
{
    json_decref(measured->summary);
    replay_free(&measured->replay);
    session_free(&measured->session);
    experiment_close(&measured->experiment);
    json_decref(measured->status);
    free(measured->folder);
}

int measured_condition(const struct measured *measured, const json_t *cell, const char *variant)
{
    const struct settings *settings = &measured->experiment.settings;
    const bool several = settings->variants > 1;
    const char *load = load_of(cell), *name = variant == NULL ? "jostle" : variant;
    if (!measured->has_runs || (!several && variant != NULL))
        return -1;
    char *condition = !several       ? text_of("%s", load ? load : settings->conditions[0])
                            : load == NULL ? text_of("%s", name)
                                     : text_of("%s@%s", name, load);
    const int found = settings_condition(settings, condition);
    free(condition);
    return found;
}

size_t measured_metric(struct measured *measured, const char *name)
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
    return sample == NULL ? 0 : sample->count;
}

struct interval measured_figure(struct measured *measured, int condition, size_t metric)
{
    const size_t count = measured_count(measured, condition, metric);
    if (count == 0)
        return unknown;
    struct interval only = unknown;
    only.center = sample_of(measured, condition, metric)->mean;
    return count == 1 ? only
                      : metric_location(&measured->session, (size_t)condition, metric).interval;
}

/* The value of a figure in a block; NAN: there is none that counts. */
static double value_in(const struct session *session, size_t block, struct measured_of of)
{
    const int run =
        session->table[block * session->settings->condition_count + (size_t)of.condition];
    if (run < 0 || !session_uses(session, &session->runs[run]))
        return NAN;
    return session->runs[run].value[of.metric];
}

struct interval measured_ratio(struct measured *measured, struct measured_of of,
                               struct measured_of to)
{
    struct session *session = &measured->session;
    struct pairs pairs = {0};
    struct interval ratio = unknown;
    if (measured_count(measured, of.condition, of.metric) == 0 ||
        measured_count(measured, to.condition, to.metric) == 0)
        return unknown;
    for (size_t block = 0; block < session->blocks; block++) {
        const double y = value_in(session, block, of), x = value_in(session, block, to);
        if (!isnan(x) && !isnan(y))
            pairs_add(&pairs, x, y);
    }
    if (pairs.count >= 2)
        ratio = metric_pairs_ratio(session, &pairs);
    pairs_free(&pairs);
    return ratio;
}

/* Of a record of a run: why it failed, to be freed; NULL: it did not. */
static char *failure_of(const json_t *record)
{
    const json_t *signal = json_object_get(record, "signal"),
                 *metric = json_object_get(record, "metric_failure");
    const json_int_t exit_code = json_integer_value(json_object_get(record, "exit_code"));
    if (json_is_true(json_object_get(record, "timed_out")))
        return text_of("it took too long, and was ended");
    if (json_has(record, "start_error"))
        return text_of("it could not be started: %s", json_text_at(record, "start_error"));
    if (json_is_integer(signal))
        return text_of("signal %lld ended it", (long long)json_integer_value(signal));
    if (exit_code != 0)
        return text_of("exit status %lld", (long long)exit_code);
    return json_has(record, "metric_failure")
               ? text_of("%s: %s", json_text_at(metric, "metric"), json_text_at(metric, "reason"))
               : NULL;
}

/* The last line of what the run wrote to stderr, to be freed; NULL: nothing was kept. */
static char *last_words(const struct measured *measured, const json_t *record)
{
    const char *name = json_text_at(json_object_get(record, "output"), "stderr");
    char *path = name == NULL ? NULL : text_of("%s/%s", measured->folder, name);
    char *line = NULL, *last = NULL;
    size_t size = 0;
    FILE *file = path == NULL ? NULL : file_open_record(path);
    while (file != NULL && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line == '\0')
            continue;
        free(last);
        last = must(strdup(line));
    }
    if (file != NULL)
        fclose(file);
    free(line);
    free(path);
    return last;
}

static char *with_last_words(const struct measured *measured, const json_t *record, char *why)
{
    char *words = last_words(measured, record);
    char *both = words == NULL ? must(strdup(why)) : text_of("%s: %.200s", why, words);
    free(words);
    free(why);
    return both;
}

char *measured_failure(const struct measured *measured, int condition, size_t *failed)
{
    const char *name;
    const json_t *record, *last = NULL;
    size_t index;
    *failed = 0;
    if (condition < 0)
        return NULL;
    name = measured->experiment.settings.conditions[condition];
    json_array_foreach(measured->replay.records, index, record)
    {
        const char *its = json_text_at(record, "condition");
        char *why = its != NULL && strcmp(its, name) == 0 ? failure_of(record) : NULL;
        last = why != NULL ? record : last;
        *failed += why != NULL;
        free(why);
    }
    return last == NULL ? NULL : with_last_words(measured, last, failure_of(last));
}

double measured_load(const struct measured *measured, int condition)
{
    const struct condition *runs = condition < 0 ? NULL : &measured->session.conditions[condition];
    return runs == NULL || runs->load_count == 0 || runs->loads[0].achieved_runs == 0
               ? NAN
               : runs->loads[0].achieved / (double)runs->loads[0].achieved_runs;
}
