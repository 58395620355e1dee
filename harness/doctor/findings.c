#include "doctor.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/processes.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const status_names[] = {
    [STATUS_OK] = "ok", [STATUS_WARN] = "warn", [STATUS_UNKNOWN] = "unknown"};

void findings_add(struct findings *findings, enum status status, const char *advice,
                  const char *format, ...)
{
    va_list arguments;
    if (findings->count == sizeof findings->finding / sizeof findings->finding[0])
        return; // there are fewer checks than that
    struct finding *finding = &findings->finding[findings->count++];
    *finding = (struct finding){.check = findings->check->name, .status = status};
    snprintf(finding->advice, sizeof finding->advice, "%s", advice ?: "");
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

size_t findings_count(const struct findings *findings, enum status status)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->finding[i].status == status;
    return count;
}

// Whether others use the CPUs at the moment, so that it is better to wait.
static bool is_busy(const struct findings *findings)
{
    static const char *const checks[] = {"cpu-use", "run-queue", "cpu-pressure", NULL};
    for (size_t i = 0; i < findings->count; i++)
        if (findings->finding[i].status == STATUS_WARN &&
            text_is_among(findings->finding[i].check, checks))
            return true;
    return false;
}

void findings_print(const struct findings *findings)
{
    const size_t columns = fold_columns(STDOUT_FILENO);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        char text[sizeof finding->text + sizeof finding->advice + 4];
        snprintf(text, sizeof text, "%s%s%s", finding->text, finding->advice[0] == '\0' ? "" : ": ",
                 finding->advice);
        const int indent = printf("%-8s %-16s ", status_names[finding->status], finding->check);
        fold_behind(stdout, text, indent > 0 ? (size_t)indent : 0, columns);
        putchar('\n');
    }
    printf("\n%zu findings: %zu warn, %zu unknown\n", findings->count,
           findings_count(findings, STATUS_WARN), findings_count(findings, STATUS_UNKNOWN));
    printf("next: jostle slowdown %s-- CMD\n", is_busy(findings) ? "--wait " : "");
}

json_t *findings_to_json(const struct findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:o, s:o}", "check", finding->check, "status",
                      status_names[finding->status], "message", text_to_json(finding->text),
                      "advice", text_to_json(finding->advice[0] == '\0' ? NULL : finding->advice)));
    }
    return array;
}

// ---- what happens within a second ----

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
