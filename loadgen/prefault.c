#include "prefault.h"

#include <stddef.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

void prefault_begin(struct prefault *prefault, unsigned workers)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    atomic_store(&prefault->left, workers);
    for (size_t i = 0; i < 3; i++)
        sigaction(ending_signals[i], &usual, &prefault->before[i]);
}

void prefault_done(struct prefault *prefault)
{
    if (atomic_fetch_sub(&prefault->left, 1) != 1)
        return;
    for (size_t i = 0; i < 3; i++)
        sigaction(ending_signals[i], &prefault->before[i], NULL);
}
