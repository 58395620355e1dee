#include "record.h"

#include "messages.h"

#include "common/counters.h"
#include "common/cpus.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const double short_of_due = 0.95;
// Over less time one operation more or less decides, which says nothing.
static const double least_elapsed_s = 0.1;
// Steal counts against the target, whatever the size of the machine: one whose time
// is 2 % longer is off by about half of the error that is usually requested.
// Two ticks at least, because ticks are coarse.
static const double steal_share = 0.02, steal_least_s = 0.020;
// Foreign load counts from a tenth of a second on where it is a difference of sampled figures, else
// from a hundredth: what meter and the kernel do for the run themselves is less.
static const double foreign_least_s = 0.100, foreign_least_exact_s = 0.010;

const char *const failure_names[FAILURES] = {
    "", "exit", "signal", "timed_out", "not_started", "metric", "memory", "service"};

bool judge_memory(double of_target, double elsewhere, int exit_code)
{
    return of_target > 0 || (elsewhere > 0 && exit_code == CODE_OF_SIGNAL + SIGKILL);
}

enum failure judge_failure(const json_t *record)
{
    if (json_has(json_object_get(record, "service"), "died"))
        return FAILURE_SERVICE;
    if (json_has(record, "start_error"))
        return FAILURE_NOT_STARTED;
    if (json_is_true(json_object_get(record, "timed_out")))
        return FAILURE_TIMED_OUT;
    const json_t *kills = json_object_get(record, "memory_kills");
    if (judge_memory(json_number_at(kills, "target"),
                     fmax(json_number_at(kills, "cgroup"), json_number_at(kills, "machine")),
                     judge_exit_code(record)))
        return FAILURE_MEMORY;
    if (json_has(record, "signal"))
        return FAILURE_SIGNAL;
    if (judge_exit_code(record) != 0)
        return FAILURE_EXIT;
    return json_has(record, "metric_failure") ? FAILURE_METRIC : FAILURE_NONE;
}

bool judge_counts(enum failure failure, int exit_code, const struct ignored *ignored)
{
    if (failure == FAILURE_NONE)
        return true;
    const bool is_coded =
        failure == FAILURE_EXIT || failure == FAILURE_SIGNAL || failure == FAILURE_MEMORY;
    if (!ignored->any || failure == FAILURE_NOT_STARTED || failure == FAILURE_SERVICE)
        return false;
    for (size_t i = 0; i < ignored->count; i++)
        if (is_coded && ignored->code[i] == exit_code)
            return true;
    return ignored->count == 0;
}

int judge_code(double signal, double exit_code)
{
    const double code = signal > 0 ? CODE_OF_SIGNAL + signal : exit_code;
    return code >= INT_MIN && code <= INT_MAX ? (int)code : -1;
}

int judge_exit_code(const json_t *record)
{
    return judge_code((double)json_integer_value(json_object_get(record, "signal")),
                      (double)json_integer_value(json_object_get(record, "exit_code")));
}

static bool cpus_of(const json_t *object, struct cpu_list *list)
{
    const char *text = json_text_at(object, "cpus");
    return text && cpus_parse(text, list) == 0 && list->count > 0;
}

unsigned judge_cpus(const json_t *record)
{
    struct cpu_list list;
    return cpus_of(record, &list) ? list.count : 0;
}

// How many of the CPUs of `mine` are also in `others`; both ascend.
static unsigned common_cpus(const struct cpu_list *mine, const struct cpu_list *others)
{
    unsigned count = 0;
    for (unsigned i = 0, k = 0; i < mine->count && k < others->count;) {
        if (mine->cpu[i] == others->cpu[k])
            count++;
        if (mine->cpu[i] <= others->cpu[k])
            i++;
        else
            k++;
    }
    return count;
}

// CPUs' worth of time that somebody who used `cpu_s` on its `cpus` took of mine.
static double taken(const struct cpu_list *mine, const json_t *other, double cpu_s)
{
    struct cpu_list cpus;
    if (!(cpu_s > 0) || !cpus_of(other, &cpus))
        return 0;
    return cpu_s * common_cpus(mine, &cpus) / cpus.count;
}

static double loads_cpu_s(const json_t *record)
{
    double sum = 0;
    JSON_EACH (load, json_object_get(record, "load")) {
        const double cpu_s = json_number_at(load, "cpu_s");
        if (!json_has(load, "node") && !isnan(cpu_s))
            sum += cpu_s;
    }
    return sum;
}

