/* The best hand-tuned memory kernels that we could write, for bench/loads.conf alone:
 * what loadgen mem is measured against. Knows nothing of loadgen.
 *
 *   mem-best copy|triad THREADS BYTES SECONDS [huge]
 *       one line for each variant: its name and GB/s by STREAM's counting, over
 *       all passes; BYTES are of all arrays of all threads together
 *   mem-best chase BYTES SECONDS [huge]
 *       one line: "chase" and ns for each load, the median of its passes
 *
 * Build: cc -I. -O3 -march=native -fopenmp. Without AVX2 there is only plain C. */

#include "common/clock.h"

#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LINE        64
#define MOST_PASSES 100000
#define AHEAD       (8 * LINE / sizeof(double))

typedef void kernel(double *restrict a, const double *restrict b, const double *restrict c,
                    size_t count);

static void plain_copy(double *restrict a, const double *restrict b, const double *restrict c,
                       size_t count)
{
    (void)c;
    for (size_t i = 0; i < count; i++) {
        a[i] = b[i];
        __asm__ volatile("" ::: "memory"); /* or the compiler would call memcpy() */
    }
}

static void plain_triad(double *restrict a, const double *restrict b, const double *restrict c,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static void memcpy_copy(double *restrict a, const double *restrict b, const double *restrict c,
                        size_t count)
{
    (void)c;
    memcpy(a, b, count * sizeof *a);
}

#if defined(__AVX2__)
/* One copy and one triad with these vectors and stores; WIDTH doubles a vector,
 * four vectors a turn. */
#define KERNELS(NAME, TYPE, WIDTH, LOAD, STORE, FMA, SET1)                                         \
    static void NAME##_copy(double *restrict a, const double *restrict b,                          \
                            const double *restrict c, size_t count)                                \
    {                                                                                              \
        (void)c;                                                                                   \
        for (size_t i = 0; i < count; i += 4 * WIDTH) {                                            \
            const TYPE x = LOAD(b + i), y = LOAD(b + i + WIDTH), z = LOAD(b + i + 2 * WIDTH),      \
                       w = LOAD(b + i + 3 * WIDTH);                                                \
            STORE(a + i, x);                                                                       \
            STORE(a + i + WIDTH, y);                                                               \
            STORE(a + i + 2 * WIDTH, z);                                                           \
            STORE(a + i + 3 * WIDTH, w);                                                           \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_triad(double *restrict a, const double *restrict b,                         \
                             const double *restrict c, size_t count)                               \
    {                                                                                              \
        const TYPE s = SET1(3.0);                                                                  \
        for (size_t i = 0; i < count; i += 4 * WIDTH) {                                            \
            const TYPE x = FMA(s, LOAD(c + i), LOAD(b + i));                                       \
            const TYPE y = FMA(s, LOAD(c + i + WIDTH), LOAD(b + i + WIDTH));                       \
            const TYPE z = FMA(s, LOAD(c + i + 2 * WIDTH), LOAD(b + i + 2 * WIDTH));               \
            const TYPE w = FMA(s, LOAD(c + i + 3 * WIDTH), LOAD(b + i + 3 * WIDTH));               \
            STORE(a + i, x);                                                                       \
            STORE(a + i + WIDTH, y);                                                               \
            STORE(a + i + 2 * WIDTH, z);                                                           \
            STORE(a + i + 3 * WIDTH, w);                                                           \
        }                                                                                          \
    }
/* The same loads, each line prefetched. */
#define AHEAD_OF(POINTER)    (_mm_prefetch((const char *)((POINTER) + AHEAD), _MM_HINT_T0), (POINTER))
#define LOAD4_AHEAD(POINTER) _mm256_load_pd(AHEAD_OF(POINTER))

KERNELS(avx2, __m256d, 4, _mm256_load_pd, _mm256_store_pd, _mm256_fmadd_pd, _mm256_set1_pd)
KERNELS(avx2_ahead, __m256d, 4, LOAD4_AHEAD, _mm256_store_pd, _mm256_fmadd_pd, _mm256_set1_pd)
KERNELS(avx2_nt, __m256d, 4, _mm256_load_pd, _mm256_stream_pd, _mm256_fmadd_pd, _mm256_set1_pd)
KERNELS(avx2_nt_ahead, __m256d, 4, LOAD4_AHEAD, _mm256_stream_pd, _mm256_fmadd_pd, _mm256_set1_pd)
#endif
#if defined(__AVX512F__)
#define LOAD8_AHEAD(POINTER) _mm512_load_pd(AHEAD_OF(POINTER))
KERNELS(avx512, __m512d, 8, _mm512_load_pd, _mm512_store_pd, _mm512_fmadd_pd, _mm512_set1_pd)
KERNELS(avx512_ahead, __m512d, 8, LOAD8_AHEAD, _mm512_store_pd, _mm512_fmadd_pd, _mm512_set1_pd)
KERNELS(avx512_nt, __m512d, 8, _mm512_load_pd, _mm512_stream_pd, _mm512_fmadd_pd, _mm512_set1_pd)
KERNELS(avx512_nt_ahead, __m512d, 8, LOAD8_AHEAD, _mm512_stream_pd, _mm512_fmadd_pd, _mm512_set1_pd)
#endif

static const struct variant {
    const char *name;
    kernel *copy, *triad;
} variants[] = {
    {"plain", plain_copy, plain_triad},
    {"memcpy", memcpy_copy, NULL},
#if defined(__AVX2__)
    {"avx2", avx2_copy, avx2_triad},
    {"avx2-ahead", avx2_ahead_copy, avx2_ahead_triad},
    {"avx2-nt", avx2_nt_copy, avx2_nt_triad},
    {"avx2-nt-ahead", avx2_nt_ahead_copy, avx2_nt_ahead_triad},
#endif
#if defined(__AVX512F__)
    {"avx512", avx512_copy, avx512_triad},
    {"avx512-ahead", avx512_ahead_copy, avx512_ahead_triad},
    {"avx512-nt", avx512_nt_copy, avx512_nt_triad},
    {"avx512-nt-ahead", avx512_nt_ahead_copy, avx512_nt_ahead_triad},
#endif
};
#define VARIANTS (sizeof variants / sizeof variants[0])

static void die(const char *text)
{
    fprintf(stderr, "mem-best: %s\n", text);
    exit(1);
}

static double now_s(void)
{
    return (double)clock_ns() / 1e9;
}

static void *map(size_t bytes, bool huge)
{
    void *memory =
        mmap(NULL, bytes + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("no memory");
    memory = (void *)(((uintptr_t)memory + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
    if (huge)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static void pin_to(unsigned thread)
{
    cpu_set_t allowed, one;
    size_t cpu = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (thread %= (unsigned)CPU_COUNT(&allowed); !CPU_ISSET(cpu, &allowed) || thread-- > 0;)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Passes between barriers; the first thread takes the times. */
static void run_streams(bool triad, unsigned threads, size_t bytes, double seconds, bool huge)
{
    const size_t arrays = triad ? 3 : 2;
    const size_t count = bytes / threads / arrays / 1024 * 128;
    double *passes = calloc(MOST_PASSES, sizeof *passes);
    size_t done = 0;
    double start = 0, before = 0;
    bool go = false;
    if (passes == NULL)
        die("no memory");
#pragma omp parallel num_threads(threads)
    {
        const bool first = omp_get_thread_num() == 0;
        pin_to((unsigned)omp_get_thread_num());
        double *a = map(arrays * count * sizeof *a, huge), *b = a + count, *c = b + count;
        for (size_t i = 0; i < arrays * count; i++)
            a[i] = 1;
        for (size_t v = 0; v < VARIANTS; v++) {
            kernel *run = triad ? variants[v].triad : variants[v].copy;
            if (run == NULL)
                continue;
            if (first) {
                start = now_s();
                done = 0;
            }
            do {
#pragma omp barrier
                if (first)
                    before = now_s();
                run(a, b, triad ? c : NULL, count);
#pragma omp barrier
                if (first) {
                    const double after = now_s();
                    passes[done++] = after - before;
                    go = (after - start < seconds || done < 4) && done < MOST_PASSES;
                }
#pragma omp barrier
            } while (go);
            if (first) /* the first pass is left out */
                printf("%s %.4f\n", variants[v].name,
                       (double)(arrays * count * threads) * sizeof *a / 1e9 /
                           mean(passes + 1, done - 1));
        }
    }
    free(passes);
}

/* A random order of all lines, linked into one ring: independent of loadgen's way
 * (Sattolo's), which exchanges in place. */
static void **make_ring(size_t lines, bool huge)
{
    char *memory = map(lines * LINE, huge);
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t random = 88172645463325252u;
    if (order == NULL)
        die("no memory");
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const size_t j = random % (i + 1);
        const uint32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(memory + (size_t)order[i] * LINE) =
            memory + (size_t)order[(i + 1) % lines] * LINE;
    void **first = (void **)(memory + (size_t)order[0] * LINE);
    free(order);
    return first;
}

static void run_chase(size_t bytes, double seconds, bool huge)
{
    void **at = make_ring(bytes / LINE, huge);
    const size_t loads = bytes > 1 << 20 ? 1 << 10 : 1 << 16; /* some 100 us */
    double *passes = calloc(MOST_PASSES, sizeof *passes);
    size_t count = 0;
    if (passes == NULL)
        die("no memory");
    for (size_t i = 0; i < bytes / LINE; i++) /* warm, as far as it can be */
        at = (void **)*at;
    const double start = now_s();
    do {
        const double before = now_s();
        for (size_t i = 0; i < loads; i += 8) {
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
            at = (void **)*at;
        }
        __asm__ volatile("" : "+r"(at));
        passes[count++] = now_s() - before;
    } while (now_s() - start < seconds && count < MOST_PASSES);
    printf("chase %.4f\n", median(passes, count) / (double)loads * 1e9);
    free(passes);
}

int main(int argc, char **argv)
{
    const bool huge = argc > 1 && strcmp(argv[argc - 1], "huge") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc >= 4 && strcmp(argv[1], "chase") == 0)
        run_chase(strtoull(argv[2], NULL, 10), strtod(argv[3], NULL), huge);
    else if (argc >= 5)
        run_streams(strcmp(argv[1], "triad") == 0, (unsigned)strtoul(argv[2], NULL, 10),
                    strtoull(argv[3], NULL, 10), strtod(argv[4], NULL), huge);
    else
        die("usage: mem-best copy|triad THREADS BYTES SECONDS [huge] | chase BYTES SECONDS [huge]");
    return 0;
}
