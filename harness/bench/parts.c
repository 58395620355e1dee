#include "bench.h"

#include "common/child.h"
#include "common/cpus.h"
#include "common/device.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/ports.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"
#include "common/version.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <math.h>
#include <sys/statvfs.h>
#include <unistd.h>

// What the files of the cells have to know: variables and axes, of the command line and of what
// each part finds out.

static void fact(json_t *variables, const char *name, double value)
{
    json_put(variables, name, must(json_real(value)));
}

// NULL: it is not there.
static void fact_text(json_t *variables, const char *name, const char *text)
{
    if (text)
        json_put(variables, name, json_text(text));
}

static void axis_add(json_t *axis, const char *name, double value)
{
    json_add(axis, must(json_pack("{s:f}", name, value)));
}

static json_t *axis_new(json_t *axes, const char *name)
{
    json_t *axis = must(json_array());
    json_put(axes, name, axis);
    return axis;
}

// ---- stated peaks ----

// What can be stated: of a part, its rate in bytes a second, its operations a second, or its least
// latency in nanoseconds.
static const struct stated {
    const char *name;
    enum { STATED_BYTES, STATED_OPERATIONS, STATED_TIME } of;
} stated_peaks[] = {{"memory", STATED_BYTES},         {"disk", STATED_BYTES},
                    {"network", STATED_BYTES},        {"disk-iops", STATED_OPERATIONS},
                    {"memory-latency", STATED_TIME},  {"disk-latency", STATED_TIME},
                    {"network-latency", STATED_TIME}, {0}};

static bool stated_value(const struct stated *stated, const char *text, double *value)
{
    struct rate rate;
    int64_t time_ns;
    if (stated->of == STATED_TIME) {
        *value = units_time(text, &time_ns) == 0 ? (double)time_ns : 0;
        return *value > 0;
    }
    if (units_rate(text, &rate) != 0)
        return false;
    *value = rate.value;
    return rate.value > 0 && rate.kind == (stated->of == STATED_BYTES ? RATE_BYTES : RATE_OPS);
}

// NAME=VALUE:SOURCE with the value in the unit of that peak. NULL: it is not one. The source.
static const char *peak_split(const struct stated *stated, const char *text, double *value)
{
    const size_t length = strlen(stated->name);
    const char *colon = strchr(text, ':');
    if (strncmp(text, stated->name, length) != 0 || text[length] != '=' || !colon ||
        colon[1] == '\0')
        return NULL;
    OWNED char *figure = must(strndup(text + length + 1, (size_t)(colon - text) - length - 1));
    return stated_value(stated, figure, value) ? colon + 1 : NULL;
}

// The peak of that name that the user states, in its unit, and its source in text; NAN: none, and
// text stays.
static double peak_stated(const struct request *request, const char *name, char *text, size_t size)
{
    const struct stated *stated = stated_peaks;
    double peak = NAN, value;
    while (strcmp(stated->name, name) != 0)
        stated++;
    for (size_t i = 0; i < request->peaks.count; i++) {
        const char *source = peak_split(stated, request->peaks.item[i], &value);
        if (!source)
            continue;
        peak = value;
        snprintf(text, size, "stated: %s", source);
    }
    return peak;
}

// NAME and NAME_source, where that peak is stated.
static void fact_stated(json_t *variables, const char *name, const struct request *request,
                        const char *peak)
{
    char source[256];
    OWNED char *source_name = text_of("%s_source", name);
    const double value = peak_stated(request, peak, source, sizeof source);
    if (isnan(value))
        return;
    fact(variables, name, value);
    fact_text(variables, source_name, source);
}

// A peak that is stated, or what is known of it: `peak`, where it is, and `peak_source`.
static void fact_peak(json_t *variables, double peak, const char *source)
{
    if (!isnan(peak))
        fact(variables, "peak", peak);
    fact_text(variables, "peak_source", source);
}

