// What the files of the cells have to know, of the command line: variables and
// axes.

#include "facts.h"

#include "common/cpus.h"
#include "common/memory.h"
#include "common/processor.h"
#include "common/record_json.h"

#include <math.h>
#include <unistd.h>

void facts_put(json_t *variables, const char *name, double value)
{
    json_put(variables, name, must(json_real(value)));
}

void facts_put_text(json_t *variables, const char *name, const char *text)
{
    if (text)
        json_put(variables, name, json_text(text));
}

void axis_add(json_t *axis, const char *name, double value)
{
    json_add(axis, must(json_pack("{s:f}", name, value)));
}

json_t *axis_new(json_t *axes, const char *name)
{
    json_t *axis = must(json_array());
    json_put(axes, name, axis);
    return axis;
}

void facts_put_peak(json_t *variables, double peak, const char *source)
{
    if (!isnan(peak))
        facts_put(variables, "peak", peak);
    facts_put_text(variables, "peak_source", source);
}

void facts_of_choice(json_t *variables, json_t *axes, const struct bench_request *request)
{
    json_t *threads = axis_new(axes, "threads"), *blocks = axis_new(axes, "block"),
           *sizes = axis_new(axes, "given-sizes");
    for (size_t i = 0; i < request->thread_count; i++)
        axis_add(threads, "threads", (double)request->threads[i]);
    for (size_t i = 0; i < request->block_count; i++)
        axis_add(blocks, "block", (double)request->blocks[i]);
    for (size_t i = 0; i < request->size_count; i++)
        axis_add(sizes, "size", (double)request->sizes[i]);
    facts_put(variables, "quick", request->quick);
    facts_put(variables, "peers", request->peers);
    facts_put(variables, "given_blocks", request->block_count > 0);
    facts_put(variables, "given_sizes", request->size_count > 0);
    facts_put(variables, "limit_s", request->limit_s);
    facts_put(variables, "most_threads", (double)request->threads[request->thread_count - 1]);
    facts_put(variables, "allowed_cpus", request->allowed_cpus);
    facts_put(variables, "samples", (double)request->samples);
    facts_put_text(variables, "series", request->series);
    facts_put_text(variables, "duration", request->duration);
    facts_put(variables, "duration_s", request->duration_s);
    facts_put(variables, "uid", geteuid());
    facts_put(variables, "sse2", processor_has(SIMD_SSE2));
    facts_put(variables, "avx2", processor_has(SIMD_AVX2));
}

#define MOST_MEMORY 0.25 // of the machine's

void facts_of_room(json_t *variables)
{
    const double most =
        MOST_MEMORY * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    facts_put(variables, "most", most);
    facts_put(variables, "memory", most / MOST_MEMORY);
}
