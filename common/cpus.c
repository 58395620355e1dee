// Reads and writes lists of CPUs, and binds threads and processes to them.
#include "common/cpus.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

// A set of the kernel's, which takes one of any length that has room for all its CPUs.
enum { WORD_BITS = 8 * sizeof(unsigned long) };
struct set {
    unsigned long word[CPUS_MOST / WORD_BITS];
};

static cpu_set_t *as_kernel(struct set *set)
{
    return (cpu_set_t *)set; // CPU_ALLOC(3): an array of words, whatever its type says
}

static void add_cpu(struct set *set, int cpu)
{
    set->word[cpu / WORD_BITS] |= 1UL << cpu % WORD_BITS;
}

static void from_set(const struct set *set, struct cpu_list *list)
{
    list->count = 0;
    for (int i = 0; i < CPUS_MOST / WORD_BITS; i++)
        for (unsigned long left = set->word[i]; left != 0; left &= left - 1)
            list->cpu[list->count++] = WORD_BITS * i + __builtin_ctzl(left);
}

static void to_set(const struct cpu_list *list, struct set *set)
{
    for (unsigned i = 0; i < list->count; i++)
        add_cpu(set, list->cpu[i]);
}

int cpus_allowed(struct cpu_list *list)
{
    struct set set = {0};
    if (sched_getaffinity(0, sizeof set, as_kernel(&set)) != 0)
        return -1;
    from_set(&set, list);
    return 0;
}

// A CPU number at *text, which is moved behind it; -1 when there is none.
static int scan_cpu(const char **text)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return -1;
    errno = 0;
    const long cpu = strtol(*text, &end, 10);
    if (errno != 0 || cpu >= CPUS_MOST)
        return -1;
    *text = end;
    return (int)cpu;
}

int cpus_parse(const char *text, struct cpu_list *list)
{
    struct set set = {0};
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
            add_cpu(&set, cpu);
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
    unsigned j = 0; // both rise
    for (unsigned i = 0; i < wanted->count; i++) {
        while (j < allowed->count && allowed->cpu[j] < wanted->cpu[i])
            j++;
        if (j == allowed->count || allowed->cpu[j] != wanted->cpu[i])
            return wanted->cpu[i];
    }
    return -1;
}

bool cpus_overlap(const struct cpu_list *a, const struct cpu_list *b)
{
    for (unsigned i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->cpu[i] == b->cpu[j])
            return true;
        if (a->cpu[i] < b->cpu[j])
            i++;
        else
            j++;
    }
    return false;
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

int cpus_pin_process(pid_t process, const struct cpu_list *list)
{
    struct set set = {0};
    to_set(list, &set);
    return sched_setaffinity(process, sizeof set, as_kernel(&set));
}

int cpus_pin_list(const struct cpu_list *list)
{
    return cpus_pin_process(0, list);
}

int cpus_pin(int cpu)
{
    struct set set = {0};
    add_cpu(&set, cpu);
    return sched_setaffinity(0, sizeof set, as_kernel(&set));
}

bool cpus_of_thread(pid_t thread, struct cpu_list *list)
{
    struct set set = {0};
    if (sched_getaffinity(thread, sizeof set, as_kernel(&set)) != 0)
        return false;
    to_set(list, &set);
    from_set(&set, list);
    return true;
}

void cpus_add(struct cpu_list *list, int cpu)
{
    struct set set = {0};
    to_set(list, &set);
    add_cpu(&set, cpu);
    from_set(&set, list);
}
