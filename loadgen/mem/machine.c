#include "mem/mem.h"

#include <hwloc.h>
#include <inttypes.h>
#include <sys/mman.h>

// 0: not known.
static uint64_t cache_bytes(hwloc_topology_t topology, int cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = !unit ? NULL : hwloc_get_ancestor_obj_by_type(topology, type, unit);
    return !cache ? 0 : cache->attr->cache.size;
}

void mem_machine_open(struct mem_machine *machine, const struct cpu_list *cpus)
{
    struct mem_caches *caches = &machine->caches;
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) != 0)
        return;
    (void)hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return;
    }
    machine->topology = topology;
    caches->l1_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L1CACHE);
    caches->l1i_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L1ICACHE);
    caches->l2_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L2CACHE);
    caches->l3_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L3CACHE);
    // The sum over all L3s above the CPUs, each once: CPUs of one are neighbours in
    // the order of their numbers or not, so each is counted at its first CPU.
    uint64_t sum = 0;
    for (hwloc_obj_t l3 = NULL; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3));)
        for (unsigned i = 0; i < cpus->count; i++)
            if (hwloc_bitmap_isset(l3->cpuset, (unsigned)cpus->cpu[i])) {
                sum += l3->attr->cache.size;
                break;
            }
    caches->l3_all_bytes = sum;
}

void mem_machine_close(struct mem_machine *machine)
{
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
    machine->topology = NULL;
}

bool mem_machine_has_node(const struct mem_machine *machine, unsigned node, char *text, size_t size)
{
    if (!machine->topology) {
        snprintf(text, size, "unknown");
        return false;
    }
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(machine->topology);
    hwloc_bitmap_list_snprintf(text, size, allowed);
    return hwloc_bitmap_isset(allowed, node) != 0 &&
           hwloc_get_numanode_obj_by_os_index(machine->topology, node);
}

int mem_machine_bind(const struct mem_machine *machine, unsigned node, void *memory, size_t bytes)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set || !machine->topology) {
        hwloc_bitmap_free(set);
        errno = ENOSYS;
        return -1;
    }
    hwloc_bitmap_set(set, node);
    const int failed = hwloc_set_area_membind(machine->topology, memory, bytes, set,
                                              HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET);
    const int error = errno;
    hwloc_bitmap_free(set);
    errno = error;
    return failed;
}

int mem_machine_node_of(const struct mem_machine *machine, const void *memory)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int node = -1;
    if (set && machine->topology &&
        hwloc_get_area_memlocation(machine->topology, memory, 1, set, HWLOC_MEMBIND_BYNODESET) == 0)
        node = hwloc_bitmap_first(set);
    hwloc_bitmap_free(set);
    return node;
}

// ---- pages ----

#define HUGE_BYTES ((size_t)2 << 20) // a huge page of x86-64 and of most others
#define ENABLED    "/sys/kernel/mm/transparent_hugepage/enabled"

static int64_t reserved_pages(void)
{
    return machine_number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
}

const char *mem_pages_no_huge(void)
{
    char text[128];
    if (reserved_pages() > 0 ||
        (machine_line(text, sizeof text, ENABLED) && !strstr(text, "[never]")))
        return NULL;
    return "transparent huge pages are off (" ENABLED
           " says never) and none of 2 MiB are reserved (vm.nr_hugepages)";
}

uint64_t mem_pages_reserved_bytes(void)
{
    const int64_t pages = reserved_pages();
    return pages > 0 ? (uint64_t)pages * HUGE_BYTES : 0;
}

int mem_pages_map(struct mem_area *area, size_t bytes, bool huge)
{
    const size_t whole = (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    const size_t outer = whole + 2 * HUGE_BYTES;
    // Reserved huge pages are ours once they are mapped: it cannot fail later. Their size is said,
    // as the usual one is 512 MiB where pages have 64 KiB (aarch64).
    void *reserved = MAP_FAILED;
    if (huge && reserved_pages() > 0)
        reserved = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, -1, 0);
    if (reserved != MAP_FAILED) {
        *area = (struct mem_area){reserved, reserved, whole};
        return 0;
    }
    // The pages before and after stay inaccessible: else the kernel would merge this
    // mapping with a neighbour, and smaps could not separate them.
    char *base = mmap(NULL, outer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return -1;
    *area =
        (struct mem_area){base + HUGE_BYTES - ((uintptr_t)base & (HUGE_BYTES - 1)), base, outer};
    if (mprotect(area->memory, whole, PROT_READ | PROT_WRITE) != 0) {
        const int error = errno;
        mem_pages_unmap(area);
        errno = error;
        return -1;
    }
    if (huge)
        madvise(area->memory, whole, MADV_HUGEPAGE);
    return 0;
}

void mem_pages_unmap(struct mem_area *area)
{
    if (area->base)
        munmap(area->base, area->base_bytes);
    *area = (struct mem_area){0};
}

// One line of a mapping's part of smaps. Its Rss leaves hugetlb pages out.
static void take_line(struct mem_pages *pages, const char *text)
{
    uint64_t kib;
    if (sscanf(text, "Rss: %" SCNu64, &kib) == 1)
        atomic_fetch_add(&pages->mapped_bytes, kib << 10);
    else if (sscanf(text, "AnonHugePages: %" SCNu64, &kib) == 1)
        atomic_fetch_add(&pages->thp_bytes, kib << 10);
    else if (sscanf(text, "Private_Hugetlb: %" SCNu64, &kib) == 1) {
        atomic_fetch_add(&pages->hugetlb_bytes, kib << 10);
        atomic_fetch_add(&pages->mapped_bytes, kib << 10);
    } else if (sscanf(text, "KernelPageSize: %" SCNu64, &kib) == 1)
        atomic_store(&pages->page_bytes, kib << 10);
}

void mem_pages_read(struct mem_pages *pages, FILE *smaps, const void *memory)
{
    char text[1024];
    bool inside = false;
    while (fgets(text, sizeof text, smaps)) {
        uintptr_t from, to;
        if (sscanf(text, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            inside = (uintptr_t)memory >= from && (uintptr_t)memory < to;
        else if (inside)
            take_line(pages, text);
    }
}

void mem_pages_count(struct mem_pages *pages, const void *memory)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return;
    mem_pages_read(pages, file, memory);
    fclose(file);
}

// Workers that come when the reserved pages are gone get others.
const char *mem_pages_name(const struct mem_pages *pages)
{
    const double most = 0.95 * (double)atomic_load(&pages->mapped_bytes);
    const double thp = (double)atomic_load(&pages->thp_bytes);
    const double hugetlb = (double)atomic_load(&pages->hugetlb_bytes);
    if (thp + hugetlb <= 0)
        return "base";
    return hugetlb >= most ? "hugetlb" : thp >= most ? "thp" : "mixed";
}

// ---- where caches end ----

#define STILL_RISING 0.95 // of the latency at the largest size

uint64_t edge_of(const struct edge_point *point, size_t count)
{
    size_t first = count;
    if (count < 2)
        return 0;
    while (first > 0 && point[first - 1].ns_per_load >= STILL_RISING * point[count - 1].ns_per_load)
        first--;
    return first + 1 < count ? point[first].bytes : 0;
}
