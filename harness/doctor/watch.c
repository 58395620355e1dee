#include "watch.h"

#include "common/messages.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOKS       10 /* at the run queue */
#define LOOK_MS     100
#define TICK_US     10000
#define LEAST_TICKS 3 /* of a second: below it a process is no culprit */

struct process {
    long pid;
    long long ticks;
    char name[64];
};

struct processes {
    size_t count;
    struct process *process;
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* "PID (NAME) STATE ... utime stime ...": the name may hold anything, even ") ". */
static bool read_process(const char *path, struct process *process)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *name = got ? strchr(line, '(') : NULL, *end = got ? strrchr(line, ')') : NULL;
    long long user, system;
    if (name == NULL || end == NULL ||
        sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld", &user, &system) !=
            2)
        return false;
    *process = (struct process){.pid = strtol(line, NULL, 10), .ticks = user + system};
    snprintf(process->name, sizeof process->name, "%.*s", (int)(end - name - 1), name + 1);
    return true;
}

/* All processes, as glob sorts them. Empty where there are none to be seen. */
static struct processes read_processes(void)
{
    char path[PATH_MAX];
    glob_t found;
    struct processes processes = {0};
    machine_path("/proc/[0-9]*/stat", path);
    if (glob(path, 0, NULL, &found) != 0)
        return processes;
    processes.process = calloc(found.gl_pathc, sizeof *processes.process);
    for (size_t i = 0; processes.process != NULL && i < found.gl_pathc; i++)
        processes.count += read_process(found.gl_pathv[i], &processes.process[processes.count]);
    globfree(&found);
    return processes;
}

static void find_culprit(struct watch *watch, const struct processes *before,
                         const struct processes *after)
{
    long long most = LEAST_TICKS - 1;
    for (size_t i = 0; i < after->count; i++) {
        const struct process *process = &after->process[i];
        size_t j = 0;
        while (j < before->count && before->process[j].pid != process->pid)
            j++;
        const long long used = j < before->count ? process->ticks - before->process[j].ticks : 0;
        if (used <= most)
            continue;
        most = used;
        snprintf(watch->culprit, sizeof watch->culprit, "%s, pid %ld, %lld %% of a CPU",
                 process->name, process->pid, used);
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
    struct processes before = read_processes();
    read_cpus(before_us, most);
    counters_read(&watch->before);
    const int64_t start_us = now_us();
    watch->queue = sleep_and_count();
    counters_read(&watch->after);
    watch->time_us = now_us() - start_us;
    watch->cpus = read_cpus(watch->cpu_busy_us, most);
    for (size_t i = 0; i < watch->cpus; i++)
        watch->cpu_busy_us[i] -= before_us[i];
    struct processes after = read_processes();
    find_culprit(watch, &before, &after);
    free(before.process);
    free(after.process);
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
