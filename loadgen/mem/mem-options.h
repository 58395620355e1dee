#ifndef LOADGEN_MEM_OPTIONS_H
#define LOADGEN_MEM_OPTIONS_H

/* The options of loadgen mem, and what follows from them: where each array is, and
 * what one paced operation does. */

#include "load.h"
#include "mem/kernels.h"
#include "mem/machine.h"
#include "mem/sweep.h"

extern const struct option_row mem_options[];
extern const char *const mem_simd_choices[]; /* of --simd */
/* Rows that the tables of loadgen mem and loadgen cache share. */
#define MEM_ROW(name, argument, type, member)                                                      \
    OPTION_ROW(struct mem_settings, name, argument, type, member), .measured = true
#define MEM_SHARED_OPTIONS                                                                         \
    {MEM_ROW("huge", NULL, OPTION_FLAG, huge),                                                     \
     .help =                                                                                       \
         "ask for huge pages: reserved ones if there are, else transparent ones (default: as the " \
         "system has it)"},                                                                        \
        {MEM_ROW("node", "N", OPTION_INTEGER, node), .minimum = -1, .maximum = 1024,               \
         .preset = "-1", .help = "memory of this NUMA node; -1: each worker's own"},               \
    {                                                                                              \
        MEM_ROW("simd", "NAME", OPTION_CHOICE, simd),                                              \
            .preset = "auto", .choices = mem_simd_choices,                                         \
            .help =                                                                                \
                "avx512, avx2, sse2 (x86-64), sve, neon (aarch64) or portable; auto: the widest, " \
                "beyond L3 avx2 at most"                                                           \
    }

/* load.h's check. */
void mem_check(struct run *run);
/* Makes run->state, and checks the machine, --simd, --node; then the caller gives the
 * footprint of all workers together, and the rest of the plan follows, or exit 2. */
void mem_open(struct run *run, enum mem_kernel kernel, enum mem_access access);
void mem_set_footprint(struct run *run, double footprint_bytes);

/* What the parts of loadgen mem and loadgen cache share: the options as given, and
 * the state of a run. */

struct mem_settings {
    int kernel; /* enum mem_kernel */
    int simd;   /* 0: the best, else 1 + enum mem_simd */
    const char *footprint;
    uint64_t block_bytes; /* 0: whole arrays; 1: single accesses */
    bool read, write, sequential, random;
    double size_percent; /* cache: of that level */
    int level;           /* cache: enum mem_class, to MEM_L3 */
    bool non_temporal, huge;
    int64_t node; /* -1: each worker's own */
};

/* Where a footprint fits. */
enum mem_class { MEM_L1, MEM_L2, MEM_L3, MEM_MEMORY };
extern const char *const mem_class_names[];

struct mem_plan {
    enum mem_kernel kernel;
    enum mem_simd simd;
    bool non_temporal, huge;
    int node;               /* of the memory; -1: each worker's own */
    enum mem_access access; /* ACCESS_NONE: it moves blocks, as the course says */
    struct mem_course course;
    uint64_t worker_bytes; /* of all arrays of one worker; 0: touches nothing */
    uint64_t array_bytes;  /* of one array */
    uint64_t chunk;        /* counted bytes (of accesses: their number) of one paced operation */
    enum mem_class class;
};

struct mem_state {
    struct mem_plan plan;
    struct mem_machine machine;
    uint64_t edge_bytes; /* where this machine's caches end; 0: not known */
    char footprint[32];  /* of --footprint, in bytes */
    bool checked;        /* what the arrays hold: */
    double error;        /* see sweep.h */
    struct mem_pages pages;
};

struct mem_worker {
    struct mem_area area;
    double *array[MEM_ARRAYS];
    struct mem_sweep sweep;
    void **next;     /* chase: where it is */
    size_t byte;     /* single accesses to the next byte: the same */
    uint64_t random; /* to random ones: the generator's state */
};

static inline struct mem_settings *mem_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct mem_state *mem_state_of(const struct run *run)
{
    return run->state;
}

/* ---- edge.c ---- */

/* Where the caches of this machine end, whatever they are said to be: the L3 that a
 * virtual machine reports need not be the one below it. Latency of dependent loads at
 * random places rises with the size of the memory they go to as long as some of them
 * still find a cache; from the edge on it stays what it is. */

/* Whether a measurement is kept for this machine; sets bytes: 0: nothing is, or latency rose up to
 * the largest size. */
bool edge_kept(const struct mem_caches *caches, uint64_t *bytes);
/* What is kept; else measures it on the CPU, within about 2 s of CPU time and a
 * quarter of the free memory, and keeps it. Whoever comes meanwhile waits for that. 0: it could
 * not be measured, or not kept, or latency rises up to the largest size. */
uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet);

/* ---- mem.c ---- */

/* The functions of load.h: loadgen cache is the same one with options of
 * its own. */

int mem_prepare(struct run *run);
int mem_begin(struct worker *worker);
double mem_operate(struct worker *worker);
int mem_verify(struct run *run);
void mem_end(struct worker *worker);
void mem_cleanup(struct run *run);

/* What loadgen mem and loadgen cache count and report of themselves. */

/* load.h's fields, notes and describe. */
void mem_fields(struct run *run, const struct snapshot *window, struct line *line);
void mem_notes(struct run *run, const char *event, const struct snapshot *window);
void mem_describe(struct run *run, struct line *line);

#endif
