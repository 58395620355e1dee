#include "triage.h"

#include "common/record_json.h"

#include <math.h>
#include <stdio.h>

/* What a quiet node's own daemons reach stays below these (as for jostle doctor). */
#define MUCH_THROTTLED 0.01 /* of the periods */
#define MUCH_STEAL     0.01 /* of the CPUs' time */
#define MUCH_WAITING   0.05 /* of the time some task waits */
#define MUCH_MEMORY    0.01
#define MUCH_CPUS      0.1 /* of a CPU; and of half a percent of all of them */
#define UNLIKELY       0.001

/* False for what is not known. */
static bool above(double value, double limit)
{
    return isfinite(value) && value > limit;
}

static bool much_of_cpus(const struct kernel_facts *facts, double cpus)
{
    return above(cpus, MUCH_CPUS + 0.005 * (isfinite(facts->cpus) ? facts->cpus : 1));
}

static bool cpu_pressure(const struct triage_input *input)
{
    return above(input->facts->cpu_some, MUCH_WAITING);
}

static bool is_quota(const struct triage_input *input, char *text, size_t size)
{
    const struct kernel_facts *facts = input->facts;
    if (!above(facts->throttled, MUCH_THROTTLED) && !above(facts->throttled_s, MUCH_THROTTLED))
        return false;
    snprintf(text, size,
             "your own quota: this control group was throttled in %.0f %% of its periods%s",
             100 * facts->throttled, cpu_pressure(input) ? ", which is the pressure on CPUs" : "");
    return true;
}

static bool is_hypervisor(const struct triage_input *input, char *text, size_t size)
{
    if (!above(input->facts->steal, MUCH_STEAL))
        return false;
    snprintf(text, size, "the hypervisor: it gave %.1f %% of the CPUs' time to other guests",
             100 * input->facts->steal);
    return true;
}

static bool is_own(const struct triage_input *input, char *text, size_t size)
{
    const struct kernel_facts *facts = input->facts;
    if (!much_of_cpus(facts, facts->session_cpus))
        return false;
    snprintf(text, size, "yourself: other programs of this session use %.2f CPUs",
             facts->session_cpus);
    return true;
}

/* Waiting that neither our quota nor the hypervisor explains. */
static bool is_cpu(const struct triage_input *input, char *text, size_t size)
{
    const struct kernel_facts *facts = input->facts;
    const bool listed = facts->user_count > 0;
    if (!much_of_cpus(facts, facts->foreign_cpus)) {
        if (!cpu_pressure(input) || above(facts->throttled, MUCH_THROTTLED) ||
            above(facts->steal, MUCH_STEAL) || much_of_cpus(facts, facts->session_cpus))
            return false;
        snprintf(text, size,
                 "a neighbour: some task waited for a CPU for %.0f %% of the time, and nothing "
                 "was throttled",
                 100 * facts->cpu_some);
        return true;
    }
    int used = snprintf(text, size, "a neighbour: others use %.2f CPUs", facts->foreign_cpus);
    if (listed && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " (most: %s, %.2f, with %s)",
                         facts->user[0].name, facts->user[0].cpus, facts->user[0].command);
    if (cpu_pressure(input) && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used,
                 "; some task waited for a CPU for %.0f %% of the time", 100 * facts->cpu_some);
    return true;
}

static bool is_swap(const struct triage_input *input, char *text, size_t size)
{
    if (!above(input->facts->swap_in_per_s, 0))
        return false;
    snprintf(text, size, "swapping: %.0f pages/s came back from swap", input->facts->swap_in_per_s);
    return true;
}

static bool is_memory(const struct triage_input *input, char *text, size_t size)
{
    if (!above(input->facts->memory_some, MUCH_MEMORY))
        return false;
    snprintf(text, size, "memory is short: some task waited for it for %.1f %% of the time",
             100 * input->facts->memory_some);
    return true;
}

static bool is_disk(const struct triage_input *input, char *text, size_t size)
{
    const double others = kernel_others_io(input->facts);
    if (!above(others, MUCH_WAITING))
        return false;
    snprintf(text, size, "the disk: some other task waited for it for %.0f %% of the time",
             100 * others);
    return true;
}

static bool is_heat(const struct triage_input *input, char *text, size_t size)
{
    if (!above(input->facts->heat_throttles, 0))
        return false;
    snprintf(text, size, "heat: the CPUs were slowed down %.0f times",
             input->facts->heat_throttles);
    return true;
}

/* The kernel counts who runs here, and what waits, where it has figures of both; it does not see
 * who shares caches, memory bandwidth or a core with us from another guest. */
