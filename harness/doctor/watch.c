// Watches the machine for a second: what other programs use and wait for meanwhile.

#include "doctor.h"

#include "common/clock.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/processes.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKS       10 // at the run queue
#define LOOK_MS     100
#define LEAST_TICKS 3 // of a second: below it a process is no culprit

static void find_culprit(struct watch *watch, const struct processes *before,
                         const struct processes *after)
{
    long long most = LEAST_TICKS - 1;
    for (size_t i = 0; i < after->count; i++) {
        const struct process *process = &after->process[i];
        const struct process *was = processes_same(before, process);
        const long long used = !was ? 0 : process->ticks - was->ticks;
        if (used <= most)
            continue;
        most = used;
        snprintf(watch->culprit, sizeof watch->culprit, "%s, pid %ld, %lld %% of a CPU",
                 process->name, (long)process->pid, used);
    }
}

// Sleeps; returns how many tasks ran or waited meanwhile, without ourselves.
static double sleep_and_count(void)
{
    const struct timespec step = {.tv_nsec = LOOK_MS * 1000000L};
    double tasks = 0;
    for (int i = 0; i < LOOKS; i++) {
        char value[64];
        nanosleep(&step, NULL);
        if (!machine_field("/proc/stat", "procs_running", " ", value, sizeof value))
            continue;
        const double running = strtod(value, NULL);
        tasks += running > 0 ? running - 1 : 0;
    }
    return tasks / LOOKS;
}

void watch_machine(struct watch *watch)
{
    OWNED int64_t *before_us = must(calloc(CPUS_MOST, sizeof *before_us));
    *watch = (struct watch){.cpu_busy_us = must(calloc(CPUS_MOST, sizeof *before_us))};
    struct processes before = {0}, after = {0};
    processes_read(&before);
    (void)cpus_busy_us(before_us, CPUS_MOST);
    counters_read(&watch->before);
    const int64_t start_us = clock_ns() / NS_PER_US;
    watch->queue = sleep_and_count();
    counters_read(&watch->after);
    watch->time_us = clock_ns() / NS_PER_US - start_us;
    watch->cpus = cpus_busy_us(watch->cpu_busy_us, CPUS_MOST);
    for (size_t i = 0; i < watch->cpus; i++)
        watch->cpu_busy_us[i] -= before_us[i];
    processes_read(&after);
    find_culprit(watch, &before, &after);
    processes_free(&before);
    processes_free(&after);
}

void watch_free(struct watch *watch)
{
    free(watch->cpu_busy_us);
    watch->cpu_busy_us = NULL;
}

int64_t watch_grown(int64_t before, int64_t after)
{
    return before == UNKNOWN || after < before ? UNKNOWN : after - before;
}
