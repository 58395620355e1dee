// What memory and caches deliver: bandwidth by pattern and block size, latency, STREAM, and
// latency over the bandwidth that others draw. docs/memory.md says what each row is.
#include "bench.h"
#include "common/processor.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MEBIBYTE 1048576.0
#define GIB      1073741824.0
// Of each array: STREAM's rule. Where caches are not what the machine says, they were never found
// to reach beyond 1 GiB (loadgen measures no further).
#define CACHES      4
#define LEAST_BYTES GIB
#define QUICK_BYTES (512 * MEBIBYTE)
// With --quick filling must not take longer than measuring: no more than that, or than caches
// of this many times their size leave in memory.
#define QUICK_MOST   GIB
#define QUICK_CACHES 2
#define VECTOR_LOOP  512  // bytes in which loadgen's loops step
#define LEAST_BLOCKS 2.0  // of a thread: else a random block is always the same
#define MOST_MEMORY  0.25 // of the machine's
// stress-ng gives no rate for less than 4.5 s (stress-stream.c), and sysbench takes whole
// seconds.
#define STRESS_S   6
#define SYSBENCH_S 1

struct block {
    uint64_t bytes;
    bool quick, quick_random;
};

static const struct block usual_blocks[] = {
    {1, true, true},         {1 << 10, false, false}, {8 << 10, false, true},
    {1 << 20, false, false}, {8 << 20, false, false}, {10 << 20, false, false},
    {80 << 20, true, true},
};

#define USUAL_BLOCKS (sizeof usual_blocks / sizeof *usual_blocks)

static size_t block_count(const struct choice *choice)
{
    return choice->block_count > 0 ? choice->block_count : USUAL_BLOCKS;
}

static struct block block_at(const struct choice *choice, size_t index)
{
    if (choice->block_count > 0)
        return (struct block){choice->blocks[index], true, true};
    return usual_blocks[index];
}

static const char *const ways[] = {"read", "write"};
static const char *const patterns[] = {"sequential", "random"};

// What all cells of the part share.
struct memory {
    struct matrix *matrix;
    const struct choice *choice;
    struct nodes nodes;
    double most; // a footprint may have
    double peak; // NAN: not known
    char peak_text[256], no_peak[288];
};

static void open_memory(struct memory *memory, struct matrix *matrix, const struct choice *choice)
{
    *memory = (struct memory){.matrix = matrix, .choice = choice};
    nodes_read(&memory->nodes);
    memory->most = MOST_MEMORY * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    memory->peak = peak_stated(choice, "memory", memory->peak_text, sizeof memory->peak_text);
    if (isnan(memory->peak))
        memory->peak = dmi_machine_peak(memory->peak_text, sizeof memory->peak_text);
    snprintf(memory->no_peak, sizeof memory->no_peak, "not known here: %s", memory->peak_text);
}

// Of so many arrays together, beyond the caches.
static double footprint_of(const struct memory *memory, unsigned arrays)
{
    const double l3s = (double)memory->nodes.l3_bytes;
    const double wanted = arrays * CACHES * l3s;
    const double quick = fmin(wanted, fmax(QUICK_MOST, QUICK_CACHES * l3s));
    return fmin(memory->most,
                memory->choice->quick ? fmax(QUICK_BYTES, quick) : fmax(LEAST_BYTES, wanted));
}

// ---- what rows have in common ----

static void label(struct cell *cell, const char *test, const char *pattern, const char *block,
                  const char *where, unsigned threads)
{
    cell_label(cell, "test", "%s", test);
    cell_label(cell, "pattern", "%s", pattern);
    if (block)
        cell_label(cell, "block", "%s", block);
    cell_label(cell, "data in", "%s", where);
    cell_label(cell, "threads", "%u", threads);
}

static void bandwidth(const struct memory *memory, struct cell *cell)
{
    cell_figure(cell, "bandwidth", "B/s", HIGHER, SUMMARY("bandwidth_bytes_s"));
    if (isnan(memory->peak))
        cell_no_peak(cell, memory->no_peak);
    else
        cell_peak_constant(cell, memory->peak, memory->peak_text);
}

