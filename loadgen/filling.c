#include "filling.h"

#include <stddef.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

void filling_begin(struct filling *filling, unsigned workers)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    atomic_store(&filling->left, workers);
    for (size_t i = 0; i < 3; i++)
        sigaction(ending_signals[i], &usual, &filling->before[i]);
}

void filling_done(struct filling *filling)
{
    if (atomic_fetch_sub(&filling->left, 1) != 1)
        return;
    for (size_t i = 0; i < 3; i++)
        sigaction(ending_signals[i], &filling->before[i], NULL);
}
