#include "ops/peak.h"

#include "common/machine.h"
#include "load.h"

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

/* Cores of the CPUs that get a worker. */
static unsigned cores_used(const struct run *run)
{
    bool used[CPU_SETSIZE] = {false};
    unsigned cores = 0;
    for (unsigned i = 0; i < run->cpus.count && i < run->threads; i++) {
        const int core = core_of(run->cpus.cpu[i]);
        if (core >= 0 && core < CPU_SETSIZE && !used[core]) {
            used[core] = true;
            cores++;
        }
    }
    return cores;
}

void ops_peak_find(const struct run *run, const struct ops_kernel *kernel, enum simd simd,
                   struct ops_peak *peak)
{
    static const char *const words[] = {
        [STEP_ADD] = "1 operation (addition)",
        [STEP_FMA] = "2 operations (FMA: multiplication and addition)",
        [STEP_MULTIPLY_ADD] = "2 operations (multiplication, then addition)"};
    char reason[256];
    const struct ports *ports = processor_ports(reason, sizeof reason);
    const double steps = ports == NULL ? 0 : ports_steps(ports, simd, kernel->step);
    const unsigned cores = cores_used(run);
    const double whole = fmin(cores, run->quota_cpus);
    peak->per_cycle = NAN;
    if (ports == NULL)
        snprintf(peak->source, sizeof peak->source, "not known here: %s", reason);
    else if (!(steps > 0))
        snprintf(peak->source, sizeof peak->source,
                 "not known here: %s code is the compiler's choice", simd_names[simd]);
    else {
        peak->per_cycle = steps * kernel->lanes * kernel->operations * whole;
        snprintf(peak->source, sizeof peak->source,
                 "clock (additions that each need the one before, 1 cycle each, in this run) x %g "
                 "a cycle (%s; %s) x %u lane%s (%s) x %s x %g core%s (%s)",
                 steps, ports->name, ports->source, kernel->lanes, kernel->lanes == 1 ? "" : "s",
                 simd_names[simd], words[kernel->step], whole, whole > 1 ? "s" : "",
                 whole < cores ? "the cgroup's quota" : "as the kernel reports the topology");
    }
}
