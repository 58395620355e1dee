#ifndef LOADGEN_MEM_H
#define LOADGEN_MEM_H

/* loadgen mem's and loadgen cache's own parts, known to each other: the options
 * and what the workers share. kernels.h has what runs, mem.c the load,
 * options.c its options, machine.c the caches and nodes, pages.c the
 * memory, calib.c the calibration, cache.c the load by that name. */

#include "calibration.h"
#include "filling.h"
#include "load.h"
#include "mem/kernels.h"

struct hwloc_topology;

struct mem_settings {
    int kernel; /* enum mem_kernel */
    int simd;   /* 0: the best, else 1 + enum mem_simd */
    const char *footprint;
    double size_percent; /* cache: of L3 */
    bool non_temporal, huge, calib;
    uint64_t node;
    const char *calibration;
};

/* Where a footprint finds room; also what a calibration is kept by. */
enum mem_class { MEM_L1, MEM_L2, MEM_L3, MEM_MEMORY };
extern const char *const mem_class_names[];

struct mem_caches {
    uint64_t l1_bytes, l2_bytes; /* data or unified; of the first CPU; 0: not known */
    uint64_t l3_bytes;           /* one of them */
    uint64_t l3_all_bytes;       /* all that the load's CPUs reach */
};

struct mem_plan {
    enum mem_kernel kernel;
    enum mem_simd simd;
    bool non_temporal, huge;
    int node;               /* of the memory; -1: each worker's own */
    mem_run *run;           /* NULL: chase */
    uint64_t worker_bytes;  /* of all arrays of one worker; 0: touches nothing */
    uint64_t array_bytes;   /* of one array */
    uint64_t chunk;         /* elements (chase: loads) of one paced operation */
    uint64_t element_bytes; /* counted for an element of the result */
    enum mem_class class;
};

/* What one worker says of itself; written by it alone. */
struct mem_busy {
    _Alignas(64) _Atomic int64_t busy_ns; /* inside the kernel */
    _Atomic uint64_t units;               /* bytes, or loads of chase, in that time */
};

/* Pages that the workers were given, added up when they begin. */
struct mem_pages {
    _Atomic uint64_t mapped_bytes; /* resident */
    _Atomic uint64_t thp_bytes;    /* of them in transparent huge pages */
    _Atomic uint64_t hugetlb_bytes;
    _Atomic uint64_t page_bytes; /* of a hugetlb or base page */
    _Atomic uint64_t nodes;      /* bit N: node N has some of it */
};

struct mem_state {
    struct mem_plan plan;
    struct mem_caches caches;
    struct hwloc_topology *topology;
    struct mem_busy *busy; /* run->threads of them */
    struct mem_pages pages;
    struct calibration_found calibration;
    struct filling filling;
};

static inline struct mem_settings *mem_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct mem_state *mem_state_of(const struct run *run)
{
    return run->state;
}

/* ---- mem.c: what load.h asks for, shared by both loads ---- */

int mem_prepare(struct run *run);
int mem_begin(struct worker *worker);
double mem_operate(struct worker *worker);
void mem_end(struct worker *worker);
void mem_cleanup(struct run *run);
void mem_count(struct run *run, double counters[LOAD_COUNTERS]);
void mem_fields(struct run *run, const struct snapshot *window, struct line *line);
void mem_notes(struct run *run, const char *event, const struct snapshot *window);
void mem_describe(struct run *run, struct line *line);
int mem_instead(struct run *run);
/* "thp", "hugetlb", "base" or, where only a part is huge, "mixed". */
const char *mem_pages_name(const struct mem_pages *pages);
/* Adds ns_per_load (the median of operations) and ns_per_load_mean of chase. */
void mem_load_fields(const struct snapshot *window, struct line *line);

/* ---- options.c ---- */

extern const struct setting mem_options[];
void mem_check(struct run *run);
int mem_rate(struct run *run, const char *text, double *rate, char *error, size_t size);
/* Makes run->state, looks at the machine, --simd, --node; then the caller says
 * the footprint of all workers together, and the rest of the plan follows, or exit 2. */
void mem_open(struct run *run, enum mem_kernel kernel);
void mem_set_footprint(struct run *run, double footprint_bytes);

/* ---- machine.c ---- */

/* The caches of the CPUs that the load may use, and its topology, to be freed by
 * mem_machine_close(). 0 bytes for what is not known. */
void mem_machine_open(struct mem_state *state, const struct cpu_list *cpus);
void mem_machine_close(struct mem_state *state);
/* Whether there is such a NUMA node, and it may be used; if not, all that may be
 * are listed in text. */
bool mem_machine_has_node(const struct mem_state *state, unsigned node, char *text, size_t size);
/* Memory that was not touched yet comes from that node. 0, or -1 with errno. */
int mem_machine_bind(const struct mem_state *state, void *memory, size_t bytes);
/* The node of the page at memory, which was touched; -1: not known. */
int mem_machine_node_of(const struct mem_state *state, const void *memory);

/* ---- pages.c ---- */

struct mem_area {
    void *memory; /* at a multiple of 2 MiB */
    void *base;   /* for munmap() */
    size_t base_bytes;
};

/* bytes of untouched memory, in huge pages if asked and there are. 0, or -1 with errno. */
int mem_pages_map(struct mem_area *area, size_t bytes, bool huge);
void mem_pages_unmap(struct mem_area *area);
/* Adds what the kernel gave for touched memory, by /proc/self/smaps. */
void mem_pages_count(struct mem_pages *pages, const void *memory);
/* Free huge pages that are reserved, which nobody counts as available memory. */
uint64_t mem_pages_reserved_bytes(void);
/* Why --huge cannot be had here; NULL: it can. */
const char *mem_pages_no_huge(void);

/* ---- calib.c ---- */

int mem_calibrate(struct run *run);
/* percent of what was measured of such a load. As calibration_percent(). */
int mem_percent(struct run *run, double percent, double *rate, char *error, size_t size);

#endif
