#ifndef LOADGEN_PREFAULT_H
#define LOADGEN_PREFAULT_H

/* While workers fill their memory in begin(), which takes long, the control plane
 * waits for them and hears no signal: until all are done, a signal ends the process
 * as it would any other. Nothing is left behind by that. */

#include "ending.h"

#include <signal.h>
#include <stdatomic.h>

struct prefault {
    _Atomic unsigned left;                   /* workers that have not filled yet */
    struct sigaction before[ENDING_SIGNALS]; /* what was in force */
};

/* Main thread, in prepare(). */
void prefault_begin(struct prefault *prefault, unsigned workers);
/* Each worker, at the end of its begin(); the last one puts all back. */
void prefault_done(struct prefault *prefault);

#endif
