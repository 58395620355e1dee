#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "units.h"

const char *machine_path(const char *path, char buffer[PATH_MAX])
{
    const char *root = getenv("JOSTLE_KERNEL_ROOT");
    if (snprintf(buffer, PATH_MAX, "%s%s", !root ? "" : root, path) >= PATH_MAX)
        buffer[0] = '\0';
    return buffer;
}

// The first line of the file with that path.
static bool __attribute__((format(printf, 3, 0)))
read_line(char *line, size_t size, const char *format, va_list arguments)
{
    char path[PATH_MAX], whole[PATH_MAX];
    line[0] = '\0';
    const int length = vsnprintf(path, sizeof path, format, arguments);
    FILE *file = length < (int)sizeof path ? fopen(machine_path(path, whole), "re") : NULL;
    if (!file)
        return false;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

bool machine_line(char *line, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool there = read_line(line, size, format, arguments);
    va_end(arguments);
    return there;
}

int64_t machine_number(const char *format, ...)
{
    char line[64], *end;
    va_list arguments;
    va_start(arguments, format);
    const bool there = read_line(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!there)
        return UNKNOWN;
    const long long value = strtoll(line, &end, 10);
    return end == line ? UNKNOWN : value;
}

bool machine_field(const char *path, const char *name, const char *separators, char *value,
                   size_t size)
{
    char whole[PATH_MAX], line[4096];
    const size_t length = strlen(name);
    bool found = false;
    value[0] = '\0';
    FILE *file = fopen(machine_path(path, whole), "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, length) == 0 && line[length] != '\0' &&
                strchr(separators, line[length]);
        if (!found)
            continue;
        const char *text = line + length + strspn(line + length, separators);
        snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
    }
    fclose(file);
    return found;
}

// Whether the text has one of the words.
static bool names_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

// What the firmware says of the machine; a cloud's bare metal says so.
static bool firmware_is_virtual(void)
{
    static const char *const files[] = {"/sys/class/dmi/id/sys_vendor",
                                        "/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/board_vendor"};
    static const char *const makers[] = {
        "QEMU",  "KVM",         "VMware",    "VirtualBox",      "Xen",
        "bhyve", "Parallels",   "OpenStack", "Virtual Machine", "Google Compute Engine",
        "oVirt", "Firecracker", "Amazon EC2"};
    char text[256], product[256];
    if (machine_line(product, sizeof product, "%s", files[1]) && strstr(product, ".metal"))
        return false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (machine_line(text, sizeof text, "%s", files[i]) &&
            names_one_of(text, makers, sizeof makers / sizeof makers[0]))
            return true;
    return false;
}

// The device tree of machines without such firmware (Arm, POWER, RISC-V).
static bool tree_is_virtual(void)
{
    static const char *const boards[] = {"dummy-virt", "qemu", "xen", "firecracker"};
    char text[256];
    return machine_line(text, sizeof text, "/proc/device-tree/hypervisor/compatible") ||
           (machine_line(text, sizeof text, "/proc/device-tree/compatible") &&
            names_one_of(text, boards, sizeof boards / sizeof boards[0]));
}

bool machine_is_virtual(void)
{
    char flags[4096], type[64];
    return (machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags) &&
            strstr(flags, "hypervisor")) ||
           machine_line(type, sizeof type, "/sys/hypervisor/type") || firmware_is_virtual() ||
           tree_is_virtual();
}

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

#define MOST_INDICES 8
#define INDEX        "/sys/devices/system/cpu/cpu%d/cache/index%d"

void caches_read(int cpu, struct caches *caches)
{
    uint64_t *const by_level[] = {NULL, &caches->l1_bytes, &caches->l2_bytes, &caches->l3_bytes};
    char type[32], size[32];
    *caches = (struct caches){0};
    if (cpu < 0)
        cpu = sched_getcpu();
    if (cpu < 0)
        cpu = 0;
    for (int index = 0; index < MOST_INDICES; index++) {
        const int64_t level = machine_number(INDEX "/level", cpu, index);
        if (level < 1 || level > 3 || !machine_line(type, sizeof type, INDEX "/type", cpu, index) ||
            strcmp(type, "Instruction") == 0)
            continue;
        // "32K"; all units there are powers of 1024.
        *by_level[level] = 0;
        if (machine_line(size, sizeof size, INDEX "/size", cpu, index))
            (void)units_size(size, by_level[level]);
    }
}

// Sources: sched(7) on autogroup; Linux kernel/sched/autogroup.c (setsid() makes a group, fork()
// keeps it, cgroups come first); ioctl_tty(2) on TIOCNOTTY.

void arrangement_apart(void)
{
    const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    (void)setpgid(0, 0);
    if (terminal < 0) // there is none
        return;
    (void)ioctl(terminal, TIOCNOTTY);
    (void)close(terminal);
}
