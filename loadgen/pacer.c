#include "pacer.h"

#include <math.h>

/* A time so far away that nobody waits for it; keeps sums from overflowing. */
#define NEVER_NS 4e18

void pacer_set(struct pacer *pacer, int64_t epoch_ns, double rate, unsigned worker,
               unsigned workers)
{
    *pacer = (struct pacer){
        .epoch_ns = epoch_ns,
        .interval_ns = isinf(rate) ? 0
                       : rate > 0  ? 1e9 / rate
                                   : NEVER_NS,
        .next = worker,
        .stride = workers,
    };
}

int64_t pacer_due(const struct pacer *pacer, int64_t now_ns)
{
    if (pacer->interval_ns <= 0)
        return now_ns;
    const double after = ((double)pacer->next + 0.5) * pacer->interval_ns;
    return after >= NEVER_NS / 2 ? INT64_MAX : pacer->epoch_ns + (int64_t)after;
}

uint64_t pacer_drop(struct pacer *pacer, int64_t now_ns)
{
    if (pacer->interval_ns <= 0 || pacer_due(pacer, now_ns) >= now_ns - PACER_DEBT_NS)
        return 0;
    const double oldest = (double)(now_ns - PACER_DEBT_NS - pacer->epoch_ns);
    const double missed = oldest / pacer->interval_ns - 0.5 - (double)pacer->next;
    const uint64_t dropped = (uint64_t)ceil(missed / (double)pacer->stride);
    pacer->next += dropped * pacer->stride;
    return dropped;
}

void pacer_take(struct pacer *pacer)
{
    pacer->next += pacer->stride;
}
