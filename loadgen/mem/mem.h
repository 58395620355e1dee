// What the files of loadgen mem and loadgen cache share; each section says of which file it is.
#ifndef LOADGEN_MEM_MEM_H
#define LOADGEN_MEM_MEM_H

// See load.h. Who includes this for another load has named its own before.
#ifndef OPTIONS_OF
#define OPTIONS_OF struct mem_settings
#endif

#include "core/pages.h"
#include "load.h"

#include "common/processor.h"

// The kernels of loadgen mem. Bytes are counted as STREAM counts them (J. D.
// McCalpin, stream.c): what the program reads and writes, 8 bytes an element of
// each array. What a cache reads of a line before it is written (write-allocate)
// is not counted; non-temporal stores do without it.

enum mem_kernel {
    MEM_COPY,   // a = b
    MEM_SCALE,  // a = s b
    MEM_ADD,    // a = b + c
    MEM_TRIAD,  // a = b + s c
    MEM_READ,   // sum of a
    MEM_WRITE,  // a = s
    MEM_CHASE,  // a[next] in random order: each load needs the one before
    MEM_STREAM, // copy, scale, add and triad in turn, as STREAM runs them
    MEM_KERNELS
};

// All streaming kernels work on whole blocks of so many elements.
#define MEM_BLOCK      64
#define MEM_LINE_BYTES 64

// count: a multiple of MEM_BLOCK; all arrays at multiples of 64 bytes; s is the scalar of
// scale, triad and write. Returns the sum of what MEM_READ has read, else 0.
typedef double mem_run(double *restrict a, const double *restrict b, const double *restrict c,
                       size_t count, double s);

struct mem_table {
    mem_run *cached[MEM_CHASE];       // by enum mem_kernel
    mem_run *non_temporal[MEM_CHASE]; // NULL: it has no such stores
};

// ---- widths.c ----

// NULL: not built for this kind of machine.
const struct mem_table *mem_simd_table(enum simd simd);

// ---- kernels.c ----

extern const char *const mem_kernel_names[]; // ended by NULL
// Whether this CPU, its operating system, and this build have it.
bool mem_simd_works(enum simd simd);
enum simd mem_simd_best(void);
// Arrays that a kernel uses, of the same size.
unsigned mem_kernel_arrays(enum mem_kernel kernel);

// ---- sweep.c ----

// Where a worker's kernel is, and where it continues: through its arrays from one end to
// the other, block by block, or block by block at random places.

enum { MEM_ARRAYS = 3, MEM_STEPS = 4 };

// One kernel over the arrays: array[to] = f(array[from], array[also]).
struct mem_step {
    enum mem_kernel kernel;
    mem_run *run;
    unsigned to, from, also;
    uint64_t element_bytes; // counted for an element of the result
    double scalar[2];       // in even and in odd passes
};

// What all workers do.
struct mem_course {
    struct mem_step step[MEM_STEPS];
    unsigned steps;
    uint64_t elements; // of an array; a multiple of block
    uint64_t block;    // elements in one place; a multiple of MEM_BLOCK
    bool random;       // only with one step
};

// Where one worker is. Elements before `at` have been through step `step` of pass `pass`,
// those from there on have not yet. Of a random course only read is right.
struct mem_sweep {
    uint64_t at, left; // left: of the block
    uint64_t pass;
    unsigned step;
    uint64_t random; // state of the generator
    uint64_t read;   // elements that MEM_READ has read, and their sum
    double sum;
};

// The steps of a kernel, by the functions of this table (of mem_table).
void mem_course_steps(struct mem_course *course, enum mem_kernel kernel, mem_run *const *table);
// The values that each array has at the beginning.
void mem_course_begin(const struct mem_course *course, double value[MEM_ARRAYS]);
// Moves so many counted bytes, or up to a MEM_BLOCK more, and returns how many they were.
uint64_t mem_sweep_run(const struct mem_course *course, struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS], uint64_t bytes);

// ---- access.c ----

// Blocks of one word, of 1 or 8 bytes: single accesses, each of which waits for the one before, so
// that their time is a latency.

#define MEM_LARGEST_WORD 8

enum mem_access {
    ACCESS_NONE,         // whole blocks are moved: see above
    ACCESS_LOAD_RANDOM,  // chase_run(): the address is what the load before has read
    ACCESS_LOAD_NEXT,    // the same, and it is the next word
    ACCESS_STORE_RANDOM, // a store into a random line, visible to all before the next
    ACCESS_STORE_NEXT,   // the same, and it is the next word
    ACCESS_COPY_RANDOM,  // a load of a random word, and a store of it, visible as above, into
                         // another
    ACCESS_COPY_NEXT,    // the same, and both are the next word of their arrays
};

