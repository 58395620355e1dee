#include "record.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const state_names[] = {[STATE_DONE] = "done",
                                   [STATE_UNFINISHED] = "unfinished",
                                   [STATE_WAITING] = "waiting",
                                   [STATE_SKIPPED] = "skipped",
                                   [STATE_FAILED] = "failed"};

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

static enum state state_of(const struct measured *measured)
{
    if (json_text_is(measured->status, "state", "failed"))
        return STATE_FAILED;
    if (!measured->has_runs)
        return STATE_WAITING;
    return measured_is_done(measured) ? STATE_DONE : STATE_UNFINISHED;
}

bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell)
{
    *measured = (struct measured){.folder = folder_of(dir, cell)};
    *state = STATE_SKIPPED;
    if (json_has(cell, "skip"))
        return true;
    const bool good = measured_read(measured);
    *state = good ? state_of(measured) : STATE_FAILED;
    return good;
}

int measured_condition(const struct measured *measured, const json_t *cell, const char *variant)
{
    const struct settings *settings = &measured->experiment.settings;
    const bool several = settings->variants > 1;
    const char *load = load_of(cell), *name = variant == NULL ? "jostle" : variant;
    if (!measured->has_runs || (!several && variant != NULL))
        return -1;
    OWNED char *condition = !several       ? text_of("%s", load ? load : settings->conditions[0])
                                  : load == NULL ? text_of("%s", name)
                                           : text_of("%s@%s", name, load);
    return settings_condition(settings, condition);
}

struct interval measured_ratio(struct measured *measured, struct measured_of of,
                               struct measured_of to)
{
    struct session *session = &measured->session;
    struct pairs pairs = {0};
    struct interval ratio = interval_unbounded(NAN);
    if (measured_count(measured, of.condition, of.metric) == 0 ||
        measured_count(measured, to.condition, to.metric) == 0)
        return ratio;
    for (size_t block = 0; block < session->blocks; block++) {
        const double y = measured_value(measured, block, (size_t)of.condition, of.metric),
                     x = measured_value(measured, block, (size_t)to.condition, to.metric);
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
    OWNED char *path = name == NULL ? NULL : text_of("%s/%s", measured->folder, name);
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
    return last;
}

static char *with_last_words(const struct measured *measured, const json_t *record, char *why)
{
    OWNED char *words = last_words(measured, record);
    char *both = words == NULL ? must(strdup(why)) : text_of("%s: %.200s", why, words);
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
    json_array_foreach(measured->session.records, index, record)
    {
        OWNED char *why = json_text_is(record, "condition", name) ? failure_of(record) : NULL;
        last = why != NULL ? record : last;
        *failed += why != NULL;
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
