// loadgen tlb: address translation. Reads one line of each of more pages than the TLB has
// entries; the lines are few, so that the data caches are nearly left alone. What shares the
// core loses its translations, and has to share the page walkers; the page tables of many
// pages take the L1 data cache, too.

#define OPTIONS_OF struct tlb_settings // see common/options.h

#include "core/core.h"
#include "core/tlb_pages.h"
#include "core/touches.h"

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
    struct touch_state touches; // first: see core/touches.h
    struct tlb_size size;
    size_t pages;
};

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
    .state_size = sizeof(struct tlb_state),
    .worker_size = sizeof(struct tlb_pages),
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
