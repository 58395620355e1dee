// Tells cores of unlike speed in one machine apart: big.LITTLE, P and E cores.
//
// Sources: Linux Documentation/ABI/testing/sysfs-devices-system-cpu (cpu_capacity),
// admin-guide/pm/cpufreq.rst (cpuinfo_max_freq), and for Intel's hybrid processors
// Documentation/ABI/testing/sysfs-bus-event_source-devices (cpu_core, cpu_atom).

#include "common/core_kinds.h"

#include "common/machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// From the technical reference manuals of the cores (MIDR_EL1), as far as servers and well-known
// boards have them; Linux arch/arm64/include/asm/cputype.h has many of them, too.
static const struct {
    unsigned implementer, part;
    const char *name;
} cores[] = {
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd04, "Arm Cortex-A35"},
    {0x41, 0xd05, "Arm Cortex-A55"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd09, "Arm Cortex-A73"},
    {0x41, 0xd0a, "Arm Cortex-A75"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse N1"},
    {0x41, 0xd0d, "Arm Cortex-A77"},
    {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd41, "Arm Cortex-A78"},
    {0x41, 0xd44, "Arm Cortex-X1"},
    {0x41, 0xd46, "Arm Cortex-A510"},
    {0x41, 0xd47, "Arm Cortex-A710"},
    {0x41, 0xd48, "Arm Cortex-X2"},
    {0x41, 0xd49, "Arm Neoverse N2"},
    {0x41, 0xd4a, "Arm Neoverse E1"},
    {0x41, 0xd4d, "Arm Cortex-A715"},
    {0x41, 0xd4e, "Arm Cortex-X3"},
    {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd80, "Arm Cortex-A520"},
    {0x41, 0xd81, "Arm Cortex-A720"},
    {0x41, 0xd82, "Arm Cortex-X4"},
    {0x41, 0xd84, "Arm Neoverse V3"},
    {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x42, 0x516, "Broadcom Vulcan"},
    {0x43, 0x0a1, "Cavium ThunderX"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon TSV110"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0x51, 0x001, "Qualcomm Oryon"},
    {0x61, 0x022, "Apple Icestorm (M1)"},
    {0x61, 0x023, "Apple Firestorm (M1)"},
    {0x61, 0x032, "Apple Blizzard (M2)"},
    {0x61, 0x033, "Apple Avalanche (M2)"},
    {0x70, 0x662, "Phytium FTC662"},
    {0x70, 0x663, "Phytium FTC663"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1a"},
};

// Arm's processors state numbers, not names: implementer and part of MIDR_EL1, which /proc/cpuinfo
// has as "CPU implementer" and "CPU part". The name, or the numbers where it is not known here,
// into text; returns text.
static const char *arm_core_name(unsigned implementer, unsigned part, char *text, size_t size)
{
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cores[i].implementer == implementer && cores[i].part == part) {
            snprintf(text, size, "%s", cores[i].name);
            return text;
        }
    snprintf(text, size, "CPU implementer 0x%02x part 0x%03x", implementer, part);
    return text;
}

#define CPU_FOLDER "/sys/devices/system/cpu"
#define ALIKE      1.1 // times as much, at most

// What one CPU is.
struct core {
    char name[64];
    int64_t capacity, most_khz;
};

static int64_t number_of(int cpu, const char *file)
{
    return machine_number(CPU_FOLDER "/cpu%d/%s", cpu, file);
}

// Names of all CPUs, by their numbers.
static void name_arm(char (*names)[64])
{
    char path[PATH_MAX], line[4096];
    unsigned implementer = 0, part = 0;
    int cpu = -1, number;
    FILE *file = fopen(machine_path("/proc/cpuinfo", path), "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "processor : %d", &number) == 1)
            cpu = number;
        else if (sscanf(line, "CPU implementer : %x", &implementer) == 1)
            continue;
        else if (sscanf(line, "CPU part : %x", &part) == 1 && cpu >= 0 && cpu < CPUS_MOST)
            arm_core_name(implementer, part, names[cpu], sizeof names[cpu]);
    }
    if (file)
        fclose(file);
}

// A hybrid processor has counters of their own for each kind of its cores.
static void name_intel(char (*names)[64])
{
    static const struct {
        const char *path, *name;
    } kinds[] = {{"/sys/devices/cpu_core/cpus", "P-core"},
                 {"/sys/devices/cpu_atom/cpus", "E-core"}};
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!machine_line(text, sizeof text, "%s", kinds[i].path) || cpus_parse(text, &cpus) != 0)
            continue;
        for (unsigned j = 0; j < cpus.count; j++)
            snprintf(names[cpus.cpu[j]], sizeof names[0], "%s", kinds[i].name);
    }
}