void facts_of_choice(json_t *variables, json_t *axes, const struct request *request)
{
    json_t *threads = axis_new(axes, "threads"), *blocks = axis_new(axes, "block"),
           *sizes = axis_new(axes, "given-sizes");
    for (size_t i = 0; i < request->thread_count; i++)
        axis_add(threads, "threads", (double)request->threads[i]);
    for (size_t i = 0; i < request->block_count; i++)
        axis_add(blocks, "block", (double)request->blocks[i]);
    for (size_t i = 0; i < request->size_count; i++)
        axis_add(sizes, "size", (double)request->sizes[i]);
    fact(variables, "quick", request->quick);
    fact(variables, "peers", request->peers);
    fact(variables, "given_blocks", request->block_count > 0);
    fact(variables, "given_sizes", request->size_count > 0);
    fact(variables, "limit_s", request->limit_s);
    fact(variables, "most_threads", (double)request->threads[request->thread_count - 1]);
    fact(variables, "allowed_cpus", request->allowed_cpus);
    fact(variables, "samples", (double)request->samples);
    fact_text(variables, "series", request->series);
    fact_text(variables, "duration", request->duration);
    fact(variables, "duration_s", request->duration_s);
    fact(variables, "uid", geteuid());
    fact(variables, "sse2", processor_has(SIMD_SSE2));
    fact(variables, "avx2", processor_has(SIMD_AVX2));
}

// ---- CPU

#define BLAS         "libopenblas.so.0"
#define BLAS_PACKAGE "libopenblas0"

static void allowed_of(const struct request *request, struct cpu_list *cpus)
{
    if (cpus_allowed(cpus) != 0)
        cpus->count = request->allowed_cpus;
}

// Why its peers have no library: they are programs of jostle, which open it. NULL: they have.
static const char *blas_missing(void)
{
    if (linked_static())
        return BLAS " is not for static programs: build jostle on this system";
    void *library = dlopen(BLAS, RTLD_LAZY | RTLD_LOCAL);
    return library && dlclose(library) == 0 ? NULL
                                            : BLAS " is not installed: apt install " BLAS_PACKAGE;
}

#define MOST_MEMORY 0.25 // of the machine's

// What may be taken of the machine's memory.
static void facts_of_room(json_t *variables)
{
    const double most =
        MOST_MEMORY * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    fact(variables, "most", most);
    fact(variables, "memory", most / MOST_MEMORY);
}

static void facts_of_cpu(json_t *variables, json_t *axes, const struct request *request)
{
    (void)axes;
    struct cpu_list cpus;
    allowed_of(request, &cpus);
    fact(variables, "cpus", cpus.count);
    fact(variables, "has_half", processor_has_half());
    facts_of_room(variables);
    fact_text(variables, "bench_home", getenv("JOSTLE_HARNESS"));
    fact_text(variables, "widest", simd_names[processor_widest()]);
    fact_text(variables, "no_blas", blas_missing());
}

char *cpu_peak_source(const struct request *request, const json_t *variables, const char *simd,
                      char **why)
{
    struct cpu_list cpus;
    struct peak peak;
    enum simd which = 0;
    allowed_of(request, &cpus);
    while (which < SIMDS && strcmp(simd_names[which], simd) != 0)
        which++;
    const struct arithmetic what = {which, expression_value("floating", variables) != 0,
                                    (unsigned)expression_value("bytes", variables)};
    peak_find(&peak, &what, &cpus, (unsigned)expression_value("threads", variables), cpus_quota());
    *why = must(strdup(peak.source));
    if (!isfinite(peak.per_cycle))
        return NULL;
    OWNED char *clock = text_fill("{@clock_hz}", variables);
    return text_of("%s,scale=%.17g", clock, peak.per_cycle / 1e9);
}

// ---- memory

static double cache_above(hwloc_topology_t topology, int cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = !unit ? NULL : hwloc_get_ancestor_obj_by_type(topology, type, unit);
    return !cache ? 0 : (double)cache->attr->cache.size;
}

