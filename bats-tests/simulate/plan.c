#include "plan.h"

#include <math.h>
#include <string.h>

const struct setting settings_of_plan[SETTINGS] = {
    [SETTING_DEFAULT] = {"default", 0, DEFAULT_MIN_RUNS, DEFAULT_MAX_RUNS},
    [SETTING_3_10] = {"3-10", 0, 3, 10},
    [SETTING_5_15] = {"5-15", 0, 5, 15},
    [SETTING_25] = {"n*=25", 25, DEFAULT_MIN_RUNS, 400},
    [SETTING_80] = {"n*=80", 80, DEFAULT_MIN_RUNS, 400},
};

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

struct cell plan_cell(const struct plan *plan, const struct population *population,
                      const struct setting *setting, double ratio)
{
    struct cell cell = {.population = population,
                        .ratio = ratio,
                        .truth = ratio > 0 ? ratio : NAN,
                        .narrow = plan->narrow};
    struct settings *settings = &cell.settings;
    settings_begin(settings);
    settings->conditions[0] = first_name;
    settings->conditions[1] = second_name;
    settings->condition_count = ratio > 0 ? 2 : 1;
    metrics_choose(&settings->metrics, WALL_S);
    settings->confidence = 0.95;
    settings->min_runs = setting->min_runs;
    settings->max_runs = setting->max_runs;
    settings->error =
        setting->oracle > 0 ? 1.959964 * cell_cv(&cell) / sqrt(setting->oracle) : DEFAULT_ERROR;
    return cell;
}

struct cell plan_median(const struct plan *plan, const struct population *population,
                        const struct setting *setting, double ratio)
{
    struct cell cell = plan_cell(plan, population, setting, ratio);
    cell.settings.statistic = STATISTIC_MEDIAN;
    if (!(ratio > 0))
        cell.truth = population_median(population, population->quiet);
    else if (population->quiet)
        cell.truth =
            ratio * population_median(population, true) / population_median(population, false);
    return cell;
}
