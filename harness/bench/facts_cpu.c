// What the cells of the CPU have to know of the machine, and the peak of its vectors.

#include "facts.h"

#include "common/cpus.h"
#include "common/expression.h"
#include "common/memory.h"
#include "common/ports.h"
#include "common/processor.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/version.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#define BLAS         "libopenblas.so.0"
#define BLAS_PACKAGE "libopenblas0"

static void allowed_of(const struct bench_request *request, struct cpu_list *cpus)
{
    if (cpus_allowed(cpus) != 0)
        cpus->count = request->allowed_cpus;
}

// Why its peers have no library: they are programs of jostle, which open it. NULL: they have.
static const char *blas_missing(void)
{
    if (linked_static())
        return BLAS " is not for static programs: build jostle on this system";
    void *library = dlopen(BLAS, RTLD_LAZY | RTLD_LOCAL);
    return library && dlclose(library) == 0 ? NULL
                                            : BLAS " is not installed: apt install " BLAS_PACKAGE;
}

void facts_of_cpu(json_t *variables, json_t *axes, const struct bench_request *request)
{
    (void)axes;
    struct cpu_list cpus;
    allowed_of(request, &cpus);
    facts_put(variables, "cpus", cpus.count);
    facts_put(variables, "has_half", processor_has_half());
    facts_of_room(variables);
    facts_put_text(variables, "bench_home", getenv("JOSTLE_HARNESS"));
    facts_put_text(variables, "widest", simd_names[processor_widest()]);
    facts_put_text(variables, "no_blas", blas_missing());
}

// What a variable is in an expression: the cases of axes are texts.
static double variable_of(const json_t *variables, const char *name)
{
    const struct expression_names names = {.values = variables, .lenient = true};
    struct expression found;
    return expression_find(&found, name, strlen(name), &names) == EXPRESSION_GOOD ? found.value : 0;
}

char *cpu_peak_source(const struct bench_request *request, const json_t *variables,
                      const char *simd, char **why)
{
    struct cpu_list cpus;
    struct peak peak;
    enum simd which = 0;
    allowed_of(request, &cpus);
    while (which < SIMDS && strcmp(simd_names[which], simd) != 0)
        which++;
    const struct arithmetic what = {which, variable_of(variables, "floating") != 0,
                                    (unsigned)variable_of(variables, "bytes")};
    peak_find(&peak, &what, &cpus, (unsigned)variable_of(variables, "threads"), cpus_quota());
    *why = must(strdup(peak.source));
    if (!isfinite(peak.per_cycle))
        return NULL;
    OWNED char *clock = summary_source("clock_hz");
    return text_of("%s,scale=%.17g", clock, peak.per_cycle / 1e9);
}
