#include "common/topology_read.h"

#ifdef WITHOUT_hwloc

#include "common/cpus.h"
#include "common/machine.h"
#include "common/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER   "/sys/devices/system/cpu"
#define NODE_FOLDER  "/sys/devices/system/node"
#define MOST_INDICES 8
#define KIB          1024

/* A list of CPUs or nodes in a file. False: none there. */
static bool read_list(const char *path, struct cpu_list *list)
{
    char text[CPUS_TEXT];
    return machine_line(path, text, sizeof text) && cpus_parse(text, list) == 0 && list->count > 0;
}

static bool make_room(struct topology_cpus *cpus, size_t count)
{
    cpus->count = count;
    cpus->cpu = calloc(count > 0 ? count : 1, sizeof *cpus->cpu);
    for (size_t i = 0; cpus->cpu != NULL && i < count; i++)
        for (size_t level = 0; level < TOPOLOGY_LEVELS; level++)
            cpus->cpu[i].key[level] = level == HWLOC_OBJ_MACHINE ? 0 : -1;
    return cpus->cpu != NULL;
}

static void take_cache(struct topology_cpu *cpu, const char *folder)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_MACHINE, HWLOC_OBJ_L1CACHE,
                                             HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    char path[160], type[32], size[32];
    snprintf(path, sizeof path, "%s/level", folder);
    const int64_t depth = machine_number(path);
    snprintf(path, sizeof path, "%s/type", folder);
    if (depth < 1 || depth > 3 || !machine_line(path, type, sizeof type))
        return;
    const bool code = strcmp(type, "Instruction") == 0;
    if (code && depth > 1)
        return;
    const hwloc_obj_type_t level = code ? HWLOC_OBJ_L1ICACHE : types[depth];
    snprintf(path, sizeof path, "%s/shared_cpu_list", folder);
    const int64_t first = machine_number(path);
    cpu->key[level] = first == UNKNOWN ? cpu->cpu : (int)first;
    snprintf(path, sizeof path, "%s/size", folder);
    if (!machine_line(path, size, sizeof size) || units_size(size, &cpu->bytes[level]) != 0)
        cpu->bytes[level] = 0;
}

/* An object is known by its first CPU. */
static void take_cpu(struct topology_cpu *cpu, int number)
{
    char path[128];
    cpu->cpu = cpu->key[HWLOC_OBJ_PU] = number;
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/topology/core_siblings_list", number);
    cpu->key[HWLOC_OBJ_PACKAGE] = (int)machine_number(path);
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/topology/thread_siblings_list", number);
    cpu->key[HWLOC_OBJ_CORE] = (int)machine_number(path);
    for (int index = 0; index < MOST_INDICES; index++) {
        snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/cache/index%d", number, index);
        take_cache(cpu, path);
    }
}

static void take_node(struct topology_cpus *cpus, unsigned number)
{
    struct cpu_list members;
    char path[128], name[64], text[64];
    snprintf(path, sizeof path, NODE_FOLDER "/node%u/meminfo", number);
    snprintf(name, sizeof name, "Node %u MemTotal", number);
    const bool known = machine_field(path, name, ": \t", text, sizeof text);
    cpus->node[cpus->nodes].number = number;
    cpus->node[cpus->nodes++].bytes = known ? strtoull(text, NULL, 10) * KIB : 0;
    snprintf(path, sizeof path, NODE_FOLDER "/node%u/cpulist", number);
    if (!read_list(path, &members))
        return;
    for (size_t i = 0, at = 0; i < cpus->count; i++) {
        while (at < members.count && members.cpu[at] < cpus->cpu[i].cpu)
            at++;
        if (at < members.count && members.cpu[at] == cpus->cpu[i].cpu)
            cpus->cpu[i].key[HWLOC_OBJ_GROUP] = (int)number;
    }
}

/* There is always one: that of a kernel without NUMA. */
static void take_nodes(struct topology_cpus *cpus)
{
    struct cpu_list nodes;
    char text[64];
    if (read_list(NODE_FOLDER "/online", &nodes))
        for (unsigned i = 0; i < nodes.count && cpus->nodes < TOPOLOGY_NODES; i++)
            take_node(cpus, (unsigned)nodes.cpu[i]);
    if (cpus->nodes == 0) {
        const bool known = machine_field("/proc/meminfo", "MemTotal", ": \t", text, sizeof text);
        cpus->node[0].number = 0;
        cpus->node[0].bytes = known ? strtoull(text, NULL, 10) * KIB : 0;
        cpus->nodes = 1;
    }
    for (size_t i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].key[HWLOC_OBJ_GROUP] < 0)
            cpus->cpu[i].key[HWLOC_OBJ_GROUP] = (int)cpus->node[0].number;
}

