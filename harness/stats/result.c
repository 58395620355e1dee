#include "result.h"

#include "hub.h"
#include "json.h"
#include "messages.h"
#include "shares.h"

#include "common/machine.h"
#include "common/memory.h"
#include "common/save.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Targets that ran on cores of unlike speed: big.LITTLE, P and E cores.

// Of the kinds that have one of these CPUs the numbers and names into text. Returns how many.
static unsigned among(const json_t *kinds, const struct cpu_list *cpus, char *text, size_t size)
{
    struct cpu_list own;
    unsigned found = 0;
    size_t i, used = 0;
    json_t *kind;
    text[0] = '\0';
    json_array_foreach(kinds, i, kind)
    {
        const char *list = json_text_at(kind, "cpus");
        const char *name = json_text_at(kind, "name");
        if (list == NULL || cpus_parse(list, &own) != 0 || !cpus_overlap(&own, cpus) ||
            used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%sCPU %s%s%s%s",
                                 found++ == 0 ? "" : "; ", list, name == NULL ? "" : " (",
                                 name == NULL ? "" : name, name == NULL ? "" : ")");
    }
    return found;
}

// Appends a warning to `warnings` where the target's CPUs, as experiment.json has them, are of
// several kinds of cores. Records that do not have the kinds give none.
static void unlike_cores_add(const struct experiment *experiment, json_t *warnings)
{
    const json_t *environment = json_object_get(experiment->json, "environment");
    const char *allowed = json_text_at(environment, "cpus_allowed");
    const char *own = json_text_at(json_object_get(experiment->json, "placement"), "target_cpus");
    const char *target = own != NULL ? own : allowed;
    struct message message = {.flag = FLAG_UNLIKE_CORES};
    struct cpu_list cpus;
    char kinds[512];
    if (target == NULL || cpus_parse(target, &cpus) != 0 ||
        among(json_object_get(environment, "core_kinds"), &cpus, kinds, sizeof kinds) < 2)
        return;
    message_detail(&message, "kinds", "%s", kinds);
    message_add(warnings, &message);
}

// Where the extra time of a slowdown went, from the runs' own records.
//
// Between the target alone and the target under a load, wall time grows by two
// things: the target's own CPU time may grow (slower execution: caches, memory
// bandwidth, clock, a shared core; or more instructions: threads that spin), and
// the time in which it is off the CPU. The records show the two apart exactly for
// a target with one thread; for several, CPU time is divided by the number of CPUs
// that the target keeps busy alone.
//
// The time off the CPU is explained by the target's own stalls, as far as these go,
// and by no others: those of the machine include a load's own, so they are an upper
// bound, and given as one. What is left is unexplained: a target that is off the CPU
// may wait for a CPU or a disk, but also for a lock, a timer, the network.

// Mean over the runs that know the figure; NAN when none does.
static double mean_of(const struct account *const *runs, size_t count, enum mean which)
{
    double sum = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = runs[i]->value[which];
        if (isnan(value))
            continue;
        sum += value;
        known++;
    }
    return known > 0 ? sum / known : NAN;
}

static double ratio_of(double before, double after)
{
    return before > 0 && after > 0 ? after / before : NAN;
}

static struct hardware count_hardware(const double *before, const double *after, bool user_only)
{
    const double base_s = before[USER] + (user_only ? 0 : before[SYSTEM]);
    const double loaded_s = after[USER] + (user_only ? 0 : after[SYSTEM]);
    const double instructions = ratio_of(before[INSTRUCTIONS], after[INSTRUCTIONS]);
    const double cycles = ratio_of(before[CYCLES], after[CYCLES]);
    return (struct hardware){
        .instructions = instructions,
        .cycles_per_instruction = ratio_of(instructions, cycles),
        .cycles_per_s = ratio_of(ratio_of(base_s, loaded_s), cycles),
        .cpu_time = ratio_of(base_s, loaded_s),
        .misses_per_instruction = ratio_of(instructions, ratio_of(before[MISSES], after[MISSES])),
    };
}

static bool counts_user_only(const struct account *const *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i]->user_only)
            return true;
    return false;
}

static json_t *causes_json(const double *values, enum cause first, enum cause last)
{
    json_t *object = json_object();
    for (enum cause i = first; i <= last; i++)
        json_object_set_new(object, cause_names[i], json_figure(values[i]));
    return object;
}

static json_t *means_json(const double *values)
{
    json_t *object = json_object();
    for (enum mean i = 0; i < MEANS; i++)
        json_object_set_new(object, mean_names[i], json_figure(values[i]));
    return object;
}

