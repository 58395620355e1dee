// Says of a run whether and how it failed, whether its loads fell short and what disturbed it.
#include "run.h"

#include "common/counters.h"
#include "common/cpus.h"
#include "common/memory.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// Over less time one operation more or less decides, which says nothing.
static const double least_elapsed_s = 0.1;
// Steal counts against the target, whatever the size of the machine: one whose time
// is 2 % longer is off by about half of the error that is usually requested.
// Two ticks at least, because ticks are coarse.
static const double steal_share = 0.02, steal_least_s = 0.020;
// Foreign load counts from a tenth of a second on where it is a difference of sampled figures, else
// from a hundredth: what meter and the kernel do for the run themselves is less.
static const double foreign_least_s = 0.100, foreign_least_exact_s = 0.010;

#define RUN(object, member_name, kind, member, ...)                                                \
    {                                                                                              \
        .in = object, .name = member_name, .type = FIELD_##kind,                                   \
        .offset = offsetof(struct run, member), __VA_ARGS__                                        \
    }
// In the order in which a record has them: each is looked for behind the one before.
const struct field run_fields[] = {
    RUN(NULL, "condition", TEXT, condition, .required = true),
    RUN(NULL, "block", REAL, block, .meaning = "from 1; 0: kept and not used"),
    RUN(NULL, "order", REAL, order, .meaning = "from 1"),
    RUN(NULL, "host", TEXT, host),
    RUN(NULL, "washout", FLAG, is_washout, .meaning = "unloaded, between a loaded and the next"),
    RUN(NULL, "service_start", FLAG, is_start, .meaning = "the first after the service started"),
    RUN(NULL, "washout_runs", REAL, washout_runs, .meaning = "that come after each loaded run"),
    RUN(NULL, "start", TEXT, start, .meaning = "RFC 3339, UTC"),
    RUN(NULL, "wall_s", REAL, wall_s, .unit = "s", .required = true),
    RUN(NULL, "exit_code", REAL, exit_code),
    RUN(NULL, "signal", REAL, signal, .meaning = "that ended it"),
    RUN(NULL, "timed_out", FLAG, timed_out),
    RUN(NULL, "timed_out_s", REAL, timed_out_s, .unit = "s", .meaning = "when it was ended"),
    RUN(NULL, "start_error", NOTE, start_error, .meaning = "why it was not started, or stopped"),
    RUN(NULL, "stops", REAL, stops, .meaning = "how often it was stopped by a signal"),
    RUN(NULL, "metric_failure", THERE, has_no_figure),
    RUN(NULL, "flags", ITEMS, flags, .meaning = "a short load, disturbances"),
    RUN(NULL, "set_aside", THERE, was_set_aside, .meaning = "it was made again"),
    RUN("memory_kills", "target", REAL, kills_of_target),
    RUN("memory_kills", "cgroup", REAL, kills_in_cgroup),
    RUN("memory_kills", "machine", REAL, kills_on_machine),
    RUN("metric_failure", "metric", TEXT, metric),
    RUN("metric_failure", "reason", TEXT, reason),
    RUN("service", "died", NOTE, service_died, .meaning = "how it ended during the run"),
    {0},
};
const struct field run_use_fields[] = {
    RUN(NULL, "user_s", REAL, user_s, .unit = "s"),
    RUN(NULL, "system_s", REAL, system_s, .unit = "s"),
    RUN(NULL, "steal_s", REAL, steal_s, .unit = "s", .meaning = "of the whole machine"),
    RUN(NULL, "cpus", TEXT, cpus, .meaning = "that the target might use"),
    RUN(NULL, "stopped_s", NULL, is_stop_unknown),
    RUN("machine", "busy_s", REAL, busy_s, .unit = "s", .meaning = "CPU time of all"),
    RUN("machine", "busy_exact", FLAG, is_busy_exact, .meaning = "not counted in ticks"),
    RUN("machine", "cpus", REAL, machine_cpus),
    RUN("machine", "swap_in_pages", REAL, swap_in_pages),
    RUN("machine", "throttle_count", REAL, throttle_count, .meaning = "by heat"),
    RUN("service", "cpu_s", REAL, service_cpu_s, .unit = "s"),
    RUN("service", "cpus", TEXT, service_cpus),
    {0},
};
#undef RUN

