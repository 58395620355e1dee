#include "common/topology.h"

#ifdef WITHOUT_hwloc

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/topology_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct objects {
    size_t count;
    struct hwloc_obj *first, *last;
};

struct hwloc_topology {
    struct topology_cpus cpus;
    bool made;                               /* not this machine */
    hwloc_obj_type_t order[TOPOLOGY_LEVELS]; /* of the levels, from the machine down */
    struct objects of[HWLOC_OBJ_TYPE_MAX];
    hwloc_bitmap_t all_cpus, allowed_cpus, allowed_nodes;
};

int hwloc_topology_init(hwloc_topology_t *topology)
{
    const char *synthetic = getenv("HWLOC_SYNTHETIC");
    *topology = calloc(1, sizeof **topology);
    if (*topology == NULL)
        return -1;
    if (synthetic != NULL)
        (void)hwloc_topology_set_synthetic(*topology, synthetic);
    return 0;
}

void hwloc_topology_destroy(hwloc_topology_t topology)
{
    for (size_t type = 0; type < HWLOC_OBJ_TYPE_MAX; type++) {
        for (hwloc_obj_t object = topology->of[type].first, next; object != NULL; object = next) {
            next = object->next_cousin;
            hwloc_bitmap_free(object->cpuset);
            hwloc_bitmap_free(object->nodeset);
            free(object->attr);
            free(object);
        }
    }
    hwloc_bitmap_free(topology->all_cpus);
    hwloc_bitmap_free(topology->allowed_cpus);
    hwloc_bitmap_free(topology->allowed_nodes);
    topology_cpus_free(&topology->cpus);
    free(topology);
}

int hwloc_topology_set_synthetic(hwloc_topology_t topology, const char *description)
{
    struct topology_cpus cpus;
    if (!topology_cpus_make(&cpus, description)) {
        topology_cpus_free(&cpus);
        return -1;
    }
    topology_cpus_free(&topology->cpus);
    topology->cpus = cpus;
    topology->made = true;
    return 0;
}

int hwloc_topology_set_flags(hwloc_topology_t topology, unsigned long flags)
{
    (void)topology, (void)flags;
    return 0;
}

int hwloc_topology_set_io_types_filter(hwloc_topology_t topology, hwloc_type_filter filter)
{
    (void)topology, (void)filter;
    return 0;
}

int hwloc_topology_set_icache_types_filter(hwloc_topology_t topology, hwloc_type_filter filter)
{
    (void)topology, (void)filter;
    return 0;
}

int hwloc_topology_is_thissystem(hwloc_topology_t topology)
{
    const char *told = getenv("HWLOC_THISSYSTEM");
    if (told != NULL)
        return strcmp(told, "0") != 0;
    return !topology->made && getenv("JOSTLE_KERNEL_ROOT") == NULL;
}

/* ---- the tree ---- */

/* Whether some object of one level has CPUs of several objects of the other one. */
static bool spans(const struct topology_cpus *cpus, hwloc_obj_type_t one, hwloc_obj_type_t other)
{
    int seen[CPUS_MOST];
    memset(seen, -1, sizeof seen);
    for (size_t i = 0; i < cpus->count; i++) {
        const int key = cpus->cpu[i].key[one], value = cpus->cpu[i].key[other];
        if (key < 0 || key >= CPUS_MOST || value < 0)
            continue;
        if (seen[key] >= 0 && seen[key] != value)
            return true;
        seen[key] = value;
    }
    return false;
}

/* NUMA nodes lie above packages, in them, or in the last-level cache. */
static void choose_order(struct hwloc_topology *topology)
{
    hwloc_obj_type_t *order = topology->order;
    for (size_t i = 0; i < TOPOLOGY_LEVELS; i++)
        order[i] = (hwloc_obj_type_t)i;
    if (spans(&topology->cpus, HWLOC_OBJ_GROUP, HWLOC_OBJ_PACKAGE)) {
        order[HWLOC_OBJ_PACKAGE] = HWLOC_OBJ_GROUP;
        order[HWLOC_OBJ_GROUP] = HWLOC_OBJ_PACKAGE;
    } else if (spans(&topology->cpus, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_GROUP)) {
        order[HWLOC_OBJ_GROUP] = HWLOC_OBJ_L3CACHE;
        order[HWLOC_OBJ_L3CACHE] = HWLOC_OBJ_GROUP;
    }
}

