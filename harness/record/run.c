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
