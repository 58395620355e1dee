// What loadgen mem says of itself: the fields and notes of ready, marks and the summary.

#include "mem/mem.h"

void mem_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    if (mem_state_of(run)->plan.access == ACCESS_NONE)
        return;
    line_fixed(line, "ns_per_load", ns_per_unit(window), 6); // the median of operations
    line_fixed(line, "ns_per_load_mean", per_unit((double)window->busy_ns, window), 6);
}

// How many times as large as it has to be for memory to be measured, and not a cache; below
// 1 it is too small. By STREAM's rule each array is at least four times all the last-level
// caches that are used; and what was found of this machine's caches counts as well as what it
// reports. INFINITY: nothing is known of them.
static double cache_margin(const struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const double array = (double)(plan->array_bytes * run->threads);
    const double all = (double)(plan->worker_bytes * run->threads);
    // Arrays are whole blocks, and so may be a little less than was wanted.
    return fmin(array / (0.99 * 4 * (double)state->machine.caches.l3_all_bytes),
                all / (0.99 * (double)state->edge_bytes));
}

// How long a pass through the arrays of one worker takes, over all workers.
static void passes_put(const struct run *run, struct line *line)
{
    struct mem_passes all = {.least_ns = INFINITY};
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mem_passes *own = &((const struct mem_worker *)run->workers[i].state)->passes;
        if (own->count == 0)
            continue;
        all.count += own->count;
        all.sum_ns += own->sum_ns;
        all.least_ns = fmin(all.least_ns, own->least_ns);
        all.most_ns = fmax(all.most_ns, own->most_ns);
    }
    const bool known = all.count > 0;
    line_count(line, "passes", all.count);
    line_fixed(line, "pass_mean_ns", known ? all.sum_ns / (double)all.count : NAN, 0);
    line_fixed(line, "pass_min_ns", known ? all.least_ns : NAN, 0);
    line_fixed(line, "pass_max_ns", known ? all.most_ns : NAN, 0);
}

// How long one worker takes for a block, in the mean; NAN: there are no blocks.
static double block_ns(const struct run *run, const struct snapshot *window)
{
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    const struct mem_course *course = &plan->course;
    if (plan->access != ACCESS_NONE || settings_of(run)->block_bytes == 0)
        return NAN;
    return per_unit((double)window->busy_ns, window) *
           (double)(course->block * course->step[0].element_bytes);
}

void mem_summary(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const bool moves = plan->access == ACCESS_NONE;
    line_fixed(line, "bandwidth_bytes_s", moves ? per_second(window->amount, window) : NAN, 6);
    line_fixed(line, "latency_ns", moves ? NAN : ns_per_unit(window), 6);
    line_fixed(line, "block_ns", block_ns(run, window), 6);
    passes_put(run, line);
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

void mem_describe(struct run *run, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const struct mem_pages *pages = &state->pages;
    const bool accesses = plan->access != ACCESS_NONE;
    char nodes[256] = "";
    line_text(line, "kernel", mem_kernel_names[plan->kernel]);
    line_text(line, "simd", accesses ? "none" : simd_names[plan->simd]);
    line_bool(line, "non_temporal", settings_of(run)->non_temporal);
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    line_fixed(line, "cache_edge_bytes", state->edge_bytes > 0 ? (double)state->edge_bytes : NAN,
               0);
    line_text(line, "class", mem_class_names[plan->class]);
    line_count(line, accesses ? "chunk_loads" : "chunk_bytes", (uint64_t)engine_quantum(run));
    line_text(line, "counted", accesses ? "loads" : "as STREAM, without write-allocate");
    // The pattern in the words of the options, and what of single accesses is measured.
    const struct mem_course *course = &plan->course;
    const bool random = accesses ? plan->access == ACCESS_LOAD_RANDOM ||
                                       plan->access == ACCESS_STORE_RANDOM ||
                                       plan->access == ACCESS_COPY_RANDOM
                                 : course->random;
    line_text(line, "pattern", random ? "random" : "sequential");
    const bool blocks = course->block < course->elements || random;
    line_fixed(line, "block_bytes",
               accesses ? (double)plan->word_bytes
               : blocks ? (double)(course->block * sizeof(double))
                        : NAN,
               0);
    line_text(line, "latency_of", mem_access_names[plan->access]);
    line_text(line, "pages", mem_pages_name(pages));
    line_count(line, "page_bytes", atomic_load(&pages->page_bytes));
    line_count(line, "huge_bytes",
               atomic_load(&pages->thp_bytes) + atomic_load(&pages->hugetlb_bytes));
    // "0" or "0,1": the nodes that the memory is on.
    for (unsigned i = 0; i < 64; i++) {
        const size_t used = strlen(nodes);
        if ((atomic_load(&pages->nodes) >> i & 1) != 0)
            snprintf(nodes + used, sizeof nodes - used, "%s%u", used > 0 ? "," : "", i);
    }
    line_text(line, "nodes", nodes);
}

void mem_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const uint64_t mapped = atomic_load(&state->pages.mapped_bytes);
    char size[32];
    if (plan->access != ACCESS_NONE && window->operations > 0)
        report_print(&run->report, "  %.2f ns for each %s (median of operations)\n",
                     ns_per_unit(window),
                     plan->kernel == MEM_WRITE  ? "store"
                     : plan->kernel == MEM_COPY ? "load and store"
                                                : "load");
    if (strcmp(event, "summary") != 0 || plan->worker_bytes == 0)
        return;
    report_print(&run->report, "  %s, %s%s, footprint %s (%s), pages %s (%.0f %% huge)\n",
                 mem_kernel_names[plan->kernel],
                 plan->access != ACCESS_NONE ? mem_access_names[plan->access]
                                             : simd_names[plan->simd],
                 settings_of(run)->non_temporal ? ", non-temporal" : "",
                 units_format_size((double)(plan->worker_bytes * run->threads), size, sizeof size),
                 mem_class_names[plan->class], mem_pages_name(&state->pages),
                 mapped == 0 ? 0
                             : 100.0 *
                                   (double)(atomic_load(&state->pages.thp_bytes) +
                                            atomic_load(&state->pages.hugetlb_bytes)) /
                                   (double)mapped);
    // Where "memory" is what the machine says, and what was measured says otherwise.
    char edge[32];
    const double all = (double)(state->plan.worker_bytes * run->threads);
    // Arrays are whole blocks, and so may be a little less than was wanted.
    if (state->plan.class == MEM_MEMORY && all < 0.99 * (double)state->edge_bytes)
        report_print(&run->report,
                     "  caches still serve a part of that: latency rises up to %s here: give "
                     "--footprint as much\n",
                     units_format_size((double)state->edge_bytes, edge, sizeof edge));
}
