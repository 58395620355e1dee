#include "service.h"

#include "memory.h"
#include "numbers.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text_or_words(const struct value *value)
{
    return view_is(value, VIEW_ARRAY) ? command_text(value) : view_string(value);
}

static char *head_line(const struct experiment *experiment)
{
    const struct value *settings = experiment->settings;
    char *command = text_or_words(view_get(settings, "service")),
         *ready = text_or_words(view_get(settings, "ready"));
    char *text =
        text_of("service: %s%s%s%s", command == NULL ? "?" : command,
                ready == NULL ? "" : ", ready by ", ready == NULL ? "" : ready,
                view_true(view_get(settings, "keep_service")) ? ", kept for all blocks"
                                                              : ", a new one for each block");
    free(command);
    free(ready);
    return text;
}

/* "service, mem-50: CPU time 183 ms a run, memory 12.0 MiB, started 6 times" */
static char *condition_line(const struct value *condition)
{
    const struct value *service = view_get(condition, "service");
    const double starts = view_number(view_get(service, "starts"), NAN),
                 died = view_number(view_get(service, "died"), 0);
    char cpu[NUMBER_SIZE], memory[NUMBER_SIZE], *name = view_string(view_get(condition, "name"));
    char *started = isnan(starts)
                        ? must(strdup(""))
                        : text_of(", started %.0f time%s", starts, starts == 1 ? "" : "s");
    char *dead =
        died > 0 ? text_of(", died %.0f time%s", died, died == 1 ? "" : "s") : must(strdup(""));
    char *text =
        text_of("service, %s: CPU time %s a run, memory %s%s%s", name == NULL ? "?" : name,
                number_scaled(view_number(view_get(service, "cpu_s"), NAN), "s", cpu),
                number_scaled(view_number(view_get(service, "memory_bytes"), NAN), "B", memory),
                started, dead);
    free(name);
    free(started);
    free(dead);
    return text;
}

/* Takes text. */
static void put_line(struct line *json, const char *who, char *text)
{
    char *line = text_of("%s%s%s", who == NULL ? "" : who, who == NULL ? "" : ": ", text);
    row_visible(json, NULL, line);
    free(line);
    free(text);
}

void service_put_lines(struct line *json, const struct experiment *experiment, const char *who)
{
    const struct value *service = view_get(experiment->settings, "service");
    if (!view_is(service, VIEW_STRING) && !view_is(service, VIEW_ARRAY))
        return;
    put_line(json, who, head_line(experiment));
    for (const struct value *item = view_first(experiment->conditions); item != NULL;
         item = view_next(experiment->conditions, item))
        if (view_is(view_get(item, "service"), VIEW_OBJECT))
            put_line(json, who, condition_line(item));
}
