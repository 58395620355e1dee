/* The cells to measure, grouped into the tasks of a job array. */
#include "tasks.h"

#include "plan.h"
#include "sessions.h"

#include <math.h>

/* A task takes about so long: starting it then costs little, and so does losing it
 * with its node. */
enum { CELL_S = 60 /* of whose time nothing is known */, TASK_S = 600, TASK_LEAST_S = 20 };
enum { TASKS_PER_NODE = 4 }; /* so that every node is busy to the end */

static double seconds_of(const json_t *cell)
{
    return number_of(json_object_get(cell, "estimate_s"), "high", CELL_S);
}

double tasks_seconds(const json_t *cells, uint64_t nodes)
{
    double total_s = 0;
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        if (json_is_true(json_object_get(cell, "todo")))
            total_s += seconds_of(cell);
    }
    return fmin(fmax(total_s / ((double)nodes * TASKS_PER_NODE), TASK_LEAST_S), TASK_S);
}

/* The task that is being filled, and the run of numbers that its line ends with. */
struct task {
    uint64_t cells;
    double seconds;
    long first, last;
    unsigned session;
};

static void add_cell(struct task *task, long number, FILE *stream)
{
    if (task->cells > 0 && number == task->last + 1) {
        task->last = number;
        return;
    }
    if (task->cells > 0 && task->last > task->first)
        fprintf(stream, "-%ld", task->last);
    fprintf(stream, "%s%ld", task->cells > 0 ? "," : "", number);
    task->first = task->last = number;
}

static void end_task(struct task *task, struct tasks *tasks, FILE *stream)
{
    if (task->last > task->first)
        fprintf(stream, "-%ld", task->last);
    fputc('\n', stream);
    tasks->tasks++;
    *task = (struct task){0};
}

struct tasks tasks_print(const json_t *cells, const struct task_size *size, FILE *stream)
{
    struct tasks tasks = {0};
    struct task task = {0};
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        const double seconds = seconds_of(cell);
        if (!json_is_true(json_object_get(cell, "todo")))
            continue;
        /* Another session may be on another node, at another time. */
        if (task.cells > 0 && session_of(cell) != task.session)
            end_task(&task, &tasks, stream);
        if (task.cells > 0 &&
            (size->cells > 0 ? task.cells >= size->cells : task.seconds + seconds > size->seconds))
            end_task(&task, &tasks, stream);
        add_cell(&task, (long)number_of(cell, "number", 0), stream);
        task.session = session_of(cell);
        task.cells++;
        task.seconds += seconds;
        tasks.cells++;
    }
    if (task.cells > 0)
        end_task(&task, &tasks, stream);
    return tasks;
}
