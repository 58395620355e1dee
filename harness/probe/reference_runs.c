#include "reference_runs.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Flags of a run (harness/stats/messages.c) that others on the machine are the cause of. */
static const char *const disturbances[] = {"foreign-load", "steal", "swap-in", "throttled", NULL};

static const json_t *spec_of(const json_t *experiment, const char *load)
{
    const json_t *loads = json_object_get(experiment, "loads"), *one;
    size_t i;
    json_array_foreach(loads, i, one)
    {
        const char *name = json_text_at(one, "name");
        if (name != NULL && strcmp(name, load) == 0)
            return json_object_get(one, "spec");
    }
    return NULL;
}

bool reference_runs_begin(struct reference_runs *runs, const json_t *experiment)
{
    const json_t *conditions = json_object_get(experiment, "conditions"), *one;
    size_t i;
    *runs = (struct reference_runs){0};
    json_array_foreach(conditions, i, one)
    {
        struct reference_condition *condition = &runs->condition[runs->conditions];
        const char *name = json_text_at(one, "name"), *load = json_text_at(one, "load");
        const char *spec = load == NULL ? NULL : json_string_value(spec_of(experiment, load));
        if (name == NULL || runs->conditions == REFERENCE_CONDITIONS)
            return false;
        snprintf(condition->name, sizeof condition->name, "%s", name);
        condition->quiet = spec == NULL;
        if (spec == NULL || !kind_of_spec(spec, &condition->kind, &condition->level))
            condition->kind = KINDS;
        runs->conditions++;
    }
    return runs->conditions > 0;
}

static size_t condition_of(const struct reference_runs *runs, const char *name)
{
    size_t i = 0;
    while (i < runs->conditions && (name == NULL || strcmp(runs->condition[i].name, name) != 0))
        i++;
    return i;
}

static bool failed(const json_t *record)
{
    return json_integer_value(json_object_get(record, "exit_code")) != 0 ||
           json_is_string(json_object_get(record, "signal")) ||
           json_is_integer(json_object_get(record, "signal")) ||
           json_is_string(json_object_get(record, "start_error")) ||
           json_is_true(json_object_get(record, "timed_out"));
}

static double ratio_of(const json_t *load)
{
    const double offered = json_number_value(json_object_get(load, "offered"));
    const json_t *achieved = json_object_get(load, "achieved");
    return json_is_number(achieved) && offered > 0 ? json_number_value(achieved) / offered : NAN;
}

/* NAN: the run has none. */
static double metric_of(const json_t *metrics, const char *name)
{
    const json_t *value = json_object_get(json_object_get(metrics, name), "value");
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void note_flags(struct reference_runs *runs, const json_t *flags)
{
    const json_t *flag;
    size_t i;
    json_array_foreach(flags, i, flag)
    {
        for (const char *const *known = disturbances; *known != NULL; known++) {
            if (strcmp(json_string_value(flag), *known) != 0)
                continue;
            if (runs->disturbed++ == 0)
                snprintf(runs->disturbance, sizeof runs->disturbance, "%s", *known);
            return;
        }
    }
}

static struct reference_run *new_run(struct reference_runs *runs)
{
    if (runs->count == runs->room) {
        const size_t room = runs->room == 0 ? 64 : 2 * runs->room;
        struct reference_run *larger = reallocarray(runs->run, room, sizeof *larger);
        if (larger == NULL)
            return NULL;
        runs->run = larger;
        runs->room = room;
    }
    return &runs->run[runs->count++];
}

bool reference_runs_add(struct reference_runs *runs, const json_t *record)
{
    const json_t *metrics = json_object_get(record, "metrics");
    const json_int_t block = json_integer_value(json_object_get(record, "block"));
    const size_t condition = condition_of(runs, json_text_at(record, "condition"));
    if (block < 1 || condition == runs->conditions || failed(record) || !json_is_object(metrics))
        return true;
    struct reference_run *run = new_run(runs);
    if (run == NULL)
        return complain("out of memory: free some");
    *run = (struct reference_run){.condition = condition, .block = (size_t)block, .achieved = NAN};
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        const double value = metric_of(metrics, reporters[reporter].name);
        run->logarithm[reporter] = value > 0 ? log(value) : NAN;
    }
    for (enum activity a = 0; a < ACTIVITIES; a++)
        run->activity[a] = metric_of(metrics, activities[a].name);
    if (runs->condition[condition].quiet) {
        runs->alone++;
        note_flags(runs, json_object_get(record, "flags"));
    } else {
        run->achieved = ratio_of(json_array_get(json_object_get(record, "load"), 0));
    }
    if (run->block > runs->blocks)
        runs->blocks = run->block;
    return true;
}

static bool read_lines(struct reference_runs *runs, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        /* The last line may be half written. */
        good = record == NULL || reference_runs_add(runs, record);
        json_decref(record);
    }
    free(line);
    return good;
}

bool reference_runs_read(const char *folder, struct reference_runs *runs, json_t **experiment)
{
    char path[PATH_MAX + 32];
    json_error_t error;
    snprintf(path, sizeof path, "%s/experiment.json", folder);
    *experiment = json_read_record(path, 0, &error);
    if (*experiment == NULL || !reference_runs_begin(runs, *experiment)) {
        json_decref(*experiment);
        return complain("%s: no experiment of a reference: give the folder of one", folder);
    }
    snprintf(path, sizeof path, "%s/runs.jsonl", folder);
    FILE *file = file_open_record(path);
    bool good =
        file != NULL || complain("%s: %s: give the folder of an experiment", path, file_why(errno));
    if (file != NULL) {
        good = read_lines(runs, file);
        fclose(file);
    }
    if (!good) {
        json_decref(*experiment);
        reference_runs_free(runs);
    }
    return good;
}

void reference_runs_free(struct reference_runs *runs)
{
    free(runs->run);
    *runs = (struct reference_runs){0};
}
