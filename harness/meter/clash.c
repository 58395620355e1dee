#include "clash.h"

#include "common/file.h"
#include "common/messages.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct named {
    const char *option;
    const char *path; // NULL: not given
};

static void refuse_same(const struct named *first, const struct named *second)
{
    if (first->path != NULL && second->path != NULL && file_is_same(first->path, second->path))
        usage_error("%s and %s are one file, %s: one would overwrite the other: give two",
                    first->option, second->option, second->path);
}

void clash_refuse(const struct settings *settings)
{
    char kept_out[PATH_MAX] = "", kept_errors[PATH_MAX] = "";
    if (settings->kept != NULL) {
        (void)snprintf(kept_out, sizeof kept_out, "%s/target.stdout", settings->kept);
        (void)snprintf(kept_errors, sizeof kept_errors, "%s/target.stderr", settings->kept);
    }
    const bool to_stdout = strcmp(settings->output, "-") == 0;
    const struct named record = {to_stdout ? "the record on stdout" : "--output",
                                 to_stdout ? "/dev/fd/1" : settings->output};
    const struct named input = {"--stdin", settings->in_path};
    const struct named written[] = {
        {"--stdout", settings->out_path},
        {"--stderr", settings->error_path},
        {"--stderr-tail", settings->errors_kept},
        {"--keep's target.stdout", settings->kept != NULL ? kept_out : NULL},
        {"--keep's target.stderr", settings->kept != NULL ? kept_errors : NULL}};
    refuse_same(&record, &input);
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        refuse_same(&record, &written[i]);
        refuse_same(&input, &written[i]);
    }
}