extern const char *const mem_access_names[]; // what is measured, in words; by enum mem_access

struct mem_plan;
struct mem_worker;
// Does so many accesses of the plan from where the worker was.
void mem_access_run(const struct mem_plan *plan, struct mem_worker *own, uint64_t count);
// Puts memory out of all caches, where a program can (x86-64, aarch64).
void mem_access_flush(const char *memory, size_t bytes);

// ---- valid.c ----

// STREAM's validity check (J. D. McCalpin, stream.c, checkSTREAMresults()): after n passes
// the arrays have the values that n passes over one element of each have, to an average
// relative error of 1e-13 for doubles; of read the sum has.

#define MEM_VALID_ERROR 1e-13

// The largest of the arrays' average relative errors. Of a random course an element may
// have the values before or after.
double mem_valid_error(const struct mem_course *course, const struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS]);

// ---- machine.c ----

// What the memory load needs to know of the machine: caches, NUMA nodes, pages.

struct hwloc_topology;

struct mem_caches {
    uint64_t l1_bytes, l2_bytes; // data or unified; of the first CPU; 0: not known
    uint64_t l1i_bytes;          // of instructions; of the first CPU; 0: not known
    uint64_t l3_bytes;           // one of them
    uint64_t l3_all_bytes;       // all that the load's CPUs reach
};

struct mem_machine {
    struct mem_caches caches;
    struct hwloc_topology *topology; // NULL: not known
};

// The caches of the CPUs that the load may use, 0 bytes for what is not known; and the
// topology, to be freed by mem_machine_close().
void mem_machine_open(struct mem_machine *machine, const struct cpu_list *cpus);
void mem_machine_close(struct mem_machine *machine);
// Whether there is such a NUMA node, and it may be used; if not, all that may be
// are listed in text.
bool mem_machine_has_node(const struct mem_machine *machine, unsigned node, char *text,
                          size_t size);
// Memory that was not touched yet comes from that node. 0, or -1 with errno.
int mem_machine_bind(const struct mem_machine *machine, unsigned node, void *memory, size_t bytes);
// The node of the page at memory, which was touched; -1: not known.
int mem_machine_node_of(const struct mem_machine *machine, const void *memory);

// ---- edge.c ----

// Latencies at growing sizes.
struct edge_point {
    uint64_t bytes;
    double ns_per_load;
};

// The smallest size from which on no latency is more than 5 % below that of the largest; 0: not
// known, as latency rises up to the largest, or there are fewer than two. Loads
// at random places of S bytes find a cache of C bytes with the chance C / S: where it is
// ten times as fast as memory, that is at about 18 times C.
uint64_t edge_of(const struct edge_point *point, size_t count);

// Whether a measurement is kept for this machine; sets bytes: 0: nothing is, or latency rose up to
// the largest size.
bool edge_kept(const struct mem_caches *caches, uint64_t *bytes);
// What is kept; else it is measured on the CPU, within about 2 s of CPU time and a quarter of the
// free memory, and kept. Whoever comes meanwhile waits for that. 0: it could not be measured, or
// not kept, or latency rises up to the largest size.
uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet);

// ---- options.c ----

// The options of loadgen mem, and what follows from them: where each array is, and
// what one paced operation does.

extern const struct option_row mem_options[];
extern const char *const mem_simd_choices[]; // of --simd
// Rows that the tables of loadgen mem and loadgen cache share.
#define MEM_ROW(name, argument, type, member)                                                      \
    OPTION_ROW(struct mem_settings, name, argument, type, member), .measured = true
#define MEM_SHARED_OPTIONS                                                                         \
    {MEM_ROW("huge", NULL, OPTION_FLAG, huge),                                                     \
     .help = MEM_PAGES_HUGE_HELP "as the system has it)"},                                         \
        {MEM_ROW("node", "N", OPTION_INTEGER, node), .minimum = -1, .maximum = 1024,               \
         .preset = "-1", .help = "memory of this NUMA node; -1: each worker's own"},               \
    {                                                                                              \
        MEM_ROW("simd", "NAME", OPTION_CHOICE, simd),                                              \
            .preset = "auto", .choices = mem_simd_choices,                                         \
            .help =                                                                                \
                "avx512, avx2, sse2 (x86-64), sve, neon (aarch64) or portable; auto: the widest, " \
                "beyond L3 avx2 at most"                                                           \
    }

