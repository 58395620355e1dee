#include "simulation.h"

static const unsigned long apart = 1000003; // seeds of neighbouring chunks

bool simulation_init(struct simulation *simulation, const struct settings *settings,
                     unsigned long seed, size_t chunk)
{
    simulation->settings = *settings;
    simulation->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (simulation->rng)
        gsl_rng_set(simulation->rng, seed + apart * (chunk + 1));
    return session_init(&simulation->session, &simulation->settings) && simulation->rng;
}

void simulation_next(struct simulation *simulation)
{
    simulation->settings.seed = gsl_rng_get(simulation->rng);
    session_clear(&simulation->session);
}

void simulation_free(struct simulation *simulation)
{
    session_free(&simulation->session);
    if (simulation->rng)
        gsl_rng_free(simulation->rng);
}