static json_t *hardware_json(const struct hardware *hardware)
{
    if (!causes_has_hardware(hardware))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "instructions", json_figure(hardware->instructions),
                     "cycles_per_instruction", json_figure(hardware->cycles_per_instruction),
                     "cycles_per_s", json_figure(hardware->cycles_per_s), "misses_per_instruction",
                     json_figure(hardware->misses_per_instruction));
}

static json_t *absent_json(const double *before, const double *after)
{
    json_t *list = json_array();
    for (enum mean i = INSTRUCTIONS; i < MEANS; i++)
        if (isnan(before[i]) || isnan(after[i]))
            json_array_append_new(list, json_string(mean_names[i]));
    return list;
}

static json_t *intervals_json(const struct shares *shares)
{
    json_t *object = json_object();
    for (enum cause i = 0; i < CAUSES; i++)
        json_object_set_new(object, cause_names[i],
                            json_bounds(shares->interval[i].low, shares->interval[i].high));
    return object;
}

static json_t *shares_json(const struct shares *shares, const struct hardware *hardware)
{
    static const char *const sources[] = {[SOURCE_NONE] = NULL,
                                          [SOURCE_MACHINE] = "machine",
                                          [SOURCE_SCHEDSTAT] = "schedstat",
                                          [SOURCE_CGROUP] = "cgroup"};
    return json_pack("{s:o, s:o, s:o, s:o, s:s?, s:o, s:b, s:b, s:o, s:o, s:s, s:o}", "total",
                     json_figure(shares->total), "points",
                     causes_json(shares->points, 0, UNEXPLAINED), "seconds",
                     causes_json(shares->seconds, 0, UNEXPLAINED), "intervals",
                     intervals_json(shares), "source", sources[shares->source], "at_most",
                     causes_json(shares->at_most, CPU, IO), "ambiguous", shares->ambiguous,
                     "attributed", shares->attributed, "present", json_figure(shares->present),
                     "threads", json_figure(shares->threads), "execution",
                     causes_execution(shares, hardware), "counters", hardware_json(hardware));
}

// The times of each run; to be freed.
static struct times *times_list(const struct account *const *runs, size_t count)
{
    struct times *times = must(calloc(count + 1, sizeof *times));
    for (size_t i = 0; i < count; i++)
        times[i] = runs[i]->times;
    return times;
}

// Runs alone and loaded: those at the same place are of one block.
struct beside {
    const struct account **before, **after;
    size_t count;
};

static struct shares read_shares(const struct beside *runs, struct critical *critical)
{
    OWNED struct times *quiet = times_list(runs->before, runs->count),
                       *busy = times_list(runs->after, runs->count);
    return shares_of(quiet, busy, runs->count, critical);
}

// How the extra time of a slowdown is shared out. A new reference; null where there is none: the
// records have no CPU times, or no time is extra.
static json_t *attribution_of(const struct beside *runs, struct critical *critical,
                              const json_t *slowdown)
{
    const char *statistic = json_text_or_empty(slowdown, "statistic");
    double alone[MEANS], loaded[MEANS], extra[MEANS];
    for (enum mean i = 0; i < MEANS; i++) {
        alone[i] = mean_of(runs->before, runs->count, i);
        loaded[i] = mean_of(runs->after, runs->count, i);
        extra[i] = loaded[i] - alone[i];
    }
    if (!(extra[WALL] > 0) || isnan(extra[USER]) || isnan(extra[SYSTEM]))
        return json_null();
    const struct shares shares = read_shares(runs, critical);
    const struct hardware hardware =
        count_hardware(alone, loaded, counts_user_only(runs->after, runs->count));
    json_t *object = shares_json(&shares, &hardware);
    // What is shared out is the mean.
    OWNED char *text =
        causes_text(json_text_at(slowdown, "condition"),
                    strcmp(statistic, "mean") == 0 ? NULL : statistic, &shares, &hardware);
    json_extend(object, json_pack("{s:b, s:o, s:o, s:s}", "pressure_known",
                                  shares.source != SOURCE_NONE, "extra", means_json(extra),
                                  "absent", absent_json(alone, loaded), "text", text));
    return object;
}

