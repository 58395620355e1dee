// loadgen icache: instruction fetch. Executes more code than the L1 instruction cache holds, a
// jump in each line, in random order, as the icache kernel of C. Delimitrou and C. Kozyrakis,
// "iBench: quantifying interference for datacenter applications" (IISWC 2013) does. What
// shares the core loses its instructions, its branch targets, and, beyond the L1
// instruction cache, a part of the L2 and of its bandwidth.

#define OPTIONS_OF struct icache_settings // see common/options.h

#include "core/code.h"
#include "core/core.h"
#include "core/touches.h"
#include "mem/mem.h"

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
    struct touch_state touches; // first: see core/touches.h
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
    .state_size = sizeof(struct icache_state),
    .worker_size = sizeof(struct code),
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