// With that of its service, which is part of what is measured.
static double target_cpu_s(const json_t *record)
{
    const double service_s = json_number_at(json_object_get(record, "service"), "cpu_s");
    return json_number_at(record, "user_s") + json_number_at(record, "system_s") +
           (isnan(service_s) ? 0 : service_s);
}

// CPU time that was there for the load, in seconds over `elapsed`; *all_s is what would
// have been there if nobody had shared its CPUs. False: as far as is known nobody did.
static bool is_sharing(const json_t *record, const json_t *load, double elapsed, double *share_s,
                       double *all_s)
{
    struct cpu_list mine;
    if (json_has(load, "node") || !(elapsed > 0) || !cpus_of(load, &mine))
        return false;
    double others_s =
        taken(&mine, record, json_number_at(record, "user_s") + json_number_at(record, "system_s"));
    const json_t *service = json_object_get(record, "service");
    others_s += taken(&mine, service, json_number_at(service, "cpu_s"));
    JSON_EACH (other, json_object_get(record, "load"))
        if (other != load && !json_has(other, "node"))
            others_s += taken(&mine, other, json_number_at(other, "cpu_s"));
    // What the host took falls on those who run, by their CPU time.
    const double steal_s = json_number_at(record, "steal_s"),
                 used_s = target_cpu_s(record) + loads_cpu_s(record),
                 on_mine_s = others_s + json_number_at(load, "cpu_s");
    if (steal_s > 0 && used_s > 0 && on_mine_s > 0)
        others_s += steal_s * fmin(on_mine_s / used_s, 1);
    *all_s = elapsed * mine.count;
    *share_s = fmax(*all_s - others_s, 0);
    return others_s > 0;
}

struct delivery judge_delivery(const json_t *record, const json_t *load)
{
    const double elapsed = json_number_at(load, "elapsed_s"), cpu_s = json_number_at(load, "cpu_s");
    const char *unit = json_text_at(load, "unit");
    struct delivery delivery = {.due = json_number_at(load, "offered"),
                                .done = json_number_at(load, "achieved"),
                                // False for NAN; stages may ask for nothing during a run.
                                .asked =
                                    json_number_at(load, "rate") > 0 && !json_has(load, "phase_s")};
    delivery.known = !isnan(delivery.due) && !isnan(delivery.done) && !(elapsed < least_elapsed_s);
    double share_s, all_s;
    if (!delivery.known || !is_sharing(record, load, elapsed, &share_s, &all_s))
        return delivery;
    const bool is_cpu_load = unit && strcmp(unit, "CPUs") == 0;
    if (is_cpu_load || cpu_s >= short_of_due * share_s)
        delivery.due *= share_s / all_s;
    return delivery;
}

bool judge_short(const struct delivery *delivery)
{
    const bool nothing = delivery->asked && delivery->due <= 0;
    return delivery->known && (nothing || delivery->done < short_of_due * delivery->due);
}

// At least the target's own and the loads' CPU time is there.
double judge_stolen_s(const json_t *record)
{
    const json_t *machine = json_object_get(record, "machine");
    const double mine_s = target_cpu_s(record);
    const double all_s = fmax(json_number_at(machine, "busy_s"), mine_s + loads_cpu_s(record));
    return all_s > 0 ? json_number_at(record, "steal_s") * mine_s / all_s : 0;
}

static void raise_flag(json_t *flags, enum flag flag, bool raised)
{
    if (raised)
        json_array_append_new(flags, json_string(flag_name(flag)));
}

// Where all that is known is ticks, the loads' own time may be counted twice over.
double judge_foreign_s(const json_t *record)
{
    const json_t *machine = json_object_get(record, "machine");
    const bool exact = json_is_true(json_object_get(machine, "busy_exact"));
    return json_number_at(machine, "busy_s") - target_cpu_s(record) -
           (exact ? 1 : 2) * loads_cpu_s(record);
}

