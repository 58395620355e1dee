#include "elapsed.h"

#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Longer than this and ten runs: nobody measured meanwhile.
static const double pause_s = 60, pause_runs = 10;

double elapsed_time(const char *text)
{
    struct tm utc = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
    if (!rest)
        return NAN;
    char *end = (char *)rest;
    const double fraction = *rest == '.' ? strtod(rest, &end) : 0;
    return *end == 'Z' ? (double)timegm(&utc) + fraction : NAN;
}

static double start_of(const json_t *record)
{
    return elapsed_time(json_string_value(json_object_get(record, "start")));
}

static const char *host_of(const json_t *record)
{
    const char *host = json_string_value(json_object_get(record, "host"));
    return host ? host : "";
}

double elapsed_between_s(const json_t *before, const json_t *after)
{
    const double uptime = judge_number(after, "uptime_s") - judge_number(before, "uptime_s");
    const bool one_machine = strcmp(host_of(before), host_of(after)) == 0;
    return uptime >= 0 && one_machine ? uptime : start_of(after) - start_of(before);
}

double elapsed_s(const json_t *records, size_t count)
{
    if (count == 0)
        return 0;
    double sum = judge_number(json_array_get(records, count - 1), "wall_s") +
                 0 * start_of(json_array_get(records, 0));
    for (size_t i = 1; i < count; i++) {
        const json_t *before = json_array_get(records, i - 1);
        const double wall = judge_number(before, "wall_s");
        const double gap = elapsed_between_s(before, json_array_get(records, i));
        sum += gap < 0 || gap > pause_s + pause_runs * wall ? wall : gap;
    }
    return sum;
}
