// Warns where a target ran on cores of unlike speed.
#include "messages.h"
#include "result.h"
#include "session.h"

#include "common/cpus.h"
#include "common/record_json.h"

#include <stdio.h>

// Targets that ran on cores of unlike speed: big.LITTLE, P and E cores.

// Of the kinds that have one of these CPUs the numbers and names into text. Returns how many.
static unsigned among(const json_t *kinds, const struct cpu_list *cpus, char *text, size_t size)
{
    struct cpu_list own;
    unsigned found = 0;
    size_t used = 0;
    text[0] = '\0';
    JSON_EACH (kind, kinds) {
        const char *list = json_text_at(kind, "cpus");
        const char *name = json_text_at(kind, "name");
        if (list == NULL || cpus_parse(list, &own) != 0 || !cpus_overlap(&own, cpus) ||
            used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%sCPU %s%s%s%s",
                                 found++ == 0 ? "" : "; ", list, name == NULL ? "" : " (",
                                 name == NULL ? "" : name, name == NULL ? "" : ")");
    }
    return found;
}

// Appends a warning to `warnings` where the target's CPUs, as experiment.json has them, are of
// several kinds of cores. Records that do not have the kinds give none.
void unlike_cores_add(const struct experiment *experiment, json_t *warnings)
{
    const json_t *environment = json_object_get(experiment->json, "environment");
    const char *allowed = json_text_at(environment, "cpus_allowed");
    const char *own = json_text_at(json_object_get(experiment->json, "placement"), "target_cpus");
    const char *target = own != NULL ? own : allowed;
    struct message message = {.flag = FLAG_UNLIKE_CORES};
    struct cpu_list cpus;
    char kinds[512];
    if (target == NULL || cpus_parse(target, &cpus) != 0 ||
        among(json_object_get(environment, "core_kinds"), &cpus, kinds, sizeof kinds) < 2)
        return;
    message_detail(&message, "kinds", "%s", kinds);
    message_add(warnings, &message);
}