#define LOAD(member_name, kind, member, ...)                                                       \
    {                                                                                              \
        .name = member_name, .type = FIELD_##kind, .offset = offsetof(struct run_load, member),    \
        __VA_ARGS__                                                                                \
    }
const struct field run_load_fields[] = {
    LOAD("name", TEXT, name, .meaning = "as --load gives it"),
    LOAD("load", TEXT, load, .meaning = "which of loadgen's it is"),
    LOAD("unit", TEXT, unit, .meaning = "of rate, offered, achieved, late and dropped"),
    LOAD("cpus", TEXT, cpus, .meaning = "that it might use"),
    LOAD("accounting", TEXT, accounting, .meaning = "who counted its CPU time"),
    LOAD("node", THERE, is_elsewhere),
    LOAD("phase_s", THERE, has_stages),
    LOAD("elapsed_s", REAL, elapsed_s, .unit = "s"),
    LOAD("cpu_s", REAL, cpu_s, .unit = "s"),
    LOAD("rate", REAL, rate, .meaning = "a second"),
    LOAD("offered", REAL, offered),
    LOAD("achieved", REAL, achieved),
    LOAD("late", REAL, late),
    LOAD("dropped", REAL, dropped),
    {0},
};
#undef LOAD

bool run_read(struct run *run, struct node record)
{
    *run = (struct run){0};
    return !fields_read(run_fields, record, run);
}

void run_read_use(struct run *run, struct node record)
{
    const struct node list = node_get(record, "load");
    const size_t count = node_size(list);
    (void)fields_read(run_use_fields, record, run);
    run_free(run);
    if (count == 0)
        return;
    run->load = must(calloc(count, sizeof *run->load));
    for (struct node_each each = {.list = list}; node_step(&each);)
        (void)fields_read(run_load_fields, each.at, &run->load[run->load_count++]);
}

void run_free(struct run *run)
{
    free(run->load);
    run->load = NULL;
    run->load_count = 0;
}

// ---- what it is for

enum run_use run_use(const struct run *run)
{
    if (run->block != 0) // also where it has none
        return RUN_MEASURED;
    return run->was_set_aside ? RUN_IS_SET_ASIDE : RUN_IS_WARM_UP;
}

// ---- how it failed

const char *const failure_names[FAILURES] = {
    "", "exit", "signal", "timed_out", "not_started", "metric", "memory", "service"};

// The kernel killed processes of the target; or some elsewhere, and the target ended so.
static bool was_killed(const struct run *run)
{
    const bool elsewhere = run->kills_in_cgroup > 0 || run->kills_on_machine > 0;
    return run->kills_of_target > 0 ||
           (elsewhere && run_exit_code(run) == CODE_OF_SIGNAL + SIGKILL);
}

enum failure run_failure(const struct run *run)
{
    if (run->service_died)
        return FAILURE_SERVICE;
    if (run->start_error)
        return FAILURE_NOT_STARTED;
    if (run->timed_out)
        return FAILURE_TIMED_OUT;
    if (was_killed(run))
        return FAILURE_MEMORY;
    if (!isnan(run->signal))
        return FAILURE_SIGNAL;
    if (run_exit_code(run) != 0)
        return FAILURE_EXIT;
    return run->has_no_figure ? FAILURE_METRIC : FAILURE_NONE;
}

int run_exit_code(const struct run *run)
{
    if (!(run->signal > 0) && isnan(run->exit_code))
        return 0;
    const double code = run->signal > 0 ? CODE_OF_SIGNAL + run->signal : run->exit_code;
    // Cut to an int, a large one could be 0.
    return code >= INT_MIN && code <= INT_MAX ? (int)code : -1;
}

void ignored_read(struct ignored *ignored, struct node settings)
{
    *ignored = (struct ignored){.any = node_is_true(node_get(settings, "ignore_failure"))};
    struct node_each each = {.list = node_get(settings, "ignore_codes")};
    while (node_step(&each) && ignored->count < IGNORED_MOST) {
        const double code = node_number(each.at);
        ignored->code[ignored->count++] = code >= 0 && code <= INT_MAX ? (int)code : -1;
    }
}

