#include "common/machine_json.h"
#include "common/date.h"

#include "common/core_kinds.h"
#include "common/facts.h"
#include "common/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *count(int64_t value)
{
    return value == UNKNOWN ? json_null() : json_integer(value);
}

static json_t *seconds(int64_t time_us)
{
    return number_to_json(time_us == UNKNOWN ? NAN : (double)time_us / 1e6);
}

/* Not empty, or NULL. */
static const char *text_or_null(const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : text;
}

static json_t *load_average(const struct counters *counters)
{
    const double *load = counters->load_average;
    return json_pack("[o, o, o]", number_to_json(load[0]), number_to_json(load[1]),
                     number_to_json(load[2]));
}

/* Calls `take` for each line "NAME<TAB>VALUE" of a variable. False: the variable
 * is empty. */
static bool each_line(const char *variable, void take(json_t *, const char *, const char *),
                      json_t *into)
{
    const char *value = text_or_null(getenv(variable));
    char *text = value == NULL ? NULL : strdup(value), *rest = NULL;
    if (text == NULL)
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        take(into, line, tab + 1);
    }
    free(text);
    return true;
}

static json_t *whole_number(const char *text)
{
    return text[0] == '\0' ? json_null() : json_integer(strtoll(text, NULL, 10));
}

static void take_neighbour(json_t *neighbours, const char *name, const char *value)
{
    if (strcmp(name, "job") == 0)
        json_array_append_new(json_object_get(neighbours, "jobs"), text_to_json(value));
    else
        json_object_set_new(neighbours, name, whole_number(value));
}

static json_t *neighbours(void)
{
    json_t *object = json_pack("{s:[], s:n, s:n}", "jobs", "cpus_allocated", "cpus_ours");
    if (each_line("JOSTLE_JOB_NEIGHBOURS", take_neighbour, object))
        return object;
    json_decref(object);
    return json_null();
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static void take_fact(json_t *job, const char *name, const char *value)
{
    static const char *const numbers[] = {"node_count",  "array_task_id", "restarts",
                                          "time_left_s", "components",    NULL};
    json_t *fact;
    if (value[0] == '\0')
        fact = json_null();
    else if (is_one_of(name, numbers))
        fact = whole_number(value);
    else if (strcmp(name, "exclusive") == 0)
        fact = json_boolean(strcmp(value, "true") == 0);
    else
        fact = text_to_json(value);
    json_object_set_new(job, name, fact);
}

static json_t *job(void)
{
    json_t *object = json_object();
    if (each_line("JOSTLE_JOB_FACTS", take_fact, object))
        return object;
    json_decref(object);
    return json_null();
}

json_t *counters_to_json(const struct counters *counters)
{
    char time[DATE_SIZE];
    const int64_t used = counters->swap_used_kib;
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o}", "time",
        date_utc(counters->time, time), "cpus", (int)counters->cpus, "load_average",
        load_average(counters), "busy_s", seconds(counters->busy_us), "steal_s",
        seconds(counters->steal_us), "swap_used_bytes",
        count(used == UNKNOWN ? UNKNOWN : used * 1024), "swap_in_pages",
        count(counters->swap_in_pages), "swap_out_pages", count(counters->swap_out_pages),
        "throttle_count", count(counters->throttle_count), "pressure", "cpu_some_s",
        seconds(counters->cpu_some_us), "memory_some_s", seconds(counters->memory_some_us),
        "memory_full_s", seconds(counters->memory_full_us), "io_some_s",
        seconds(counters->io_some_us), "io_full_s", seconds(counters->io_full_us), "neighbours",
        neighbours());
}

json_t *environment_to_json(const struct environment *environment, const struct counters *counters)
{
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:s, s:o, s:o}, s:o}",
        "host", text_to_json(environment->host), "os", text_to_json(text_or_null(environment->os)),
        "kernel", text_to_json(environment->kernel), "architecture",
        text_to_json(environment->architecture), "cpu",
        text_to_json(text_or_null(environment->cpu)), "cpus_online", environment->cpus_online,
        "cpus_allowed", text_to_json(environment->cpus_allowed), "governor",
        text_to_json(environment->governor), "virtual_machine", environment->virtual_machine,
        "memory_bytes", count(environment->memory_bytes), "load_average", load_average(counters),
        "clocksource", text_to_json(text_or_null(environment->clocksource)), "folder",
        text_to_json(environment->folder), "file_system",
        text_to_json(text_or_null(environment->file_system)), "device",
        text_to_json(text_or_null(environment->device)), "versions", "jostle", JOSTLE_VERSION,
        "revision", text_to_json(version_revision()), "bash",
        text_to_json(getenv("JOSTLE_BASH_VERSION")), "job", job());
    json_t *facts = facts_to_json();
    json_object_update_missing(object, facts);
    json_decref(facts);
    struct core_kinds *kinds = core_kinds_read();
    json_object_set_new(object, "core_kinds", core_kinds_to_json(kinds));
    free(kinds);
    return object;
}

json_t *environment_now(void)
{
    struct counters counters;
    struct environment environment;
    counters_read(&counters);
    environment_read(&environment);
    return environment_to_json(&environment, &counters);
}
