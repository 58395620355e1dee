#include "common/cpus.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void from_set(const cpu_set_t *set, struct cpu_list *list)
{
    list->count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set))
            list->cpu[list->count++] = cpu;
}

int cpus_allowed(struct cpu_list *list)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    from_set(&set, list);
    return 0;
}

/* A CPU number at *text, which is moved behind it; -1 when there is none. */
static int scan_cpu(const char **text)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return -1;
    errno = 0;
    const long cpu = strtol(*text, &end, 10);
    if (errno != 0 || cpu >= CPU_SETSIZE)
        return -1;
    *text = end;
    return (int)cpu;
}

int cpus_parse(const char *text, struct cpu_list *list)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (;;) {
        const int first = scan_cpu(&text);
        int last = first;
        if (*text == '-') {
            text++;
            last = scan_cpu(&text);
        }
        if (first < 0 || last < first)
            return -1;
        for (int cpu = first; cpu <= last; cpu++)
            CPU_SET((size_t)cpu, &set);
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return -1;
    }
    from_set(&set, list);
    return 0;
}

int cpus_missing(const struct cpu_list *wanted, const struct cpu_list *allowed)
{
    for (unsigned i = 0; i < wanted->count; i++) {
        bool found = false;
        for (unsigned j = 0; j < allowed->count && !found; j++)
            found = wanted->cpu[i] == allowed->cpu[j];
        if (!found)
            return wanted->cpu[i];
    }
    return -1;
}

const char *cpus_format(const struct cpu_list *list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < list->count && used < size; i++) {
        const int first = list->cpu[i];
        while (i + 1 < list->count && list->cpu[i + 1] == list->cpu[i] + 1)
            i++;
        const char *comma = used == 0 ? "" : ",";
        const int written =
            list->cpu[i] == first
                ? snprintf(text + used, size - used, "%s%d", comma, first)
                : snprintf(text + used, size - used, "%s%d-%d", comma, first, list->cpu[i]);
        used += written > 0 ? (size_t)written : 0;
    }
    return text;
}

static void to_set(const struct cpu_list *list, cpu_set_t *set)
{
    for (unsigned i = 0; i < list->count; i++)
        CPU_SET((size_t)list->cpu[i], set);
}

int cpus_pin_list(const struct cpu_list *list)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    to_set(list, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

int cpus_pin(int cpu)
{
    const struct cpu_list list = {.count = 1, .cpu = {cpu}};
    return cpus_pin_list(&list);
}

bool cpus_of_thread(pid_t thread, struct cpu_list *list)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set) != 0)
        return false;
    to_set(list, &set);
    from_set(&set, list);
    return true;
}

void cpus_add(struct cpu_list *list, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    to_set(list, &set);
    CPU_SET((size_t)cpu, &set);
    from_set(&set, list);
}
