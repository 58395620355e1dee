// Chooses the CPUs of target, loads and service, by the program placement.

#include "settings.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/cpus.h"
#include "common/left_on.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All CPUs that are allowed, into text, which it returns.
static const char *all_cpus(char *text, size_t size)
{
    struct cpu_list list;
    return cpus_allowed(&list) == 0 ? cpus_format(&list, text, size) : "";
}

// What the program placement answers; it ends us when it refuses.
static json_t *ask_placement(const struct settings *settings)
{
    const bool is_clients = settings->service && settings->place;
    const char *const options[][2] = {{"--place", settings->place},
                                      {"--place-cpus", settings->place_cpus},
                                      {"--target-cpus", is_clients ? NULL : settings->target_cpus},
                                      {"--load-cpus", settings->load_cpus}};
    char path[PATH_MAX];
    OWNED char *text = NULL;
    const char *argv[3 + 2 * sizeof options / sizeof options[0]] = {child_path("placement", path),
                                                                    "--json"};
    size_t count = 2;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!options[i][1])
            continue;
        argv[count++] = options[i][0];
        argv[count++] = options[i][1];
    }
    const int status = child_run(argv, -1, &text);
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
    json_t *answer = json_loads(text, 0, NULL);
    if (answer)
        return answer;
    complain("%s: its answer cannot be read: run make", argv[0]);
    exit(EXIT_FAILURE);
}

// Takes the CPUs of a text out of a list.
static void leave_out_cpus(struct cpu_list *list, const char *text)
{
    struct cpu_list others;
    unsigned kept = 0;
    if (cpus_parse(text, &others) != 0)
        return;
    for (unsigned i = 0, k = 0; i < list->count; i++) {
        while (k < others.count && others.cpu[k] < list->cpu[i])
            k++;
        if (k == others.count || others.cpu[k] != list->cpu[i])
            list->cpu[kept++] = list->cpu[i];
    }
    list->count = kept;
}

// --place is about what is disturbed: with a service that is the service, and the target, its
// client, gets what CPUs are left; none are: it shares all that are allowed.
static void place_service(struct placed *placed, struct arena *arena,
                          const struct settings *settings)
{
    struct cpu_list rest;
    char text[CPUS_TEXT];
    placed->service_cpus = placed->target_cpus;
    placed->target_cpus = settings->target_cpus;
    if (placed->target_cpus || cpus_allowed(&rest) != 0)
        return;
    leave_out_cpus(&rest, placed->service_cpus);
    leave_out_cpus(&rest, placed->load_cpus);
    if (rest.count > 0)
        placed->target_cpus = arena_format(arena, "%s", cpus_format(&rest, text, sizeof text));
}

static void choose_cpus(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    json_auto_t *answer = ask_placement(settings);
    const char *place = settings->place;
    char all[CPUS_TEXT];
    if (place && !json_is_true(json_object_get(answer, "this_system")))
        usage_error("--place %s: hwloc shows another machine than this one: unset "
                    "HWLOC_SYNTHETIC and HWLOC_XMLFILE",
                    place);
    if (!place) {
        placed->target_cpus = settings->target_cpus;
        placed->load_cpus = settings->load_cpus;
    } else if (strcmp(place, "machine") != 0) {
        placed->target_cpus = arena_format(arena, "%s", json_text_or_empty(answer, "target_cpus"));
        placed->load_cpus = arena_format(arena, "%s", json_text_or_empty(answer, "load_cpus"));
        if (settings->service)
            place_service(placed, arena, settings);
    }
    JSON_EACH (warning, json_object_get(answer, "warnings")) {
        if (placed->target_cpus || placed->load_cpus)
            complain("%s", json_string_value(warning));
    }
    placed->record = json_pack("{s:O, s:O, s:O, s:O}", "place", json_object_get(answer, "place"),
                               "target_cpus", json_object_get(answer, "target_cpus"), "load_cpus",
                               json_object_get(answer, "load_cpus"), "quota_cpus",
                               json_object_get(answer, "quota_cpus"));
    if (placed->service_cpus)
        json_object_set_new(
            placed->record, "target_cpus",
            json_string(placed->target_cpus ? placed->target_cpus : all_cpus(all, sizeof all)));
}

// What the machine does not have is found now, and not by a server that does not start.
static void check_service_cpus(const struct settings *settings)
{
    struct cpu_list wanted, allowed;
    if (!settings->service_cpus)
        return;
    if (settings->place && strcmp(settings->place, "machine") != 0)
        usage_error("--place %s: it chooses the service's CPUs itself: leave out --service-cpus",
                    settings->place);
    if (cpus_parse(settings->service_cpus, &wanted) != 0 || cpus_allowed(&allowed) != 0)
        return;
    const int missing = cpus_missing(&wanted, &allowed);
    if (missing >= 0)
        usage_error("--service-cpus %s: CPU %d is not allowed here: jostle topology shows which "
                    "are",
                    settings->service_cpus, missing);
}

void placed_find(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    char text[CPUS_TEXT];
    *placed = (struct placed){0};
    check_service_cpus(settings);
    if (!settings->place && !settings->place_cpus && !settings->target_cpus &&
        !settings->load_cpus) {
        // Nothing was chosen: both run wherever they may.
        const char *cpus = all_cpus(text, sizeof text);
        placed->record = json_pack("{s:n, s:s, s:s, s:o}", "place", "target_cpus", cpus,
                                   "load_cpus", cpus, "quota_cpus", number_to_json(cpus_quota()));
    } else {
        choose_cpus(placed, arena, settings);
    }
    if (!placed->service_cpus)
        placed->service_cpus = settings->service_cpus;
    json_object_set_new(placed->record, "service_cpus", text_to_json(placed->service_cpus));
}

void placed_free(struct placed *placed)
{
    json_decref(placed->record);
}
