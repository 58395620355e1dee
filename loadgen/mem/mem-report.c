#include "mem/mem-report.h"

#include "counter.h"
#include "mem/valid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum counter { BUSY_NS, UNITS };

void mem_add_busy(struct mem_busy *busy, int64_t ns, uint64_t units)
{
    counter_add(&busy->busy_ns, (uint64_t)ns);
    counter_add(&busy->units, units);
}

void mem_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct mem_busy *busy = mem_state_of(run)->busy;
    for (unsigned i = 0; busy != NULL && i < run->threads; i++) {
        counters[BUSY_NS] += (double)counter_read(&busy[i].busy_ns);
        counters[UNITS] += (double)counter_read(&busy[i].units);
    }
}

/* The median is of operations: who was interrupted in one of them does not matter. */
static double median_ns_per_access(const struct snapshot *window)
{
    const int64_t operation_ns = histogram_quantile(&window->service, 0.5);
    const double loads = window->counters[UNITS];
    return operation_ns < 0 || loads <= 0
               ? NAN
               : (double)operation_ns * (double)window->operations / loads;
}

/* Adds ns_per_load (the median of operations) and ns_per_load_mean of single accesses. */
static void access_fields(const struct snapshot *window, struct line *line)
{
    const double loads = window->counters[UNITS];
    line_fixed(line, "ns_per_load", median_ns_per_access(window), 6);
    line_fixed(line, "ns_per_load_mean", loads > 0 ? window->counters[BUSY_NS] / loads : NAN, 6);
}

void mem_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", window->counters[BUSY_NS] / 1e9, 6);
    if (mem_state_of(run)->plan.access != ACCESS_NONE)
        access_fields(window, line);
}

/* How many times as large as it has to be for memory to be measured, and not a cache; below
 * 1 it is too small. By STREAM's rule each array is at least four times all the last-level
 * caches that are used; and what was found of this machine's caches counts as well as what it
 * reports. INFINITY: nothing is known of them. */
static double cache_margin(const struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const double array = (double)(plan->array_bytes * run->threads);
    const double all = (double)(plan->worker_bytes * run->threads);
    /* Arrays are whole blocks, and so may be a little less than was wanted. */
    return fmin(array / (0.99 * 4 * (double)state->machine.caches.l3_all_bytes),
                all / (0.99 * (double)state->edge_bytes));
}

void mem_summary(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const bool moves = plan->access == ACCESS_NONE;
    const double active_s = (double)window->active_ns / 1e9;
    line_fixed(line, "bandwidth_bytes_s", moves && active_s > 0 ? window->amount / active_s : NAN,
               6);
    line_fixed(line, "latency_ns", moves ? NAN : median_ns_per_access(window), 6);
    if (state->checked) {
        line_bool(line, "valid", state->error <= MEM_VALID_ERROR);
        line_real(line, "relative_error", state->error);
    } else {
        line_null(line, "valid");
        line_null(line, "relative_error");
    }
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    line_text(line, "class", mem_class_names[plan->class]);
    line_text(line, "pages", mem_pages_name(&state->pages));
    line_fixed(line, "cache_margin", cache_margin(run), 3);
    line_array(line, "problems");
    if (cache_margin(run) < 1)
        line_text(line, NULL, "cache-sized");
    line_close(line);
}

/* "0" or "0,1": the nodes that the memory is on. */
static const char *node_list(const struct mem_pages *pages, char *text, size_t size)
{
    const uint64_t nodes = atomic_load(&pages->nodes);
    text[0] = '\0';
    for (unsigned i = 0; i < 64; i++) {
        const size_t used = strlen(text);
        if ((nodes >> i & 1) != 0)
            snprintf(text + used, size - used, "%s%u", used > 0 ? "," : "", i);
    }
    return text;
}

/* The pattern in the words of the options, and what of single accesses is measured. */
static void describe_pattern(const struct mem_plan *plan, struct line *line)
{
    const struct mem_course *course = &plan->course;
    const bool accesses = plan->access != ACCESS_NONE;
    const bool random =
        accesses ? plan->access == ACCESS_LOAD_RANDOM || plan->access == ACCESS_STORE_RANDOM
                 : course->random;
    line_text(line, "pattern", random ? "random" : "sequential");
    if (accesses)
        line_count(line, "block_bytes", 1);
    else if (course->block < course->elements || random)
        line_count(line, "block_bytes", course->block * sizeof(double));
    else
        line_null(line, "block_bytes");
    if (accesses)
        line_text(line, "latency_of", mem_access_names[plan->access]);
    else
        line_null(line, "latency_of");
}

void mem_describe(struct run *run, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const struct mem_pages *pages = &state->pages;
    const bool accesses = plan->access != ACCESS_NONE;
    char nodes[256];
    line_text(line, "kernel", mem_kernel_names[plan->kernel]);
    line_text(line, "simd", accesses ? "none" : mem_simd_names[plan->simd]);
    line_bool(line, "non_temporal", plan->non_temporal);
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    if (state->edge_bytes > 0)
        line_count(line, "cache_edge_bytes", state->edge_bytes);
    else
        line_null(line, "cache_edge_bytes");
    line_text(line, "class", mem_class_names[plan->class]);
    line_count(line, accesses ? "chunk_loads" : "chunk_bytes", plan->chunk);
    line_text(line, "counted", accesses ? "loads" : "as STREAM, without write-allocate");
    describe_pattern(plan, line);
    line_text(line, "pages", mem_pages_name(pages));
    line_count(line, "page_bytes", atomic_load(&pages->page_bytes));
    line_count(line, "huge_bytes",
               atomic_load(&pages->thp_bytes) + atomic_load(&pages->hugetlb_bytes));
    line_text(line, "nodes", node_list(pages, nodes, sizeof nodes));
}

/* Where "memory" is what the machine says, and what was measured says otherwise. */
static void note_edge(struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    char edge[32];
    const double all = (double)(state->plan.worker_bytes * run->threads);
    /* Arrays are whole blocks, and so may be a little less than was wanted. */
    if (state->plan.class == MEM_MEMORY && all < 0.99 * (double)state->edge_bytes)
        report_print(&run->report,
                     "  caches still serve a part of that: latency rises up to %s here: give "
                     "--footprint as much\n",
                     units_format_size((double)state->edge_bytes, edge, sizeof edge));
}

void mem_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const uint64_t mapped = atomic_load(&state->pages.mapped_bytes);
    char size[32];
    if (plan->access != ACCESS_NONE && window->operations > 0)
        report_print(&run->report, "  %.2f ns for each %s (median of operations)\n",
                     median_ns_per_access(window), plan->kernel == MEM_WRITE ? "store" : "load");
    if (strcmp(event, "summary") != 0 || plan->worker_bytes == 0)
        return;
    report_print(&run->report, "  %s, %s%s, footprint %s (%s), pages %s (%.0f %% huge)\n",
                 mem_kernel_names[plan->kernel],
                 plan->access != ACCESS_NONE ? mem_access_names[plan->access]
                                             : mem_simd_names[plan->simd],
                 plan->non_temporal ? ", non-temporal" : "",
                 units_format_size((double)(plan->worker_bytes * run->threads), size, sizeof size),
                 mem_class_names[plan->class], mem_pages_name(&state->pages),
                 mapped == 0 ? 0
                             : 100.0 *
                                   (double)(atomic_load(&state->pages.thp_bytes) +
                                            atomic_load(&state->pages.hugetlb_bytes)) /
                                   (double)mapped);
    note_edge(run);
}