bool failure_counts(enum failure failure, int exit_code, const struct ignored *ignored)
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

bool failure_is_answer(enum failure failure, bool has_capacity)
{
    return has_capacity && failure == FAILURE_TIMED_OUT;
}

bool failure_censors(enum failure failure)
{
    return failure == FAILURE_TIMED_OUT;
}

bool run_was_stopped(const struct run *run)
{
    return run_failure(run) == FAILURE_NOT_STARTED && run->stops > 0;
}

const char *failure_of(const struct run *run)
{
    return run_failure(run) == FAILURE_SERVICE ? "the service" : "the target";
}

// Where the kernel counts for more than the target, nobody can tell whose process it was.
static char *memory_text(const struct run *run)
{
    if (!(run->kills_of_target > 0))
        return text_of("was killed (SIGKILL), and the kernel killed processes of this %s for want "
                       "of memory meanwhile",
                       run->kills_in_cgroup > 0 ? "cgroup" : "machine");
    return text_of(run_exit_code(run) == CODE_OF_SIGNAL + SIGKILL
                       ? "was killed by the kernel for want of memory"
                       : "lost a process, which the kernel killed for want of memory");
}

char *failure_text(const struct run *run)
{
    switch (run_failure(run)) {
    case FAILURE_TIMED_OUT:
        return text_of("ran into the time-out after %.3g s", run_wall_s(run));
    case FAILURE_NOT_STARTED:
        return run_was_stopped(run) ? text_of("was stopped: it %s", run->start_error)
                                    : text_of("could not be started (%s)", run->start_error);
    case FAILURE_METRIC:
        return text_of("made no figure %s: %s", run->metric ?: "?", run->reason ?: "?");
    case FAILURE_SERVICE:
        return text_of("%s", run->service_died);
    case FAILURE_MEMORY:
        return memory_text(run);
    case FAILURE_SIGNAL:
        return text_of("was ended by signal %.0f", run->signal);
    default:
        return text_of("failed with exit code %.0f", run->exit_code);
    }
}

double run_wall_s(const struct run *run)
{
    const double wall_s = run->wall_s < 0 ? NAN : run->wall_s;
    return run->timed_out ? fmin(wall_s, run->timed_out_s) : wall_s;
}

// ---- its loads

static bool cpus_of(const char *text, struct cpu_list *list)
{
    return text && cpus_parse(text, list) == 0 && list->count > 0;
}

unsigned run_cpus(const struct run *run)
{
    struct cpu_list list;
    return cpus_of(run->cpus, &list) ? list.count : 0;
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

// CPUs' worth of time that somebody who used `cpu_s` on those CPUs took of mine.
static double taken(const struct cpu_list *mine, const char *others, double cpu_s)
{
    struct cpu_list cpus;
    if (!(cpu_s > 0) || !cpus_of(others, &cpus))
        return 0;
    return cpu_s * common_cpus(mine, &cpus) / cpus.count;
}

static double loads_cpu_s(const struct run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->load_count; i++)
        if (!run->load[i].is_elsewhere && !isnan(run->load[i].cpu_s))
            sum += run->load[i].cpu_s;
    return sum;
}

// With that of its service, which is part of what is measured.
static double target_cpu_s(const struct run *run)
{
    return run->user_s + run->system_s + (isnan(run->service_cpu_s) ? 0 : run->service_cpu_s);
}

