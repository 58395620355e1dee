#ifndef BLAME_SCAN_H
#define BLAME_SCAN_H

/* A look at all processes: who used the CPUs and the disks since the one before. What has ended
 * meanwhile is known from what its parent was told when it waited for it. */

#include "harness/blame/victim.h"
#include "harness/blame/who.h"

struct scan {
    struct processes now;
    struct whos whos;
    struct victim *victim;
    double last_s; /* CLOCK_MONOTONIC */
    bool ended;    /* the victim's root has ended */
};

void scan_take(struct scan *scan);
void scan_free(struct scan *scan);

#endif