static void latency(struct cell *cell)
{
    cell_figure(cell, "latency", "ns", LOWER, SUMMARY("latency_ns"));
    cell_more(cell, "mean", "ns", LOWER, SUMMARY("ns_per_load_mean"));
    cell_no_peak(cell, "not known here: no table has the least latency of memory");
}

// A row that is said to be of memory has data that no cache holds.
static void watch_caches(const struct memory *memory, struct cell *cell)
{
    if (memory->nodes.l3_bytes == 0)
        return;
    cell_watch(cell, "cache_margin", "", HIGHER, SUMMARY("cache_margin"));
    cell_problem_below(cell, "cache_margin", 1, "cache-sized");
}

// Filling, and checking the values at the end, each take about this long.
static double passes_s(double bytes)
{
    return 0.1 + 2 * bytes / 4e9;
}

// ---- blocks ----

// NULL: there is not enough memory for it, and the cell says so.
static bool has_room(const struct memory *memory, struct cell *cell, double bytes)
{
    char wanted[32], all[32];
    if (bytes <= memory->most)
        return true;
    cell_skip(cell, "it needs %s of memory: more than a quarter of this machine's %s",
              units_format_size(bytes, wanted, sizeof wanted),
              units_format_size(memory->most / MOST_MEMORY, all, sizeof all));
    return false;
}

static bool is_possible(struct cell *cell, const struct block *block)
{
    const bool possible = block->bytes == 1 || block->bytes % VECTOR_LOOP == 0;
    if (!possible)
        cell_skip(cell, "a block of memory has 1 byte, or a multiple of %d", VECTOR_LOOP);
    return possible;
}

static void add_curve(const struct memory *memory, struct cell *cell, const struct block *block,
                      const char *what, const char *series, unsigned threads)
{
    char title[96];
    if (block->bytes == 1)
        return;
    snprintf(title, sizeof title, "Bandwidth over block size, %s, %u thread%s", what, threads,
             threads == 1 ? "" : "s");
    chart_point(matrix_chart(memory->matrix, "blocks", title,
                             (struct axis){"block size", "B", true},
                             (struct axis){"bandwidth", "B/s", true}),
                series, cell, (double)block->bytes);
}

// Blocks of data that no cache holds.
static void add_block(const struct memory *memory, const struct block *block, const char *pattern,
                      const char *way, unsigned threads)
{
    char series[32];
    char name[BLOCK_TEXT];
    const double bytes =
        fmax(footprint_of(memory, 1), LEAST_BLOCKS * (double)block->bytes * threads);
    struct cell *cell = matrix_cell(memory->matrix, "memory.%s.%s.%s.t%u", way, pattern,
                                    block_text(block->bytes, "", name), threads);
    label(cell, way, pattern, name, "memory", threads);
    cell_cpus(cell, threads);
    if (!is_possible(cell, block))
        return;
    if (!has_room(memory, cell, bytes))
        return;
    if (block->bytes == 1)
        latency(cell);
    else
        bandwidth(memory, cell);
    watch_caches(memory, cell);
    bench_cell_command(cell,
                       "loadgen mem --%s --%s --block-size %s --threads %u --footprint %.0f --json "
                       "--duration %s",
                       way, pattern, name, threads, bytes, memory->choice->duration);
    cell_seconds(cell, memory->choice->duration_s + passes_s(bytes), 0);
    snprintf(series, sizeof series, "%s %s", pattern, way);
    add_curve(memory, cell, block, "data in memory", series, threads);
}

static bool is_wanted(const struct memory *memory, bool quick, unsigned threads)
{
    return !memory->choice->quick || memory->choice->block_count > 0 || (quick && threads == 1);
}

static void add_blocks(const struct memory *memory, unsigned threads)
{
    for (size_t pattern = 0; pattern < 2; pattern++)
        for (size_t way = 0; way < 2; way++)
            for (size_t i = 0; i < block_count(memory->choice); i++) {
                const struct block block = block_at(memory->choice, i);
                if (is_wanted(memory, pattern == 0 ? block.quick : block.quick_random, threads))
                    add_block(memory, &block, patterns[pattern], ways[way], threads);
            }
}

// ---- one block again and again: what sysbench measures ----

