#include "watch.h"

#include "common/messages.h"
#include "common/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOKS       10 /* at the run queue */
#define LOOK_MS     100
#define TICK_US     10000
#define LEAST_TICKS 3 /* of a second: below it a process is no culprit */

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void find_culprit(struct watch *watch, const struct processes *before,
                         const struct processes *after)
{
    long long most = LEAST_TICKS - 1;
    for (size_t i = 0; i < after->count; i++) {
        const struct process *process = &after->process[i];
        const struct process *was = processes_same(before, process);
        const long long used = was == NULL ? 0 : process->ticks - was->ticks;
        if (used <= most)
            continue;
        most = used;
        snprintf(watch->culprit, sizeof watch->culprit, "%s, pid %ld, %lld %% of a CPU",
                 process->name, (long)process->pid, used);
    }
}

/* Busy time of each CPU since boot, interrupts included. */
static size_t read_cpus(int64_t *busy_us, size_t most)
{
    char path[PATH_MAX], line[1024];
    size_t cpus = 0;
    FILE *file = fopen(machine_path("/proc/stat", path), "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "cpu", 3) == 0) {
        size_t cpu;
        long long user, nice, system, irq, softirq;
        if (sscanf(line, "cpu%zu %lld %lld %lld %*d %*d %lld %lld", &cpu, &user, &nice, &system,
                   &irq, &softirq) != 6 ||
            cpu >= most)
            continue;
        busy_us[cpu] = (user + nice + system + irq + softirq) * TICK_US;
        cpus = cpu + 1 > cpus ? cpu + 1 : cpus;
    }
    fclose(file);
    return cpus;
}

/* Sleeps; returns how many tasks ran or waited meanwhile, without ourselves. */
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

bool watch_machine(struct watch *watch)
{
    const size_t most = 8192;
    int64_t *before_us = calloc(most, sizeof *before_us);
    *watch = (struct watch){.cpu_busy_us = calloc(most, sizeof *watch->cpu_busy_us)};
    if (before_us == NULL || watch->cpu_busy_us == NULL) {
        free(before_us);
        watch_free(watch);
        return complain("out of memory: free some");
    }
    struct processes before = {0}, after = {0};
    processes_read(&before);
    read_cpus(before_us, most);
    counters_read(&watch->before);
    const int64_t start_us = now_us();
    watch->queue = sleep_and_count();
    counters_read(&watch->after);
    watch->time_us = now_us() - start_us;
    watch->cpus = read_cpus(watch->cpu_busy_us, most);
    for (size_t i = 0; i < watch->cpus; i++)
        watch->cpu_busy_us[i] -= before_us[i];
    processes_read(&after);
    find_culprit(watch, &before, &after);
    processes_free(&before);
    processes_free(&after);
    free(before_us);
    return true;
}

void watch_free(struct watch *watch)
{
    free(watch->cpu_busy_us);
    watch->cpu_busy_us = NULL;
}

int64_t watch_grown(int64_t before, int64_t after)
{
    return before == UNKNOWN || after == UNKNOWN ? UNKNOWN : after - before;
}
