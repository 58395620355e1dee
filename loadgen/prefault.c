#include "prefault.h"

#include <stddef.h>

void prefault_begin(struct prefault *prefault, unsigned workers)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    atomic_store(&prefault->left, workers);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &prefault->before[i]);
        /* What the control plane has left ignored stays so. */
        if (prefault->before[i].sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &usual, NULL);
    }
    ending_without_core();
}

void prefault_done(struct prefault *prefault)
{
    if (atomic_fetch_sub(&prefault->left, 1) != 1)
        return;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &prefault->before[i], NULL);
}
