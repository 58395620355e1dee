// Which CPUs the workers are put on, and where the kernel lets them run at this moment.

#include "engine.h"

int pinning_cpu(const struct run *run, unsigned worker)
{
    if (!run->load->pinned)
        return -1;
    if (run->load->worker_cpu)
        return run->load->worker_cpu(run, worker);
    return run->cpus.cpu[worker % run->cpus.count];
}

// Adds that of the second thread which the workers of some loads have.
static void add_companion(const struct run *run, unsigned worker, struct cpu_list *cpus)
{
    if (run->load->companion_cpu)
        cpus_add(cpus, run->load->companion_cpu(run, worker));
}

void engine_worker_cpus(const struct run *run, struct cpu_list *cpus)
{
    *cpus = run->cpus;
    if (!run->load->pinned || run->threads == 0)
        return;
    cpus->count = 0;
    for (unsigned i = 0; i < run->threads; i++) {
        cpus_add(cpus, pinning_cpu(run, i));
        add_companion(run, i, cpus);
    }
}

void engine_cpus(const struct run *run, struct cpu_list *list)
{
    list->count = 0;
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        if (run->workers[i].started) {
            cpus_of_thread(run->workers[i].id, list);
            add_companion(run, i, list);
        }
    const pid_t process = run->load->process ? run->load->process->process(run) : 0;
    if (process > 0)
        cpus_of_thread(process, list);
}

static bool is_same(const struct cpu_list *a, const struct cpu_list *b)
{
    return a->count == b->count && memcmp(a->cpu, b->cpu, a->count * sizeof a->cpu[0]) == 0;
}

bool engine_is_moved(const struct run *run)
{
    struct cpu_list now = {0}, one = {.count = 1};
    for (unsigned i = 0; run->workers && i < run->threads; i++) {
        const struct worker *worker = &run->workers[i];
        one.cpu[0] = worker->cpu;
        now.count = 0;
        if (worker->started && cpus_of_thread(worker->id, &now) &&
            !is_same(&now, worker->cpu >= 0 ? &one : &run->cpus))
            return true;
    }
    // A command may choose CPUs itself; what this thread may use only others change.
    if (!run->load->process || cpus_allowed(&now) != 0)
        return false;
    const unsigned allowed = now.count;
    for (unsigned i = 0; i < run->cpus.count; i++)
        cpus_add(&now, run->cpus.cpu[i]);
    return now.count > allowed;
}
