#include "placed.h"

#include "common/child.h"
#include "common/cpus.h"
#include "common/machine_json.h"
#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing was chosen: both run wherever they may. */
static json_t *anywhere(void)
{
    struct cpu_list list;
    char cpus[1024] = "";
    if (cpus_allowed(&list) == 0)
        cpus_format(&list, cpus, sizeof cpus);
    return json_pack("{s:n, s:s, s:s, s:o}", "place", "target_cpus", cpus, "load_cpus", cpus,
                     "quota_cpus", number_to_json(cpus_quota()));
}

/* What the program placement answers; it ends us when it refuses. */
static json_t *ask(const struct settings *settings)
{
    const char *const options[][2] = {{"--place", settings->place},
                                      {"--place-cpus", settings->place_cpus},
                                      {"--target-cpus", settings->target_cpus},
                                      {"--load-cpus", settings->load_cpus}};
    char path[PATH_MAX], *text = NULL;
    const char *argv[3 + 2 * sizeof options / sizeof options[0]] = {child_path("placement", path),
                                                                    "--json"};
    size_t count = 2;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i][1] == NULL)
            continue;
        argv[count++] = options[i][0];
        argv[count++] = options[i][1];
    }
    const int status = child_run(argv, -1, &text);
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
    json_t *answer = json_loads(text, 0, NULL);
    free(text);
    if (answer != NULL)
        return answer;
    complain("%s: its answer cannot be read: run make", argv[0]);
    exit(EXIT_FAILURE);
}

static const char *member(struct arena *arena, json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return arena_format(arena, "%s", text == NULL ? "" : text);
}

static void choose(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    json_t *answer = ask(settings);
    const char *place = settings->place;
    if (place != NULL && !json_is_true(json_object_get(answer, "this_system")))
        usage_error("--place %s: hwloc shows another machine than this one: unset "
                    "HWLOC_SYNTHETIC and HWLOC_XMLFILE",
                    place);
    if (place == NULL) {
        placed->target_cpus = settings->target_cpus;
        placed->load_cpus = settings->load_cpus;
    } else if (strcmp(place, "machine") != 0) {
        placed->target_cpus = member(arena, answer, "target_cpus");
        placed->load_cpus = member(arena, answer, "load_cpus");
    }
    const char *warning = json_string_value(json_array_get(json_object_get(answer, "warnings"), 0));
    if (warning != NULL && (placed->target_cpus != NULL || placed->load_cpus != NULL))
        complain("%s", warning);
    placed->record = json_pack("{s:O, s:O, s:O, s:O}", "place", json_object_get(answer, "place"),
                               "target_cpus", json_object_get(answer, "target_cpus"), "load_cpus",
                               json_object_get(answer, "load_cpus"), "quota_cpus",
                               json_object_get(answer, "quota_cpus"));
    json_decref(answer);
}

void placed_find(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    *placed = (struct placed){0};
    if (settings->place == NULL && settings->place_cpus == NULL && settings->target_cpus == NULL &&
        settings->load_cpus == NULL)
        placed->record = anywhere();
    else
        choose(placed, arena, settings);
    placed->service_cpus = settings->service_cpus;
    json_object_set_new(placed->record, "service_cpus", text_to_json(placed->service_cpus));
}

void placed_free(struct placed *placed)
{
    json_decref(placed->record);
}
