/* loadgen tlb: address translation. Reads one line of each of more pages than the TLB has
 * entries; the lines are few, so that the data caches are nearly left alone. What shares the
 * core loses its translations, and has to share the page walkers; the page tables of many
 * pages take the L1 data cache, too. */

#include "core/touches.h"
#include "load.h"
#include "room.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Entries for pages of 4 KiB that this CPU has for data. */
struct tlb_size {
    uint32_t first;     /* first level (dTLB) */
    uint32_t second;    /* second level (STLB, L2 dTLB) */
    const char *source; /* "cpuid", or "assumed" where the CPU does not say */
};

/* Where the CPU does not say: in the middle of what there is (first level 48 of Arm's
 * Neoverse N1 to 96 of Intel's Golden Cove; second level 1280 of Neoverse N1, 1536 of
 * Skylake, 2048 of Golden Cove, 3072 of AMD's Zen 4). A level counts as exceeded at twice
 * as many entries, so these hold for all of them. */
#define ASSUMED_FIRST  96
#define ASSUMED_SECOND 3072

#if defined(__x86_64__)
#include <cpuid.h>

/* AMD64 Architecture Programmer's Manual, volume 3, appendix E.4: Fn8000_0005 EBX[23:16]
 * and Fn8000_0006 EBX[27:16] are the numbers of entries for pages of 4 KiB. */
static bool ask_amd(struct tlb_size *size)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000005, &a, &b, &c, &d) == 0)
        return false;
    size->first = b >> 16 & 0xff;
    if (__get_cpuid(0x80000006, &a, &b, &c, &d) == 0)
        return false;
    size->second = b >> 16 & 0xfff;
    return true;
}

/* Intel's Software Developer's Manual, volume 2A, CPUID, leaf 18H: each subleaf is one TLB,
 * with EBX[0]: has pages of 4 KiB; EBX[31:16] ways; ECX sets; EDX[4:0] 1 data, 3 unified,
 * 4 loads only; EDX[7:5] level. EAX of the first: the last subleaf. */
static bool ask_intel(struct tlb_size *size)
{
    unsigned last, a, b, c, d;
    if (__get_cpuid_count(0x18, 0, &last, &b, &c, &d) == 0)
        return false;
    for (unsigned i = 0; i <= last && i < 64; i++) {
        if (__get_cpuid_count(0x18, i, &a, &b, &c, &d) == 0)
            return false;
        const unsigned type = d & 0x1f, level = d >> 5 & 7, entries = (b >> 16) * c;
        if ((b & 1) == 0 || (type != 1 && type != 3 && type != 4))
            continue;
        if (level == 1 && entries > size->first)
            size->first = entries;
        if (level == 2 && entries > size->second)
            size->second = entries;
    }
    return true;
}

static bool ask(struct tlb_size *size)
{
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd"))
        return ask_amd(size);
    return __builtin_cpu_is("intel") && ask_intel(size);
}
#else
static bool ask(struct tlb_size *size)
{
    (void)size;
    return false;
}
#endif

static struct tlb_size tlb_size(void)
{
    struct tlb_size size = {.source = "cpuid"};
    /* A hypervisor may leave the answers empty. */
    if (ask(&size) && size.first > 0 && size.second > size.first)
        return size;
    return (struct tlb_size){ASSUMED_FIRST, ASSUMED_SECOND, "assumed"};
}

/* Many pages, of which one line each is read in turns. They are one to four pages in memory,
 * mapped many times: the TLB needs an entry for each mapping, while the data caches see the
 * few lines behind them. Neighbours in address space are not neighbours in memory, so that
 * no TLB can hold several of them in one entry (as AMD's do). */

/* vm.max_map_count is 65530 unless somebody changed it, and each page is a mapping. */
#define TLB_MOST_PAGES 60000

struct tlb_pages {
    char *memory; /* NULL: none */
    size_t pages;
    unsigned page_shift; /* 1 << page_shift bytes of each */
    unsigned shift;      /* 1 << shift pages in memory */
    size_t step;         /* from a page to the next */
    size_t at;
    uint64_t sum; /* keeps what was read alive */
};

#define LINE_BYTES 64
#define PAGE_LINES 64 /* of each page in memory, that are read */
/* Up to so many pages each has a line of its own (16 KiB in all): AMD's L1 data caches find a
 * line by its virtual address first, and one that was last read by another costs as much as
 * a miss. More pages share the 64 lines of one: what they wait for is the TLB. */
#define OWN_LINES 256

/* Pages are visited at golden steps: each once a round, no two neighbours within a few
 * touches, and nothing to be read that says where to go next. */
#define GOLDEN 0.6180339887
#define WAYS   4 /* hide how long an address takes to compute */

