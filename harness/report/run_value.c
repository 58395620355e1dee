#include "run_value.h"

#include "common/memory.h"
#include "common/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number at a path such as "counters.cycles"; NAN. */
static double number_at(const struct value *object, const char *path)
{
    char *names = must(strdup(path)), *rest = names;
    for (char *name = strsep(&rest, "."); name != NULL; name = strsep(&rest, "."))
        object = view_get(object, name);
    free(names);
    return view_number(object, NAN);
}

double run_value(const struct value *run, const char *metric)
{
    const struct builtin_metric *known = builtin_metric(metric);
    double sum = 0;
    if (known == NULL)
        return view_real(view_path(run, "metrics", metric), "value");
    for (size_t i = 0; i < METRIC_MEMBERS && known->member[i] != NULL; i++)
        sum += number_at(run, known->member[i]);
    return sum * known->scale;
}
