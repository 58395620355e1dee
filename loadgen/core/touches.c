// loadgen icache and loadgen tlb: what shares a core loses its instructions, or its translations.
//
// Both prove that they miss: by the time of a touch against that of one whose footprint fits, which
// each worker measures on its own CPU before it begins. One touch is one unit of the load's rate.

#define OPTIONS_OF struct icache_settings // see common/options.h
#define STATE_OF   struct icache_state    // see load.h
#define OWN_OF     struct code

#include "core/kernels.h"
#include "mem/mem.h"

// Makes so many touches, from where the last walk ended.
typedef void touch_walk(void *way, uint64_t touches);

// run->state of these loads begins with it.
struct touch_state {
    _Atomic uint64_t fitting_fs; // for each touch of what fits: the sum of all workers
};

#define FITTING_NS      6000000 // of measuring what fits
#define FITTING_TOUCHES 4096    // a few us: most are not interrupted

// Notes how long a touch of what fits takes: the least over some ms, which others on the
// machine can only make longer.
static void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way)
{
    double least_ns = INFINITY;
    int64_t from_ns = clock_ns();
    for (const int64_t end_ns = from_ns + FITTING_NS; from_ns < end_ns;) {
        walk(way, FITTING_TOUCHES);
        const int64_t to_ns = clock_ns();
        least_ns = fmin(least_ns, (double)(to_ns - from_ns) / FITTING_TOUCHES);
        from_ns = to_ns;
    }
    ((struct touch_state *)worker->run->state)->fitting_fs += (uint64_t)(least_ns * 1e6);
}

static double ns_fitting(const struct run *run)
{
    const double sum_fs = (double)((struct touch_state *)run->state)->fitting_fs;
    return sum_fs > 0 ? sum_fs / 1e6 / run->threads : NAN;
}

// That median against what fits; NAN: not known.
static double touches_times_fitting(const struct run *run, const struct snapshot *window)
{
    return ns_per_unit(window) / ns_fitting(run);
}

// Load.h's fields: busy_s; ns_per_touch, the median over operations, null without
// any; ns_per_touch_fitting, the mean of the workers; times_fitting, their ratio.
static void touches_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    line_fixed(line, "ns_per_touch", ns_per_unit(window), 4);
    line_fixed(line, "ns_per_touch_fitting", ns_fitting(run), 4);
    line_fixed(line, "times_fitting", touches_times_fitting(run, window), 4);
}

// The same for people, in one line: "  1.40 ns for each WHAT, 3.1 times that of WHERE".
static void touches_print(struct run *run, const struct snapshot *window, const char *what,
                          const char *where)
{
    const double each_ns = ns_per_unit(window);
    if (isnan(each_ns))
        return;
    report_print(&run->report,
                 "  %.2f ns for each %s (median of operations), %.1f times that of %s\n", each_ns,
                 what, touches_times_fitting(run, window), where);
}

// loadgen icache: instruction fetch. Executes more code than the L1 instruction cache holds, a
// jump in each line, in random order, as the icache kernel of C. Delimitrou and C. Kozyrakis,
// "iBench: quantifying interference for datacenter applications" (IISWC 2013) does. What
// shares the core loses its instructions, its branch targets, and, beyond the L1
// instruction cache, a part of the L2 and of its bandwidth.

#define USUAL_L1IS  4           // the default footprint, in L1 instruction caches
#define USUAL_BYTES (128 << 10) // where none is known
#define FITS_BYTES  (16 << 10)  // half of 32 KiB, where none is known
// Lines of one operation, so that it takes 20 to 100 us: of the default footprint or less,
// of the L2, and beyond.
#define NEAR_LINES 32768
#define L2_LINES   8192
#define FAR_LINES  1024

struct icache_settings {
    const char *footprint;
};

struct icache_state {
    struct touch_state touches; // first: see above
    struct mem_caches caches;
    uint64_t bytes;      // of each worker's code
    uint64_t fits_bytes; // of the code that it is compared with
    char footprint[32];
};

