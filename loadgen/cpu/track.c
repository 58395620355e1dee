#include "cpu/track.h"

#include <math.h>
#include <stdlib.h>

int track_make(struct track *track, const struct profile *profile, unsigned first, unsigned last,
               double speed)
{
    double end_ns = 0, used_ns = 0;
    *track = (struct track){.spans = profile->spans};
    track->end_ns = calloc(profile->spans, sizeof *track->end_ns);
    track->used_ns = calloc(profile->spans, sizeof *track->used_ns);
    if (track->end_ns == NULL || track->used_ns == NULL)
        return -1;
    for (size_t span = 0; span < profile->spans; span++) {
        double load = 0;
        for (unsigned core = first; core <= last; core++)
            load += profile->load[span * profile->cores + core];
        const double next_ns = profile->end_ms[span] * 1e6 / speed;
        used_ns += (next_ns - end_ns) * load / (last - first + 1);
        end_ns = next_ns;
        track->end_ns[span] = end_ns;
        track->used_ns[span] = used_ns;
    }
    return 0;
}

void track_free(struct track *track)
{
    free(track->end_ns);
    free(track->used_ns);
    *track = (struct track){0};
}

/* The first index at which the rising values reach value. */
static size_t find(const double *values, size_t count, double value)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* y at x on the line through the points (xs[i], ys[i]), beginning at (0, 0). */
static double interpolate(const double *xs, const double *ys, size_t count, double x)
{
    const size_t i = find(xs, count, x);
    const double x0 = i == 0 ? 0 : xs[i - 1], y0 = i == 0 ? 0 : ys[i - 1];
    if (xs[i] <= x0)
        return y0;
    return y0 + (ys[i] - y0) * (fmin(x, xs[i]) - x0) / (xs[i] - x0);
}

double track_demand(const struct track *track, double after_ns)
{
    const double length_ns = track->end_ns[track->spans - 1];
    const double total_ns = track->used_ns[track->spans - 1];
    const double rounds = floor(fmax(after_ns, 0) / length_ns);
    const double rest_ns = fmax(after_ns, 0) - rounds * length_ns;
    return rounds * total_ns + interpolate(track->end_ns, track->used_ns, track->spans, rest_ns);
}

double track_when(const struct track *track, double used_ns)
{
    const double length_ns = track->end_ns[track->spans - 1];
    const double total_ns = track->used_ns[track->spans - 1];
    if (total_ns <= 0)
        return INFINITY;
    const double rounds = floor(fmax(used_ns, 0) / total_ns);
    const double rest_ns = fmax(used_ns, 0) - rounds * total_ns;
    return rounds * length_ns + interpolate(track->used_ns, track->end_ns, track->spans, rest_ns);
}
