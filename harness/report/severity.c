#include "severity.h"

#include "memory.h"

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