// load.h's check.
void mem_check(struct run *run);
// For a plan that has its kernel and access: checks the machine, --simd and --node, or exit 2. Then
// the caller gives the footprint: mem_set_footprint().
void mem_open(struct run *run);

// ---- footprint.c ----

// The footprint that --footprint asks for, or the usual one, in bytes of all workers together.
double mem_footprint_of(const struct run *run);
// The rest of a plan follows from the footprint of all workers together, in bytes, or exit 2.
void mem_set_footprint(struct run *run, double footprint_bytes);

// A cache that --footprint may name.
struct mem_named {
    const char *name; // NULL: the end of a list
    double bytes;     // 0: not known
};

// Half of the cache that text names, a percentage of the first one, or a size, in bytes. Ends the
// program with exit status 2 where it is none of them, with examples of what is.
double mem_footprint(const char *text, const struct mem_named *caches, const char *examples);

// ---- the options as given, and the state of a run ----

struct mem_settings {
    int kernel; // enum mem_kernel
    int simd;   // 0: the best, else 1 + enum simd
    const char *footprint;
    uint64_t block_bytes; // 0: whole arrays; 1 and 8: single accesses
    bool read, write, sequential, random;
    double size_percent; // cache: of that level
    int level;           // cache: enum mem_class, to MEM_L3
    bool non_temporal, huge;
    int64_t node; // -1: each worker's own
};

// Where a footprint fits.
enum mem_class { MEM_L1, MEM_L2, MEM_L3, MEM_MEMORY };
extern const char *const mem_class_names[];

struct mem_plan {
    enum mem_kernel kernel;
    enum simd simd;
    int node;               // of the memory; -1: each worker's own
    enum mem_access access; // ACCESS_NONE: it moves blocks, as the course says
    size_t word_bytes;      // of a single access
    struct mem_course course;
    uint64_t worker_bytes; // of all arrays of one worker; 0: touches nothing
    uint64_t array_bytes;  // of one array
    enum mem_class class;
};

struct mem_state {
    struct mem_plan plan;
    struct mem_machine machine;
    uint64_t edge_bytes; // where this machine's caches end; 0: not known
    char footprint[32];  // of --footprint, in bytes
    bool checked;        // what the arrays hold:
    double error;        // of mem_valid_error()
    struct mem_pages pages;
};

static inline struct mem_state *mem_state_of(const struct run *run)
{
    return run->state;
}

// Whole passes through a worker's arrays, of all steps of its course.
struct mem_passes {
    uint64_t pass;   // the sweep's number of the one that is being made
    double begin_ns; // of that one; 0: none was begun
    uint64_t count;  // that were timed
    double sum_ns, least_ns, most_ns;
};

struct mem_worker {
    struct mem_area area;
    double *array[MEM_ARRAYS];
    struct mem_sweep sweep;
    void **next; // chase: where it is
    struct mem_passes passes;
    size_t byte;     // single accesses to the next word: the same
    uint64_t random; // to random ones: the generator's state
};

static inline struct mem_worker *mem_own_of(const struct worker *worker)
{
    return worker->state;
}

// ---- report.c: load.h's describe, fields, summary_fields and notes ----

void mem_describe(struct run *run, struct line *line);
void mem_fields(struct run *run, const struct snapshot *window, struct line *line);
void mem_summary(struct run *run, const struct snapshot *window, struct line *line);
void mem_notes(struct run *run, const char *event, const struct snapshot *window);

// ---- verify.c: load.h's verify ----

int mem_verify(struct run *run);

// ---- mem.c: load.h's functions of these names ----

int mem_prepare(struct run *run);
void mem_cleanup(struct run *run);
int mem_begin(struct worker *worker);
void mem_end(struct worker *worker);
double mem_operate(struct worker *worker);

// What loadgen mem and loadgen cache have alike.
#define MEM_LOAD(rows)                                                                             \
    LOAD_OPTIONS(rows), .state_size = sizeof(struct mem_state),                                    \
                        .worker_size = sizeof(struct mem_worker), .fills = true, .pinned = true,   \
                        .prepare = mem_prepare, .begin = mem_begin, .operate = mem_operate,        \
                        .verify = mem_verify, .end = mem_end, .cleanup = mem_cleanup,              \
                        .notes = mem_notes

#endif
