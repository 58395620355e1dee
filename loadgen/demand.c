// How much a rate that changes has asked for by when, and which of the operations are a worker's.
#include "demand.h"

#include <math.h>

#define NS_PER_S 1e9

// A time so far away that nobody waits for it; keeps sums from overflowing.
#define NEVER_NS 2e18

void schedule_sum(struct schedule *schedule)
{
    schedule->length_ns = schedule->total = schedule->highest = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        struct stage *stage = &schedule->stage[i];
        stage->start_ns = schedule->length_ns;
        stage->before = schedule->total;
        schedule->length_ns += stage->length_ns;
        schedule->total += stage->length_ns / NS_PER_S * (stage->from + stage->to) / 2;
        schedule->highest = fmax(schedule->highest, fmax(stage->from, stage->to));
    }
}

// The last stage that has begun, by its member at that offset.
static const struct stage *stage_of(const struct schedule *schedule, double value, bool by_units)
{
    size_t low = 0, high = schedule->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        const struct stage *stage = &schedule->stage[middle];
        if ((by_units ? stage->before : stage->start_ns) < value)
            low = middle;
        else
            high = middle;
    }
    return &schedule->stage[low];
}

static double slope_of(const struct stage *stage)
{
    return stage->length_ns > 0 ? (stage->to - stage->from) / stage->length_ns : 0;
}

double schedule_units(const struct schedule *schedule, double after_ns)
{
    const double rounds = floor(fmax(after_ns, 0) / schedule->length_ns);
    const double rest_ns = fmax(after_ns, 0) - rounds * schedule->length_ns;
    const struct stage *stage = stage_of(schedule, rest_ns, false);
    const double in_ns = fmin(rest_ns - stage->start_ns, stage->length_ns);
    const double units = (stage->from + slope_of(stage) * in_ns / 2) * in_ns / NS_PER_S;
    return rounds * schedule->total + stage->before + units;
}

double schedule_when(const struct schedule *schedule, double units)
{
    if (!(schedule->total > 0))
        return INFINITY;
    // What a whole round asks for is reached in it, not after it.
    const double rounds = fmax(ceil(units / schedule->total) - 1, 0);
    const double rest = fmax(units, 0) - rounds * schedule->total;
    const struct stage *stage = stage_of(schedule, rest, true);
    // slope / 2 x^2 + from x = wanted, as 2 wanted / (from + root): exact for slopes near 0.
    const double wanted = (rest - stage->before) * NS_PER_S, from = stage->from;
    const double root = sqrt(fmax(from * from + 2 * slope_of(stage) * wanted, 0));
    const double in_ns = wanted > 0 ? 2 * wanted / (from + root) : 0;
    return rounds * schedule->length_ns + stage->start_ns + fmin(in_ns, stage->length_ns);
}

double schedule_rate(const struct schedule *schedule, double after_ns)
{
    const double rest_ns = fmod(fmax(after_ns, 0), schedule->length_ns);
    const struct stage *stage = stage_of(schedule, rest_ns, false);
    return stage->from + slope_of(stage) * fmin(rest_ns - stage->start_ns, stage->length_ns);
}

static const struct piece *piece_of(const struct demand *demand, uint64_t number)
{
    return &demand->piece[number % DEMAND_PIECES];
}

// The oldest that is known.
static uint64_t first_of(const struct demand *demand)
{
    return demand->changes > DEMAND_PIECES ? demand->changes - DEMAND_PIECES : 0;
}

static double operations_in(const struct piece *piece, int64_t at_ns)
{
    double units = 0;
    if (at_ns <= piece->from_ns)
        return piece->operations;
    if (piece->schedule)
        units = schedule_units(piece->schedule, (double)(at_ns - piece->origin_ns)) -
                schedule_units(piece->schedule, (double)(piece->from_ns - piece->origin_ns));
    else if (isfinite(piece->rate))
        units = (double)(at_ns - piece->from_ns) / NS_PER_S * piece->rate;
    return piece->operations + units / piece->quantum;
}

static int64_t when_in(const struct piece *piece, double operations)
{
    const double units = (operations - piece->operations) * piece->quantum;
    double after_ns;
    if (units <= 0)
        return piece->from_ns;
    if (piece->schedule) {
        const double before_ns = (double)(piece->from_ns - piece->origin_ns);
        after_ns =
            schedule_when(piece->schedule, schedule_units(piece->schedule, before_ns) + units) -
            before_ns;
    } else {
        after_ns = piece->rate > 0 ? units / piece->rate * NS_PER_S : INFINITY;
    }
    return after_ns < NEVER_NS ? piece->from_ns + (int64_t)after_ns : INT64_MAX;
}

// The piece in which so many were reached: the last that had begun with no more.
static const struct piece *piece_with(const struct demand *demand, double operations)
{
    uint64_t number = demand->changes - 1;
    while (number > first_of(demand) && piece_of(demand, number)->operations > operations)
        number--;
    return piece_of(demand, number);
}

void demand_change(struct demand *demand, int64_t now_ns, struct piece piece)
{
    piece.from_ns = now_ns;
    piece.operations = demand->changes > 0 ? demand_operations(demand, now_ns) : 0;
    demand->piece[demand->changes++ % DEMAND_PIECES] = piece;
}

double demand_operations(const struct demand *demand, int64_t at_ns)
{
    uint64_t number = demand->changes - 1;
    while (number > first_of(demand) && piece_of(demand, number)->from_ns > at_ns)
        number--;
    return operations_in(piece_of(demand, number), at_ns);
}

int64_t demand_when(const struct demand *demand, double operations)
{
    return when_in(piece_with(demand, operations), operations);
}

double demand_quantum(const struct demand *demand, double operations)
{
    return piece_with(demand, operations)->quantum;
}

// Even operations are due in the middle of their share, so that the count in any time is right on
// average.
#define MIDDLE 0.5

// splitmix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014, 453-472): any state is a good one.
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

// Exponential with mean 1, by inversion; never 0.
static double gap_of(struct pacer *pacer)
{
    const double uniform = ((double)(random_next(&pacer->random) >> 11) + 0.5) / 0x1p53;
    return -log(uniform);
}

void pacer_begin(struct pacer *pacer, enum arrivals arrivals, unsigned worker, unsigned workers)
{
    *pacer = (struct pacer){.next = worker + MIDDLE, .stride = workers};
    if (arrivals != ARRIVALS_POISSON)
        return;
    pacer->random = worker + 1;
    pacer->next = pacer->stride * gap_of(pacer);
}

void pacer_take(struct pacer *pacer)
{
    pacer->next += pacer->random == 0 ? pacer->stride : pacer->stride * gap_of(pacer);
}

uint64_t pacer_take_until(struct pacer *pacer, double operations)
{
    uint64_t taken = 0;
    if (!(pacer->next < operations))
        return 0;
    if (pacer->random == 0) {
        taken = (uint64_t)ceil((operations - pacer->next) / pacer->stride);
        pacer->next += (double)taken * pacer->stride;
    }
    for (; pacer->random != 0 && pacer->next < operations; taken++)
        pacer_take(pacer);
    return taken;
}
