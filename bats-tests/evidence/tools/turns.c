// turns: what the work of one load leaves cold for another on the same core. One thread does
// both in turns, with the loads' own kernels: a probe's round (warm, timed), one operation
// of a load, the probe's round again (timed). So nothing of the scheduler is in it; the lower
// quartile of many turns is that of turns which nothing else disturbed.
//
//   turns CPU [LOAD...]   prints "LOAD<TAB>PROBE<TAB>ns warm<TAB>ns after the load", a line a pair

#include "common/processor.h"
#include "core/code.h"
#include "core/port_kernels.h"
#include "core/tlb_pages.h"
#include "mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 101

// Something to run: a probe's round, or an operation of a load.
struct work {
    const char *name;
    void (*run)(struct work *);
    struct code code;
    struct tlb_pages pages;
    void **chase;
    struct port_kernel ports;
    double *arrays;
    size_t bytes;    // of all arrays
    size_t at;       // of the arrays: where the last operation ended, in elements
    uint64_t amount; // lines, pages, loads, elements or blocks of one run
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void run_nothing(struct work *work)
{
    (void)work;
}

static void run_code(struct work *work)
{
    code_run(&work->code, work->amount);
}

static void run_pages(struct work *work)
{
    tlb_pages_touch(&work->pages, work->amount);
}

static void run_chase(struct work *work)
{
    work->chase = chase_run(work->chase, work->amount);
}

static void run_ports(struct work *work)
{
    if (!work->ports.run((unsigned)work->amount, 0))
        die("a wrong result");
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + 3 * c[i];
}

// Triad over the next elements, and round again, as loadgen mem and cache do.
static void run_triad(struct work *work)
{
    const size_t all = work->bytes / 3 / sizeof(double);
    for (size_t left = work->amount; left > 0;) {
        const size_t some = all - work->at < left ? all - work->at : left;
        double *a = work->arrays + work->at;
        triad(a, a + all, a + 2 * all, some);
        work->at = (work->at + some) % all;
        left -= some;
    }
}

static void *memory_of(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory == NULL)
        die("memory");
    memset(memory, 0, bytes);
    return memory;
}

static struct work of_code(const char *name, size_t bytes, uint64_t lines)
{
    struct work work = {.name = name, .run = run_code, .amount = lines};
    if (code_make(&work.code, bytes / CODE_CALL_BYTES * CODE_CALL_BYTES, 1) != 0)
        die("code");
    return work;
}

static struct work of_pages(const char *name, size_t pages, uint64_t touches)
{
    struct work work = {.name = name, .run = run_pages, .amount = touches};
    if (tlb_pages_map(&work.pages, pages) != 0)
        die("pages");
    return work;
}

static struct work of_chase(const char *name, size_t bytes)
{
    const size_t lines = bytes / MEM_LINE_BYTES / 16 * 16;
    struct work work = {.name = name, .run = run_chase, .chase = memory_of(bytes), .amount = lines};
    chase_link(work.chase, lines, 1);
    return work;
}

static struct work of_triad(const char *name, size_t bytes, size_t counted_bytes)
{
    return (struct work){.name = name,
                         .run = run_triad,
                         .bytes = bytes,
                         .arrays = memory_of(bytes),
                         .amount = counted_bytes / 3 / sizeof(double)};
}

static struct work of_ports(const char *name, enum port_kind kind, unsigned blocks)
{
    const struct port_kernel kernel = port_kernel_of(kind);
    return (struct work){.name = name,
                         .run = run_ports,
                         .ports = kernel,
                         .amount = blocks > 0 ? blocks : kernel.blocks};
}

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int64_t timed(struct work *work)
{
    const int64_t start = now();
    work->run(work);
    return now() - start;
}

// The time that it takes to take the time.
static int64_t clock_cost_ns(void)
{
    struct work nothing = {.run = run_nothing};
    int64_t least = timed(&nothing);
    for (int i = 0; i < 1000; i++) {
        const int64_t one = timed(&nothing);
        least = one < least ? one : least;
    }
    return least;
}

static void measure(struct work *load, struct work *probe, int64_t clock)
{
    int64_t warm[TURNS], after[TURNS];
    for (int i = 0; i < TURNS; i++) {
        probe->run(probe);
        probe->run(probe);
        warm[i] = timed(probe) - clock;
        load->run(load);
        after[i] = timed(probe) - clock;
    }
    qsort(warm, TURNS, sizeof *warm, compare);
    qsort(after, TURNS, sizeof *after, compare);
    printf("%s\t%s\t%lld\t%lld\n", load->name, probe->name, (long long)warm[TURNS / 4],
           (long long)after[TURNS / 4]);
}

// Without names, all.
static bool wanted(const struct work *load, char **names)
{
    for (char **name = names; *name != NULL; name++)
        if (strcmp(*name, load->name) == 0)
            return true;
    return *names == NULL;
}

int main(int argc, char **argv)
{
    const struct tlb_size tlb = tlb_size();
    struct cpu_list all = {0};
    struct mem_machine machine = {0};
    if (argc < 2 || cpus_parse(argv[1], &all) != 0 || cpus_pin(all.cpu[0]) != 0)
        die("usage: turns CPU [LOAD...]");
    mem_machine_open(&machine, &all);
    const struct mem_caches caches = machine.caches;
    if (caches.l1_bytes == 0 || caches.l1i_bytes == 0 || caches.l2_bytes == 0 ||
        caches.l3_bytes == 0)
        die("the caches' sizes are not known");
    // Operations as the loads have them.
    struct work loads[] = {
        {.name = "none", .run = run_nothing},
        of_ports("ports int", PORT_INT, 0),
        of_ports("ports all", PORT_ALL, 0),
        of_triad("cache l1d", caches.l1_bytes, 4 << 20),
        of_triad("cache l2", caches.l2_bytes, 4 << 20),
        of_triad("cache l3", caches.l3_bytes / 2, 1 << 20),
        of_triad("mem", 8 * caches.l3_bytes, 1 << 20),
        of_code("icache", 4 * caches.l1i_bytes, 32768),
        of_code("icache l2", caches.l2_bytes / 2, 8192),
        of_pages("tlb dtlb", 2 * (size_t)tlb.first, 32768),
        of_pages("tlb stlb", 2 * (size_t)tlb.second, 32768),
    };
    struct work probes[] = {
        of_chase("L1d", caches.l1_bytes / 2),
        of_chase("L2", caches.l2_bytes / 2),
        of_code("L1i", caches.l1i_bytes / 2, caches.l1i_bytes / 2 / CODE_LINE_BYTES),
        of_pages("dTLB", 48, 48),
        of_pages("STLB", tlb.second / 2, tlb.second / 2 / 4 * 4),
        of_ports("int ports", PORT_INT, 1),
        of_ports("fp ports", PORT_FP, 1),
    };
    const int64_t clock = clock_cost_ns();
    for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++)
        for (size_t p = 0; wanted(&loads[l], argv + 2) && p < sizeof probes / sizeof probes[0]; p++)
            measure(&loads[l], &probes[p], clock);
    mem_machine_close(&machine);
    return 0;
}
