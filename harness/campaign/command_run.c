/* The commands that measure, look on and merge. */
#include "command.h"
#include "drive.h"
#include "folder.h"
#include "merge.h"
#include "output.h"
#include "plan.h"
#include "states.h"
#include "status.h"

#include "common/messages.h"
#include "common/save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Makes the folder, holds it, and brings the plan into it. */
static bool open_folder(const struct command_options *options, const json_t *plan,
                        const char *folder)
{
    return folder_hold(folder, options->shared) &&
           (options->conf == NULL ||
            folder_keep_plan(folder, plan, options->conf, options->file, options->shared));
}

/* Whoever shares the folder would build while others measure. */
static bool may_prepare(const struct command_options *options, const json_t *plan)
{
    return !options->shared || json_text_at(plan, "session_prepare") == NULL ||
           complain("session-prepare cannot run while others measure cells (--cells, jostle "
                    "submit): prepare each session yourself, and take it out of the file");
}

/* Prints "ready" and how many cells are to be measured, then obeys: see drive.h. */
int command_run(const struct command_options *options, char **operands, int count)
{
    (void)count;
    if (options->scratch == NULL || options->stderr_path == NULL ||
        (options->conf != NULL && options->file == NULL))
        usage_error("campaign run needs --scratch and --stderr, and --file with --conf");
    json_t *plan = plan_read(operands[0]);
    const struct choice choice = {
        .only = options->only, .cells = options->cells, .session = options->session};
    const struct drive_settings settings = {.folder = operands[1],
                                            .scratch = options->scratch,
                                            .stderr_path = options->stderr_path,
                                            .prepare = json_text_at(plan, "session_prepare"),
                                            .file = json_text_at(plan, "file"),
                                            .quiet = options->quiet};
    json_t *chosen = plan_choose(plan, &choice);
    bool driven = may_prepare(options, plan) && open_folder(options, plan, operands[1]);
    if (driven) {
        struct states states = states_read(operands[1], chosen, options->retry_failed);
        size_t todo = 0;
        for (size_t i = 0; i < states.count; i++)
            todo += states.list[i].todo;
        printf("ready\t%zu\n", todo);
        driven = print_end() == 0 && drive(&settings, &states);
        states_free(&states);
    }
    json_decref(chosen);
    json_decref(plan);
    return driven ? 0 : 1;
}

/* Into a file, for other programs: then prints how many cells are to be measured, and how many
 * failed. */
static bool write_status(const json_t *status, const char *path)
{
    const json_t *counts = json_object_get(status, "counts");
    const double failed = number_of(counts, "failed", 0);
    char *text = json_dumps(status, (path != NULL ? JSON_COMPACT : JSON_INDENT(2)) |
                                        JSON_REAL_PRECISION(12));
    const bool written =
        text != NULL && (path == NULL ? puts(text) != EOF : save_text(path, text, SAVE_STATE));
    free(text);
    if (path != NULL)
        printf("%.0f\t%.0f\n",
               number_of(counts, "cells", 0) - number_of(counts, "done", 0) - failed, failed);
    return written || (path != NULL && complain("cannot write %s: is the disk full?", path));
}

int command_status(const struct command_options *options, char **operands, int count)
{
    const char *folder = operands[0];
    char path[PATH_MAX], jobs[PATH_MAX];
    struct queue queue;
    bool good = true;
    (void)count;
    snprintf(path, sizeof path, "%s/campaign.json", folder);
    snprintf(jobs, sizeof jobs, "%s/jobs/jobs.tsv", folder);
    json_t *plan = plan_read(path);
    queue_read(&queue, options->queue, options->fates);
    struct states states = states_read(folder, json_object_get(plan, "cells"), false);
    if (options->lost) {
        status_print_lost(&states, &queue, stdout);
    } else {
        json_t *status = status_of(plan, folder, &states, &queue, jobs, (double)time(NULL));
        good = write_status(status, options->output);
        json_decref(status);
    }
    states_free(&states);
    queue_free(&queue);
    json_decref(plan);
    return print_end() == 0 && good ? 0 : 1;
}

/* The folders of the cells, each ended by a 0. */
static bool write_taken(const struct merged *merged, const char *path)
{
    struct save save;
    bool written = save_begin(&save, path, SAVE_STATE);
    if (!written)
        return false;
    for (size_t i = 0; written && i < merged->count; i++)
        written = fwrite(merged->take[i], strlen(merged->take[i]) + 1, 1, save.file) == 1;
    return save_end(&save, written);
}

static bool write_plan(const json_t *plan, const char *path)
{
    char *text = json_dumps(plan, JSON_COMPACT);
    const bool written = text != NULL && save_text(path, text, SAVE_STATE);
    free(text);
    return written;
}

/* Prints how many cells, and how many were found again. */
int command_merge(const struct command_options *options, char **operands, int count)
{
    struct merged merged;
    if (options->take == NULL || options->plan == NULL)
        usage_error("campaign merge needs --take and --plan");
    merge(&merged, (const char *const *)operands, (size_t)count, (enum prefer)options->prefer);
    bool good = merged.conflicts == 0;
    if (!good)
        complain("%zu cell%s: say which to take with --prefer first or --prefer newest",
                 merged.conflicts, merged.conflicts == 1 ? " differs" : "s differ");
    else if (!write_taken(&merged, options->take) || !write_plan(merged.plan, options->plan))
        good = complain("cannot write %s: is the disk full?", options->plan);
    else
        printf("%zu\t%zu\n", merged.count, merged.again);
    merge_free(&merged);
    return good && print_end() == 0 ? 0 : 1;
}
