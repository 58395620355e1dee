#include "lists.h"

#include "memory.h"

#include "common/json.h"

#include <math.h>
#include <stddef.h>

static void put_list(struct line *json, const char *name, const struct runs *runs, size_t condition,
                     size_t offset)
{
    line_array(json, name);
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_record *run = &runs->item[i];
        if (run->used && run->condition == condition)
            line_real(json, NULL, *(const double *)(const void *)((const char *)run + offset));
    }
    line_close(json);
}

static void put_condition(struct line *json, const struct runs *runs, const char *name)
{
    const size_t condition = runs_condition(runs, name);
    line_object(json, name);
    put_list(json, "times", runs, condition, offsetof(struct run_record, wall_s));
    put_list(json, "memory_usage_byte", runs, condition,
             offsetof(struct run_record, max_rss_bytes));
    put_list(json, "exit_codes", runs, condition, offsetof(struct run_record, exit_code));
    line_close(json);
}

char *lists_of_runs(const struct cell *cell)
{
    struct line json = {0};
    line_object(&json, NULL);
    put_condition(&json, &cell->of->runs, cell->reference);
    if (cell->condition != NULL)
        put_condition(&json, &cell->of->runs, cell->condition);
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
