// How long a bench takes, and what --quick leaves for each cell.

#include "bench.h"

#include "common/record_json.h"
#include "harness/stats/json.h"

#include <math.h>

// Seconds in which --quick ends, start and table included.
enum { QUICK_S = 300 };

// A cell's own processes start and end in about so long (jostle slowdown with two runs of
// `true`: 0.4 s), and so much is kept for what no forecast knows.
static const double cell_start_s = 0.5, spare_s = 25;

// Variants that run in each block of the cell; with a load each runs alone, too.
static size_t conditions_of(const json_t *cell)
{
    size_t count = 1;
    JSON_EACH (peer, json_object_get(cell, "peers"))
        count += !json_has(peer, "reason");
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

// Two blocks, on a machine that is twice as slow as it should be: less is no figure.
static double fewest_s(const json_t *cell)
{
    return json_number_at(cell, "setup_s") +
           4 * (double)conditions_of(cell) * json_number_at(cell, "run_s");
}

void forecast_sum(json_t *plan)
{
    double least_s = 0, most_s = 0;
    json_int_t cells = 0;
    JSON_EACH (part, json_object_get(plan, "parts")) {
        JSON_EACH (cell, json_object_get(part, "cells")) {
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

// Sets what each cell takes, with --quick also what it may take at most (`stretch` above 0).
static void forecast_cells(json_t *plan, double stretch, double spare_each_s)
{
    const json_t *settings = json_object_get(plan, "settings");
    JSON_EACH (part, json_object_get(plan, "parts")) {
        JSON_EACH (cell, json_object_get(part, "cells")) {
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
        }
    }
    forecast_sum(plan);
}

void forecast_set(json_t *plan)
{
    const json_t *settings = json_object_get(plan, "settings");
    forecast_cells(plan, 0, 0);
    const double least_s = json_number_at(plan, "least_s"), cells = json_number_at(plan, "cells"),
                 room_s = QUICK_S - spare_s - json_number_at(settings, "series_s"),
                 left_s = room_s - least_s;
    if (json_is_true(json_object_get(settings, "quick")) && cells > 0 &&
        !json_has(settings, "max_time"))
        forecast_cells(plan, left_s > 0 ? 1 : room_s / least_s, left_s > 0 ? left_s / cells : 0);
}
