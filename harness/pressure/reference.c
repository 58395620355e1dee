#include "reference.h"

#include "common/kept.h"
#include "common/version.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define DAY_S 86400.0

static void begin_curves(struct invert_curves *curves)
{
    curves->reporters = SIGNS;
    curves->kinds = KINDS;
    curves->points = REFERENCE_POINTS;
    for (size_t point = 0; point < REFERENCE_POINTS; point++)
        curves->level[point] = (double)point / (REFERENCE_POINTS - 1);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t point = 0; point < REFERENCE_POINTS; point++)
            for (size_t sign = 0; sign < SIGNS; sign++)
                curves->value[kind][point][sign] = curves->variance[kind][point][sign] = NAN;
}

void reference_begin(struct reference *reference)
{
    static const char none[] = "not measured";
    *reference = (struct reference){.sample_s = NAN};
    begin_curves(&reference->curves);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        memcpy(reference->kind_reason[kind], none, sizeof none);
        for (size_t point = 0; point < REFERENCE_POINTS; point++)
            reference->achieved[kind][point] = point == 0 ? 0 : NAN;
    }
    for (enum activity a = 0; a < ACTIVITIES; a++)
        reference->activity[a] = (struct reference_activity){.value = NAN, .between = NAN};
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        struct reference_quiet *quiet = &reference->quiet[reporter];
        *quiet = (struct reference_quiet){.value = NAN,
                                          .error = NAN,
                                          .median = NAN,
                                          .spread = NAN,
                                          .correlation = NAN,
                                          .between = NAN,
                                          .freedom = NAN};
        memcpy(quiet->reason, none, sizeof none);
    }
}

bool reference_path(const char *place, char path[PATH_MAX])
{
    struct utsname names;
    char name[256];
    if (uname(&names) != 0)
        return false;
    snprintf(name, sizeof name, "probe/%s.%s.json", names.nodename, place);
    return kept_path(name, path) == 0;
}

/* Adds a reason, after "; " where there is one. */
__attribute__((format(printf, 3, 4))) static void add(char *why, size_t size, const char *format,
                                                      ...)
{
    size_t used = strlen(why);
    va_list list;
    if (used > 0 && used < size)
        used += (size_t)snprintf(why + used, size - used, "; ");
    if (used >= size)
        return;
    va_start(list, format);
    (void)vsnprintf(why + used, size - used, format, list);
    va_end(list);
}

/* Whole days since it was made; NAN: it does not say. */
static double age_days(const struct reference *reference, time_t now)
{
    struct tm made = {0};
    if (strptime(reference->made, "%Y-%m-%dT%H:%M:%S", &made) == NULL)
        return NAN;
    return floor(difftime(now, timegm(&made)) / DAY_S);
}

enum reference_fitness reference_judge(const struct reference *reference, const json_t *environment,
                                       const char *place, time_t now, char *why, size_t size)
{
    static const char again[] = "jostle probe --reference makes a new one";
    const char *kernel = json_string_value(json_object_get(environment, "kernel"));
    const double days = age_days(reference, now);
    char machine[IDENTITY_DIGITS + 1];
    *why = '\0';
    identity_of(environment, machine);
    if (strcmp(machine, reference->machine) != 0)
        add(why, size, "the reference is of another machine (%s)", reference->host);
    if (place != NULL && strcmp(place, reference->place) != 0)
        add(why, size, "the reference is of the place %s", reference->place);
    const bool unfit = *why != '\0';
    if (isnan(days))
        add(why, size, "the reference does not say when it was made");
    if (days > REFERENCE_DAYS)
        add(why, size, "the reference is %g days old", days);
    if (kernel != NULL && strcmp(kernel, reference->kernel) != 0)
        add(why, size, "the reference is of another kernel (%s)", reference->kernel);
    if (!version_comparable(reference->jostle))
        add(why, size, "the reference was made by jostle %s, and this is " JOSTLE_VERSION,
            reference->jostle);
    if (*reference->disturbed != '\0')
        add(why, size, "the reference was taken under load (%s)", reference->disturbed);
    if (*why == '\0')
        return REFERENCE_FIT;
    add(why, size, "%s", again);
    return unfit ? REFERENCE_UNFIT : REFERENCE_DOUBTFUL;
}