void judge_disturbances(const json_t *record, double cpus, bool shared, json_t *flags)
{
    const json_t *machine = json_object_get(record, "machine");
    const double known = json_number_at(machine, "cpus"), mine_s = target_cpu_s(record);
    const double wall_s = json_number_at(record, "wall_s");
    const bool stolen = json_number_at(record, "steal_s") >= steal_least_s &&
                        judge_stolen_s(record) > steal_share * fmax(wall_s, mine_s);
    const double most_cpus = foreign_most_cpus(known > 0 ? known : cpus);
    const bool exact = json_is_true(json_object_get(machine, "busy_exact"));
    const double foreign_s = judge_foreign_s(record);
    // A comparison with what is not known (NAN) is false.
    raise_flag(flags, FLAG_STEAL, stolen);
    raise_flag(flags, FLAG_FOREIGN_LOAD,
               foreign_s > (exact ? foreign_least_exact_s : foreign_least_s) &&
                   foreign_s > most_cpus * wall_s);
    raise_flag(flags, FLAG_SWAP_IN, json_number_at(machine, "swap_in_pages") > 0);
    raise_flag(flags, FLAG_THROTTLED, json_number_at(machine, "throttle_count") > 0);
    // Unknown: meter was stopped when the target ended, and noted that end late.
    raise_flag(flags, FLAG_STOPPED,
               json_number_at(record, "stops") > 0 ||
                   json_is_null(json_object_get(record, "stopped_s")));
    const json_t *kills = json_object_get(record, "memory_kills");
    raise_flag(flags, FLAG_MEMORY_KILL,
               json_number_at(kills, "cgroup") > 0 || json_number_at(kills, "machine") > 0);
    raise_flag(flags, FLAG_SHARED_NODE, shared);
}

// A whole number from 0 on, 0 where the field is absent. False for anything else.
static bool whole(const json_t *record, const char *name, size_t *value)
{
    const json_t *number = json_object_get(record, name);
    const json_int_t integer = json_integer_value(number);
    *value = integer > 0 ? (size_t)integer : 0;
    return !json_has(record, name) || (json_is_integer(number) && integer >= 0 &&
                                       integer <= MAX_RUNS_LIMIT * (json_int_t)MAX_CONDITIONS);
}

// What a run in which it is not above 0 did not show; where ratios are made of it.
static bool is_no_ratio(const struct settings *settings, size_t metric, double value)
{
    return settings_needs_positive(settings, metric) && value <= 0; // false for NAN
}

static double value_of(const struct settings *settings, const json_t *record, size_t metric)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    if (!one->builtin)
        return metric_value(one->name, record);
    const double value = builtin_metric_value(one->builtin, record);
    return value < 0 ? NAN : value; // false for NAN
}

// The values, and whether one of them makes a run a failed one.
static void take_values(const struct settings *settings, const json_t *record,
                        struct observation *run)
{
    run->failure = judge_failure(record);
    run->exit_code = judge_exit_code(record);
    for (size_t i = 0; i < settings->metrics.count; i++) {
        run->value[i] = value_of(settings, record, i);
        // How long it took, at least: of a run that the time-out ended, not what it took to die.
        if (i == WALL_S && json_is_true(json_object_get(record, "timed_out")))
            run->value[i] = fmin(run->value[i], json_number_at(record, "timed_out_s"));
        // What the time-out cut short printed less, or nothing: that bounds no figure.
        if (!settings->metrics.item[i].builtin && run->failure == FAILURE_TIMED_OUT)
            run->value[i] = NAN;
        if (!is_no_ratio(settings, i, run->value[i]))
            continue;
        run->value[i] = NAN;
        if (run->failure == FAILURE_NONE)
            run->failure = FAILURE_METRIC;
    }
}

// A rate that was not sent is not kept, however good the answers were: by so much it is too far.
static void take_unsent(const struct settings *settings, const json_t *record,
                        struct observation *run)
{
    const double done = settings->achieved && settings_varies_rate(settings)
                            ? metric_value(settings->achieved, record)
                            : NAN;
    const double short_by = run->x + log(short_of_due) - log(done);
    if (!(short_by > 0) || !(run->y <= 0))
        return;
    run->unsent = true;
    run->y = short_by;
}

// Where a run was, and how far from the objectives: the largest distance of all (capacity.c). One
// that failed and counts did not keep them; one without a figure failed.
static void take_capacity(const struct settings *settings, const json_t *record,
                          struct observation *run)
{
    run->x = run->y = NAN;
    if (!settings_has_capacity(settings))
        return;
    run->missed = run->failure == FAILURE_TIMED_OUT;
    if (run->missed)
        run->failure = FAILURE_NONE;
    run->x = log(json_number_at(json_object_get(record, "vary"), settings->vary.name));
    const bool has_figures = run->failure == FAILURE_NONE && !run->missed;
    run->y = has_figures ? -INFINITY : INFINITY;
    for (size_t i = 0; has_figures && i < settings->objectives.count; i++) {
        const struct objective *one = &settings->objectives.item[i];
        const double figure = metric_value(one->metric, record);
        if (isnan(figure))
            run->failure = FAILURE_METRIC;
        run->y =
            isnan(figure) || isnan(run->y) ? NAN : fmax(run->y, objective_distance(one, figure));
    }
    take_unsent(settings, record, run);
}

