#include "common/peak.h"

#include "common/machine.h"
#include "common/ports.h"

#include <math.h>
#include <stdio.h>

/* The first CPU of the core that the CPU is of: siblings have the same. Itself where the
 * kernel does not say. */
static int core_of(int cpu)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    const int64_t first = machine_number(path);
    return first == UNKNOWN ? cpu : (int)first;
}

static unsigned cores_used(const struct cpu_list *cpus, unsigned threads)
{
    bool used[CPUS_MOST] = {false};
    unsigned cores = 0;
    for (unsigned i = 0; i < cpus->count && i < threads; i++) {
        const int core = core_of(cpus->cpu[i]);
        if (core >= 0 && core < CPUS_MOST && !used[core]) {
            used[core] = true;
            cores++;
        }
    }
    return cores;
}

static unsigned lanes_of(enum simd simd, unsigned value_bytes)
{
    return simd == SIMD_SCALAR ? 1 : processor_vector_bytes(simd) / value_bytes;
}

void peak_find(struct peak *peak, enum simd simd, bool floating, unsigned value_bytes,
               const struct cpu_list *cpus, unsigned threads, double quota_cpus)
{
    static const char *const words[] = {[STEP_ADD] = "1 operation (addition)",
                                        [STEP_FMA] = "2 operations (FMA)",
                                        [STEP_MULTIPLY_ADD] =
                                            "2 operations (multiplication, addition)"};
    char reason[256];
    const struct ports *ports = ports_find(reason, sizeof reason);
    const enum step step = ports_step(simd, floating);
    const double steps = ports == NULL ? 0 : ports_steps(ports, simd, step);
    const unsigned lanes = lanes_of(simd, value_bytes), cores = cores_used(cpus, threads);
    const double whole = fmin(cores, quota_cpus);
    peak->per_cycle = peak->of_a_core = NAN;
    if (ports == NULL)
        snprintf(peak->source, sizeof peak->source, "not known here: %s", reason);
    else if (simd == SIMD_PORTABLE)
        snprintf(peak->source, sizeof peak->source,
                 "not known here: portable code is the compiler's choice");
    else if (!(steps > 0))
        snprintf(peak->source, sizeof peak->source, "not known here: no %s of %s in common/ports.c",
                 simd_names[simd], ports->name);
    else {
        peak->of_a_core = steps * lanes * (step == STEP_ADD ? 1 : 2);
        peak->per_cycle = peak->of_a_core * whole;
        snprintf(peak->source, sizeof peak->source,
                 "clock (of the same runs, by a chain of additions, 1 cycle each) x %g a cycle "
                 "(%s%s%s; %s) x %u lane%s (%s) x %s x %g core%s (%s)",
                 steps, ports->name, *reason == '\0' ? "" : ", as ", reason, ports->source, lanes,
                 lanes == 1 ? "" : "s", simd_names[simd], words[step], whole, whole > 1 ? "s" : "",
                 whole < cores ? "the cgroup's quota" : "as the kernel reports the topology");
    }
}