static double sum_l3(hwloc_topology_t topology, hwloc_const_cpuset_t usable)
{
    double sum = 0;
    for (hwloc_obj_t l3 = NULL; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3));)
        if (hwloc_bitmap_intersects(l3->cpuset, usable))
            sum += (double)l3->attr->cache.size;
    return sum;
}

// What a NUMA node can be measured with: its CPUs that may be used, the first one and those of
// other cores, and its memory.
static void axes_of_node(json_t *cpu_nodes, json_t *memory_nodes, hwloc_topology_t topology,
                         hwloc_obj_t node, hwloc_const_cpuset_t usable)
{
    char list[1024]; // "1-3,8"
    hwloc_bitmap_t cpus = must(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus, node->cpuset, usable);
    const int cpu = hwloc_bitmap_first(cpus);
    hwloc_obj_t unit = cpu < 0 ? NULL : hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t core =
        !unit ? NULL : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    if (core)
        hwloc_bitmap_andnot(cpus, cpus, core->cpuset);
    else if (cpu >= 0)
        hwloc_bitmap_clr(cpus, (unsigned)cpu);
    hwloc_bitmap_list_snprintf(list, sizeof list, cpus);
    if (cpu >= 0)
        json_add(cpu_nodes,
                 must(json_pack("{s:i, s:i, s:i, s:s}", "cpu_node", (int)node->os_index, "cpu", cpu,
                                "others", hwloc_bitmap_weight(cpus), "list", list)));
    if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), node->os_index) &&
        node->attr->numanode.local_memory > 0)
        axis_add(memory_nodes, "memory_node", node->os_index);
    hwloc_bitmap_free(cpus);
}

// Of this machine only what the affinity mask leaves.
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology)
{
    struct cpu_list allowed;
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (usable && mask && hwloc_topology_is_thissystem(topology) && cpus_allowed(&allowed) == 0) {
        for (unsigned i = 0; i < allowed.count; i++)
            hwloc_bitmap_set(mask, (unsigned)allowed.cpu[i]);
        hwloc_bitmap_and(usable, usable, mask);
    }
    hwloc_bitmap_free(mask);
    return usable;
}

// Of the caches that the CPUs that may be used have: l1 and l2 of the first, l3 of all; 0: not
// known. By hwloc, whose environment variables (HWLOC_SYNTHETIC) make another machine of it.
static void facts_of_topology(json_t *variables, json_t *axes, bool quick)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t usable = NULL;
    json_t *cpus = axis_new(axes, "cpu-node"), *memories = axis_new(axes, "memory-node");
    size_t nodes = 0;
    const bool made = hwloc_topology_init(&topology) == 0;
    if (made && hwloc_topology_load(topology) == 0)
        usable = usable_cpus(topology);
    const int first = !usable ? -1 : hwloc_bitmap_first(usable);
    const bool known = first >= 0;
    fact(variables, "l1", !known ? 0 : cache_above(topology, first, HWLOC_OBJ_L1CACHE));
    fact(variables, "l2", !known ? 0 : cache_above(topology, first, HWLOC_OBJ_L2CACHE));
    fact(variables, "l3", !known ? 0 : sum_l3(topology, usable));
    for (hwloc_obj_t node = NULL;
         known && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)); nodes++)
        axes_of_node(cpus, memories, topology, node, usable);
    while (quick && json_array_size(cpus) > 1)
        json_array_remove(cpus, 1);
    fact(variables, "nodes", (double)nodes);
    hwloc_bitmap_free(usable);
    if (made)
        hwloc_topology_destroy(topology);
}

static void facts_of_memory(json_t *variables, json_t *axes, const struct request *request)
{
    char source[256];
    facts_of_room(variables);
    facts_of_topology(variables, axes, request->quick);
    double peak = peak_stated(request, "memory", source, sizeof source);
    if (isnan(peak))
        peak = dmi_machine_peak(source, sizeof source);
    fact_peak(variables, peak, source);
    fact_stated(variables, "latency_peak", request, "memory-latency");
}

// ---- disk

