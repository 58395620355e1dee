// Groups the cells that are to be measured into the tasks of a job array.

#include "campaign.h"

#include "common/save.h"
#include "common/text.h"

#include <inttypes.h>
#include <math.h>

// A task takes about so long: starting it then costs little, and so does losing it
// with its node.
enum { CELL_S = 60 /* of whose time nothing is known */, TASK_S = 600, TASK_LEAST_S = 20 };
enum { TASKS_PER_NODE = 4 }; // so that every node is busy to the end

// What is printed, and the task that is being filled: the run of numbers that its line ends with.
struct tasks {
    uint64_t all_cells, all_tasks; // how many
    uint64_t cells;
    double seconds;
    long first, last;
    unsigned session;
};

static double seconds_of(const json_t *cell)
{
    return number_of(json_object_get(cell, "estimate_s"), "high", CELL_S);
}

// How long a task should take, in seconds, with so many nodes (at least 1).
static double tasks_seconds(const json_t *cells, uint64_t nodes)
{
    double total_s = 0;
    JSON_EACH (cell, cells) {
        if (json_is_true(json_object_get(cell, "todo")))
            total_s += seconds_of(cell);
    }
    return fmin(fmax(total_s / ((double)nodes * TASKS_PER_NODE), TASK_LEAST_S), TASK_S);
}

static void end_task(struct tasks *tasks, FILE *stream)
{
    if (tasks->last > tasks->first)
        fprintf(stream, "-%ld", tasks->last);
    fputc('\n', stream);
    tasks->all_tasks++;
    tasks->cells = 0;
    tasks->seconds = 0;
}

static void add_cell(struct tasks *tasks, const json_t *cell, FILE *stream)
{
    const long number = (long)number_of(cell, "number", 0);
    const bool follows = tasks->cells > 0 && number == tasks->last + 1;
    if (tasks->cells > 0 && !follows && tasks->last > tasks->first)
        fprintf(stream, "-%ld", tasks->last);
    if (!follows) {
        fprintf(stream, "%s%ld", tasks->cells > 0 ? "," : "", number);
        tasks->first = number;
    }
    tasks->last = number;
    tasks->session = session_of(cell);
    tasks->cells++;
    tasks->all_cells++;
    tasks->seconds += seconds_of(cell);
}

// Prints a line for each task, with its cells as a list such as 3-7,9; the cells (of a
// jostle.plan/1) stay in their order, and sessions apart. The caller looks at the stream's errors.
static struct tasks tasks_print(const struct campaign *campaign, const json_t *cells, FILE *stream)
{
    struct tasks tasks = {0};
    const double most_s = campaign->nodes > 0 ? tasks_seconds(cells, campaign->nodes) : 0;
    JSON_EACH (cell, cells) {
        if (!json_is_true(json_object_get(cell, "todo")))
            continue;
        const bool full = campaign->cells_per_task > 0 ? tasks.cells >= campaign->cells_per_task
                                                       : tasks.seconds + seconds_of(cell) > most_s;
        // Another session may be on another node, at another time.
        if (tasks.cells > 0 && (full || session_of(cell) != tasks.session))
            end_task(&tasks, stream);
        add_cell(&tasks, cell, stream);
    }
    if (tasks.cells > 0)
        end_task(&tasks, stream);
    return tasks;
}

// Prints CELLS<TAB>TASKS: how many there are.
int command_tasks(struct campaign *campaign)
{
    bool failed = false;
    if (!campaign->output || (campaign->nodes == 0) == (campaign->cells_per_task == 0))
        usage_error("campaign tasks needs --output, and --nodes or --cells-per-task");
    json_auto_t *plan = remaining_of(campaign, &failed);
    struct save save;
    struct tasks tasks = {0};
    const bool begun = save_begin(&save, campaign->output, SAVE_STATE);
    if (begun)
        tasks = tasks_print(campaign, json_object_get(plan, "cells"), save.file);
    if ((!begun || !save_end(&save, true)) && !save_complain(campaign->output))
        return 1;
    printf("%" PRIu64 "\t%" PRIu64 "\n", tasks.all_cells, tasks.all_tasks);
    return print_end();
}
