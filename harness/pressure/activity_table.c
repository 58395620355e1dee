#include "activity_table.h"

#include <stdio.h>
#include <string.h>

const struct activity_row activities[ACTIVITIES] = {
    [ACTIVITY_CPU] = {.name = "others_cpu",
                      .unit = "CPUs",
                      .what = "CPU time that others use",
                      .least = 1e-3,
                      .machine = true},
    [ACTIVITY_FAULTS] = {.name = "others_faults",
                         .unit = "faults/s",
                         .what = "page faults of others",
                         .least = 1,
                         .machine = true},
    [ACTIVITY_DISK] = {.name = "others_disk",
                       .unit = "B/s",
                       .what = "what others move to and from the disk",
                       .least = 1},
    [ACTIVITY_PACKETS] = {.name = "others_packets",
                          .unit = "packets/s",
                          .what = "what others send and receive over loopback and the links",
                          .least = 1},
};

bool activity_holds(enum activity activity, const char *place)
{
    return !activities[activity].machine || strcmp(place, "machine") == 0;
}

const char *activity_metric(enum activity activity, char *text, size_t size)
{
    const struct activity_row *row = &activities[activity];
    snprintf(text, size,
             "%s=stdout:/\"name\":\"%s\",[^}]*\"value\":([0-9.e+-]+)/,unit=%s,better=lower",
             row->name, row->name, row->unit);
    return text;
}