static const struct option_row icache_options[] = {
    {ROW("footprint", "SIZE", OPTION_TEXT, footprint), .measured = true, .wrong = "much",
     .help = "size of each worker's code: a size, 150% of an L1 instruction cache, or l1i, l2: "
             "half of that cache (default: 400%)"},
    {0},
};

static const char icache_details[] =
    "Disturbs what shares the core, a sibling thread (SMT) or what runs on the same CPU in turns: "
    "its L1 instruction cache, its branch targets, and beyond the L1 instruction cache its L2. "
    "Leaves alone: other cores, L1 data cache, execution units, memory bandwidth. One operation of "
    "the rate is one line of 64 bytes fetched and executed. The summary's times_fitting is the "
    "proof that lines miss: the time of a fetch, against that of code that fits the L1 instruction "
    "cache.";

static uint64_t icache_whole(double bytes)
{
    return (uint64_t)bytes / CODE_CALL_BYTES * CODE_CALL_BYTES;
}

static double usual_footprint(const struct mem_caches *caches)
{
    return caches->l1i_bytes > 0 ? USUAL_L1IS * (double)caches->l1i_bytes : USUAL_BYTES;
}

// Writes what was chosen into the options, which a calibration is known by.
static void icache_check(struct run *run)
{
    struct icache_settings *set = run->settings;
    struct mem_machine machine = {0};
    struct icache_state *state = run->state;
    if (!code_possible())
        usage_error("icache: makes code for x86-64 and AArch64 alone: leave it out here");
    mem_machine_open(&machine, &run->cpus);
    state->caches = machine.caches;
    mem_machine_close(&machine);
    const struct mem_named named[] = {{"l1i", (double)state->caches.l1i_bytes},
                                      {"l2", (double)state->caches.l2_bytes},
                                      {NULL, 0}};
    state->bytes = icache_whole(
        set->footprint ? mem_footprint(set->footprint, named,
                                       "128KiB, 150% of the L1 instruction cache, or l1i, l2")
                       : usual_footprint(&state->caches));
    if (state->bytes == 0 || state->bytes > CODE_MOST_BYTES)
        usage_error("--footprint %.64s: out of range: give 4KiB to 64MiB", set->footprint);
    state->fits_bytes = state->caches.l1i_bytes > 0
                            ? icache_whole((double)state->caches.l1i_bytes / 2)
                            : FITS_BYTES;
    units_exact_size(state->bytes, state->footprint, sizeof state->footprint);
    set->footprint = state->footprint;
    run->quantum = (double)state->bytes <= usual_footprint(&state->caches) ? NEAR_LINES
                   : state->bytes <= state->caches.l2_bytes                ? L2_LINES
                                                                           : FAR_LINES;
}

// ---- workers ----

static int make_code(struct worker *worker, struct code *code, size_t bytes)
{
    if (code_make(code, bytes, worker->index + 1) == 0)
        return 0;
    if (errno == EACCES || errno == EPERM)
        return worker_fail(worker,
                           "the kernel does not let written memory become executable (%s): allow "
                           "it (SELinux: execmem; systemd: MemoryDenyWriteExecute=no)",
                           strerror(errno));
    return worker_fail(worker, "no memory for %zu bytes of code: %s: give a smaller --footprint",
                       bytes, strerror(errno));
}

static int icache_begin(struct worker *worker)
{
    const struct icache_state *state = worker->run->state;
    struct code *own = worker->state;
    struct code fitting;
    if (make_code(worker, &fitting, state->fits_bytes) != 0)
        return -1;
    touches_measure_fitting(worker, code_run, &fitting);
    code_free(&fitting);
    return make_code(worker, own, state->bytes);
}

static void icache_end(struct worker *worker)
{
    code_free(worker->state);
}

static double icache_operate(struct worker *worker)
{
    code_run(worker->state, (uint64_t)worker->orders.quantum);
    return worker->orders.quantum;
}