// The phases have a file of their own, as have their peers; and a disk that is nearly full is
// another disk.
static bool has_room(const struct request *request, double *free_bytes)
{
    struct statvfs space;
    if (statvfs(request->folder, &space) != 0)
        return false;
    *free_bytes = (double)space.f_bavail * (double)space.f_frsize;
    return *free_bytes >= 2 * (double)request->file_bytes;
}

// Why nothing can be measured, to be freed; NULL: all can.
static char *no_disk(const struct request *request, struct device *device)
{
    char wanted[32], left[32];
    double free_bytes = 0;
    if (strchr(request->work, '\''))
        return text_of("a folder with ' in its name: give another --dir");
    if (!device_of(request->folder, device))
        return text_of("%.200s cannot be found: give another --dir", request->folder);
    if (device->memory)
        return text_of("%.200s is in memory (%s): give a folder on a disk with --dir",
                       request->folder, device->file_system);
    if (has_room(request, &free_bytes))
        return NULL;
    return text_of("no space: %.200s has %s free, and twice the work file of %s is needed: give a "
                   "smaller --file-size, or another --dir",
                   request->folder, units_format_size(free_bytes, left, sizeof left),
                   units_format_size((double)request->file_bytes, wanted, sizeof wanted));
}

static bool is_rotational(const struct device *device)
{
    return !device->virtual_disk &&
           machine_number("/sys/class/block/%s/queue/rotational", device->disks) == 1;
}

// --threads, where they are given, and always one thread.
static void axis_of_threads(json_t *axes, const struct request *request)
{
    if (!request->threads_given || request->quick)
        return;
    json_t *axis = axis_new(axes, "given-threads");
    if (request->threads[0] != 1)
        axis_add(axis, "threads", 1);
    for (size_t i = 0; i < request->thread_count; i++)
        json_add(axis, must(json_pack("{s:f, s:f}", "threads", (double)request->threads[i], "at",
                                      (double)i)));
}

static void facts_of_disk(json_t *variables, json_t *axes, const struct request *request)
{
    struct device device = {0};
    struct link_speed link;
    OWNED char *none = no_disk(request, &device);
    link_speed_of(&device, &link);
    const double stated = peak_stated(request, "disk", link.source, sizeof link.source);
    fact_peak(variables, isnan(stated) ? link.bytes_per_s : stated, link.source);
    fact_stated(variables, "latency_peak", request, "disk-latency");
    fact_stated(variables, "iops_peak", request, "disk-iops");
    fact_text(variables, "no_disk", none);
    fact_text(variables, "device", device.name);
    fact(variables, "logical", device.block_bytes);
    fact(variables, "counted", device.counter[0] != '\0');
    fact(variables, "rotational", is_rotational(&device));
    fact_text(variables, "work", request->work);
    fact(variables, "file", (double)request->file_bytes);
    fact(variables, "several_threads",
         request->quick || !request->threads_given || request->thread_count > 1);
    axis_of_threads(axes, request);
}

// ---- network

#define IPERF_BUFFER (4u << 20) // as loadgen's receiver has

// The value of what is known of the other end (peer.bash), to be freed; NULL: there is none.
static char *peer_fact(const struct request *request, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = request->peer_facts; line && *line != '\0';) {
        const char *end = strchrnul(line, '\n');
        if (strncmp(line, name, length) == 0 && line[length] == '\t')
            return must(strndup(line + length + 1, (size_t)(end - line) - length - 1));
        line = *end == '\0' ? end : end + 1;
    }
    return NULL;
}

static bool is_remote(const struct request *request)
{
    return request->host && strcmp(request->host, "localhost") != 0;
}

