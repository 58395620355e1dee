// Peaks that the user states with --peak.

#include "facts.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

// What can be stated: of a part, its rate in bytes a second, its operations a second, or its least
// latency in nanoseconds.
static const struct stated {
    const char *name;
    enum { STATED_BYTES, STATED_OPERATIONS, STATED_TIME } of;
} stated_peaks[] = {{"memory", STATED_BYTES},         {"disk", STATED_BYTES},
                    {"network", STATED_BYTES},        {"disk-iops", STATED_OPERATIONS},
                    {"memory-latency", STATED_TIME},  {"disk-latency", STATED_TIME},
                    {"network-latency", STATED_TIME}, {0}};

static bool stated_value(const struct stated *stated, const char *text, double *value)
{
    struct rate rate;
    int64_t time_ns;
    if (stated->of == STATED_TIME) {
        *value = units_time(text, &time_ns) == 0 ? (double)time_ns : 0;
        return *value > 0;
    }
    if (units_rate(text, &rate) != 0)
        return false;
    *value = rate.value;
    return rate.value > 0 && rate.kind == (stated->of == STATED_BYTES ? RATE_BYTES : RATE_OPS);
}

// NAME=VALUE:SOURCE with the value in the unit of that peak. NULL: it is not one. The source.
static const char *peak_split(const struct stated *stated, const char *text, double *value)
{
    const size_t length = strlen(stated->name);
    const char *colon = strchr(text, ':');
    if (strncmp(text, stated->name, length) != 0 || text[length] != '=' || !colon ||
        colon[1] == '\0')
        return NULL;
    OWNED char *figure = must(strndup(text + length + 1, (size_t)(colon - text) - length - 1));
    return stated_value(stated, figure, value) ? colon + 1 : NULL;
}

double peak_stated(const struct bench_request *request, const char *name, char *text, size_t size)
{
    const struct stated *stated = stated_peaks;
    double peak = NAN, value;
    while (strcmp(stated->name, name) != 0)
        stated++;
    for (size_t i = 0; i < request->peaks.count; i++) {
        const char *source = peak_split(stated, request->peaks.item[i], &value);
        if (!source)
            continue;
        peak = value;
        snprintf(text, size, "stated: %s", source);
    }
    return peak;
}

void facts_put_stated(json_t *variables, const char *name, const struct bench_request *request,
                      const char *peak)
{
    char source[256];
    OWNED char *source_name = text_of("%s_source", name);
    const double value = peak_stated(request, peak, source, sizeof source);
    if (isnan(value))
        return;
    facts_put(variables, name, value);
    facts_put_text(variables, source_name, source);
}

bool peak_check(const char *text, char *error, size_t size)
{
    double value;
    for (const struct stated *stated = stated_peaks; stated->name != NULL; stated++)
        if (peak_split(stated, text, &value))
            return true;
    snprintf(error, size,
             "not a peak: give one such as memory=68.3GB/s:data-sheet, "
             "disk-iops=90kiops:data-sheet or memory-latency=80ns:data-sheet");
    return false;
}
