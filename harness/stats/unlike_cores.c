#include "unlike_cores.h"

#include "common/cpus.h"
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>

// Of the kinds that have one of these CPUs the numbers and names into text. Returns how many.
static unsigned among(const json_t *kinds, const struct cpu_list *cpus, char *text, size_t size)
{
    struct cpu_list own;
    unsigned found = 0;
    size_t i, used = 0;
    json_t *kind;
    text[0] = '\0';
    json_array_foreach(kinds, i, kind)
    {
        const char *list = json_string_value(json_object_get(kind, "cpus"));
        const char *name = json_string_value(json_object_get(kind, "name"));
        if (list == NULL || cpus_parse(list, &own) != 0 || !cpus_overlap(&own, cpus) ||
            used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%sCPU %s%s%s%s",
                                 found++ == 0 ? "" : "; ", list, name == NULL ? "" : " (",
                                 name == NULL ? "" : name, name == NULL ? "" : ")");
    }
    return found;
}

void unlike_cores_add(const struct experiment *experiment, json_t *warnings)
{
    const json_t *environment = json_object_get(experiment->json, "environment");
    const char *allowed = json_string_value(json_object_get(environment, "cpus_allowed"));
    const char *own = json_string_value(
        json_object_get(json_object_get(experiment->json, "placement"), "target_cpus"));
    const char *target = own != NULL ? own : allowed;
    struct message message = {.flag = FLAG_UNLIKE_CORES};
    struct cpu_list cpus;
    char kinds[512];
    if (target == NULL || cpus_parse(target, &cpus) != 0 ||
        among(json_object_get(environment, "core_kinds"), &cpus, kinds, sizeof kinds) < 2)
        return;
    message_detail(&message, "kinds", "%s", kinds);
    json_array_append_new(warnings, message_finish(&message, false));
}
