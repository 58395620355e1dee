// What the CPUs compute in a second: each type of number, in the widest vectors and without,
// beside OpenBLAS's products of matrices; and a system of equations.
#include "bench.h"
#include "common/ports.h"
#include "common/version.h"

#include "common/processor.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLAS         "libopenblas.so.0"
#define BLAS_PACKAGE "libopenblas0"
#define GFLOPS       "stdout:/^([0-9.]+) GFLOPS/"
#define UNIT         "Gop/s"

static const char no_half[] = "this CPU does not compute in half precision (AVX512-FP16; F16C only "
                              "converts), and jostle does not emulate it";

struct type {
    const char *name;
    bool floating;
    unsigned bytes;
    const char *gemm; // options of workloads/gemm for its product; NULL: there is none
    bool quick;       // in vectors, with --quick
    bool series;      // with --samples
};

static const struct type types[] = {
    {.name = "int8", .bytes = 1, .quick = true},
    {.name = "int16", .bytes = 2},
    {.name = "int32", .bytes = 4, .quick = true, .series = true},
    {.name = "int64", .bytes = 8},
    {.name = "half", .bytes = 2, .floating = true},
    {.name = "single", .bytes = 4, .floating = true, .gemm = "--single", .quick = true},
    {.name = "double", .bytes = 8, .floating = true, .gemm = "", .quick = true, .series = true},
};
#define TYPES (sizeof types / sizeof types[0])

// What the cells of the part have in common.
struct scope {
    struct matrix *matrix;
    const struct choice *choice;
    struct cpu_list cpus;
    double quota_cpus;
    enum simd widest;
    bool has_blas;
    struct chart *chart;
};

// Large enough for the library to come to its speed: about 1 s, with --quick 0.15 s, of one CPU
// of our day.
static unsigned gemm_size(const struct choice *choice)
{
    return choice->quick ? 1500 : 3000;
}

static unsigned linpack_size(const struct choice *choice)
{
    return choice->quick ? 2000 : 4000;
}

// Whether the library is there: the peers are programs of jostle, which open it.
static bool has_library(const char *name)
{
    void *library = linked_static() ? NULL : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    return library && dlclose(library) == 0;
}

static const char *blas_missing(void)
{
    return linked_static() ? BLAS " is not for static programs: build jostle on this system"
                           : BLAS " is not installed: apt install " BLAS_PACKAGE;
}

static void add_peak(const struct scope *scope, struct cell *cell, const struct type *type,
                     enum simd simd, unsigned threads)
{
    struct peak peak;
    char source[96];
    peak_find(&peak, simd, type->floating, type->bytes, &scope->cpus, threads, scope->quota_cpus);
    if (!isfinite(peak.per_cycle)) {
        cell_no_peak(cell, peak.source);
        return;
    }
    snprintf(source, sizeof source, SUMMARY("clock_hz") ",scale=%.17g", peak.per_cycle / 1e9);
    cell_peak(cell, source, peak.source);
    cell_watch(cell, PEAK_SHARE, "", HIGHER, SUMMARY("peak_share"));
}

static struct peer *blas_peer(const struct scope *scope, struct cell *cell, const char *name,
                              const char *program, const char *command)
{
    struct peer *peer = cell_peer(cell, name, program, BLAS_PACKAGE, "%s", command);
    peer_figure(peer, "rate", GFLOPS, 1);
    if (!scope->has_blas)
        peer_skip(peer, "%s", blas_missing());
    return peer;
}

// Its product of this type, and of doubles its solution of equations, too. It has no more
// threads than there are CPUs.
static void add_blas(const struct scope *scope, struct cell *cell, const struct type *type,
                     unsigned threads)
{
    char command[128];
    struct peer *peers[2] = {NULL, NULL};
    snprintf(command, sizeof command, "gemm %s --library " BLAS " --threads %u %u", type->gemm,
             threads, gemm_size(scope->choice));
    peers[0] = blas_peer(scope, cell, "gemm", "gemm", command);
    snprintf(command, sizeof command, "linpack --library " BLAS " --threads %u %u", threads,
             linpack_size(scope->choice));
    if (type->bytes == 8)
        peers[1] = blas_peer(scope, cell, "linpack", "linpack", command);
    for (size_t i = 0; i < 2; i++)
        if (peers[i] && scope->has_blas && threads > scope->cpus.count)
            peer_skip(peers[i], "OpenBLAS starts no more threads than CPUs, %u", scope->cpus.count);
}

static void label(struct cell *cell, const char *type, const char *code, unsigned threads)
{
    cell_label(cell, "type", "%s", type);
    cell_label(cell, "code", "%s", code);
    cell_label(cell, "threads", "%u", threads);
}