struct sorted {
    const struct topology_cpu *cpu;
    const hwloc_obj_type_t *order;
};

static int by_place(const void *one, const void *other)
{
    const struct sorted *a = one, *b = other;
    for (size_t i = 0; i < TOPOLOGY_LEVELS; i++) {
        const int left = a->cpu->key[a->order[i]], right = b->cpu->key[a->order[i]];
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* A new last object of its type, of the level's cache if it is one. NULL: no memory. */
static hwloc_obj_t add_object(struct hwloc_topology *topology, hwloc_obj_type_t type)
{
    static const unsigned depths[HWLOC_OBJ_TYPE_MAX] = {[HWLOC_OBJ_L3CACHE] = 3,
                                                        [HWLOC_OBJ_L2CACHE] = 2,
                                                        [HWLOC_OBJ_L1CACHE] = 1,
                                                        [HWLOC_OBJ_L1ICACHE] = 1};
    struct objects *cousins = &topology->of[type];
    hwloc_obj_t object = calloc(1, sizeof *object);
    if (object == NULL)
        return NULL;
    object->type = type;
    object->attr = calloc(1, sizeof *object->attr);
    object->cpuset = hwloc_bitmap_alloc();
    object->nodeset = hwloc_bitmap_alloc();
    if (cousins->last != NULL)
        cousins->last->next_cousin = object;
    else
        cousins->first = object;
    cousins->last = object;
    cousins->count++;
    if (object->attr == NULL || object->cpuset == NULL || object->nodeset == NULL)
        return NULL; /* is freed with the topology */
    if (depths[type] > 0)
        object->attr->cache.depth = depths[type];
    return object;
}

/* The objects that this CPU is in: those of the CPU before as long as it shares them. */
static bool add_cpu(struct hwloc_topology *topology, const struct topology_cpu *cpu,
                    const struct topology_cpu *before)
{
    hwloc_obj_t parent = NULL;
    bool shared = before != NULL;
    for (size_t i = 0; i < TOPOLOGY_LEVELS; i++) {
        const hwloc_obj_type_t type = topology->order[i];
        hwloc_obj_t object = topology->of[type].last;
        shared = shared && cpu->key[type] == before->key[type];
        if (cpu->key[type] < 0)
            continue;
        if (!shared) {
            hwloc_obj_t sibling = object;
            object = add_object(topology, type);
            if (object == NULL)
                return false;
            object->parent = parent;
            object->prev_sibling = sibling != NULL && sibling->parent == parent ? sibling : NULL;
            object->os_index = (unsigned)cpu->key[type];
            if (hwloc_obj_type_is_dcache(type) || type == HWLOC_OBJ_L1ICACHE)
                object->attr->cache.size = cpu->bytes[type];
        }
        (void)hwloc_bitmap_set(object->cpuset, (unsigned)cpu->cpu);
        (void)hwloc_bitmap_set(object->nodeset, (unsigned)cpu->key[HWLOC_OBJ_GROUP]);
        parent = object;
    }
    parent->os_index = (unsigned)cpu->cpu;
    return true;
}

static bool add_node(struct hwloc_topology *topology, size_t index)
{
    hwloc_obj_t node = add_object(topology, HWLOC_OBJ_NUMANODE);
    if (node == NULL)
        return false;
    node->os_index = topology->cpus.node[index].number;
    node->attr->numanode.local_memory = topology->cpus.node[index].bytes;
    (void)hwloc_bitmap_set(node->nodeset, node->os_index);
    for (size_t i = 0; i < topology->cpus.count; i++)
        if (topology->cpus.cpu[i].key[HWLOC_OBJ_GROUP] == (int)node->os_index)
            (void)hwloc_bitmap_set(node->cpuset, (unsigned)topology->cpus.cpu[i].cpu);
    return true;
}

static bool add_all(struct hwloc_topology *topology)
{
    const size_t count = topology->cpus.count;
    struct sorted *sorted = calloc(count > 0 ? count : 1, sizeof *sorted);
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < count; i++)
        sorted[i] = (struct sorted){&topology->cpus.cpu[i], topology->order};
    if (good)
        qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 0; good && i < count; i++)
        good = add_cpu(topology, sorted[i].cpu, i == 0 ? NULL : sorted[i - 1].cpu);
    for (size_t i = 0; good && i < topology->cpus.nodes; i++)
        good = add_node(topology, i);
    free(sorted);
    return good;
}

