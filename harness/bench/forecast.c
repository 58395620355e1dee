#include "forecast.h"

#include "json.h"

#include <math.h>

/* A cell's own processes start and end in about so long (jostle slowdown with two runs of
 * `true`: 0.4 s), and so much is kept for what no forecast knows. */
static const double cell_start_s = 0.5, spare_s = 25;

/* Variants that run in each block of the cell; with a load each runs alone, too. */
static size_t conditions_of(const json_t *cell)
{
    size_t count = 1, index;
    const json_t *peer;
    json_array_foreach(json_object_get(cell, "peers"), index, peer)
    {
        count += !json_has(peer, "reason");
    }
    return !json_has(cell, "load") ? count : 2 * count;
}

static double seconds_of(const json_t *cell, double runs)
{
    if (json_has(cell, "skip") || json_has(cell, "of"))
        return 0;
    if (json_has(cell, "series"))
        return cell_start_s + json_number_at(cell, "setup_s") + json_number_at(cell, "run_s");
    return cell_start_s + json_number_at(cell, "setup_s") +
           runs * (double)conditions_of(cell) * json_number_at(cell, "run_s");
}

/* Two blocks, on a machine that is twice as slow as it should be: less is no figure. */
static double fewest_s(const json_t *cell)
{
    return json_number_at(cell, "setup_s") +
           4 * (double)conditions_of(cell) * json_number_at(cell, "run_s");
}

struct sums {
    double least_s;
    size_t cells;
};

/* Adds up the cells; with room_s > 0 sets also what each may take of so much room. */
static struct sums walk(json_t *plan, double stretch, double spare_each_s)
{
    const json_t *settings = json_object_get(plan, "settings");
    struct sums sums = {0};
    json_t *part, *cell;
    size_t i, k;
    json_array_foreach(json_object_get(plan, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "cells"), k, cell)
        {
            const double least = seconds_of(cell, json_number_at(settings, "min_runs"));
            double most = seconds_of(cell, json_number_at(settings, "max_runs"));
            if (least <= 0)
                continue;
            if (stretch > 0) {
                most = fmin(most, least * stretch + spare_each_s);
                json_put(cell, "max_time_s",
                         json_number(fmax(most - cell_start_s, fewest_s(cell))));
            }
            json_put(cell, "least_s", json_number(fmin(least, most)));
            json_put(cell, "most_s", json_number(most));
            sums.least_s += fmin(least, most);
            sums.cells++;
        }
    }
    return sums;
}

void forecast_sum(json_t *plan)
{
    double least_s = 0, most_s = 0;
    json_int_t cells = 0;
    const json_t *part, *cell;
    size_t i, k;
    json_array_foreach(json_object_get(plan, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "cells"), k, cell)
        {
            if (!json_has(cell, "least_s"))
                continue;
            least_s += json_number_at(cell, "least_s");
            most_s += json_number_at(cell, "most_s");
            cells++;
        }
    }
    json_put(plan, "cells", json_integer(cells));
    json_put(plan, "least_s", json_number(least_s));
    json_put(plan, "most_s", json_number(most_s));
}

void forecast_set(json_t *plan)
{
    const json_t *settings = json_object_get(plan, "settings");
    struct sums sums = walk(plan, 0, 0);
    if (json_is_true(json_object_get(settings, "quick")) && sums.cells > 0 &&
        !json_has(settings, "max_time")) {
        const double room = QUICK_S - spare_s - json_number_at(settings, "series_s");
        const double left = room - sums.least_s;
        sums = walk(plan, left > 0 ? 1 : room / sums.least_s,
                    left > 0 ? left / (double)sums.cells : 0);
    }
    forecast_sum(plan);
}
