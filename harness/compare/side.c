// A side of a comparison: its experiment, its runs, and the figures of its conditions.

#include "compare.h"

#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Ends the program unless the folder has the file, and it can be read.
static void check_file(const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    if (access(path, R_OK) != 0 && errno == ENOENT)
        usage_error("%s holds no experiment (no %s): give a folder that jostle run or slowdown "
                    "has made, such as a campaign's cells/NAME",
                    folder, name);
    if (access(path, R_OK) != 0) {
        complain("%s cannot be read (%s): check its permissions", path, strerror(errno));
        exit(1);
    }
}

static void check_folder(const char *folder)
{
    struct stat status;
    if (stat(folder, &status) != 0 && errno != ENOENT && errno != ENOTDIR) {
        complain("%s cannot be read (%s): check its permissions", folder, strerror(errno));
        exit(1);
    }
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        usage_error("%s is no folder: give one that jostle run or slowdown has made", folder);
    check_file(folder, "experiment.json");
    check_file(folder, "runs.jsonl");
}

bool side_open(struct side *side, const char *folder)
{
    *side = (struct side){0};
    check_folder(folder);
    return experiment_open(&side->experiment, folder);
}

bool side_read(struct side *side, const char *folder)
{
    if (!replay_all(&side->experiment, &side->session, folder, true))
        return false;
    side->summary = summary_build(&side->session);
    waiting_add(&side->session, json_object_get(side->summary, "conditions"));
    disturbances_add(&side->session, json_object_get(side->summary, "warnings"));
    return true;
}

// Of "one of A:one of B", or a name, the index of its own; -1: it has none.
static int find_condition(const struct side *side, const char *name)
{
    char own[NAME_MAX + 1];
    const char *colon = strchr(name, ':');
    if (!colon || side->is_second)
        return settings_condition(&side->experiment.settings, !colon ? name : colon + 1);
    snprintf(own, sizeof own, "%.*s", (int)(colon - name), name);
    return settings_condition(&side->experiment.settings, own);
}

bool side_has(const struct side *side, const char *name)
{
    return find_condition(side, name) >= 0;
}

size_t side_condition(const struct side *side, const char *name)
{
    const int index = find_condition(side, name);
    return index < 0 ? 0 : (size_t)index;
}

double side_floor(struct side *side, size_t condition, size_t metric, bool *from_aa)
{
    const size_t aa = settings_aa(&side->experiment.settings);
    *from_aa = condition == 0 && aa > 0 &&
               side->session.conditions[aa].pairs[AGAINST_ALONE][metric].count > 1;
    return *from_aa ? metric_noise_floor(&side->session, metric)
                    : metric_location(&side->session, condition, metric).interval.error;
}

// The flags of what its own table warns of, for this figure and for all of them.
static json_t *flags(const struct side *side, const char *condition, const char *metric)
{
    json_t *list = json_array();
    JSON_EACH (one, json_object_get(side->summary, "warnings")) {
        const char *of = json_text_at(one, "condition"), *its = json_text_at(one, "metric");
        const char *flag = json_text_at(one, "flag");
        // That a slowdown is not distinguishable says nothing of the figure.
        if ((!of || strcmp(of, condition) == 0) && (!its || strcmp(its, metric) == 0) &&
            strcmp(flag, "noise") != 0)
            json_array_append_new(list, json_string(flag));
    }
    return list;
}

// The members of that name; null where there are none.
static void copy(json_t *to, const json_t *from, const char *const *names)
{
    for (; *names; names++)
        json_object_set_new(to, *names, json_member(from, *names));
}

json_t *side_to_json(struct side *side, size_t condition, size_t metric)
{
    static const char *const counts[] = {"runs", "failed", "failures", "censored", NULL};
    static const char *const figures[] = {"mean", "stddev", "statistic", "center",
                                          "ci",   "error",  NULL};
    const json_t *one = json_array_get(json_object_get(side->summary, "conditions"), condition);
    const char *name = side->experiment.settings.metrics.item[metric].name;
    bool from_aa;
    const double floor = side_floor(side, condition, metric, &from_aa);
    json_t *object = json_object();
    copy(object, one, counts);
    json_object_set_new(object, "time", json_member(json_object_get(one, "time"), "text"));
    if (metric >= BASIC_METRICS)
        one = json_object_get(one, "metrics");
    copy(object, json_object_get(one, name), figures);
    json_object_set_new(object, "noise_floor", json_figure(floor));
    json_object_set_new(object, "noise_floor_from", json_string(from_aa ? "aa" : "error"));
    json_object_set_new(object, "flags",
                        flags(side, side->experiment.settings.conditions[condition], name));
    return object;
}

json_t *side_failed(const struct side *side)
{
    const json_t *warnings = json_object_get(side->summary, "warnings");
    return json_member(json_named(warnings, "flag", "failed-runs"), "message");
}

void side_add_biases(const struct side *side, json_t *flags)
{
    JSON_EACH (one, json_object_get(side->summary, "warnings"))
        if (json_is_string(json_object_get(one, "bias")))
            json_array_append(flags, json_object_get(one, "flag"));
}

void side_free(struct side *side)
{
    session_free(&side->session);
    experiment_close(&side->experiment);
    json_decref(side->summary);
}
