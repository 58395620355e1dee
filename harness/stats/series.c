#include "series.h"

#include <math.h>
#include <stdlib.h>

// Fills `value` with the deviations of all used runs. Returns how many.
static size_t deviations(const struct session *session, size_t metric, double *value)
{
    size_t count = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const struct sample *sample = &session->conditions[run->condition].metric[metric];
        double variance = sample_variance(sample);
        if (session_uses(session, run) && !isnan(run->value[metric]) && variance > 0)
            value[count++] = (run->value[metric] - sample->mean) / sqrt(variance);
    }
    return count;
}

struct dependence series_dependence(const struct session *session, size_t metric)
{
    if (session->settings->condition_count == 1) {
        const struct sample *sample = &session->conditions[0].metric[metric];
        return dependence_see(sample->value, sample->count, sample->mean, sample->squares, 1);
    }
    double *value = malloc((session->count + 1) * sizeof *value), squares = 0;
    size_t count = value ? deviations(session, metric, value) : 0;
    for (size_t i = 0; i < count; i++)
        squares += value[i] * value[i];
    struct dependence seen =
        dependence_see(value, count, 0, squares, session->settings->condition_count);
    free(value);
    return seen;
}