static bool note(json_t *record, const char *metric, const char *reason)
{
    return json_object_set_new(record, "metric_failure",
                               json_pack("{s:s, s:s}", "metric", metric, "reason", reason)) == 0;
}

// Why a run has no value of what jostle itself measures.
static const char *why_none(const struct builtin_metric *metric, const json_t *record)
{
    const json_t *stalls = json_object_get(record, "stalls");
    return metric->without_wait && !isnan(json_number_at(stalls, "cpu_s"))
               ? "several of its threads or processes may have waited at once, and how much of "
                 "that "
                 "is in its wall time is not known"
               : "not counted on this machine";
}

void record_note_failure(const struct settings *settings, json_t *record)
{
    const struct objectives *objectives = &settings->objectives;
    char reason[64];
    bool failed = judge_failure(record) != FAILURE_NONE;
    for (size_t i = 0; i < settings->metrics.count && !failed; i++) {
        const struct metric_setting *one = &settings->metrics.item[i];
        const double value = value_of(settings, record, i);
        snprintf(reason, sizeof reason, "is %.6g, and a ratio needs more than 0", value);
        // Of what every run has only old records lack some.
        if (one->chosen && one->builtin && i >= BASIC_METRICS && isnan(value))
            failed = note(record, one->name, why_none(one->builtin, record));
        else if (is_no_ratio(settings, i, value))
            failed = note(record, one->name, reason);
    }
    for (size_t i = 0; i < objectives->count && !failed; i++)
        if (isnan(metric_value(objectives->item[i].metric, record)))
            failed =
                note(record, objectives->item[i].metric, "has no value, and --slo is about it");
}

enum record_status record_take(const struct settings *settings, const json_t *record,
                               struct observation *run, char *why, size_t why_size)
{
    const char *name = json_text_at(record, "condition");
    if (!json_is_object(record)) {
        snprintf(why, why_size, "it is no JSON object");
        return RECORD_BROKEN;
    }
    // One condition needs no name: so meter's own lines can be fed as they are.
    const int unnamed = settings->condition_count == 1 ? 0 : -1;
    run->condition = name ? settings_condition(settings, name) : unnamed;
    if (run->condition < 0) {
        snprintf(why, why_size, "its condition is %s%s, which is none of --conditions",
                 name ? "" : "not named", name ? name : "");
        return RECORD_FOREIGN;
    }
    take_values(settings, record, run);
    take_capacity(settings, record, run);
    if (!whole(record, "block", &run->block) || !whole(record, "order", &run->order)) {
        snprintf(why, why_size, "its block or order is no whole number that is possible");
        return RECORD_BROKEN;
    }
    run->start = json_is_true(json_object_get(record, "service_start"));
    run->washout = json_is_true(json_object_get(record, "washout"));
    if (!whole(record, "washout_runs", &run->washed)) {
        snprintf(why, why_size, "its washout_runs is no whole number that is possible");
        return RECORD_BROKEN;
    }
    if (json_has(record, "block") && run->block == 0)
        return json_has(record, "set_aside") ? RECORD_SET_ASIDE : RECORD_WARM_UP;
    if (isnan(run->value[WALL_S]) && run->failure == FAILURE_NONE) {
        snprintf(why, why_size, "it has no wall_s that is a number, 0 or more");
        return RECORD_BROKEN;
    }
    return RECORD_OK;
}

bool record_is_known(const json_t *record, const char *path, size_t line)
{
    const char *schema = json_text_at(record, "schema");
    return !schema || strncmp(schema, "jostle.run/", 11) != 0 || strcmp(schema, SCHEMA_RUN) == 0 ||
           complain("%s: line %zu has the schema %s, and this version reads %s: use the jostle "
                    "that made it",
                    path, line, schema, SCHEMA_RUN);
}

double elapsed_time(const char *text)
{
    struct tm utc = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
    if (!rest)
        return NAN;
    char *end = (char *)rest;
    const double fraction = *rest == '.' ? strtod(rest, &end) : 0;
    return *end == 'Z' ? (double)timegm(&utc) + fraction : NAN;
}
