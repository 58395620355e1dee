#include "judge.h"

#include "common/machine.h"
#include "common/record_json.h"
#include "messages.h"

#include <math.h>
#include <string.h>

static const double short_of_due = 0.95;
// Over less time one operation more or less decides, which says nothing.
static const double least_elapsed_s = 0.1;
// Steal counts against the target, whatever the size of the machine: one whose time
// is 2 % longer is off by about half of the error that is usually requested.
// Two ticks at least, because ticks are coarse.
static const double steal_share = 0.02, steal_least_s = 0.020;
// Foreign load counts against the machine where that is small: it takes caches,
// memory bandwidth and the scheduler's free choice. On a large one 5 % would be
// several CPUs, but one busy program already can take the target's own CPU, and
// makes all threads of a parallel target wait for the one that it delays. A tenth
// of a second at least where it is a difference of sampled figures, else a hundredth: what
// meter and the kernel do for the run themselves is less.
static const double foreign_share = 0.05, foreign_most_cpus = 1;
static const double foreign_least_s = 0.100, foreign_least_exact_s = 0.010;

static bool is_known(const json_t *record, const char *name)
{
    const json_t *value = json_object_get(record, name);
    return value && !json_is_null(value);
}

const char *const failure_names[FAILURES] = {
    "", "exit", "signal", "timed_out", "not_started", "metric", "service"};

enum failure judge_failure(const json_t *record)
{
    if (is_known(json_object_get(record, "service"), "died"))
        return FAILURE_SERVICE;
    if (is_known(record, "start_error"))
        return FAILURE_NOT_STARTED;
    if (json_is_true(json_object_get(record, "timed_out")))
        return FAILURE_TIMED_OUT;
    if (is_known(record, "signal"))
        return FAILURE_SIGNAL;
    if (judge_exit_code(record) != 0)
        return FAILURE_EXIT;
    return is_known(record, "metric_failure") ? FAILURE_METRIC : FAILURE_NONE;
}

void judge_read_ignored(struct ignored *ignored, const json_t *settings)
{
    const json_t *codes = json_object_get(settings, "ignore_codes");
    *ignored = (struct ignored){.any = json_is_true(json_object_get(settings, "ignore_failure"))};
    for (size_t i = 0; i < json_array_size(codes) && i < IGNORED_MOST; i++)
        ignored->code[ignored->count++] = (int)json_integer_value(json_array_get(codes, i));
}

bool judge_counts(enum failure failure, int exit_code, const struct ignored *ignored)
{
    if (failure == FAILURE_NONE)
        return true;
    if (!ignored->any || failure == FAILURE_NOT_STARTED || failure == FAILURE_SERVICE)
        return false;
    for (size_t i = 0; i < ignored->count; i++)
        if (failure == FAILURE_EXIT && ignored->code[i] == exit_code)
            return true;
    return ignored->count == 0;
}

int judge_exit_code(const json_t *record)
{
    return (int)json_integer_value(json_object_get(record, "exit_code"));
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

// CPU time that was there for the load, in seconds over `elapsed`; *all_s is what would
// have been there if nobody had shared its CPUs. False: as far as is known nobody did.
static bool is_sharing(const json_t *record, const json_t *load, double elapsed, double *share_s,
                       double *all_s)
{
    struct cpu_list mine;
    if (is_known(load, "node") || !(elapsed > 0) || !cpus_of(load, &mine))
        return false;
    double others_s =
        taken(&mine, record, json_number_at(record, "user_s") + json_number_at(record, "system_s"));
    const json_t *service = json_object_get(record, "service");
    others_s += taken(&mine, service, json_number_at(service, "cpu_s"));
    const json_t *loads = json_object_get(record, "load");
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const json_t *other = json_array_get(loads, i);
        if (other != load && !is_known(other, "node"))
            others_s += taken(&mine, other, json_number_at(other, "cpu_s"));
    }
    *all_s = elapsed * mine.count;
    *share_s = fmax(*all_s - others_s, 0);
    return others_s > 0;
}

struct delivery judge_delivery(const json_t *record, const json_t *load)
{
    const double elapsed = json_number_at(load, "elapsed_s"), cpu_s = json_number_at(load, "cpu_s");
    const char *unit = json_text_at(load, "unit");
    struct delivery delivery = {.due = json_number_at(load, "offered"),
                                .done = json_number_at(load, "achieved")};
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
    return delivery->known && delivery->done < short_of_due * delivery->due;
}

bool judge_load_bound(const json_t *load)
{
    const char *accounting = json_text_at(load, "accounting");
    return accounting && strcmp(accounting, "processes") == 0;
}

static double loads_cpu_s(const json_t *record)
{
    const json_t *loads = json_object_get(record, "load");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const json_t *load = json_array_get(loads, i);
        const double cpu_s = json_number_at(load, "cpu_s");
        if (!is_known(load, "node") && !isnan(cpu_s))
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

// CPU time of all tasks of the machine but the target and the loads here.
static double foreign_s(const json_t *record, const json_t *machine, bool exact)
{
    // Where all that is known is ticks, the loads' own time may be counted twice over.
    const double doubt = exact ? 1 : 2;
    return json_number_at(machine, "busy_s") - target_cpu_s(record) - doubt * loads_cpu_s(record);
}

// At least the target's own and the loads' CPU time is there.
double judge_stolen_s(const json_t *record)
{
    const json_t *machine = json_object_get(record, "machine");
    const double mine_s = target_cpu_s(record);
    const double all_s = fmax(json_number_at(machine, "busy_s"), mine_s + loads_cpu_s(record));
    return all_s > 0 ? json_number_at(record, "steal_s") * mine_s / all_s : 0;
}

// So much of the target's time, of its CPU time where that is longer.
static bool is_stolen_from(const json_t *record)
{
    const double time_s = fmax(json_number_at(record, "wall_s"), target_cpu_s(record));
    return json_number_at(record, "steal_s") >= steal_least_s &&
           judge_stolen_s(record) > steal_share * time_s;
}

static bool is_crowded(const json_t *record, const json_t *machine, double cpus)
{
    const double most_cpus = fmin(foreign_share * cpus, foreign_most_cpus);
    const bool exact = json_is_true(json_object_get(machine, "busy_exact"));
    const double foreign = foreign_s(record, machine, exact);
    return foreign > (exact ? foreign_least_exact_s : foreign_least_s) &&
           foreign > most_cpus * json_number_at(record, "wall_s");
}

static void raise_flag(json_t *flags, enum flag flag, bool raised)
{
    if (raised)
        json_array_append_new(flags, json_string(flag_name(flag)));
}

void judge_disturbances(const json_t *record, double cpus, bool shared, json_t *flags)
{
    const json_t *machine = json_object_get(record, "machine");
    const double known = json_number_at(machine, "cpus");
    // A comparison with what is not known (NAN) is false.
    raise_flag(flags, FLAG_STEAL, is_stolen_from(record));
    raise_flag(flags, FLAG_FOREIGN_LOAD, is_crowded(record, machine, known > 0 ? known : cpus));
    raise_flag(flags, FLAG_SWAP_IN, json_number_at(machine, "swap_in_pages") > 0);
    raise_flag(flags, FLAG_THROTTLED, json_number_at(machine, "throttle_count") > 0);
    raise_flag(flags, FLAG_STOPPED, json_number_at(record, "stops") > 0);
    raise_flag(flags, FLAG_SHARED_NODE, shared);
}