static bool is_hidden(const struct triage_input *input, char *text, size_t size)
{
    const struct kernel_facts *facts = input->facts;
    if ((input->worst == NULL && !input->any) || cpu_pressure(input) ||
        above(kernel_others_io(facts), MUCH_WAITING) || above(facts->steal, MUCH_STEAL) ||
        much_of_cpus(facts, facts->foreign_cpus) || much_of_cpus(facts, facts->session_cpus) ||
        !isfinite(facts->foreign_cpus) || !isfinite(facts->cpu_some) || !isfinite(facts->io_some))
        return false;
    if (input->worst == NULL)
        snprintf(text, size,
                 "a neighbour that this kernel does not see: the reporters are surely worse, and "
                 "nobody here does it");
    else
        snprintf(text, size,
                 "a neighbour that this kernel does not see: as if '%s' ran at %.0f %%, and "
                 "nobody here does it",
                 input->worst, 100 * input->worst_level);
    return true;
}

static bool is_misfit(const struct triage_input *input, char *text, size_t size)
{
    if (!input->has_levels || input->misfit_p > UNLIKELY)
        return false;
    snprintf(text, size,
             "something else: no mixture of our loads does this to the reporters (p = %.1g)",
             input->misfit_p);
    return true;
}

static bool is_blind(const struct triage_input *input, char *text, size_t size)
{
    const struct kernel_facts *facts = input->facts;
    const struct {
        double fact;
        const char *name;
    } needed[] = {{facts->cpu_some, "pressure stalls"},
                  {facts->steal, "stolen time"},
                  {facts->foreign_cpus, "the processes of others"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!isfinite(needed[i].fact) && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s",
                                 used == 0 ? "this kernel does not show " : ", ", needed[i].name);
    return used > 0;
}

/* In the order of printing. VERDICT_QUIET has no test: it is what remains. */
static const struct {
    const char *name, *advice;
    bool (*test)(const struct triage_input *input, char *text, size_t size);
} verdicts[VERDICTS] = {
    [VERDICT_QUOTA] = {"quota",
                       "ask for more CPUs, or start fewer threads: no neighbour is to "
                       "blame",
                       is_quota},
    [VERDICT_HYPERVISOR] = {"hypervisor",
                            "measure at another time, or on a machine of your own: nothing in this "
                            "guest can change it",
                            is_hypervisor},
    [VERDICT_OWN] = {"own", "end them, or wait for them", is_own},
    [VERDICT_CPU] = {"cpu-neighbour", "wait, ask its owner, or take CPUs or a node of your own",
                     is_cpu},
    [VERDICT_SWAP] = {"swap", "free memory, then swapoff -a", is_swap},
    [VERDICT_MEMORY] = {"memory", "end what needs it, or take a node with more", is_memory},
    [VERDICT_DISK] = {"disk", "end what writes or reads, or use another disk", is_disk},
    [VERDICT_HEAT] = {"heat", "check the cooling, or lower the clock", is_heat},
    [VERDICT_HIDDEN] = {"hidden-neighbour",
                        "check the host of this virtual machine, jobs on sibling threads, and "
                        "programs on other sockets that use this one's memory",
                        is_hidden},
    [VERDICT_MISFIT] = {"unlike-any-load",
                        "trust the ratios, not the levels; a new reference may be due (jostle "
                        "probe --reference)",
                        is_misfit},
    [VERDICT_BLIND] = {"blind", "boot with psi=1; mount /proc without hidepid", is_blind},
    [VERDICT_QUIET] = {"quiet", "", NULL},
};

void triage_judge(const struct triage_input *input, struct triage *triage)
{
    bool guilty = input->worst != NULL || input->any;
    *triage = (struct triage){0};
    for (enum verdict v = 0; v < VERDICTS; v++) {
        char *text = triage->found[triage->count].text;
        const size_t size = sizeof triage->found[0].text;
        if (verdicts[v].test == NULL ? guilty : !verdicts[v].test(input, text, size))
            continue;
        if (verdicts[v].test == NULL)
            snprintf(text, size, "quiet: nothing that the kernel%s shows disturbs",
                     input->has_levels ? " or a reporter" : "");
        triage->found[triage->count++].verdict = v;
        guilty = guilty || v != VERDICT_BLIND;
    }
}

const char *verdict_name(enum verdict verdict)
{
    return verdicts[verdict].name;
}

const char *verdict_advice(enum verdict verdict)
{
    return verdicts[verdict].advice;
}

json_t *triage_to_json(const struct triage *triage)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < triage->count; i++) {
        const enum verdict verdict = triage->found[i].verdict;
        if (json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "name", verdict_name(verdict),
                                                  "text", text_to_json(triage->found[i].text),
                                                  "advice", verdict_advice(verdict))) == 0)
            continue;
        json_decref(list);
        return NULL;
    }
    return list;
}
