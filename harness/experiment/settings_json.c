#include "capacity.h"
#include "settings.h"

#include "common/machine_json.h"
#include "harness/stats/objective.h"

#include <math.h>
#include <string.h>

static json_t *seconds(int64_t time_ns)
{
    return time_ns == 0 ? json_null() : number_to_json((double)time_ns / 1e9);
}

static json_t *priority(int64_t nice)
{
    return nice == NICE_UNSET ? json_null() : json_integer(nice);
}

static json_t *list_to_json(const struct option_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, text_to_json(list->item[i]));
    return array;
}

json_t *settings_to_json(const struct settings *settings)
{
    const bool has_service = settings->service != NULL;
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"error", number_to_json(settings->error)},
        {"confidence", number_to_json(settings->confidence)},
        {"min_runs", json_integer((json_int_t)settings->min_runs)},
        {"max_runs", json_integer((json_int_t)settings->max_runs)},
        {"max_time_s", seconds(settings->max_time_ns)},
        {"warmup", json_integer((json_int_t)settings->warmup)},
        {"statistic", json_string(statistic_names[settings->statistic])},
        {"shell", text_to_json(settings->shell)},
        {"setup", text_to_json(settings->setup)},
        {"prepare", text_to_json(settings->prepare)},
        {"conclude", text_to_json(settings->conclude)},
        {"cleanup", text_to_json(settings->cleanup)},
        {"stdout", text_to_json(settings->out)},
        {"stderr", text_to_json(settings->errors)},
        {"input", text_to_json(settings->input)},
        {"service", text_to_json(settings->service)},
        {"ready", text_to_json(settings->ready)},
        {"ready_timeout_s", seconds(has_service ? settings->ready_timeout_ns : 0)},
        {"stop_signal", text_to_json(has_service ? settings->stop_signal : NULL)},
        {"keep_service", json_boolean(settings->keep_service)},
        {"service_cpus", text_to_json(settings->service_cpus)},
        {"discard_warmup", json_integer((json_int_t)settings->discard_warmup)},
        {"aa", json_boolean(settings->aa)},
        {"at_most", number_to_json(settings->at_most > 0 ? settings->at_most : NAN)},
        {"same_within", number_to_json(settings->same_within > 0 ? settings->same_within : NAN)},
        {"washout", text_to_json(settings->washout)},
        {"capacity", capacity_to_json(settings)},
        {"cold", json_boolean(settings->cold)},
        {"cold_path", list_to_json(&settings->cold_path)},
        {"timeout_s", seconds(settings->timeout_ns)},
        {"ignore_failure", json_boolean(settings->ignore_failure != NULL)},
        {"ignore_codes", settings_ignored(settings)},
        {"strict", json_boolean(settings->strict)},
        {"probe", json_boolean(!settings->no_probe)},
        {"target_cpus", text_to_json(settings->target_cpus)},
        {"load_cpus", text_to_json(settings->load_cpus)},
        {"place", text_to_json(settings->place)},
        {"place_cpus", text_to_json(settings->place_cpus)},
        {"nice", priority(settings->nice)},
        {"load_nice", priority(settings->load_nice)},
        {"settle_s", seconds(settings->settle_ns)},
        {"seed", json_integer(settings->seed)},
        {"engine", json_string(settings->engine == ENGINE_HYPERFINE ? "hyperfine" : "meter")},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        json_object_set_new(object, members[i].name, members[i].value);
    return object;
}
