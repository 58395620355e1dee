#include "service.h"

#include "visible.h"

#include "common/memory.h"
#include "common/numbers.h"

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

/* ", started 6 times"; nothing where it is not known, or none where there may be none. */
static char *times_text(const char *what, double times, bool always)
{
    if (isnan(times) || (times == 0 && !always))
        return must(strdup(""));
    return text_of(", %s %.0f time%s", what, times, times == 1 ? "" : "s");
}

/* " (0.72 CPUs, 3.1 % of the time waiting for one)" */
static char *busy_text(const struct value *service)
{
    const double cpus = view_number(view_get(service, "cpus"), NAN),
                 stalls = view_number(view_get(service, "cpu_stall_share"), NAN);
    char number[NUMBER_SIZE], share[NUMBER_SIZE];
    if (isnan(cpus))
        return must(strdup(""));
    number_fixed(cpus, 2, number);
    return isnan(stalls) ? text_of(" (%s CPUs)", number)
                         : text_of(" (%s CPUs, %s of the time waiting for one)", number,
                                   number_percent(stalls, share));
}

/* "service, mem-50: CPU time 183 ms a run (0.72 CPUs), memory 12.0 MiB, started 6 times" */
static char *condition_line(const struct value *condition)
{
    const struct value *service = view_get(condition, "service");
    char cpu[NUMBER_SIZE], memory[NUMBER_SIZE], *name = view_string(view_get(condition, "name"));
    char *busy = busy_text(service),
         *started = times_text("started", view_number(view_get(service, "starts"), NAN), true),
         *died = times_text("died", view_number(view_get(service, "died"), 0), false);
    char *text =
        text_of("service, %s: CPU time %s a run%s, memory %s%s%s", name == NULL ? "?" : name,
                number_scaled(view_number(view_get(service, "cpu_s"), NAN), "s", cpu), busy,
                number_scaled(view_number(view_get(service, "memory_bytes"), NAN), "B", memory),
                started, died);
    char *texts[] = {name, busy, started, died};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return text;
}

/* Takes text. */
static void put_line(struct line *json, const char *who, char *text)
{
    char *line = text_of("%s%s%s", who == NULL ? "" : who, who == NULL ? "" : ": ", text);
    visible_put(json, NULL, line);
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
