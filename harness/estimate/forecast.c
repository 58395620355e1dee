#include "forecast.h"

#include "decide.h"
#include "location.h"

#include <math.h>

enum { BLOCKS_NEEDED = 3 };

// The smallest n with error(now) * (t_n / sqrt n) / (t_now / sqrt now) <= asked.
static size_t blocks_for(struct session *session, size_t now, double error)
{
    const struct settings *settings = session->settings;
    size_t low = now, high = settings->max_runs;
    bool sequential = settings_is_sequential(settings);
    double unit = error / critical_t(&session->critical, (double)now - 1) * sqrt((double)now) /
                  location_widening(now, sequential);
    while (low < high) {
        size_t n = low + (high - low) / 2;
        double t = critical_t(&session->critical, (double)n - 1) * location_widening(n, sequential);
        if (unit * t / sqrt((double)n) <= settings->error)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

long forecast_runs(struct session *session, double worst_error)
{
    const struct settings *settings = session->settings;
    size_t now = decide_blocks(session), width = settings->condition_count;
    if (now < BLOCKS_NEEDED)
        return -1;
    size_t blocks = isfinite(worst_error) && settings->at_most <= 0
                        ? blocks_for(session, now, worst_error)
                        : settings->max_runs;
    if (blocks < settings->min_runs)
        blocks = settings->min_runs;
    if (blocks <= now && session->count % width == 0)
        blocks = now + 1;
    size_t total = (blocks + settings->discard_warmup) * width;
    return total > session->count ? (long)(total - session->count) : 0;
}