static bool near(int64_t a, int64_t b)
{
    return a == UNKNOWN || b == UNKNOWN ||
           ((double)a <= ALIKE * (double)b && (double)b <= ALIKE * (double)a);
}

static bool is_of(const struct core_kind *kind, const struct core *core)
{
    return strcmp(kind->name, core->name) == 0 && near(kind->capacity, core->capacity) &&
           near(kind->most_khz, core->most_khz);
}

// CPUs beyond the most kinds that are told apart count as the last kind.
static void add(struct core_kinds *kinds, int cpu, const struct core *core)
{
    unsigned i = 0;
    while (i < kinds->count && !is_of(&kinds->kind[i], core))
        i++;
    if (i == CORE_KINDS_MOST)
        i--;
    struct core_kind *kind = &kinds->kind[i];
    if (i == kinds->count) {
        kinds->count++;
        memcpy(kind->name, core->name, sizeof kind->name);
        kind->capacity = core->capacity;
        kind->most_khz = core->most_khz;
    }
    kind->cpus.cpu[kind->cpus.count++] = cpu;
}

static int by_speed(const void *one, const void *other)
{
    const struct core_kind *a = one, *b = other;
    if (a->capacity != b->capacity)
        return a->capacity > b->capacity ? -1 : 1;
    if (a->most_khz != b->most_khz)
        return a->most_khz > b->most_khz ? -1 : 1;
    return a->cpus.cpu[0] < b->cpus.cpu[0] ? -1 : 1;
}

static void find(struct core_kinds *kinds, char (*names)[64])
{
    struct cpu_list online;
    char text[CPUS_TEXT];
    if (!machine_line(text, sizeof text, CPU_FOLDER "/online") || cpus_parse(text, &online) != 0)
        return;
    for (unsigned i = 0; i < online.count; i++) {
        const int cpu = online.cpu[i];
        struct core core = {.capacity = number_of(cpu, "cpu_capacity"),
                            .most_khz = number_of(cpu, "cpufreq/cpuinfo_max_freq")};
        memcpy(core.name, names[cpu], sizeof core.name);
        add(kinds, cpu, &core);
    }
    qsort(kinds->kind, kinds->count, sizeof kinds->kind[0], by_speed);
}

struct core_kinds *core_kinds_read(void)
{
    struct core_kinds *kinds = calloc(1, sizeof *kinds);
    char(*names)[64] = calloc(CPUS_MOST, sizeof *names);
    if (kinds && names) {
        name_arm(names);
        name_intel(names);
        find(kinds, names);
    } else {
        free(kinds);
        kinds = NULL;
    }
    free(names);
    return kinds;
}

bool core_kinds_differ(void)
{
    struct core_kinds *kinds = core_kinds_read();
    const bool differ = kinds && kinds->count > 1;
    free(kinds);
    return differ;
}

unsigned core_kinds_among(const struct core_kinds *kinds, const struct cpu_list *cpus)
{
    unsigned among = 0;
    for (unsigned i = 0; i < kinds->count; i++)
        among += cpus_overlap(&kinds->kind[i].cpus, cpus);
    return among;
}

const char *core_kind_describe(const struct core_kind *kind, char *text, size_t size)
{
    char cpus[CPUS_TEXT], capacity[32] = "", clock[32] = "";
    if (kind->capacity != UNKNOWN)
        snprintf(capacity, sizeof capacity, ", capacity %lld", (long long)kind->capacity);
    if (kind->most_khz != UNKNOWN)
        snprintf(clock, sizeof clock, ", at most %.2f GHz", (double)kind->most_khz / 1e6);
    snprintf(text, size, "CPU %s: %s%s%s", cpus_format(&kind->cpus, cpus, sizeof cpus),
             kind->name[0] == '\0' ? "no name known" : kind->name, capacity, clock);
    return text;
}

json_t *core_kinds_to_json(const struct core_kinds *kinds)
{
    if (!kinds || kinds->count == 0)
        return json_null();
    char cpus[CPUS_TEXT];
    json_t *list = json_array();
    for (unsigned i = 0; i < kinds->count; i++) {
        const struct core_kind *kind = &kinds->kind[i];
        json_array_append_new(
            list,
            json_pack(
                "{s:s, s:o, s:o, s:o}", "cpus", cpus_format(&kind->cpus, cpus, sizeof cpus), "name",
                kind->name[0] == '\0' ? json_null() : json_string(kind->name), "capacity",
                kind->capacity == UNKNOWN ? json_null() : json_integer(kind->capacity), "max_hz",
                kind->most_khz == UNKNOWN ? json_null() : json_integer(kind->most_khz * 1000)));
    }
    return list;
}
