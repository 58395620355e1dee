#include "severity.h"

#include "memory.h"

#include <stdlib.h>

struct warning severity_warning(const struct value *record)
{
    const struct value *severity = view_get(record, "severity");
    char *message = view_string(view_get(record, "message")),
         *advice = view_string(view_get(record, "advice"));
    struct warning warning = {.record = record,
                              .flag = must(view_string(view_get(record, "flag")))};
    warning.problem = severity == NULL || view_equals(severity, "problem");
    warning.text = text_of("%s%s%s", message == NULL ? "" : message, advice == NULL ? "" : ": ",
                           advice == NULL ? "" : advice);
    free(message);
    free(advice);
    return warning;
}