/* ---- what may be used ---- */

/* Adds the members of a list, "0-3,8"; false when it is none. */
static bool add_list(hwloc_bitmap_t set, const char *text)
{
    struct cpu_list list;
    if (cpus_parse(text, &list) != 0 || list.count == 0)
        return false;
    for (unsigned i = 0; i < list.count; i++)
        (void)hwloc_bitmap_set(set, (unsigned)list.cpu[i]);
    return true;
}

/* What the cgroup's cpuset leaves; all where it says nothing. */
static void read_allowed_cpus(struct hwloc_topology *topology)
{
    static const char *const places[][2] = {{"", "cpuset.cpus.effective"},
                                            {"cpuset", "cpuset.effective_cpus"}};
    char folder[CGROUP_PATH], text[CPUS_TEXT];
    bool found = false;
    for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++)
        found = cgroup_own(places[i][0], folder) &&
                cgroup_read(folder, places[i][1], text, sizeof text) &&
                add_list(topology->allowed_cpus, text);
    if (found)
        (void)hwloc_bitmap_and(topology->allowed_cpus, topology->allowed_cpus, topology->all_cpus);
    else
        (void)hwloc_bitmap_copy(topology->allowed_cpus, topology->all_cpus);
}

static void read_allowed_nodes(struct hwloc_topology *topology)
{
    char text[CPUS_TEXT];
    if (hwloc_topology_is_thissystem(topology) && !topology->made &&
        machine_field("/proc/self/status", "Mems_allowed_list", ": \t", text, sizeof text) &&
        add_list(topology->allowed_nodes, text))
        return;
    for (hwloc_obj_t node = topology->of[HWLOC_OBJ_NUMANODE].first; node != NULL;
         node = node->next_cousin)
        (void)hwloc_bitmap_set(topology->allowed_nodes, node->os_index);
}

int hwloc_topology_load(hwloc_topology_t topology)
{
    if (!topology->made && !topology_cpus_read(&topology->cpus))
        return -1;
    choose_order(topology);
    topology->all_cpus = hwloc_bitmap_alloc();
    topology->allowed_cpus = hwloc_bitmap_alloc();
    topology->allowed_nodes = hwloc_bitmap_alloc();
    if (topology->all_cpus == NULL || topology->allowed_cpus == NULL ||
        topology->allowed_nodes == NULL || !add_all(topology)) {
        errno = ENOMEM;
        return -1;
    }
    for (size_t i = 0; i < topology->cpus.count; i++)
        (void)hwloc_bitmap_set(topology->all_cpus, (unsigned)topology->cpus.cpu[i].cpu);
    if (topology->made)
        (void)hwloc_bitmap_copy(topology->allowed_cpus, topology->all_cpus);
    else
        read_allowed_cpus(topology);
    read_allowed_nodes(topology);
    return 0;
}

hwloc_const_cpuset_t hwloc_topology_get_topology_cpuset(hwloc_topology_t topology)
{
    return topology->all_cpus;
}

hwloc_const_cpuset_t hwloc_topology_get_allowed_cpuset(hwloc_topology_t topology)
{
    return topology->allowed_cpus;
}

