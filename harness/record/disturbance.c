// Says of a run what disturbed it: the host, other programs, heat, swapping, signals.
#include "common/counters.h"
#include "run.h"

#include <math.h>

// Steal counts against the target, whatever the size of the machine: one whose time
// is 2 % longer is off by about half of the error that is usually requested.
// Two ticks at least, because ticks are coarse.
static const double steal_share = 0.02, steal_least_s = 0.020;
// Foreign load counts from a tenth of a second on where it is a difference of sampled figures, else
// from a hundredth: what meter and the kernel do for the run themselves is less.
static const double foreign_least_s = 0.100, foreign_least_exact_s = 0.010;

// At least the target's own and the loads' CPU time is there.
double run_stolen_s(const struct run *run)
{
    const double mine_s = run_target_cpu_s(run);
    const double all_s = fmax(run->busy_s, mine_s + run_loads_cpu_s(run));
    return all_s > 0 ? run->steal_s * mine_s / all_s : 0;
}

// Where all that is known is ticks, the loads' own time may be counted twice over.
double run_foreign_s(const struct run *run)
{
    return run->busy_s - run_target_cpu_s(run) -
           (run->is_busy_exact ? 1 : 2) * run_loads_cpu_s(run);
}

// A comparison with what is not known (NAN) is false.
static bool has_foreign_load(const struct run *run, double cpus)
{
    const double foreign_s = run_foreign_s(run);
    return foreign_s > (run->is_busy_exact ? foreign_least_exact_s : foreign_least_s) &&
           foreign_s >
               foreign_most_cpus(run->machine_cpus > 0 ? run->machine_cpus : cpus) * run->wall_s;
}

unsigned run_disturbances(const struct run *run, double cpus, bool shared)
{
    const bool raised[DISTURBANCES] = {
        [DISTURBED_STEAL] =
            run->steal_s >= steal_least_s &&
            run_stolen_s(run) > steal_share * fmax(run->wall_s, run_target_cpu_s(run)),
        [DISTURBED_FOREIGN_LOAD] = has_foreign_load(run, cpus),
        [DISTURBED_SWAP_IN] = run->swap_in_pages > 0,
        [DISTURBED_THROTTLED] = run->throttle_count > 0,
        // Unknown: meter was stopped when the target ended, and noted that end late.
        [DISTURBED_STOPPED] = run->stops > 0 || run->is_stop_unknown,
        [DISTURBED_MEMORY_KILL] = run->kills_in_cgroup > 0 || run->kills_on_machine > 0,
        [DISTURBED_SHARED_NODE] = shared,
    };
    unsigned bits = 0;
    for (enum disturbance i = 0; i < DISTURBANCES; i++)
        bits |= (unsigned)raised[i] << i;
    return bits;
}

bool run_is_flagged(const struct run *run)
{
    return run->flags > 0;
}