static json_t *attribute(struct session *session, const json_t *slowdown)
{
    const struct settings *settings = session->settings;
    const int condition = settings_condition(settings, json_text_at(slowdown, "condition"));
    // A client's time is also its service's, whose CPU time and waiting it does not show.
    if (service_is_there(session->experiment) ||
        strcmp(json_text_at(slowdown, "metric"), settings->metrics.item[WALL_S].name) != 0 ||
        !(json_number_at(slowdown, "ratio") > 1) || condition <= 0 ||
        condition == (int)settings_aa(settings) ||
        !json_is_true(json_object_get(slowdown, "distinguishable")))
        return json_null();
    OWNED const struct account **before = must(calloc(session->count + 1, sizeof *before)),
                               **after = must(calloc(session->count + 1, sizeof *after));
    struct beside runs = {before, after, 0};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const int base = run->condition == condition ? session_partner(session, run) : -1;
        if (base < 0)
            continue;
        before[runs.count] = &session_facts(session, (size_t)base)->account;
        after[runs.count++] = &session_facts(session, i)->account;
    }
    return attribution_of(&runs, &session->critical, slowdown);
}

static void add_attribution(struct session *session, json_t *summary)
{
    json_t *slowdowns = json_object_get(summary, "slowdowns");
    for (size_t i = 0; i < json_array_size(slowdowns); i++) {
        json_t *slowdown = json_array_get(slowdowns, i);
        json_object_set_new(slowdown, "attribution", attribute(session, slowdown));
    }
}

// Seconds to the forecast, where the records have times.
static void add_seconds(const struct session *session, json_t *forecast)
{
    const size_t after = (size_t)json_integer_value(json_object_get(forecast, "after_runs"));
    const double expected = json_number_value(json_object_get(forecast, "expected_runs"));
    const double took = elapsed_s(session->facts, session->fact_count);
    if (!json_is_object(forecast) || isnan(took) || after == 0 || after > session->fact_count)
        return;
    const double so_far = elapsed_s(session->facts, after);
    json_extend(forecast, json_pack("{s:o, s:o, s:o}", "after_s", json_figure(so_far), "expected_s",
                                    json_figure(so_far * expected / (double)after), "took_s",
                                    json_figure(took)));
}

json_t *result_build(struct session *session)
{
    const struct experiment *experiment = session->experiment;
    json_t *result = must(json_copy(experiment->json)), *summary = summary_build(session);
    add_attribution(session, summary);
    waiting_add(session, json_object_get(summary, "conditions"));
    service_add(session, json_object_get(summary, "conditions"));
    service_warnings(session, json_object_get(summary, "warnings"));
    client_warnings(session, json_object_get(summary, "warnings"));
    add_seconds(session, json_object_get(summary, "forecast"));
    disturbances_add(session, json_object_get(summary, "warnings"));
    unlike_cores_add(experiment, json_object_get(summary, "warnings"));
    json_object_set_new(result, "machine",
                        machine_json(session, json_object_get(summary, "warnings")));
    usual_warn(json_object_get(experiment->json, "unusual"), json_object_get(summary, "warnings"));
    verdicts_add(session, summary);
    json_object_set_new(result, "capacity", capacity_json(session));
    json_object_set_new(result, "protection",
                        protection_json(session, json_object_get(summary, "slowdowns")));
    json_object_set_new(result, "schema", json_string(SCHEMA_RESULT));
    json_object_del(result, "stopped");
    json_object_del(result, "unusual");
    json_object_update(result, summary);
    json_decref(summary);
    return result;
}

bool result_write(const json_t *result, const char *folder)
{
    OWNED char *path = text_of("%s/result.json", folder);
    const bool good = output_document(result, path);
    if (good)
        save_ignore_results(path);
    return good;
}

// How the experiment in the folder ended, if that is known: what ended it is history, also
// where its runs would not end it by the rules of now.
static enum stop_reason ended_by(const struct experiment *experiment, const char *folder)
{
    const enum stop_reason outside = stop_reason(experiment_stopped(experiment));
    if (outside != STOP_NOT)
        return outside;
    OWNED char *path = text_of("%s/result.json", folder);
    json_t *earlier = json_read_record(path, 0, NULL);
    const json_t *condition = json_array_get(json_object_get(earlier, "conditions"), 0);
    const char *name = json_text_at(condition, "stop_reason");
    const enum stop_reason reason = name ? stop_reason(name) : STOP_NOT;
    json_decref(earlier);
    return reason;
}

static bool derive(const char *folder)
{
    struct experiment experiment = {0};
    struct session session = {0};
    bool good = replay_open(&experiment, &session, folder, false);
    if (good) {
        session.outside = ended_by(&experiment, folder);
        json_t *result = result_build(&session);
        good = result_write(result, folder);
        json_decref(result);
    }
    session_free(&session);
    experiment_close(&experiment);
    return good;
}

int result_derive(char *const *folders, int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += derive(folders[i]) ? 0 : 1;
    return failed > 0 ? 1 : 0;
}