// The smallest of the caches that holds it.
static const char *cache_of(const struct nodes *nodes, uint64_t block_bytes, unsigned threads)
{
    if (block_bytes <= nodes->l1_bytes)
        return "L1";
    if (block_bytes <= nodes->l2_bytes)
        return "L2";
    return block_bytes * threads <= nodes->l3_bytes ? "L3" : "beyond L3";
}

static bool is_power_of_two(uint64_t bytes)
{
    return (bytes & (bytes - 1)) == 0;
}

static void add_sysbench(struct cell *cell, const struct block *block, const char *way,
                         unsigned threads)
{
    struct peer *peer =
        cell_peer(cell, "sysbench", "sysbench", "sysbench",
                  "sysbench memory --memory-block-size=%llu --memory-oper=%s "
                  "--memory-access-mode=seq --memory-scope=local --memory-total-size=1000T "
                  "--threads=%u --time=%d run",
                  (unsigned long long)block->bytes, way, threads, SYSBENCH_S);
    peer_figure(peer, "bandwidth", "stdout:/\\(([0-9.]+) MiB.sec\\)/", MEBIBYTE);
    if (!is_power_of_two(block->bytes))
        peer_skip(peer, "its --memory-block-size takes powers of two only");
}

static void add_buffer(const struct memory *memory, const struct block *block, const char *way,
                       unsigned threads)
{
    char name[BLOCK_TEXT];
    const double bytes = (double)block->bytes * threads;
    struct cell *cell = matrix_cell(memory->matrix, "memory.%s.again.%s.t%u", way,
                                    block_text(block->bytes, "", name), threads);
    label(cell, way, "the same block", name, cache_of(&memory->nodes, block->bytes, threads),
          threads);
    cell_cpus(cell, threads);
    if (!is_possible(cell, block))
        return;
    if (!has_room(memory, cell, bytes))
        return;
    bandwidth(memory, cell);
    // What a cache delivers is not limited by the DIMMs.
    cell_no_peak(cell, "not known here: the data is in a cache");
    bench_cell_command(cell,
                       "loadgen mem --%s --block-size %s --threads %u --footprint %.0f --json "
                       "--duration %s",
                       way, name, threads, bytes, memory->choice->duration);
    add_sysbench(cell, block, way, threads);
    cell_seconds(cell, memory->choice->duration_s + 0.2, 0);
    add_curve(memory, cell, block, "the same block again", way, threads);
}

static void add_buffers(const struct memory *memory, unsigned threads)
{
    for (size_t way = 0; way < 2; way++)
        for (size_t i = 0; i < block_count(memory->choice); i++) {
            const struct block block = block_at(memory->choice, i);
            if (block.bytes > 1 &&
                is_wanted(memory, is_power_of_two(block.bytes) && block.quick_random, threads))
                add_buffer(memory, &block, ways[way], threads);
        }
}

// ---- STREAM ----

// likwid-bench's kernels of the same definition and vector width: stream is a = b * s + c. It
// has no scale and no add.
static const struct kernel {
    const char *name, *likwid;
    unsigned arrays;
    bool fma, quick;
} kernels[] = {
    {"copy", "copy", 2, false, true},  {"scale", NULL, 2, false, false},
    {"add", NULL, 3, false, false},    {"triad", "stream", 3, true, true},
    {"read", "load", 1, false, false}, {"write", "store", 1, false, false},
    {"stream", NULL, 3, false, false},
};

static void add_likwid(const struct memory *memory, struct cell *cell, const struct kernel *kernel,
                       unsigned threads)
{
    const bool avx2 = processor_has(SIMD_AVX2);
    const double bytes = footprint_of(memory, kernel->arrays);
    const double passes = ceil(memory->choice->duration_s * 2e10 / bytes);
    struct peer *peer = cell_peer(cell, "likwid-bench", "likwid-bench", "likwid",
                                  "likwid-bench -t %s%s -i %.0f -W N:%.0fB:%u", kernel->likwid,
                                  !avx2         ? "_sse"
                                  : kernel->fma ? "_avx_fma"
                                                : "_avx",
                                  passes, bytes, threads);
    peer_figure(peer, "bandwidth", "stdout:/^MByte.s:[[:space:]]+([0-9.]+)/", 1e6);
    peer_version(peer, "-v");
    if (!processor_has(SIMD_SSE2))
        peer_skip(peer, "its kernels of this processor are not those of ours");
    else if (threads > memory->choice->allowed_cpus)
        peer_skip(peer, "it runs no more threads than there are CPUs");
}

