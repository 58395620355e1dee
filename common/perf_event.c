// Opens and reads events of the kernel's perf, by the names that perf has for them.
#include "perf_event.h"

#include "machine.h"
#include "messages.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HARDWARE_EVENTS 4
#define PMUS            "/sys/bus/event_source/devices"

// The kernel's generic cache events: the last level on most Intel processors, the one before
// it on most of AMD's.
static const struct event {
    const char *name;
    uint32_t type;
    uint64_t config;
} events[PERF_EVENTS] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"task_clock_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};

static const struct {
    size_t first, count;
} sets[] = {
    [COUNTERS_HARDWARE] = {0, HARDWARE_EVENTS},
    [COUNTERS_SOFTWARE] = {HARDWARE_EVENTS, PERF_EVENTS - HARDWARE_EVENTS},
    [COUNTERS_ALL] = {0, PERF_EVENTS},
    [COUNTERS_NONE] = {0, 0},
};

size_t perf_event_count(enum counter_set set)
{
    return sets[set].count;
}

const char *perf_event_name(enum counter_set set, size_t event)
{
    return events[sets[set].first + event].name;
}

static bool may_not(void)
{
    return errno == EACCES || errno == EPERM;
}

// leader: of the group that it is to be in, or -1. Only a leader is enabled by exec: the others
// count when it does.
static int open_event(struct perf_event_attr attributes, int leader, bool user_only)
{
    attributes.size = sizeof attributes;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = leader < 0;
    attributes.enable_on_exec = leader < 0;
    attributes.inherit = 1;
    if (user_only)
        attributes.exclude_kernel = attributes.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int perf_event_open(enum counter_set set, size_t event, bool user_only)
{
    const struct event *one = &events[sets[set].first + event];
    const struct perf_event_attr attributes = {.type = one->type, .config = one->config};
    return open_event(attributes, -1, user_only);
}

bool perf_event_counts(const char *name)
{
    for (size_t i = 0; i < PERF_EVENTS; i++) {
        if (strcmp(events[i].name, name) != 0)
            continue;
        const struct perf_ratio one = {
            .event = {{.type = events[i].type, .config = events[i].config}}, .count = 1};
        bool user_only;
        int fd[2];
        if (!perf_ratio_open(&one, fd, &user_only))
            return false;
        (void)close(fd[0]);
        return true;
    }
    errno = ENOENT;
    return false;
}

bool perf_event_read(int fd, uint64_t *value, double *share)
{
    struct {
        uint64_t value, enabled_ns, running_ns;
    } sum;
    if (read(fd, &sum, sizeof sum) != (ssize_t)sizeof sum || sum.enabled_ns == 0)
        return false;
    *share = (double)sum.running_ns / (double)sum.enabled_ns;
    // With fewer registers than events the kernel takes turns.
    *value = *share > 0 && *share < 1 ? (uint64_t)((double)sum.value / *share) : sum.value;
    return true;
}

// ---- events by the names that perf has for them (Linux tools/perf/util/parse-events.c)

static const struct event named[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

#define NAMED (sizeof named / sizeof *named)

// Of cache events, NAME-OPERATIONs: PERF_TYPE_HW_CACHE has the index in the first byte of
// its config, the operation in the second, and in the third whether misses count.
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC",  "dTLB",
                                     "iTLB",      "branch",    "node", NULL};
static const struct {
    const char *name;
    uint64_t operation, misses;
} operations[] = {
    {"loads", PERF_COUNT_HW_CACHE_OP_READ, 0},
    {"load-misses", PERF_COUNT_HW_CACHE_OP_READ, 1},
    {"stores", PERF_COUNT_HW_CACHE_OP_WRITE, 0},
    {"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, 1},
    {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, 0},
    {"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, 1},
};

static bool read_cache(struct perf_event_attr *event, const char *text)
{
    for (size_t i = 0; caches[i]; i++) {
        const char *operation = text_after(text, caches[i]);
        for (size_t k = 0; operation && k < sizeof operations / sizeof *operations; k++)
            if (*operation == '-' && strcmp(operation + 1, operations[k].name) == 0) {
                event->type = PERF_TYPE_HW_CACHE;
                event->config = i | operations[k].operation << 8 | operations[k].misses << 16;
                return true;
            }
    }
    return false;
}

// r1a8: the number as the processor has it.
static bool read_raw(struct perf_event_attr *event, const char *text)
{
    const size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");
    if (text[0] != 'r' || digits == 0 || digits > 16 || text[1 + digits] != '\0')
        return false;
    event->type = PERF_TYPE_RAW;
    event->config = strtoull(text + 1, NULL, 16);
    return true;
}

static bool read_number(uint64_t *number, const char *text)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0;
}

// Puts the value where the format of the term says: "config:0-7,32-35", the low bits first.
static bool put_bits(struct perf_event_attr *event, const char *format, uint64_t value)
{
    static const struct {
        const char *name;
        size_t offset;
    } words[] = {{"config:", offsetof(struct perf_event_attr, config)},
                 {"config1:", offsetof(struct perf_event_attr, config1)},
                 {"config2:", offsetof(struct perf_event_attr, config2)}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = text_after(format, words[i].name);
        if (!at)
            continue;
        __u64 *word = (__u64 *)((char *)event + words[i].offset);
        for (char *end;; at = end + 1) {
            const unsigned long first = strtoul(at, &end, 10);
            const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
            for (unsigned long bit = first; bit <= last && bit < 64; bit++, value >>= 1)
                *word |= (value & 1) << bit;
            if (*end != ',')
                return *end == '\0' && value == 0;
        }
    }
    return false;
}

// The terms of a PMU's event: "event=0x3c,umask=0", or the name of one of its events, whose terms
// a file has.
static bool read_terms(struct perf_event_attr *event, const char *pmu, char *terms, bool named_too)
{
    char line[256];
    for (char *term; (term = strsep(&terms, ","));) {
        char *value = strchr(term, '=');
        uint64_t number = 1;
        if (value)
            *value++ = '\0';
        if (value && !read_number(&number, value))
            return false;
        if (!value && named_too &&
            machine_line(line, sizeof line, PMUS "/%s/events/%s", pmu, term)) {
            if (!read_terms(event, pmu, line, false))
                return false;
        } else if (strcmp(term, "config") == 0) {
            event->config = number;
        } else if (!machine_line(line, sizeof line, PMUS "/%s/format/%s", pmu, term) ||
                   !put_bits(event, line, number)) {
            return false;
        }
    }
    return true;
}

static bool read_type(struct perf_event_attr *event, const char *pmu)
{
    char line[32];
    uint64_t type;
    if (strpbrk(pmu, "./") || !machine_line(line, sizeof line, PMUS "/%s/type", pmu) ||
        !read_number(&type, line))
        return false;
    event->type = (__u32)type;
    return true;
}

// PMU/TERMS, without the slash at its end.
static bool read_pmu(struct perf_event_attr *event, char *text)
{
    char *terms = strchr(text, '/');
    if (!terms)
        return false;
    *terms++ = '\0';
    return !strchr(terms, '/') && read_type(event, text) && read_terms(event, text, terms, true);
}

// An event that the processor's own PMU names; or SUBSYSTEM:EVENT, a tracepoint.
static bool read_of_kernel(struct perf_event_attr *event, const char *text)
{
    static const char *const pmus[] = {"cpu", "cpu_core"};
    static const char *const tracing[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char line[256], copy[128];
    uint64_t id;
    if (strpbrk(text, "./"))
        return false;
    for (size_t i = 0; i < 2; i++) {
        snprintf(copy, sizeof copy, "%s", text);
        if (machine_line(line, sizeof line, PMUS "/%s/events/%s", pmus[i], text))
            return read_type(event, pmus[i]) && read_terms(event, pmus[i], copy, true);
    }
    char *name = strchr(copy, ':');
    if (!name)
        return false;
    *name++ = '\0';
    for (size_t i = 0; i < 2; i++)
        if (machine_line(line, sizeof line, "%s/events/%s/%s/id", tracing[i], copy, name) &&
            read_number(&id, line)) {
            event->type = PERF_TYPE_TRACEPOINT;
            event->config = id;
            return true;
        }
    return false;
}

static bool read_named(struct perf_event_attr *event, const char *text)
{
    for (size_t i = 0; i < NAMED; i++)
        if (strcmp(named[i].name, text) == 0) {
            event->type = named[i].type;
            event->config = named[i].config;
            return true;
        }
    return false;
}

// :u, :k or :uk behind an event, which is taken off it.
static void take_modifier(struct perf_event_attr *event, char *text)
{
    char *colon = strrchr(text, ':');
    if (!colon || colon[1] == '\0' || colon[1 + strspn(colon + 1, "uk")] != '\0')
        return;
    event->exclude_kernel = event->exclude_hv = !strchr(colon + 1, 'k');
    event->exclude_user = !strchr(colon + 1, 'u');
    *colon = '\0';
}

static bool read_event(struct perf_event_attr *event, const char *text, char *error, size_t size)
{
    char copy[256];
    const char *names[NAMED + 1];
    *event = (struct perf_event_attr){.size = sizeof *event};
    snprintf(copy, sizeof copy, "%s", text);
    take_modifier(event, copy);
    const size_t length = strlen(copy);
    if (strchr(copy, '/') && copy[length - 1] == '/')
        copy[length - 1] = '\0';
    if (strlen(text) < sizeof copy &&
        (read_named(event, copy) || read_cache(event, copy) || read_raw(event, copy) ||
         read_of_kernel(event, copy) || read_pmu(event, copy)))
        return true;
    for (size_t i = 0; i < NAMED; i++)
        names[i] = named[i].name;
    names[NAMED] = NULL;
    snprintf(error, size, "'%.80s' is no event here%s: give one that `perf list` has", text,
             nearest_hint(text, names).text);
    return false;
}

// Where the first event ends: behind the second slash of PMU/TERMS/, else at the first one.
static size_t first_event(const char *text)
{
    char pmu[128];
    struct perf_event_attr event;
    const size_t length = strcspn(text, "/");
    snprintf(pmu, sizeof pmu, "%.*s", (int)length, text);
    const char *end = text[length] == '/' ? strchr(text + length + 1, '/') : NULL;
    if (!end || !read_type(&event, pmu))
        return length;
    end++;
    return (size_t)(end - text) + (*end == ':' ? strcspn(end, "/") : 0);
}

bool perf_ratio_read(struct perf_ratio *ratio, const char *text, char *error, size_t size)
{
    char first[256];
    const size_t length = first_event(text);
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    ratio->count = text[length] == '\0' ? 1 : 2;
    if (!read_event(&ratio->event[0], first, error, size))
        return false;
    return ratio->count == 1 || read_event(&ratio->event[1], text + length + 1, error, size);
}

static bool open_group(const struct perf_ratio *ratio, int fd[2], bool user_only)
{
    fd[0] = fd[1] = -1;
    for (size_t i = 0; i < ratio->count; i++) {
        fd[i] = open_event(ratio->event[i], i == 0 ? -1 : fd[0], user_only);
        if (fd[i] >= 0)
            continue;
        const int error = errno;
        if (i > 0)
            (void)close(fd[0]);
        fd[0] = -1;
        errno = error;
        return false;
    }
    return true;
}

bool perf_ratio_open(const struct perf_ratio *ratio, int fd[2], bool *user_only)
{
    *user_only = false;
    if (open_group(ratio, fd, false))
        return true;
    *user_only = may_not();
    return *user_only && open_group(ratio, fd, true);
}
