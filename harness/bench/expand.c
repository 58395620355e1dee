#include "expand.h"

#include "conf.h"
#include "forecast.h"

#include "common/date.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/schemas.h"
#include "harness/report/memory.h"

#include <stdlib.h>
#include <time.h>

static json_t *threads_json(const struct request *request)
{
    json_t *list = must(json_array());
    for (size_t i = 0; i < request->thread_count; i++)
        json_array_append_new(list, json_integer(request->thread[i]));
    return list;
}

static json_t *names_of_parts(const struct request *request)
{
    json_t *list = must(json_array());
    for (size_t i = 0; parts[i].name != NULL; i++)
        if (request->part[i])
            json_array_append_new(list, json_string(parts[i].name));
    return list;
}

static json_t *settings_json(const struct request *request, const struct choice *choice)
{
    const char *error = request->error != NULL ? request->error : choice->quick ? "0.1" : NULL;
    const uint64_t min = request->min_runs > 0 ? request->min_runs : choice->quick ? 3 : 5;
    const uint64_t max = request->max_runs > 0 ? request->max_runs : choice->quick ? 5 : 15;
    const bool series = choice->samples > 0;
    return must(json_pack(
        "{s:o, s:b, s:o, s:b, s:o, s:o, s:s?, s:s, s:s, s:s?, s:s?, s:s?, s:I, s:I, s:f}", "parts",
        names_of_parts(request), "quick", choice->quick, "threads", threads_json(request), "peers",
        choice->peers, "samples", series ? json_integer((json_int_t)choice->samples) : json_null(),
        "every_s", series ? json_real(choice->every_s) : json_null(), "peer", choice->host, "dir",
        choice->dir, "duration", choice->duration, "error", error, "confidence",
        request->confidence, "max_time", request->max_time, "min_runs",
        (json_int_t)(min > max ? max : min), "max_runs", (json_int_t)(max), "series_s", 0.0));
}

static json_t *now_json(void)
{
    char text[DATE_SIZE];
    return must(json_string(date_utc(time(NULL), text)));
}

json_t *expand_plan(const struct request *request)
{
    const struct choice choice = request_choice(request);
    struct matrix *matrix = matrix_new(&choice, request->workloads ? request->workloads : "");
    for (size_t i = 0; parts[i].name != NULL; i++)
        if (request->part[i])
            matrix_make(matrix, &parts[i]);
    json_t *plan =
        must(json_pack("{s:s, s:o, s:s, s:o, s:o, s:O}", "schema", SCHEMA_BENCH_PLAN, "made",
                       now_json(), "jostle", JOSTLE_VERSION, "machine", must(environment_now()),
                       "settings", settings_json(request, &choice), "parts", matrix_parts(matrix)));
    matrix_free(matrix);
    forecast_set(plan);
    return plan;
}

static bool write_file(const char *dir, const char *name, char *text)
{
    char *path = text_of("%s/%s", dir, name);
    const bool good = save_text(path, text, SAVE_RECORD) || save_complain(path);
    free(path);
    free(text);
    return good;
}

bool expand_write(const json_t *plan, const char *dir)
{
    if (!save_make_folder(dir, NULL))
        return save_complain_folder(dir);
    return write_file(dir, "bench-plan.json", must(json_dumps(plan, RECORD_FORMAT))) &&
           write_file(dir, "bench.conf", conf_text(plan));
}