// CPU time that was there for the load, in seconds over the run; *all_s is what would have been
// there if nobody had shared its CPUs. False: as far as is known nobody did.
static bool is_sharing(const struct run *run, const struct run_load *load, double *share_s,
                       double *all_s)
{
    struct cpu_list mine;
    if (load->is_elsewhere || !(load->elapsed_s > 0) || !cpus_of(load->cpus, &mine))
        return false;
    double others_s = taken(&mine, run->cpus, run->user_s + run->system_s);
    others_s += taken(&mine, run->service_cpus, run->service_cpu_s);
    for (const struct run_load *other = run->load; other < run->load + run->load_count; other++)
        if (other != load && !other->is_elsewhere)
            others_s += taken(&mine, other->cpus, other->cpu_s);
    // What the host took falls on those who run, by their CPU time.
    const double used_s = target_cpu_s(run) + loads_cpu_s(run), on_mine_s = others_s + load->cpu_s;
    if (run->steal_s > 0 && used_s > 0 && on_mine_s > 0)
        others_s += run->steal_s * fmin(on_mine_s / used_s, 1);
    *all_s = load->elapsed_s * mine.count;
    *share_s = fmax(*all_s - others_s, 0);
    return others_s > 0;
}

struct delivery run_delivery(const struct run *run, const struct run_load *load)
{
    struct delivery delivery = {.due = load->offered,
                                .done = load->achieved,
                                // False for NAN; stages may ask for nothing during a run.
                                .asked = load->rate > 0 && !load->has_stages};
    delivery.known =
        !isnan(delivery.due) && !isnan(delivery.done) && !(load->elapsed_s < least_elapsed_s);
    double share_s, all_s;
    if (!delivery.known || !is_sharing(run, load, &share_s, &all_s))
        return delivery;
    const bool is_cpu_load = load->unit && strcmp(load->unit, "CPUs") == 0;
    if (is_cpu_load || load->cpu_s >= SHORT_OF_DUE * share_s)
        delivery.due *= share_s / all_s;
    return delivery;
}

bool delivery_is_short(const struct delivery *delivery)
{
    const bool nothing = delivery->asked && delivery->due <= 0;
    return delivery->known && (nothing || delivery->done < SHORT_OF_DUE * delivery->due);
}

bool run_is_short(const struct run *run)
{
    bool is_short = false;
    for (size_t i = 0; i < run->load_count; i++) {
        const struct delivery delivery = run_delivery(run, &run->load[i]);
        is_short = is_short || delivery_is_short(&delivery);
    }
    return is_short;
}

// ---- the machine

// At least the target's own and the loads' CPU time is there.
double run_stolen_s(const struct run *run)
{
    const double mine_s = target_cpu_s(run);
    const double all_s = fmax(run->busy_s, mine_s + loads_cpu_s(run));
    return all_s > 0 ? run->steal_s * mine_s / all_s : 0;
}

// Where all that is known is ticks, the loads' own time may be counted twice over.
double run_foreign_s(const struct run *run)
{
    return run->busy_s - target_cpu_s(run) - (run->is_busy_exact ? 1 : 2) * loads_cpu_s(run);
}

// A comparison with what is not known (NAN) is false.
static bool has_foreign_load(const struct run *run, double cpus)
{
    const double foreign_s = run_foreign_s(run);
    return foreign_s > (run->is_busy_exact ? foreign_least_exact_s : foreign_least_s) &&
           foreign_s >
               foreign_most_cpus(run->machine_cpus > 0 ? run->machine_cpus : cpus) * run->wall_s;
}

unsigned run_disturbances(const struct run *run, double cpus, bool shared)
{
    const bool raised[DISTURBANCES] = {
        [DISTURBED_STEAL] = run->steal_s >= steal_least_s &&
                            run_stolen_s(run) > steal_share * fmax(run->wall_s, target_cpu_s(run)),
        [DISTURBED_FOREIGN_LOAD] = has_foreign_load(run, cpus),
        [DISTURBED_SWAP_IN] = run->swap_in_pages > 0,
        [DISTURBED_THROTTLED] = run->throttle_count > 0,
        // Unknown: meter was stopped when the target ended, and noted that end late.
        [DISTURBED_STOPPED] = run->stops > 0 || run->is_stop_unknown,
        [DISTURBED_MEMORY_KILL] = run->kills_in_cgroup > 0 || run->kills_on_machine > 0,
        [DISTURBED_SHARED_NODE] = shared,
    };
    unsigned bits = 0;
    for (enum disturbance i = 0; i < DISTURBANCES; i++)
        bits |= (unsigned)raised[i] << i;
    return bits;
}

bool run_is_flagged(const struct run *run)
{
    return run->flags > 0;
}
