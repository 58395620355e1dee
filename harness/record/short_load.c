// Says of a run whether its loads fell short of what they were to do.
#include "run.h"

#include "common/cpus.h"

#include <math.h>
#include <string.h>

// Over less time one operation more or less decides, which says nothing.
static const double least_elapsed_s = 0.1;

static bool cpus_of(const char *text, struct cpu_list *list)
{
    return text && cpus_parse(text, list) == 0 && list->count > 0;
}

unsigned run_cpus(const struct run *run)
{
    struct cpu_list list;
    return cpus_of(run->cpus, &list) ? list.count : 0;
}

// How many of the CPUs of `mine` are also in `others`; both ascend.
static unsigned common_cpus(const struct cpu_list *mine, const struct cpu_list *others)
{
    unsigned count = 0;
    for (unsigned i = 0, k = 0; i < mine->count && k < others->count;) {
        if (mine->cpu[i] == others->cpu[k])
            count++;
        if (mine->cpu[i] <= others->cpu[k])
            i++;
        else
            k++;
    }
    return count;
}

// CPUs' worth of time that somebody who used `cpu_s` on those CPUs took of mine.
static double taken(const struct cpu_list *mine, const char *others, double cpu_s)
{
    struct cpu_list cpus;
    if (!(cpu_s > 0) || !cpus_of(others, &cpus))
        return 0;
    return cpu_s * common_cpus(mine, &cpus) / cpus.count;
}

double run_loads_cpu_s(const struct run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->load_count; i++)
        if (!run->load[i].is_elsewhere && !isnan(run->load[i].cpu_s))
            sum += run->load[i].cpu_s;
    return sum;
}

double run_target_cpu_s(const struct run *run)
{
    return run->user_s + run->system_s + (isnan(run->service_cpu_s) ? 0 : run->service_cpu_s);
}

// CPU time that was there for the load, in seconds over the run; *all_s is what would have been
// there if nobody had shared its CPUs. False: as far as is known nobody did.
static bool is_sharing(const struct run *run, const struct run_load *load, double *share_s,
                       double *all_s)
{
    struct cpu_list mine;
    if (load->is_elsewhere || !(load->elapsed_s > 0) || !cpus_of(load->cpus, &mine))
        return false;
    double others_s = taken(&mine, run->cpus, run->user_s + run->system_s);
    others_s += taken(&mine, run->service_cpus, run->service_cpu_s);
    for (const struct run_load *other = run->load; other < run->load + run->load_count; other++)
        if (other != load && !other->is_elsewhere)
            others_s += taken(&mine, other->cpus, other->cpu_s);
    // What the host took falls on those who run, by their CPU time.
    const double used_s = run_target_cpu_s(run) + run_loads_cpu_s(run),
                 on_mine_s = others_s + load->cpu_s;
    if (run->steal_s > 0 && used_s > 0 && on_mine_s > 0)
        others_s += run->steal_s * fmin(on_mine_s / used_s, 1);
    *all_s = load->elapsed_s * mine.count;
    *share_s = fmax(*all_s - others_s, 0);
    return others_s > 0;
}

struct delivery run_delivery(const struct run *run, const struct run_load *load)
{
    struct delivery delivery = {.due = load->offered,
                                .done = load->achieved,
                                // False for NAN; stages may ask for nothing during a run.
                                .asked = load->rate > 0 && !load->has_stages};
    delivery.known =
        !isnan(delivery.due) && !isnan(delivery.done) && !(load->elapsed_s < least_elapsed_s);
    double share_s, all_s;
    if (!delivery.known || !is_sharing(run, load, &share_s, &all_s))
        return delivery;
    const bool is_cpu_load = load->unit && strcmp(load->unit, "CPUs") == 0;
    if (is_cpu_load || load->cpu_s >= SHORT_OF_DUE * share_s)
        delivery.due *= share_s / all_s;
    return delivery;
}

bool delivery_is_short(const struct delivery *delivery)
{
    const bool nothing = delivery->asked && delivery->due <= 0;
    return delivery->known && (nothing || delivery->done < SHORT_OF_DUE * delivery->due);
}

bool run_is_short(const struct run *run)
{
    bool is_short = false;
    for (size_t i = 0; i < run->load_count; i++) {
        const struct delivery delivery = run_delivery(run, &run->load[i]);
        is_short = is_short || delivery_is_short(&delivery);
    }
    return is_short;
}
