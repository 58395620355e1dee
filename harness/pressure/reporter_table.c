#include "harness/pressure/reporter_table.h"

#include "common/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MS 1000000

const struct reporter_row reporters[REPORTERS] = {
    [REPORTER_GAP] = {.name = "gap",
                      .unit = "s/s",
                      .what = "wall time of a spin for each second of its CPU time",
                      .witness = KIND_CPU,
                      .window_ns = 5 * MS},
    [REPORTER_L2] = {.name = "l2",
                     .unit = "ns",
                     .what = "a dependent load in half of the L2",
                     .witness = KINDS,
                     .window_ns = 2 * MS},
    [REPORTER_MEMORY] = {.name = "memory",
                         .unit = "ns",
                         .what = "a dependent load in memory",
                         .witness = KINDS,
                         .window_ns = 3 * MS},
    [REPORTER_FAULTS] = {.name = "faults",
                         .unit = "ns",
                         .what = "the first touch of a page, mapped and unmapped",
                         .witness = KIND_ALLOC,
                         .window_ns = 2 * MS},
};

enum reporter reporter_find(const char *name)
{
    enum reporter reporter = 0;
    while (reporter < REPORTERS && strcmp(reporters[reporter].name, name) != 0)
        reporter++;
    return reporter;
}

static bool unknown(const char *name)
{
    const char *names[REPORTERS + 1] = {NULL};
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        names[reporter] = reporters[reporter].name;
    const char *near = nearest_name(name, names);
    return complain("--reporters %s: there is no such reporter%s%s%s: see probe sample --help",
                    name, near == NULL ? "" : " (did you mean ", near == NULL ? "" : near,
                    near == NULL ? "" : "?)");
}

bool reporters_choose(const char *list, bool wanted[REPORTERS])
{
    char text[512], *rest = text;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        wanted[reporter] = list == NULL;
    if (list == NULL)
        return true;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        return complain("--reporters: too long: name each reporter once");
    for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
        const enum reporter reporter = reporter_find(name);
        if (reporter == REPORTERS)
            return unknown(name);
        wanted[reporter] = true;
    }
    return true;
}

double reporter_log_ratio(enum reporter reporter, double value, double reference)
{
    const double ratio = log(value / reference);
    return reporters[reporter].higher_is_better ? -ratio : ratio;
}

const char *reporter_metric(enum reporter reporter, char *text, size_t size)
{
    const struct reporter_row *row = &reporters[reporter];
    snprintf(text, size,
             "%s=stdout:/\"name\":\"%s\",[^}]*\"value\":([0-9.e+-]+)/,unit=%s,better=%s", row->name,
             row->name, row->unit, row->higher_is_better ? "higher" : "lower");
    return text;
}
