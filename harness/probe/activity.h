#ifndef PROBE_ACTIVITY_H
#define PROBE_ACTIVITY_H

/* How much others do in this machine over a time: what the kernel has counted, less what this
 * process has done itself. Others are all but this process, whoever started them. Under
 * JOSTLE_KERNEL_ROOT where that is set.
 *
 *     struct activity_meter meter;
 *     double value[ACTIVITIES];
 *     activity_open(&meter, NULL, set);
 *     reporters_sample(set, 1000000000);
 *     activity_read(&meter, value);        since it was opened, or read before */

#include "harness/pressure/activity_table.h"
#include "harness/probe/reporters.h"

#include "common/device.h"
#include "common/json.h"

/* So far, since any moment; NAN: not shown. */
struct activity_counts {
    double time_s;
    unsigned cpus; /* online */
    double all[ACTIVITIES], own[ACTIVITIES];
};

struct activity_meter {
    struct device disk;
    const struct reporter_set *set;
    struct activity_counts since;
};

/* directory: on the disk that is meant (NULL: $TMPDIR, else /var/tmp). set: what this process does
 * at 127.0.0.1 is that of its reporters; it has to live as long. */
void activity_open(struct activity_meter *meter, const char *directory,
                   const struct reporter_set *set);
/* By enum activity, in its unit, for each second since the last reading; NAN: this kernel does not
 * show it, or CPUs came or went meanwhile. */
void activity_read(struct activity_meter *meter, double value[ACTIVITIES]);

/* The member `activity` of a sample: an array with each of them, `least` where it is less. */
void activity_print(struct line *line, const double value[ACTIVITIES]);

#endif