// ---- reports ----

static const char *icache_class_of(const struct icache_state *state)
{
    return state->bytes <= state->caches.l1i_bytes  ? "l1i"
           : state->bytes <= state->caches.l2_bytes ? "l2"
           : state->bytes <= state->caches.l3_bytes ? "l3"
                                                    : "memory";
}

static void icache_describe(struct run *run, struct line *line)
{
    const struct icache_state *state = run->state;
    line_count(line, "footprint_bytes", state->bytes);
    line_count(line, "lines", state->bytes / CODE_LINE_BYTES);
    line_fixed(line, "l1i_bytes",
               state->caches.l1i_bytes > 0 ? (double)state->caches.l1i_bytes : NAN, 0);
    line_text(line, "class", icache_class_of(state));
    line_count(line, "chunk_touches", (uint64_t)engine_quantum(run));
}

static void icache_notes(struct run *run, const char *event, const struct snapshot *window)
{
    char size[32], where[64];
    const struct icache_state *state = run->state;
    snprintf(where, sizeof where, "%s of code",
             units_format_size((double)state->fits_bytes, size, sizeof size));
    touches_print(run, window, "line fetched", where);
    if (strcmp(event, "summary") == 0)
        report_print(&run->report, "  code of %s (%s) for each worker, a jump in each line\n",
                     units_format_size((double)state->bytes, size, sizeof size),
                     icache_class_of(state));
}

static const struct load icache_load = {
    .name = "icache",
    .summary = "fetches and executes more code than the L1 instruction cache holds",
    .details = icache_details,
    LOAD_OPTIONS(icache_options),
    CORE_LOAD,
    .grain = CODE_CALL_LINES,
    .check = icache_check,
    .begin = icache_begin,
    .operate = icache_operate,
    .end = icache_end,
    .describe = icache_describe,
    .fields = touches_fields,
    .notes = icache_notes,
};
LOADGEN_REGISTER(icache_load);

// loadgen tlb: address translation. Reads one line of each of more pages than the TLB has
// entries; the lines are few, so that the data caches are nearly left alone. What shares the
// core loses its translations, and has to share the page walkers; the page tables of many
// pages take the L1 data cache, too.

#define BEYOND       2     // a level is exceeded by so many times its entries
#define FITS_PAGES   16    // in the first level of any CPU
#define CHUNK_PAGES  32768 // of one operation: 30 to 100 us
#define LEAST_EFFECT 1.1   // of times_fitting: below it nothing misses
#define ENTRY_BYTES  8     // of a page table, for each page

enum tlb_level { FIRST, SECOND };

struct tlb_settings {
    int level;
    uint64_t pages; // 0: of the level
};

struct tlb_state {
    struct touch_state touches; // first: see above
    struct tlb_size size;
    size_t pages;
};

#undef OPTIONS_OF
#undef STATE_OF
#undef OWN_OF
#define OPTIONS_OF struct tlb_settings
#define STATE_OF   struct tlb_state
#define OWN_OF     struct tlb_pages
static const char *const tlb_levels[] = {[FIRST] = "dtlb", [SECOND] = "stlb", NULL};
static const struct option_row tlb_options[] = {
    {ROW("level", "NAME", OPTION_CHOICE, level), .preset = "stlb", .choices = tlb_levels,
     .help = "what is exceeded, by twice as many pages as it has entries: dtlb, the first level, "
             "or stlb, the second"},
    {ROW("pages", "N", OPTION_COUNT, pages), .measured = true, .minimum = 1,
     .maximum = TLB_MOST_PAGES,
     .help = "pages of each worker, of 4 KiB on most systems, in place of --level"},
    {0},
};

