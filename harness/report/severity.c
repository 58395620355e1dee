#include "severity.h"

#include "memory.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool known_problem(const char *flag)
{
    static const char *const problems[] = {"load-short",  "load-died",   "not-converged", "failed",
                                           "failed-runs", "steal",       "foreign-load",  "swap-in",
                                           "throttled",   "shared-node", "several-hosts"};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (strcmp(flag, problems[i]) == 0)
            return true;
    return false;
}

struct warning severity_warning(const struct value *record)
{
    const struct value *severity = view_get(record, "severity");
    char *message = view_string(view_get(record, "message")),
         *advice = view_string(view_get(record, "advice"));
    struct warning warning = {.record = record,
                              .flag = must(view_string(view_get(record, "flag")))};
    warning.problem =
        severity == NULL ? known_problem(warning.flag) : view_equals(severity, "problem");
    warning.text = text_of("%s%s%s", message == NULL ? "" : message, advice == NULL ? "" : ": ",
                           advice == NULL ? "" : advice);
    free(message);
    free(advice);
    return warning;
}

struct warning severity_short(const struct value *load)
{
    char achieved[NUMBER_SIZE], offered[NUMBER_SIZE];
    char *unit = view_string(view_get(load, "unit"));
    struct warning warning = {.flag = must(strdup("load-short")), .problem = true};
    warning.text = text_of("the load achieved %s of %s",
                           number_scaled(view_number(view_get(load, "achieved"), NAN), scale_rate,
                                         unit == NULL ? "" : unit, achieved),
                           number_scaled(view_number(view_get(load, "offered"), NAN), scale_rate,
                                         unit == NULL ? "" : unit, offered));
    free(unit);
    return warning;
}

bool severity_unconverged(const struct value *condition, const struct value *settings,
                          struct warning *warning)
{
    char error[NUMBER_SIZE], wanted[NUMBER_SIZE];
    if (!view_is(view_get(condition, "converged"), VIEW_FALSE))
        return false;
    char *name = view_string(view_get(condition, "name")),
         *metric = view_string(view_first(view_get(settings, "metric")));
    *warning = (struct warning){.flag = must(strdup("not-converged")), .problem = true};
    warning->text = text_of(
        "%s: the error is %s after %.0f runs, %s was wanted", name == NULL ? "-" : name,
        number_percent(
            view_number(view_get(view_get(condition, metric == NULL ? "wall_s" : metric), "error"),
                        NAN),
            error),
        view_number(view_get(condition, "runs"), 0),
        number_percent(view_number(view_get(settings, "error"), NAN), wanted));
    free(name);
    free(metric);
    return true;
}
