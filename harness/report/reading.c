#include "reading.h"

#include "common/memory.h"
#include "common/schemas.h"

#include <stdlib.h>
#include <unistd.h>

/* * is any text, ? any character; nothing else is special. */
bool pattern_fits(const char *pattern, const char *text)
{
    for (; *pattern != '\0'; pattern++, text++) {
        if (*pattern == '*') {
            while (*pattern == '*')
                pattern++;
            for (;; text++) {
                if (pattern_fits(pattern, text))
                    return true;
                if (*text == '\0')
                    return false;
            }
        }
        if (*text == '\0' || (*pattern != '?' && *pattern != *text))
            return false;
    }
    return *text == '\0';
}

bool name_wanted(const struct wanted *wanted, const char *name)
{
    return wanted->only == NULL || pattern_fits(wanted->only, name);
}

bool cell_wanted(const struct wanted *wanted, const struct cell *cell)
{
    return name_wanted(wanted, cell->name) ||
           (cell->sessions != NULL && name_wanted(wanted, cell->sessions));
}

void experiment_read(struct experiment *experiment, const struct folder *folder, size_t number,
                     const struct wanted *wanted, const struct run_options *options,
                     struct problems *problems)
{
    *experiment = (struct experiment){.name = folder->name, .family = wanted->family};
    char *derived =
        text_of("%s/%zu/result.json", wanted->derived == NULL ? "/" : wanted->derived, number);
    char *path[] = {
        text_of("%s/status.json", folder->path), text_of("%s/experiment.json", folder->path),
        text_of("%s/result.json", folder->path), text_of("%s/runs.jsonl", folder->path)};
    const bool has_derived = wanted->derived != NULL && access(derived, R_OK) == 0;
    document_read(&experiment->status, path[0], SCHEMA_STATUS, folder->name, problems);
    document_read(&experiment->record, path[1], SCHEMA_EXPERIMENT, folder->name, problems);
    document_read(&experiment->result, has_derived ? derived : path[2], SCHEMA_RESULT, folder->name,
                  problems);
    experiment->metrics =
        metric_list(experiment->result.top, view_get(experiment->record.top, "settings"));
    if (options != NULL) {
        struct run_options with_metrics = *options;
        with_metrics.metrics = &experiment->metrics;
        runs_read(&experiment->runs, path[3], view_get(experiment->record.top, "settings"),
                  view_get(experiment->result.top, "washout"), &with_metrics, folder->name,
                  problems);
    }
    experiment_settle(experiment);
    for (size_t i = 0; i < 4; i++)
        free(path[i]);
    free(derived);
}