static const char tlb_details[] =
    "Disturbs what shares the core, a sibling thread (SMT) or what runs on the same CPU in turns: "
    "its TLB for data (the second level is often shared with instructions), its page walkers, and, "
    "with stlb, L1d by its page tables (8 bytes for each page). Leaves alone: other cores, the L2 "
    "nearly, the L1d with dtlb nearly (all pages are mappings of at most 256 lines, 64 beyond 256 "
    "pages), memory bandwidth. One operation of the rate is one read in another page. The "
    "summary's times_fitting is the proof that translations miss: the time of a read, against that "
    "in 16 pages. Entries are those that CPUID reports; where it does not, 96 and 3072 are assumed "
    "(entries_source).";

// Writes what was chosen into the options, which a calibration is known by.
static void tlb_check(struct run *run)
{
    struct tlb_settings *set = run->settings;
    struct tlb_state *state = run->state;
    if (options_given(run->options, "pages") && options_given(run->options, "level"))
        usage_error("--pages and --level: each sets the number of pages: give one of them");
    state->size = tlb_size();
    if (set->pages == 0)
        set->pages = BEYOND * (set->level == FIRST ? state->size.first : state->size.second);
    state->pages = set->pages;
}

// ---- workers ----

static int tlb_map(struct worker *worker, struct tlb_pages *pages, size_t count)
{
    if (tlb_pages_map(pages, count) == 0)
        return 0;
    return worker_fail(worker, "cannot map %zu pages: %s: give fewer --pages%s", count,
                       strerror(errno),
                       errno == ENOMEM ? ", or raise vm.max_map_count (each is a mapping)" : "");
}

static int tlb_begin(struct worker *worker)
{
    const struct tlb_state *state = worker->run->state;
    struct tlb_pages *own = worker->state;
    struct tlb_pages fitting;
    if (tlb_map(worker, &fitting, FITS_PAGES) != 0)
        return -1;
    touches_measure_fitting(worker, tlb_pages_touch, &fitting);
    tlb_pages_unmap(&fitting);
    return tlb_map(worker, own, state->pages);
}

static void tlb_end(struct worker *worker)
{
    tlb_pages_unmap(worker->state);
}

static double tlb_operate(struct worker *worker)
{
    tlb_pages_touch(worker->state, (uint64_t)worker->orders.quantum);
    return worker->orders.quantum;
}

// ---- reports ----

static void tlb_describe(struct run *run, struct line *line)
{
    const struct tlb_state *state = run->state;
    line_count(line, "pages", state->pages);
    line_count(line, "lines", tlb_pages_lines(state->pages));
    line_count(line, "page_table_bytes", state->pages * ENTRY_BYTES);
    line_count(line, "dtlb_entries", state->size.first);
    line_count(line, "stlb_entries", state->size.second);
    line_text(line, "entries_source", state->size.source);
    line_text(line, "exceeds",
              state->pages <= state->size.first    ? "none"
              : state->pages <= state->size.second ? "dtlb"
                                                   : "stlb");
    line_count(line, "chunk_touches", (uint64_t)engine_quantum(run));
}

static void tlb_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct tlb_state *state = run->state;
    const double times = touches_times_fitting(run, window);
    touches_print(run, window, "page", "16 pages");
    if (strcmp(event, "summary") != 0)
        return;
    if (times < LEAST_EFFECT)
        run_warn(run,
                 "%zu pages have no effect here: a read takes %.2f times as long as in 16: give "
                 "--level stlb, or more --pages",
                 state->pages, times);
    report_print(&run->report,
                 "  %zu pages for each worker, TLB for data of %u and %u entries (%s)\n",
                 state->pages, state->size.first, state->size.second, state->size.source);
}

static const struct load tlb_load = {
    .name = "tlb",
    .summary = "reads more pages than the TLB has entries",
    .details = tlb_details,
    LOAD_OPTIONS(tlb_options),
    CORE_LOAD,
    .quantum = CHUNK_PAGES,
    .grain = TLB_WAYS,
    .check = tlb_check,
    .begin = tlb_begin,
    .operate = tlb_operate,
    .end = tlb_end,
    .describe = tlb_describe,
    .fields = touches_fields,
    .notes = tlb_notes,
};
LOADGEN_REGISTER(tlb_load);