// stress-ng's stores bypass the caches (MOVNTI), so ours do beside it. It counts as STREAM does, in
// MiB, read and written bytes apart: of each element of copy, scale, add and triad 6 x 8 are read
// and 4 x 8 written. --stream-l3-size is divided by the instances, and each array is four times
// that.
static void add_stress(const struct memory *memory, struct cell *cell, unsigned threads)
{
    struct peer *peer = cell_peer(cell, "stress-ng", "stress-ng", "stress-ng",
                                  "stress-ng --stream %u --stream-l3-size %.0f --timeout %ds",
                                  threads, footprint_of(memory, 3) / (3 * CACHES), STRESS_S);
    peer_figure(peer, "bandwidth", "stderr:/memory rate: ([0-9.]+) MB read/,take=sum",
                MEBIBYTE * 10 / 6);
}

static void add_kernel(const struct memory *memory, const struct kernel *kernel, unsigned threads)
{
    struct cell *cell = matrix_cell(memory->matrix, "memory.stream.%s.t%u", kernel->name, threads);
    const bool all = strcmp(kernel->name, "stream") == 0;
    const double bytes = footprint_of(memory, kernel->arrays);
    const bool bypass = all && processor_has(SIMD_SSE2);
    label(cell, all ? "copy, scale, add, triad" : kernel->name,
          bypass ? "non-temporal" : "whole arrays", NULL, "memory", threads);
    cell_cpus(cell, threads);
    bandwidth(memory, cell);
    watch_caches(memory, cell);
    bench_cell_command(
        cell, "loadgen mem --kernel %s%s --threads %u --footprint %.0f --json --duration %s",
        kernel->name, bypass ? " --non-temporal" : "", threads, bytes, memory->choice->duration);
    if (kernel->likwid)
        add_likwid(memory, cell, kernel, threads);
    if (all)
        add_stress(memory, cell, threads);
    const double run_s = memory->choice->duration_s + passes_s(bytes);
    cell_seconds(cell, all && memory->choice->peers ? (run_s + STRESS_S) / 2 : run_s, 0);
    chart_point(matrix_chart(memory->matrix, "scaling", "STREAM over threads",
                             (struct axis){"threads", "", false},
                             (struct axis){"bandwidth", "B/s", false}),
                bypass ? "all four, non-temporal"
                : all  ? "all four"
                       : kernel->name,
                cell, threads);
}

static void add_stream(const struct memory *memory, unsigned threads)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!memory->choice->quick || kernels[i].quick)
            add_kernel(memory, &kernels[i], threads);
}

// ---- latency over the bandwidth that others draw ----

// In percent of what the load reaches alone; 100: without a limit.
static const struct level {
    unsigned percent;
    bool quick;
} levels[] = {{0, true},   {10, false}, {25, false}, {50, true},
              {75, false}, {90, false}, {100, true}};
#define LEVELS (sizeof levels / sizeof *levels)

// Where there is one node, all memory is its own; and not every container lets bind it.
static const char *node_option(const struct memory *memory, const struct node *node, char text[32])
{
    text[0] = '\0';
    if (memory->nodes.count > 1)
        snprintf(text, 32, " --node %u", node->number);
    return text;
}

static void draw(const struct memory *memory, struct cell *cell, const struct node *cpus,
                 const struct node *memory_node, unsigned percent)
{
    char limit[32] = "", node[32], name[64];
    if (percent < 100)
        snprintf(limit, sizeof limit, " --limit %u%%", percent);
    snprintf(name, sizeof name, "read-n%u-m%u-%u%%", cpus->number, memory_node->number, percent);
    cell_load(cell, name, "mem --kernel read --cpus %s --threads %u%s --footprint %.0f%s",
              cpus->list, cpus->others, node_option(memory, memory_node, node),
              footprint_of(memory, 1), limit);
}

