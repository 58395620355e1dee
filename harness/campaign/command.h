#ifndef CAMPAIGN_COMMAND_H
#define CAMPAIGN_COMMAND_H

/* The commands of the program, and their options: one table for all, as they choose
 * among the same cells of the same folders. */

#include "common/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct command_options {
    const char *file, *instances, *workloads; /* of expand */
    struct option_list set;
    const char *only, *cells; /* which cells */
    bool retry_failed;
    const char *conf, *plan, *take; /* files to read or write */
    const char *probes, *queue, *fates, *output;
    const char *scratch, *stderr_path; /* of run */
    bool shared, quiet;
    uint64_t session;                   /* which cells, too; 0: not given */
    uint64_t nodes, cells_per_task;     /* of tasks; 0: not given */
    bool names, actions, lost, compact; /* what to print */
    int prefer;                         /* of merge */
};

/* Each takes its operands, and returns the exit status. */
int command_expand(const struct command_options *options, char **operands, int count);
int command_describe(const struct command_options *options, char **operands, int count);
int command_plan(const struct command_options *options, char **operands, int count);
int command_tasks(const struct command_options *options, char **operands, int count);
int command_probes(const struct command_options *options, char **operands, int count);
int command_calibrations(const struct command_options *options, char **operands, int count);
int command_keep(const struct command_options *options, char **operands, int count);

// Writes a plan to a file. False with errno.
bool campaign_plan_write(const json_t *plan, const char *path);

#endif
