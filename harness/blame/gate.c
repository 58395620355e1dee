// Judges whether this node is quiet enough to measure on (--gate).

#include "blame.h"

#include <math.h>

// A spin is so long; what takes longer from one reading of the clock to the next is a gap.
#define SPIN_S 0.004
#define GAP_S  20e-6

const struct gate_words gate_words[GATE_FACTS] = {
    [GATE_OTHERS] = {"others_cpu", "others use %s of the CPUs"},
    [GATE_CPU] = {"cpu_some", "some program waits for a CPU %s of the time"},
    [GATE_MEMORY] = {"memory_some", "some program waits for memory %s of the time"},
    [GATE_DISK] = {"io_some", "some program waits for a disk %s of the time"},
    [GATE_STEAL] = {"steal", "the host gives %s of the CPUs' time to other guests"},
    [GATE_GAP] = {"gap", "a short spin loses %s of its time"},
    [GATE_WAITED] = {"waited", "it waits for CPUs behind others %s of its time"},
};

static void add_share(struct gate *gate, enum gate_fact fact, double share)
{
    if (isnan(share))
        return;
    gate->fact[fact].n++;
    gate->fact[fact].sum += share;
    gate->fact[fact].squares += share * share;
}

// The share of a short spin in which others had this CPU, in this machine or on its host.
static double gap(void)
{
    const double begin_s = clock_s(CLOCK_MONOTONIC);
    double last_s = begin_s, lost_s = 0;
    while (last_s - begin_s < SPIN_S) {
        const double s = clock_s(CLOCK_MONOTONIC);
        if (s - last_s > GAP_S)
            lost_s += s - last_s;
        last_s = s;
    }
    return lost_s / (last_s - begin_s);
}

void gate_slice(struct gate *gate)
{
    struct facts slice;
    struct look now;
    look_take(&now, "", 0);
    facts_between(&gate->look, &now, &slice);
    if (!gate->of_victim) {
        add_share(gate, GATE_OTHERS, fmax(slice.busy_cpus - slice.own_cpus, 0) / slice.cpus);
        add_share(gate, GATE_CPU, slice.cpu_some);
        add_share(gate, GATE_MEMORY, slice.memory_some);
        add_share(gate, GATE_DISK, slice.io_some);
        add_share(gate, GATE_GAP, gap());
    }
    add_share(gate, GATE_STEAL, slice.steal);
    // The spin itself is no part of the next one.
    look_take(&gate->look, "", 0);
}

bool gate_share(const struct gate *gate, enum gate_fact fact, double *share, double *error)
{
    const double n = gate->fact[fact].n;
    if (n < 1)
        return false;
    *share = gate->fact[fact].sum / n;
    const double variance = fmax(gate->fact[fact].squares / n - *share * *share, 0);
    *error =
        n < 2 ? (fact == GATE_WAITED ? gate->fact[fact].squares : 1) : 2 * sqrt(variance / (n - 1));
    return true;
}

// The victim's own waiting is one figure with bounds of its own. What its quota holds back is not
// waiting behind others.
static void add_victim(struct gate *gate, const struct judgement *verdict)
{
    const bool quota = verdict->resource == RESOURCE_QUOTA;
    const double low = quota ? verdict->waited_others : 1 - 1 / verdict->low;
    const double high = quota ? verdict->waited_others : 1 - 1 / verdict->high;
    gate->fact[GATE_WAITED].n = 1;
    gate->fact[GATE_WAITED].sum = (low + high) / 2;
    gate->fact[GATE_WAITED].squares = (high - low) / 2;
}

enum verdict gate_judge(struct gate *gate, const struct judgement *verdict, double at_most,
                        enum gate_fact *worst)
{
    enum verdict state = VERDICT_BELOW;
    double most = -1, share, error;
    if (gate->of_victim)
        add_victim(gate, verdict);
    *worst = gate->of_victim ? GATE_WAITED : GATE_OTHERS;
    for (enum gate_fact fact = 0; fact < GATE_FACTS; fact++) {
        if (!gate_share(gate, fact, &share, &error))
            continue;
        state = verdict_joined(state, verdict_by_bounds(share - error, share + error, at_most));
        if (share > most) {
            most = share;
            *worst = fact;
        }
    }
    // Nothing known is nothing told.
    if (!gate_share(gate, gate->of_victim ? GATE_WAITED : GATE_OTHERS, &share, &error) &&
        state == VERDICT_BELOW)
        state = VERDICT_UNDECIDED;
    return state;
}

bool gate_is_short(const struct gate *gate, enum verdict state)
{
    if (state != VERDICT_UNDECIDED)
        return false;
    // Every slice of a node has a gap, but steal not every machine counts.
    return gate->of_victim ? gate->fact[GATE_STEAL].n == 1 : gate->fact[GATE_GAP].n < 2;
}
