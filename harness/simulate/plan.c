#include "plan.h"

#include <math.h>
#include <string.h>

enum { TIGHT_MAX_RUNS = 400 };

static char first_name[] = "baseline", second_name[] = "load";

bool plan_wants(const char *list, const char *name)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        if (length > 0 && strncmp(list, name, length) == 0)
            return true;
        list += length + (list[length] == ',' ? 1 : 0);
    }
    return !list;
}

struct cell plan_cell(const struct plan *plan, const struct population *population, double oracle,
                      double ratio)
{
    struct cell cell = {.population = population, .ratio = ratio, .narrow = plan->narrow};
    struct settings *settings = &cell.settings;
    settings->conditions[0] = first_name;
    settings->conditions[1] = second_name;
    settings->condition_count = ratio > 0 ? 2 : 1;
    settings->metric[WALL_S] = true;
    settings->confidence = 0.95;
    settings->error = 0.05;
    settings->min_runs = DEFAULT_MIN_RUNS;
    settings->max_runs = DEFAULT_MAX_RUNS;
    if (oracle > 0) {
        settings->error = 1.959964 * cell_cv(&cell) / sqrt(oracle);
        settings->max_runs = TIGHT_MAX_RUNS;
    }
    return cell;
}