bool topology_cpus_read(struct topology_cpus *cpus)
{
    struct cpu_list online;
    *cpus = (struct topology_cpus){0};
    const bool shown = read_list(CPU_FOLDER "/online", &online);
    if (!shown && cpus_allowed(&online) != 0)
        return false;
    if (!make_room(cpus, online.count))
        return false;
    for (size_t i = 0; i < cpus->count; i++)
        take_cpu(&cpus->cpu[i], online.cpu[i]);
    take_nodes(cpus);
    return true;
}

/* ---- made-up machines ---- */

static const struct {
    const char *name;
    hwloc_obj_type_t type;
    uint64_t bytes;
} made[] = {
    {"package", HWLOC_OBJ_PACKAGE, 0}, {"pack", HWLOC_OBJ_PACKAGE, 0},
    {"socket", HWLOC_OBJ_PACKAGE, 0},  {"node", HWLOC_OBJ_GROUP, 0},
    {"numa", HWLOC_OBJ_GROUP, 0},      {"numanode", HWLOC_OBJ_GROUP, 0},
    {"l3", HWLOC_OBJ_L3CACHE, 16384},  {"l2", HWLOC_OBJ_L2CACHE, 4096},
    {"l1", HWLOC_OBJ_L1CACHE, 32},     {"l1d", HWLOC_OBJ_L1CACHE, 32},
    {"core", HWLOC_OBJ_CORE, 0},       {"pu", HWLOC_OBJ_PU, 0},
};

struct made_level {
    size_t row, count;
};

/* "l3:2" at *text, which is moved behind it. */
static bool parse_level(const char **text, struct made_level *level)
{
    char name[16], *end;
    const size_t length = strcspn(*text, ":");
    if (length >= sizeof name || (*text)[length] != ':')
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, *text);
    level->count = strtoul(*text + length + 1, &end, 10);
    *text = end + strspn(end, " ");
    for (level->row = 0; level->row < sizeof made / sizeof made[0]; level->row++)
        if (strcasecmp(made[level->row].name, name) == 0)
            return level->count > 0 && level->count <= CPUS_MOST && (*end == ' ' || *end == '\0');
    return false;
}

/* CPUs below one object of a level share it. */
static void fill_level(struct topology_cpus *cpus, const struct made_level *level, size_t below)
{
    for (size_t i = 0; i < cpus->count; i++) {
        struct topology_cpu *cpu = &cpus->cpu[i];
        cpu->cpu = (int)i;
        cpu->key[made[level->row].type] = (int)(i / below);
        cpu->bytes[made[level->row].type] = made[level->row].bytes * KIB;
    }
}

bool topology_cpus_make(struct topology_cpus *cpus, const char *description)
{
    struct made_level level[TOPOLOGY_LEVELS];
    size_t levels = 0, count = 1;
    *cpus = (struct topology_cpus){0};
    errno = EINVAL;
    for (const char *text = description + strspn(description, " "); *text != '\0';) {
        if (levels == TOPOLOGY_LEVELS || !parse_level(&text, &level[levels]) ||
            (count *= level[levels].count) > CPUS_MOST)
            return false;
        levels++;
    }
    if (levels == 0 || made[level[levels - 1].row].type != HWLOC_OBJ_PU || !make_room(cpus, count))
        return false;
    for (size_t i = 0, below = count; i < levels; i++) {
        below /= level[i].count;
        fill_level(cpus, &level[i], below);
    }
    for (size_t i = 0; i < count; i++) {
        int *node = &cpus->cpu[i].key[HWLOC_OBJ_GROUP];
        *node = *node < 0 ? 0 : *node;
        if ((size_t)*node < TOPOLOGY_NODES && cpus->nodes <= (size_t)*node)
            cpus->nodes = (size_t)*node + 1;
    }
    for (unsigned i = 0; i < cpus->nodes; i++) {
        cpus->node[i].number = i;
        cpus->node[i].bytes = (uint64_t)KIB * KIB * KIB;
    }
    return true;
}

void topology_cpus_free(struct topology_cpus *cpus)
{
    free(cpus->cpu);
    cpus->cpu = NULL;
}

#endif
