#include "block_probe.h"

#include <math.h>

static const double share = 0.1; // of a block's time
static const double least_s = 0.01, most_s = 0.1;

// What a block takes by the runs so far; NAN: not known yet.
static double block_s(const struct session *session)
{
    double sum = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct sample *sample = &session->conditions[i].metric[WALL_S];
        sum += sample->count > 0 ? sample->mean : NAN;
    }
    return sum;
}

double block_probe_due(const struct block_probe *probe, const struct session *session, size_t block)
{
    if (!probe->wanted || block == 0 || block == probe->block)
        return 0;
    const double expected_s = share * block_s(session);
    if (probe->was_made && !(expected_s >= least_s) && share * probe->since_s < least_s)
        return 0;
    return fmin(fmax(expected_s, least_s), most_s); // least_s where it is not known
}

void block_probe_made(struct block_probe *probe, size_t block)
{
    probe->was_made = true;
    probe->block = block;
    probe->since_s = 0;
}

void block_probe_note(struct block_probe *probe, size_t block, double wall_s)
{
    if (block > 0)
        probe->block = block;
    if (wall_s > 0)
        probe->since_s += wall_s;
}