hwloc_const_nodeset_t hwloc_topology_get_allowed_nodeset(hwloc_topology_t topology)
{
    return topology->allowed_nodes;
}

/* ---- looking around ---- */

int hwloc_get_nbobjs_by_type(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    return (int)topology->of[type].count;
}

hwloc_obj_t hwloc_get_next_obj_by_type(hwloc_topology_t topology, hwloc_obj_type_t type,
                                       hwloc_obj_t before)
{
    return before == NULL ? topology->of[type].first : before->next_cousin;
}

static hwloc_obj_t find(hwloc_topology_t topology, hwloc_obj_type_t type, unsigned os_index)
{
    hwloc_obj_t object = topology->of[type].first;
    while (object != NULL && object->os_index != os_index)
        object = object->next_cousin;
    return object;
}

hwloc_obj_t hwloc_get_pu_obj_by_os_index(hwloc_topology_t topology, unsigned cpu)
{
    return find(topology, HWLOC_OBJ_PU, cpu);
}

hwloc_obj_t hwloc_get_numanode_obj_by_os_index(hwloc_topology_t topology, unsigned node)
{
    return find(topology, HWLOC_OBJ_NUMANODE, node);
}

hwloc_obj_t hwloc_get_ancestor_obj_by_type(hwloc_topology_t topology, hwloc_obj_type_t type,
                                           hwloc_obj_t object)
{
    (void)topology;
    do
        object = object->parent;
    while (object != NULL && object->type != type);
    return object;
}

/* The first above one that has all CPUs of the other. */
hwloc_obj_t hwloc_get_common_ancestor_obj(hwloc_topology_t topology, hwloc_obj_t a, hwloc_obj_t b)
{
    (void)topology;
    const int member = hwloc_bitmap_first(b->cpuset);
    while (a != NULL && (member < 0 || !hwloc_bitmap_isset(a->cpuset, (unsigned)member)))
        a = a->parent;
    return a;
}

int hwloc_obj_type_is_dcache(hwloc_obj_type_t type)
{
    return type == HWLOC_OBJ_L3CACHE || type == HWLOC_OBJ_L2CACHE || type == HWLOC_OBJ_L1CACHE;
}

/* ---- binding ---- */

int hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set, int flags)
{
    struct cpu_list list;
    (void)topology, (void)flags;
    if (cpus_allowed(&list) != 0)
        return -1;
    hwloc_bitmap_zero(set);
    for (unsigned i = 0; i < list.count; i++)
        (void)hwloc_bitmap_set(set, (unsigned)list.cpu[i]);
    return 0;
}

int hwloc_set_area_membind(hwloc_topology_t topology, const void *memory, size_t bytes,
                           hwloc_const_nodeset_t nodes, hwloc_membind_policy_t policy, int flags)
{
    unsigned long mask[TOPOLOGY_NODES / (8 * sizeof(unsigned long))] = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), skew = (uintptr_t)memory % page;
    (void)topology, (void)flags;
    for (int node = -1; (node = hwloc_bitmap_next(nodes, node)) >= 0 && node < TOPOLOGY_NODES;)
        mask[(size_t)node / (8 * sizeof *mask)] |= 1ul << (size_t)node % (8 * sizeof *mask);
    return (int)syscall(SYS_mbind, (uintptr_t)memory - skew, bytes + skew, policy, mask,
                        (unsigned long)TOPOLOGY_NODES + 1, 0);
}

/* Of the first page. */
int hwloc_get_area_memlocation(hwloc_topology_t topology, const void *memory, size_t bytes,
                               hwloc_nodeset_t nodes, int flags)
{
    const void *page[] = {memory};
    int node = -1;
    (void)topology, (void)bytes, (void)flags;
    hwloc_bitmap_zero(nodes);
    if (syscall(SYS_move_pages, 0, 1ul, page, NULL, &node, 0) != 0)
        return -1;
    return node < 0 ? 0 : hwloc_bitmap_set(nodes, (unsigned)node);
}

#endif
