#include "protect.h"

#include "common/machine.h"
#include "common/machine_json.h"
#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET "target:"

/* All that was found to try. */
struct tries {
    struct experiment *experiment;
    struct option_list texts; /* SETTINGS as in brackets before a load */
};

static void add(struct arena *arena, struct option_list *list, const char *text)
{
    const char **larger = arena_take(arena, (list->count + 1) * sizeof *larger);
    if (list->count > 0)
        memcpy(larger, list->item, list->count * sizeof *larger);
    larger[list->count++] = text;
    list->item = larger;
}

/* Adds it where this machine lets us set it; else it is among what was left out, with the reason.
 */
static void consider(struct tries *tries, const char *text)
{
    struct experiment *experiment = tries->experiment;
    struct adjustment adjustment;
    char error[SETTING_ERROR];
    (void)adjustment_read(&adjustment, &experiment->arena, text,
                          arena_format(&experiment->arena, "[%s]", text),
                          &experiment->settings.setting);
    if (adjustment_is_possible(&adjustment, error, sizeof error)) {
        add(&experiment->arena, &tries->texts, text);
        return;
    }
    json_array_append_new(experiment->left_out,
                          json_pack("{s:s, s:o}", "setting", text, "why", text_to_json(error)));
}

/* Whether a load is one of a disk's. */
static bool any_disk(const struct option_list *loads)
{
    bool any = false;
    for (size_t i = 0; i < loads->count; i++)
        any =
            any || strstr(loads->item[i], "io ") != NULL || strstr(loads->item[i], "exec:") != NULL;
    return any;
}

static void part_text(const struct cpu_list *all, size_t first, size_t count, char *text,
                      size_t size)
{
    struct cpu_list part = {0};
    for (size_t i = first; i < first + count; i++)
        cpus_add(&part, all->cpu[i]);
    (void)cpus_format(&part, text, size);
}

/* CPUs of their own: the first half for the target, the others for the loads. */
static void consider_halves(struct tries *tries, const struct cpu_list *cpus)
{
    char first[CPUS_TEXT], second[CPUS_TEXT];
    if (cpus->count < 2)
        return;
    part_text(cpus, 0, cpus->count / 2, first, sizeof first);
    part_text(cpus, cpus->count / 2, cpus->count - cpus->count / 2, second, sizeof second);
    consider(tries,
             arena_format(&tries->experiment->arena, TARGET "cpus=%s cpus=%s", first, second));
}

/* What there is to try on any machine. */
static void consider_all(struct tries *tries, const struct option_list *loads)
{
    struct arena *arena = &tries->experiment->arena;
    struct cpu_list cpus;
    if (cpus_allowed(&cpus) != 0)
        cpus.count = 1;
    consider(tries, "nice=19");
    consider(tries, "sched=idle");
    consider(tries, "group=cgroup");
    consider(tries, "cpu.weight=10");
    consider(tries, arena_format(arena, "cpu.max=%u%%", cpus.count * 50));
    if (any_disk(loads)) {
        consider(tries, "ionice=idle");
        consider(tries, "io.weight=10");
    }
    consider(tries, "resctrl=MB:0=20");
    consider(tries, TARGET "nice=-10");
    consider_halves(tries, &cpus);
}

static void take_given(struct tries *tries)
{
    struct experiment *experiment = tries->experiment;
    const struct option_list *given = &experiment->session.tries;
    for (size_t i = 0; i < given->count; i++) {
        struct adjustment adjustment;
        const char *text = given->item[i];
        const char *rest = adjustment_read(&adjustment, &experiment->arena, "with --try",
                                           arena_format(&experiment->arena, "[%s]", text),
                                           &experiment->settings.setting);
        if (adjustment_is_none(&adjustment) || *rest != '\0')
            usage_error("--try '%s': no setting: give one such as --try nice=19", text);
        adjustment_try(&adjustment, "with --try");
        add(&experiment->arena, &tries->texts, text);
    }
}

/* A setting as a part of the name of a condition. */
static const char *label(struct arena *arena, const char *text)
{
    char *name = arena_take(arena, strlen(text) + 1);
    size_t length = 0;
    for (const char *at = text; *at != '\0' && length < 60; at++)
        name[length++] = strchr("=: ,/;", *at) != NULL ? '-' : *at;
    name[length] = '\0';
    return name;
}

/* The name that --load gives, or the load's first word. */
static const char *name_of(struct arena *arena, const char *load, const char **spec)
{
    const size_t equals = strcspn(load, "= ");
    *spec = load[equals] == '=' ? load + equals + 1 : load;
    if (**spec == '[')
        usage_error("--load %s: protect adds the settings itself: give them with --try", load);
    return arena_format(arena, "%.*s", (int)(load[equals] == '=' ? equals : strcspn(load, " :")),
                        load);
}

/* The settings of the target alone, as they are written; NULL: there are none. */
static const char *of_target(struct arena *arena, const char *text, const struct option_list *own)
{
    struct adjustment adjustment;
    const char *all = NULL;
    (void)adjustment_read(&adjustment, arena, text, arena_format(arena, "[%s]", text), own);
    for (size_t i = 0; i < adjustment.target.count; i++)
        all = arena_format(arena, "%s%s" TARGET "%s", all == NULL ? "" : all,
                           all == NULL ? "" : " ", adjustment.target.text[i]);
    return all;
}

struct option_list protect_loads(struct experiment *experiment, const struct option_list *given)
{
    struct arena *arena = &experiment->arena;
    struct tries tries = {.experiment = experiment};
    struct option_list loads = {0};
    if (given->count == 0)
        usage_error("against which neighbour? Give --load NAME=SPEC, such as --load 'cpu "
                    "--percent 100'");
    experiment->left_out = json_array();
    if (experiment->session.tries.count > 0)
        take_given(&tries);
    else
        consider_all(&tries, given);
    for (size_t i = 0; i < given->count; i++) {
        const char *spec, *name = name_of(arena, given->item[i], &spec);
        add(arena, &loads, given->item[i]);
        for (size_t k = 0; k < tries.texts.count; k++)
            add(arena, &loads,
                arena_format(arena, "%s.%s=[%s] %s", name, label(arena, tries.texts.item[k]),
                             tries.texts.item[k], spec));
    }
    for (size_t k = 0; k < tries.texts.count; k++) {
        const char *target = of_target(arena, tries.texts.item[k], &experiment->settings.setting);
        if (target != NULL)
            add(arena, &loads, arena_format(arena, "alone.%s=[%s]", label(arena, target), target));
    }
    return loads;
}
