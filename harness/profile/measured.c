#include "measured.h"

#include "harness/stats/hub.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const char *folder, const char *name, const char *file)
{
    char *path = text_of("%s/%s/%s", folder, name, file);
    const bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

bool measured_is_done(const char *folder, const char *name)
{
    return has(folder, name, "result.json");
}

bool measured_is_begun(const char *folder, const char *name)
{
    return has(folder, name, "runs.jsonl");
}

bool profile_measured_read(struct measured *measured, const char *folder, const char *name)
{
    *measured = (struct measured){0};
    char *path = text_of("%s/%s", folder, name);
    const bool good =
        replay_open(&measured->replay, &measured->experiment, &measured->session, path);
    free(path);
    return good;
}

json_t *measured_result(const char *folder, const char *name)
{
    json_error_t error;
    char *path = text_of("%s/%s/result.json", folder, name);
    json_t *result = json_read_record(path, 0, &error);
    if (result == NULL)
        complain("%s cannot be read (%s): measure again into another --output", path, error.text);
    free(path);
    return result;
}

static bool is_of(const struct measured *measured, const struct observation *run, size_t condition)
{
    return run->condition == (int)condition && session_uses(&measured->session, run);
}

double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count)
{
    double *value = must(calloc(measured->session.count + 1, sizeof *value));
    *count = 0;
    for (size_t i = 0; i < measured->session.count; i++)
        if (is_of(measured, &measured->session.runs[i], condition))
            value[(*count)++] = measured->session.runs[i].value[metric];
    return value;
}

double *measured_by_block(const struct measured *measured, size_t condition, size_t metric)
{
    const size_t blocks = measured->session.blocks;
    double *value = must(calloc(blocks + 1, sizeof *value));
    for (size_t i = 0; i < blocks; i++)
        value[i] = NAN;
    for (size_t i = 0; i < measured->session.count; i++) {
        const struct observation *run = &measured->session.runs[i];
        if (is_of(measured, run, condition) && run->block > 0 && run->block <= blocks)
            value[run->block - 1] = run->value[metric];
    }
    return value;
}

double measured_overhead_s(const struct measured *measured)
{
    const size_t count = measured->session.count;
    if (count < 2)
        return 0;
    const json_t *first = measured->replay.used[0], *last = measured->replay.used[count - 1];
    double runs_s = 0;
    for (size_t i = 0; i + 1 < count; i++)
        runs_s += measured->session.runs[i].value[WALL_S];
    const double each_s = (elapsed_between_s(first, last) - runs_s) / (double)(count - 1);
    return isfinite(each_s) && each_s > 0 ? each_s : 0;
}

void profile_measured_free(struct measured *measured)
{
    replay_free(&measured->replay);
    session_free(&measured->session);
    experiment_close(&measured->experiment);
}