// The peers that have a server: `serves_NAME`, where it can be measured with, and `lacks_NAME`,
// where the other end has none.
static void facts_of_servers(json_t *variables, const struct request *request)
{
    static const char *const programs[] = {"iperf3", "qperf", "sockperf"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[PATH_MAX];
        const bool is_here = child_find(programs[i], path);
        OWNED char *there = peer_fact(request, programs[i]);
        OWNED char *serves = text_of("serves_%s", programs[i]),
                   *lacks = text_of("lacks_%s", programs[i]);
        fact(variables, serves, request->peers && is_here && (there || !is_remote(request)));
        fact(variables, lacks, is_remote(request) && !there);
    }
}

// What starts the receiving half at the other end, up to its servers' names; to be freed.
static char *receiver_line(const struct request *request, const char *address)
{
    const char *home = getenv("JOSTLE_HARNESS"), *root = getenv("JOSTLE_ROOT"), *words[10];
    char loadgen[PATH_MAX];
    size_t count = 0;
    OWNED char *far = text_of("%s/jobs/ssh/far", root ? root : ".");
    OWNED char *receive = text_of("%s/bench/receive", home ? home : "harness");
    OWNED char *port = text_of("%ju", (uintmax_t)request->port);
    words[count++] = far;
    words[count++] = "--hold";
    if (is_remote(request) && request->rsh) {
        words[count++] = "--rsh";
        words[count++] = request->rsh;
    }
    words[count++] = is_remote(request) ? request->host : "";
    words[count++] = receive;
    words[count++] = child_path("loadgen", loadgen);
    words[count++] = address;
    words[count++] = port;
    return must(words_quote(words, count));
}

// iperf3 fails where the kernel gives less than was requested.
static double iperf_buffer(void)
{
    const int64_t receive = machine_number("/proc/sys/net/core/rmem_max"),
                  send = machine_number("/proc/sys/net/core/wmem_max");
    return fmin(IPERF_BUFFER,
                fmin(receive < 0 ? INFINITY : (double)receive, send < 0 ? INFINITY : (double)send));
}

static void facts_of_network(json_t *variables, json_t *axes, const struct request *request)
{
    (void)axes;
    char source[160];
    const double whole_s = ceil(request->duration_s);
    OWNED char *problem = is_remote(request) ? peer_fact(request, "problem") : NULL;
    OWNED char *found = peer_fact(request, "address");
    const char *address = found || is_remote(request) ? found : "127.0.0.1";
    if (problem || !address) {
        fact_text(variables, "problem", problem ? problem : "the other end is not known");
        return;
    }
    double speed = 8 * peak_stated(request, "network", source, sizeof source);
    if (isnan(speed))
        speed = link_speed(address, source, sizeof source);
    OWNED char *bracketed = text_of(strchr(address, ':') ? "[%s]" : "%s", address);
    OWNED char *receiver = receiver_line(request, address);
    // As long as the peers', which know whole seconds, so that what a start costs weighs alike.
    OWNED char *duration =
        request->peers ? text_of("%.0fs", whole_s) : must(strdup(request->duration));
    fact_peak(variables, speed, source);
    fact_stated(variables, "latency_peak", request, "network-latency");
    fact_text(variables, "address", address);
    fact_text(variables, "bracketed", bracketed);
    fact_text(variables, "receiver", receiver);
    fact_text(variables, "net_duration", duration);
    fact_text(variables, "host", request->host);
    fact(variables, "whole_s", whole_s);
    fact(variables, "port", (double)request->port);
    fact(variables, "remote", is_remote(request));
    fact(variables, "iperf_buffer", iperf_buffer());
    facts_of_servers(variables, request);
}

const struct part bench_parts[] = {{"cpu", facts_of_cpu},
                                   {"memory", facts_of_memory},
                                   {"disk", facts_of_disk},
                                   {"network", facts_of_network},
                                   {0}};

bool peak_check(const char *text, char *error, size_t size)
{
    double value;
    for (const struct stated *stated = stated_peaks; stated->name != NULL; stated++)
        if (peak_split(stated, text, &value))
            return true;
    snprintf(error, size,
             "not a peak: give one such as memory=68.3GB/s:data-sheet, "
             "disk-iops=90kiops:data-sheet or memory-latency=80ns:data-sheet");
    return false;
}