static size_t common_divisor(size_t a, size_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static size_t step_of(size_t count)
{
    size_t step = (size_t)((double)count * GOLDEN);
    while (step == 0 || common_divisor(step, count) != 1)
        step++;
    return step;
}

/* Fills the reserved addresses with the pages in memory, again and again, backwards: what two
 * neighbours map does not continue. */
static int lay_pages(const struct tlb_pages *pages, int fd)
{
    const size_t in_memory = (size_t)1 << pages->shift;
    const size_t page_bytes = (size_t)1 << pages->page_shift;
    for (size_t i = 0; i < pages->pages; i++) {
        const off_t at = (off_t)((in_memory - 1 - i % in_memory) << pages->page_shift);
        if (mmap(pages->memory + (i << pages->page_shift), page_bytes, PROT_READ,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, at) == MAP_FAILED)
            return -1;
    }
    return 0;
}

static void tlb_pages_unmap(struct tlb_pages *pages)
{
    if (pages->memory != NULL)
        munmap(pages->memory, pages->pages << pages->page_shift);
    *pages = (struct tlb_pages){0};
}

static int fail(struct tlb_pages *pages, int fd)
{
    const int error = errno;
    if (fd >= 0)
        close(fd);
    tlb_pages_unmap(pages);
    errno = error;
    return -1;
}

/* After so many steps of one page each. */
static size_t after(size_t at, size_t steps, size_t step, size_t count)
{
    return (at + steps * step) % count;
}

/* Reads one line of so many pages, a multiple of 4, from where it was. Several ways in turns, each
 * so many pages on: no address waits for the one before. */
static void tlb_pages_touch(struct tlb_pages *pages, uint64_t touches)
{
    const char *memory = pages->memory;
    const size_t count = pages->pages, step = after(0, WAYS, pages->step, count);
    const unsigned shift = pages->shift, page_shift = pages->page_shift;
    uint64_t sum[WAYS] = {0};
    size_t at[WAYS];
    for (size_t way = 0; way < WAYS; way++)
        at[way] = after(pages->at, way, pages->step, count);
    for (uint64_t i = 0; i < touches; i += WAYS) {
#pragma GCC unroll 4
        for (size_t way = 0; way < WAYS; way++) {
            const size_t line = (at[way] >> shift) % PAGE_LINES;
            const char *from = memory + (at[way] << page_shift) + line * LINE_BYTES;
            const size_t next = at[way] + step;
            sum[way] += *(const volatile uint64_t *)(const void *)from;
            at[way] = next >= count ? next - count : next;
        }
    }
    pages->at = at[0];
    pages->sum += sum[0] + sum[1] + sum[2] + sum[3];
}

/* Maps so many pages, and touches each once. 0, or -1 with errno. */
static int tlb_pages_map(struct tlb_pages *pages, size_t count)
{
    const size_t page = page_bytes();
    const unsigned page_shift = (unsigned)__builtin_ctzl(page);
    *pages = (struct tlb_pages){.pages = count,
                                .page_shift = page_shift,
                                .shift = count <= OWN_LINES ? 2 : 0,
                                .step = step_of(count)};
    const int fd = memfd_create("tlb", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(page << pages->shift)) != 0)
        return fail(pages, fd);
    pages->memory =
        mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages->memory == MAP_FAILED) {
        pages->memory = NULL;
        return fail(pages, fd);
    }
    if (lay_pages(pages, fd) != 0)
        return fail(pages, fd);
    close(fd);
    tlb_pages_touch(pages, (count + WAYS - 1) / WAYS * WAYS);
    return 0;
}

/* Lines of the data caches that so many pages share: of all pages with the same remainder, which
 * are the same one in memory, each has the next line. */
static size_t tlb_pages_lines(size_t count)
{
    return count <= OWN_LINES ? count : PAGE_LINES;
}

#define BEYOND       2     /* a level is exceeded by so many times its entries */
#define FITS_PAGES   16    /* in the first level of any CPU */
#define CHUNK_PAGES  32768 /* of one operation: 30 to 100 us */
#define LEAST_EFFECT 1.1   /* of times_fitting: below it nothing misses */
#define ENTRY_BYTES  8     /* of a page table, for each page */

enum tlb_level { FIRST, SECOND };

struct tlb_settings {
    int level;
    uint64_t pages; /* 0: of the level */
};

struct tlb_state {
    struct touch_state touches; /* first: see touches.h */
    struct tlb_size size;
    size_t pages;
};

#define FIELD(name) offsetof(struct tlb_settings, name)
static const char *const levels[] = {[FIRST] = "dtlb", [SECOND] = "stlb", NULL};
static const struct option_row options[] = {
    {.name = "level",
     .argument = "NAME",
     .type = OPTION_CHOICE,
     .offset = FIELD(level),
     .preset = "stlb",
     .choices = levels,
     .help =
         "what is exceeded, by twice as many pages as it has entries: dtlb, the first level, or "
         "stlb, the second"},
    {.name = "pages",
     .measured = true,
     .argument = "N",
     .type = OPTION_COUNT,
     .offset = FIELD(pages),
     .minimum = 1,
     .maximum = TLB_MOST_PAGES,
     .help = "pages of each worker, of 4 KiB on most systems, in place of --level"},
    {0},
};

