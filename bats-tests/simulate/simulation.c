#include "simulation.h"

#include "harness/stats/decide.h"
#include "harness/stats/interval.h"
#include "workers.h"

#include <math.h>
#include <string.h>

static const unsigned long apart = 1000003; // seeds of neighbouring chunks

bool simulation_init(struct simulation *simulation, const struct settings *settings,
                     unsigned long seed, size_t chunk)
{
    simulation->settings = *settings;
    simulation->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (simulation->rng)
        gsl_rng_set(simulation->rng, seed + apart * (chunk + 1));
    session_init(&simulation->session, &simulation->settings);
    return simulation->rng != NULL;
}

void simulation_clear(struct session *session)
{
    struct session next;
    session_init(&next, session->settings);
    next.critical = session->critical;
    session->critical = (struct critical){0};
    session_free(session);
    *session = next;
}

void simulation_next(struct simulation *simulation)
{
    simulation->settings.seed = gsl_rng_get(simulation->rng);
    simulation_clear(&simulation->session);
}

void simulation_free(struct simulation *simulation)
{
    session_free(&simulation->session);
    if (simulation->rng)
        gsl_rng_free(simulation->rng);
}

bool simulation_measure(struct session *session,
                        bool (*draw)(void *context, struct observation *run), void *context)
{
    for (;;) {
        const struct decision next = decide(session);
        if (next.stop != STOP_NOT)
            return true;
        struct observation run = {.condition = (int)next.condition,
                                  .block = next.block,
                                  .order = next.order,
                                  .washed = next.washed,
                                  .washout = next.washout == WASHOUT_RUN};
        for (size_t m = 0; m < session->settings->metrics.count; m++)
            run.value[m] = NAN;
        if (!draw(context, &run))
            return false;
        if (run.washout)
            session_note(session, &run);
        else if (!session_add(session, &run))
            return false;
    }
}

struct chunks {
    const struct simulations *what;
    void *context;
};

static bool run_chunk(void *context, size_t number, void *part)
{
    const struct chunks *chunks = context;
    const struct simulations *what = chunks->what;
    struct simulation simulation;
    bool good = simulation_init(&simulation, what->settings, what->seed, number);
    for (size_t i = 0; good && i < what->chunk; i++)
        good = what->one(chunks->context, &simulation, part);
    simulation_free(&simulation);
    return good;
}

bool simulations_sum(const struct simulations *what, void *context, void *sum)
{
    struct chunks chunks = {what, context};
    const struct workers_sum parts = {run_chunk, what->add, what->size};
    memset(sum, 0, what->size);
    return workers_sum(&parts, (what->experiments + what->chunk - 1) / what->chunk, what->threads,
                       &chunks, sum);
}
