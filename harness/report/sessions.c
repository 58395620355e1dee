#include "sessions.h"

#include "sessions_result.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sessions of one cell have the same metrics. */
static void append_values(struct runs *to, const struct runs *from, size_t run)
{
    for (size_t i = 0; i < to->metric_count; i++) {
        to->value = grown(to->value, to->value_count, &to->value_allocated, sizeof *to->value);
        to->value[to->value_count++] = from->metric_count == to->metric_count
                                           ? from->value[run * from->metric_count + i]
                                           : NAN;
    }
}

/* Appends the runs of the next session, which come after those before. */
static void append_runs(struct runs *to, const struct runs *from)
{
    uint32_t last = 0;
    for (size_t i = 0; i < to->count; i++)
        last = to->item[i].order > last ? to->item[i].order : last;
    for (size_t i = 0; i < from->count; i++) {
        struct run_record run = from->item[i];
        const size_t condition = runs_condition(to, from->condition[run.condition]);
        if (condition == SIZE_MAX)
            continue;
        run.condition = (uint32_t)condition;
        run.order += last;
        to->item = grown(to->item, to->count, &to->allocated, sizeof *to->item);
        to->item[to->count++] = run;
        append_values(to, from, i);
    }
    to->measured += from->measured;
}

/* That of all of them is that of the first which is not done. */
static const char *state_of(const struct experiment *part, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (part[i].state == NULL || strcmp(part[i].state, "done") != 0)
            return part[i].state;
    return "done";
}

static void take_over(struct experiment *all, struct experiment *part, const struct group *group)
{
    all->result.text = sessions_result(part, group);
    all->result.top = must((void *)(uintptr_t)view_parse(&all->result.view, all->result.text,
                                                         strlen(all->result.text)));
    all->record = part[0].record;
    all->runs = part[0].runs;
    part[0].record = (struct document){0};
    part[0].runs = (struct runs){0};
    for (size_t i = 1; i < group->count; i++)
        append_runs(&all->runs, &part[i].runs);
    all->sessions = (unsigned)group->count;
    all->metrics = metric_list(all->result.top, view_get(all->record.top, "settings"));
    experiment_settle(all);
    all->state = state_of(part, group->count);
}

void sessions_read(struct experiment *all, const struct group *group, const struct folders *folders,
                   const struct wanted *wanted, const struct run_options *options)
{
    struct experiment *part = must(calloc(group->count, sizeof *part));
    struct problems ignored = {0}; /* who reads them one by one names them */
    for (size_t i = 0; i < group->count; i++)
        experiment_read(&part[i], &folders->item[group->place[i].folder],
                        group->place[i].folder + 1, wanted, options, &ignored);
    *all = (struct experiment){.name = group->name, .family = wanted->family};
    take_over(all, part, group);
    for (size_t i = 0; i < group->count; i++)
        experiment_free(&part[i]);
    free(part);
    problems_free(&ignored);
}

char *sessions_text(const struct value *slowdown)
{
    enum { FEW = 4 };
    const struct value *sessions = view_get(slowdown, "sessions"),
                       *ratios = view_get(sessions, "ratios");
    char ratio[NUMBER_SIZE], between[NUMBER_SIZE], within[NUMBER_SIZE], *text = NULL;
    size_t count = 0;
    if (sessions == NULL)
        return NULL;
    for (const struct value *item = view_first(ratios); item != NULL;
         item = view_next(ratios, item)) {
        char *more = text_of("%s%s%s", text == NULL ? "" : text, count++ == 0 ? "" : ", ",
                             number_fixed(view_number(item, NAN), 3, ratio));
        free(text);
        text = more;
    }
    char *spread =
        isnan(view_number(view_get(sessions, "between"), NAN))
            ? must(strdup(""))
            : text_of("; standard deviation %s between sessions, %s from pair to pair "
                      "within one",
                      number_percent(view_number(view_get(sessions, "between"), NAN), between),
                      number_percent(view_number(view_get(sessions, "within"), NAN), within));
    char *all = text_of("%zu sessions: %s%s%s", count, text == NULL ? "-" : text, spread,
                        count < FEW ? "; so few make a wide interval: 5 narrow it" : "");
    free(spread);
    free(text);
    return all;
}