static const char details[] =
    "Disturbs what shares the core, a sibling thread (SMT) or what runs on the same CPU in turns: "
    "its TLB for data (the second level is often shared with instructions), its page walkers, and, "
    "with stlb, L1d by its page tables (8 bytes for each page). Leaves alone: other cores, the "
    "L2 nearly, the L1d with dtlb nearly (all pages are mappings of at most 256 lines, 64 beyond "
    "256 pages), memory bandwidth. One operation of the rate is one read in another page. The "
    "summary's "
    "times_fitting is the proof that translations miss: the time of a read, against that in 16 "
    "pages. Entries are those that CPUID reports; where it does not, 96 and 3072 are assumed "
    "(entries_source).";

static struct tlb_state *state_of(const struct run *run)
{
    return run->state;
}

/* Writes what was chosen into the options, which a calibration is known by. */
static void check(struct run *run)
{
    struct tlb_settings *set = run->settings;
    struct tlb_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        usage_error("out of memory: free some");
    if (options_given(run->options, "pages") && options_given(run->options, "level"))
        usage_error("--pages and --level: each sets the number of pages: give one of them");
    run->state = state;
    run->unit = UNIT_OPS;
    run->quantum = CHUNK_PAGES;
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    state->size = tlb_size();
    if (set->pages == 0)
        set->pages = BEYOND * (set->level == FIRST ? state->size.first : state->size.second);
    state->pages = set->pages;
}

static void cleanup(struct run *run)
{
    if (run->state == NULL)
        return;
    touches_close(run);
    free(run->state);
    run->state = NULL;
}

/* ---- workers ---- */

static void walk(void *way, uint64_t touches)
{
    tlb_pages_touch(way, touches);
}

static int map(struct worker *worker, struct tlb_pages *pages, size_t count)
{
    if (tlb_pages_map(pages, count) == 0)
        return 0;
    return worker_fail(worker, "cannot map %zu pages: %s: give fewer --pages%s", count,
                       strerror(errno),
                       errno == ENOMEM ? ", or raise vm.max_map_count (each is a mapping)" : "");
}

static int begin(struct worker *worker)
{
    struct tlb_pages *own = calloc(1, sizeof *own);
    struct tlb_pages fitting;
    worker->state = own;
    if (own == NULL)
        return worker_fail(worker, "out of memory: free some");
    if (map(worker, &fitting, FITS_PAGES) != 0)
        return -1;
    touches_measure_fitting(worker, walk, &fitting);
    tlb_pages_unmap(&fitting);
    return map(worker, own, state_of(worker->run)->pages);
}

static void end(struct worker *worker)
{
    if (worker->state != NULL)
        tlb_pages_unmap(worker->state);
    free(worker->state);
    worker->state = NULL;
}

static double operate(struct worker *worker)
{
    return touches_walk(worker, walk, worker->state, CHUNK_PAGES);
}

/* ---- reports ---- */

/* The level that so many pages exceed. */
static const char *class_of(const struct tlb_state *state)
{
    return state->pages <= state->size.first    ? "none"
           : state->pages <= state->size.second ? "dtlb"
                                                : "stlb";
}

static void describe(struct run *run, struct line *line)
{
    const struct tlb_state *state = state_of(run);
    line_count(line, "pages", state->pages);
    line_count(line, "lines", tlb_pages_lines(state->pages));
    line_count(line, "page_table_bytes", state->pages * ENTRY_BYTES);
    line_count(line, "dtlb_entries", state->size.first);
    line_count(line, "stlb_entries", state->size.second);
    line_text(line, "entries_source", state->size.source);
    line_text(line, "exceeds", class_of(state));
    line_count(line, "chunk_touches", CHUNK_PAGES);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct tlb_state *state = state_of(run);
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

static const struct load_report reports = {
    .describe = describe, .fields = touches_fields, .notes = notes};
static const struct load_accounting accounting = {.count = touches_count};
static const char *const calibrations[] = {"", NULL};

static const struct load tlb_load = {
    .name = "tlb",
    .summary = "reads more pages than the TLB has entries",
    .details = details,
    .options = options,
    .options_size = sizeof(struct tlb_settings),
    .calibrations = calibrations,
    .timed = true,
    .pinned = true,
    .settle_ns = 20000000,
    .check = check,
    .prepare = touches_open,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cleanup = cleanup,
    .report = &reports,
    .accounting = &accounting,
};
LOADGEN_REGISTER(tlb_load);