// One type in one width on so many threads.
static void add_kernel(const struct scope *scope, const struct type *type, enum simd simd,
                       unsigned threads)
{
    const bool vectors = simd != SIMD_SCALAR;
    char series[64];
    struct cell *cell = matrix_cell(scope->matrix, "cpu.%s.%s.t%u", type->name,
                                    vectors ? "simd" : "scalar", threads);
    label(cell, type->name, simd_names[simd], threads);
    if (strcmp(type->name, "half") == 0 && !processor_has_half()) {
        cell_skip(cell, "%s", no_half);
        return;
    }
    cell_figure(cell, "rate", UNIT, HIGHER, SUMMARY("gops"));
    cell_more(cell, "clock", "GHz", HIGHER, SUMMARY("clock_hz") ",scale=1e-9");
    bench_cell_command(cell, "loadgen ops --type %s --simd %s --threads %u --json --duration %s",
                       type->name, simd_names[simd], threads, scope->choice->duration);
    add_peak(scope, cell, type, simd, threads);
    cell_cpus(cell, threads);
    if (vectors && type->gemm)
        add_blas(scope, cell, type, threads);
    snprintf(series, sizeof series, "%s %s", type->name, simd_names[simd]);
    chart_point(scope->chart, series, cell, threads);
}

static void add_linpack(const struct scope *scope, unsigned threads)
{
    const unsigned size = linpack_size(scope->choice);
    struct cell *cell = matrix_cell(scope->matrix, "cpu.linpack.t%u", threads);
    label(cell, "double", "linpack", threads);
    if (!scope->has_blas) {
        cell_skip(cell, "%s", blas_missing());
        return;
    }
    if (threads > scope->cpus.count) {
        cell_skip(cell, "OpenBLAS starts no more threads than CPUs, %u", scope->cpus.count);
        return;
    }
    cell_figure(cell, "rate", UNIT, HIGHER, GFLOPS);
    cell_more(cell, "residual", "", LOWER, "stdout:/residual ([0-9.e+-]+) /");
    bench_cell_command(cell, "linpack --library " BLAS " --threads %u %u", threads, size);
    cell_no_peak(cell, "not known here: linpack measures no clock; with --peers it is a peer of "
                       "double, beside the peak of the same runs");
    cell_cpus(cell, threads);
    chart_point(scope->chart, "double linpack", cell, threads);
}

// What the kernel and others take of all CPUs meanwhile.
static void add_noise(const struct scope *scope)
{
    struct cell *cell = matrix_cell(scope->matrix, "cpu.noise");
    label(cell, "-", "OS noise", scope->cpus.count);
    cell_figure(cell, "lost", "%", LOWER, "stdout:/\"lost_percent\": ?([0-9.eE+-]+)/");
    cell_more(cell, "detours", "1/s", LOWER, "stdout:/\"detours_per_s\": ?([0-9.eE+-]+)/");
    cell_more(cell, "longest", "s", LOWER, "stdout:/\"longest_s\": ?([0-9.eE+-]+)/");
    bench_cell_command(cell, "doctor --noise --json --seconds %s", scope->choice->duration);
    cell_no_peak(cell, "noise has no peak");
}

// One width of a type on all numbers of threads.
static void add_scaling(const struct scope *scope, const struct type *type, enum simd simd)
{
    for (size_t i = 0; i < scope->choice->thread_count; i++)
        add_kernel(scope, type, simd, scope->choice->threads[i]);
}

// Both widths; with --quick of few types.
static void add_type(const struct scope *scope, const struct type *type)
{
    const bool quick = scope->choice->quick;
    if (!quick || type->quick)
        add_scaling(scope, type, scope->widest);
    if (strcmp(type->name, "half") != 0 && (!quick || type->bytes == 8))
        add_scaling(scope, type, SIMD_SCALAR);
}

static void add_series(const struct scope *scope, const struct type *type)
{
    const struct choice *choice = scope->choice;
    const unsigned threads = scope->cpus.count;
    struct cell *cell = matrix_cell(scope->matrix, "cpu.%s.series", type->name);
    label(cell, type->name, simd_names[scope->widest], threads);
    cell_figure(cell, "rate", UNIT, HIGHER, SUMMARY("gops"));
    bench_cell_command(cell, "loadgen ops --type %s --simd %s --threads %u --json %s", type->name,
                       simd_names[scope->widest], threads, choice->series);
    add_peak(scope, cell, type, scope->widest, threads);
    cell_series(cell, "gops", 1);
}

void part_cpu(struct matrix *matrix, const struct choice *choice)
{
    struct scope scope = {.matrix = matrix,
                          .choice = choice,
                          .quota_cpus = cpus_quota(),
                          .widest = processor_widest(),
                          .has_blas = has_library(BLAS)};
    if (cpus_allowed(&scope.cpus) != 0)
        scope.cpus.count = choice->allowed_cpus;
    scope.chart = matrix_chart(matrix, "scaling", "Operations a second by threads",
                               (struct axis){.label = "threads", .unit = "", .log = true},
                               (struct axis){.label = "rate", .unit = UNIT, .log = true});
    for (size_t i = 0; i < TYPES; i++)
        add_type(&scope, &types[i]);
    for (size_t i = 0; i < choice->thread_count; i++)
        add_linpack(&scope, choice->threads[i]);
    add_noise(&scope);
    // Operations a second of floating point and of integers: FLOPS and IOPS.
    for (size_t i = 0; i < TYPES && choice->samples > 0; i++)
        if (types[i].series)
            add_series(&scope, &types[i]);
}
