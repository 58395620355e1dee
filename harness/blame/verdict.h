#ifndef BLAME_VERDICT_H
#define BLAME_VERDICT_H

/* How much slower the victim is, because of what: from counts and samples. Pure. */

#include "harness/blame/rows.h"

enum resource {
    RESOURCE_NONE,
    RESOURCE_CPU,
    RESOURCE_OWN, /* CPUs, but behind its own threads */
    RESOURCE_QUOTA,
    RESOURCE_HYPERVISOR,
    RESOURCE_DISK,
};

struct verdict {
    enum resource resource;
    double factor, low, high; /* times as slow; of disks high alone is known, low is 1 */
    bool sampled;             /* not exact: from samples */
    bool at_least;            /* threads have ended whose last waiting is not known */
    double without_s;         /* what the time would be without it */
    /* Of the time, 0 to 1: */
    double ran, waited_others, waited_own, at_disk, quota, stolen;
    char text[512];
};

/* "cpu", as records have it. */
const char *resource_name(enum resource resource);
void verdict_make(struct verdict *verdict, const struct victim *victim,
                  const struct sampler *sampler, const struct facts *facts,
                  const struct rows *rows);
/* "5.0 s", "0.27 s", "12.3 ms"; returns text. */
const char *seconds_text(double s, char text[32]);

#endif
