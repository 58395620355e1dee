/* loadgen icache: instruction fetch. Executes more code than the L1 instruction cache holds, a
 * jump in each line, in random order, as the icache kernel of C. Delimitrou and C. Kozyrakis,
 * "iBench: quantifying interference for datacenter applications" (IISWC 2013) does. What
 * shares the core loses its instructions, its branch targets, and, beyond the L1
 * instruction cache, a part of the L2 and of its bandwidth. */

#include "core/kernels.h"
#include "core/proof.h"
#include "load.h"
#include "mem/machine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define USUAL_L1IS  4           /* the default footprint, in L1 instruction caches */
#define USUAL_BYTES (128 << 10) /* where none is known */
#define FITS_BYTES  (16 << 10)  /* half of 32 KiB, where none is known */
/* Lines of one operation, so that it takes 20 to 100 us: of the default footprint or less,
 * of the L2, and beyond. */
#define NEAR_LINES 32768
#define L2_LINES   8192
#define FAR_LINES  1024

struct icache_settings {
    const char *footprint;
};

struct icache_state {
    struct touch_state touches; /* first: see proof.h */
    struct mem_caches caches;
    uint64_t bytes;      /* of each worker's code */
    uint64_t fits_bytes; /* of the code that it is compared with */
    char footprint[32];
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct icache_settings, name, argument, type, member)
static const struct option_row options[] = {
    {ROW("footprint", "SIZE", OPTION_TEXT, footprint), .measured = true, .wrong = "much",
     .help = "size of each worker's code: a size, 150% of an L1 instruction cache, or l1i, l2: "
             "half of that cache (default: 400%)"},
    {0},
};

static const char details[] =
    "Disturbs what shares the core, a sibling thread (SMT) or what runs on the same CPU in turns: "
    "its L1 instruction cache, its branch targets, and beyond the L1 instruction cache its L2. "
    "Leaves alone: other cores, L1 data cache, execution units, memory bandwidth. One operation of "
    "the rate is one line of 64 bytes fetched and executed. The summary's times_fitting is the "
    "proof that lines miss: the time of a fetch, against that of code that fits the L1 instruction "
    "cache.";

static uint64_t whole(double bytes)
{
    return (uint64_t)bytes / CODE_CALL_BYTES * CODE_CALL_BYTES;
}

static double half_of(uint64_t cache_bytes, const char *name)
{
    if (cache_bytes == 0)
        usage_error(
            "--footprint %.64s: this machine does not report the size of that cache: give a size",
            name);
    return (double)cache_bytes / 2;
}

static double usual_footprint(const struct mem_caches *caches)
{
    return caches->l1i_bytes > 0 ? USUAL_L1IS * (double)caches->l1i_bytes : USUAL_BYTES;
}

static double footprint_of(const struct mem_caches *caches, const char *text)
{
    uint64_t bytes;
    double percent;
    if (text == NULL)
        return usual_footprint(caches);
    if (strcmp(text, "l1i") == 0)
        return half_of(caches->l1i_bytes, text);
    if (strcmp(text, "l2") == 0)
        return half_of(caches->l2_bytes, text);
    if (strchr(text, '%') != NULL && units_percent(text, &percent) == 0 && percent > 0 &&
        percent < 1e9)
        return 2 * half_of(caches->l1i_bytes, text) * percent / 100;
    if (units_size(text, &bytes) != 0)
        usage_error("--footprint %.64s: not a footprint: give a size such as 128KiB, 150%% of the "
                    "L1 instruction cache, or l1i, l2",
                    text);
    return (double)bytes;
}

static uint64_t operation_lines(const struct icache_state *state)
{
    if ((double)state->bytes <= usual_footprint(&state->caches))
        return NEAR_LINES;
    return state->bytes <= state->caches.l2_bytes ? L2_LINES : FAR_LINES;
}

/* Writes what was chosen into the options, which a calibration is known by. */
static void check(struct run *run)
{
    struct icache_settings *set = run->settings;
    struct mem_machine machine = {0};
    struct icache_state *state = run->state;
    if (!code_possible())
        usage_error("icache: makes code for x86-64 and AArch64 alone: leave it out here");
    run->unit = UNIT_OPS;
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    mem_machine_open(&machine, &run->cpus);
    state->caches = machine.caches;
    mem_machine_close(&machine);
    state->bytes = whole(footprint_of(&state->caches, set->footprint));
    if (state->bytes == 0 || state->bytes > CODE_MOST_BYTES)
        usage_error("--footprint %.64s: out of range: give 4KiB to 64MiB", set->footprint);
    state->fits_bytes =
        state->caches.l1i_bytes > 0 ? whole((double)state->caches.l1i_bytes / 2) : FITS_BYTES;
    units_exact_size(state->bytes, state->footprint, sizeof state->footprint);
    set->footprint = state->footprint;
    run->quantum = (double)operation_lines(state);
}

/* ---- workers ---- */

static void walk(void *way, uint64_t lines)
{
    code_run(way, lines);
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

static int begin(struct worker *worker)
{
    const struct icache_state *state = worker->run->state;
    struct code *own = worker->state;
    struct code fitting;
    if (make_code(worker, &fitting, state->fits_bytes) != 0)
        return -1;
    touches_measure_fitting(worker, walk, &fitting);
    code_free(&fitting);
    return make_code(worker, own, state->bytes);
}

static void end(struct worker *worker)
{
    code_free(worker->state);
}

static double operate(struct worker *worker)
{
    code_run(worker->state, (uint64_t)worker->run->quantum);
    return worker->run->quantum;
}

/* ---- reports ---- */

static const char *class_of(const struct icache_state *state)
{
    const struct mem_caches *caches = &state->caches;
    return state->bytes <= caches->l1i_bytes  ? "l1i"
           : state->bytes <= caches->l2_bytes ? "l2"
           : state->bytes <= caches->l3_bytes ? "l3"
                                              : "memory";
}

static void describe(struct run *run, struct line *line)
{
    const struct icache_state *state = run->state;
    line_count(line, "footprint_bytes", state->bytes);
    line_count(line, "lines", state->bytes / CODE_LINE_BYTES);
    line_fixed(line, "l1i_bytes",
               state->caches.l1i_bytes > 0 ? (double)state->caches.l1i_bytes : NAN, 0);
    line_text(line, "class", class_of(state));
    line_count(line, "chunk_touches", (uint64_t)run->quantum);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    char size[32], where[64];
    const struct icache_state *state = run->state;
    snprintf(where, sizeof where, "%s of code",
             units_format_size((double)state->fits_bytes, size, sizeof size));
    touches_print(run, window, "line fetched", where);
    if (strcmp(event, "summary") == 0)
        report_print(&run->report, "  code of %s (%s) for each worker, a jump in each line\n",
                     units_format_size((double)state->bytes, size, sizeof size), class_of(state));
}

static const struct load icache_load = {
    .name = "icache",
    .summary = "fetches and executes more code than the L1 instruction cache holds",
    .details = details,
    .options = options,
    .options_size = sizeof(struct icache_settings),
    .state_size = sizeof(struct icache_state),
    .worker_size = sizeof(struct code),
    .calibrations = (const char *const[]){"", NULL},
    .timed = true,
    .pinned = true,
    .check = check,
    .begin = begin,
    .operate = operate,
    .end = end,
    .describe = describe,
    .fields = touches_fields,
    .notes = notes,
};
LOADGEN_REGISTER(icache_load);