static void label_level(struct cell *cell, const struct node *cpus, const struct node *memory_node,
                        unsigned percent)
{
    cell_label(cell, "test", "latency");
    cell_label(cell, "pattern", "random");
    cell_label(cell, "block", "1B");
    cell_label(cell, "data in", "memory");
    cell_label(cell, "threads", "1");
    cell_label(cell, "nodes", "CPUs %u, memory %u", cpus->number, memory_node->number);
    cell_label(cell, "others draw", "%u%%", percent);
}

static void add_level(const struct memory *memory, const struct node *cpus,
                      const struct node *memory_node, unsigned percent)
{
    char series[64], node[32];
    const double bytes = footprint_of(memory, 1);
    struct chart *chart = matrix_chart(memory->matrix, "loaded-latency",
                                       "Latency over the bandwidth that others draw",
                                       (struct axis){"bandwidth of the others", "B/s", false},
                                       (struct axis){"latency", "ns", false});
    struct cell *cell = matrix_cell(memory->matrix, "memory.loaded-latency.n%u-m%u.%u%%",
                                    cpus->number, memory_node->number, percent);
    label_level(cell, cpus, memory_node, percent);
    if (cpus->others == 0 && percent > 0) {
        cell_skip(cell, "node %u has one core that may be used: none is left to draw bandwidth",
                  cpus->number);
        return;
    }
    latency(cell);
    watch_caches(memory, cell);
    bench_cell_command(cell,
                       "loadgen mem --kernel chase --cpus %d --threads 1%s --footprint %.0f --json "
                       "--duration %s",
                       cpus->cpu, node_option(memory, memory_node, node), bytes,
                       memory->choice->duration);
    // Linking the chain takes as long again as filling.
    cell_seconds(cell, memory->choice->duration_s + 2 * passes_s(bytes), 0);
    snprintf(series, sizeof series, "CPUs of node %u, memory of node %u", cpus->number,
             memory_node->number);
    if (percent == 0) {
        chart_point(chart, series, cell, 0);
    } else {
        draw(memory, cell, cpus, memory_node, percent);
        chart_point_load(chart, series, cell);
    }
}

// From the CPUs of each node to the memory of each; a quick bench takes the first node's
// CPUs.
static void add_loaded_latency(const struct memory *memory)
{
    const struct nodes *nodes = &memory->nodes;
    bool done = false;
    for (unsigned i = 0; i < nodes->count && !(done && memory->choice->quick); i++) {
        if (nodes->node[i].cpu < 0)
            continue;
        done = true;
        for (unsigned k = 0; k < nodes->count; k++)
            for (size_t level = 0; level < LEVELS && nodes->node[k].has_memory; level++)
                if (!memory->choice->quick || levels[level].quick)
                    add_level(memory, &nodes->node[i], &nodes->node[k], levels[level].percent);
    }
}

// ---- the series ----

static void add_series(const struct memory *memory)
{
    const struct choice *choice = memory->choice;
    const unsigned most = choice->threads[choice->thread_count - 1];
    const unsigned threads = most < choice->allowed_cpus ? most : choice->allowed_cpus;
    if (!choice->series)
        return;
    struct cell *cell = matrix_cell(memory->matrix, "memory.stream.triad.t%u.series", threads);
    label(cell, "triad", "whole arrays", NULL, "memory", threads);
    cell_cpus(cell, threads);
    bandwidth(memory, cell);
    watch_caches(memory, cell);
    bench_cell_command(cell, "loadgen mem --kernel triad --threads %u --footprint %.0f --json %s",
                       threads, footprint_of(memory, 3), choice->series);
    cell_series(cell, "achieved", 1);
}

void part_memory(struct matrix *matrix, const struct choice *choice)
{
    struct memory memory;
    open_memory(&memory, matrix, choice);
    for (size_t i = 0; i < choice->thread_count; i++) {
        add_blocks(&memory, choice->threads[i]);
        add_stream(&memory, choice->threads[i]);
        if (!choice->quick || choice->peers)
            add_buffers(&memory, choice->threads[i]);
    }
    add_loaded_latency(&memory);
    add_series(&memory);
}
