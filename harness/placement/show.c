#include "show.h"

#include "plans.h"

#include "common/child.h"
#include "common/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The CPUs as a member of a JSON object. */
static void set_list(json_t *object, const char *name, hwloc_const_bitmap_t cpus)
{
    char *text = machine_format(cpus);
    json_object_set_new(object, name, json_string(text == NULL ? "" : text));
    free(text);
}

/* Target and load together use more CPUs than the cgroup's quota allows. A new
 * reference. */
static json_t *warnings(const struct answer *answer)
{
    json_t *list = json_array();
    hwloc_bitmap_t both = hwloc_bitmap_alloc();
    if (both == NULL)
        return list;
    hwloc_bitmap_or(both, answer->placement->target, answer->placement->load);
    const int used = hwloc_bitmap_weight(both);
    hwloc_bitmap_free(both);
    if (answer->machine->quota_cpus < used)
        json_array_append_new(
            list, json_sprintf("the cgroup's quota of %.2f CPUs is less than the %d CPUs that "
                               "target and load use: they throttle each other, wherever they are",
                               answer->machine->quota_cpus, used));
    return list;
}

static json_t *offers(const struct placement *placement)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < PLACES; i++)
        if (placement->offers[i])
            json_array_append_new(list, json_string(place_name((enum place)i)));
    return list;
}

static char *load_cpus(const struct answer *answer)
{
    const bool pinned =
        answer->choices->load_cpus != NULL ||
        (answer->choices->place_name != NULL && answer->choices->place != PLACE_MACHINE);
    return pinned ? machine_format(answer->placement->load) : NULL;
}

static json_t *plans(const struct answer *answer)
{
    char *cpus = load_cpus(answer);
    json_t *list = json_array();
    for (size_t i = 0; i < answer->choices->load.count; i++)
        plans_read(answer->choices->load.item[i], cpus, list);
    free(cpus);
    return list;
}

bool show_json(const struct answer *answer)
{
    const struct machine *machine = answer->machine;
    const double quota_cpus = machine->quota_cpus;
    json_t *object = json_pack("{s:s, s:b, s:s?}", "schema", "jostle.topology/1", "this_system",
                               machine->this_system, "place", answer->choices->place_name);
    set_list(object, "target_cpus", answer->placement->target);
    set_list(object, "load_cpus", answer->placement->load);
    set_list(object, "allowed_cpus", machine->allowed);
    set_list(object, "affinity_cpus", machine->affinity);
    set_list(object, "cpuset_cpus", machine->cpuset);
    set_list(object, "machine_cpus", machine->complete);
    json_object_set_new(object, "quota_cpus",
                        isfinite(quota_cpus) ? json_real(quota_cpus) : json_null());
    json_object_set_new(object, "offers", offers(answer->placement));
    json_object_set_new(object, "warnings", warnings(answer));
    json_object_set_new(object, "loads", plans(answer));
    const bool written = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
                         putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(object);
    return written || complain("the answer cannot be written: is the disk full?");
}

/* Calls lstopo; says how to get it where it is not there. */
static void draw(const struct choices *choices)
{
    static const char *const programs[] = {"lstopo-no-graphics", "lstopo"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (!child_find(programs[i], path))
            continue;
        const char *argv[] = {path, "--of", "console", "--no-io", "--disallowed", NULL, NULL, NULL};
        if (choices->synthetic != NULL) {
            argv[5] = "--input";
            argv[6] = choices->synthetic;
        }
        fflush(stdout);
        child_run(argv, -1, NULL);
        putchar('\n');
        return;
    }
    complain("no drawing, as lstopo is not installed: install hwloc-nox (Debian, Ubuntu) or "
             "hwloc");
}

static void print_list(const char *what, hwloc_const_bitmap_t cpus)
{
    char *text = machine_format(cpus);
    printf("%-16s CPU %s\n", what, text == NULL ? "?" : text);
    free(text);
}

bool show_text(const struct answer *answer)
{
    const struct machine *machine = answer->machine;
    char places[128], *cpus = load_cpus(answer);
    draw(answer->choices);
    print_list("target", answer->placement->target);
    print_list("load", answer->placement->load);
    print_list("allowed", machine->allowed);
    print_list("  affinity", machine->affinity);
    print_list("  cgroup cpuset", machine->cpuset);
    if (isfinite(machine->quota_cpus))
        printf("%-16s %.2f CPUs\n", "  cgroup quota", machine->quota_cpus);
    else
        printf("%-16s none\n", "  cgroup quota");
    printf("%-16s %s\n", "places to choose",
           place_list(answer->placement->offers, places, sizeof places));
    for (size_t i = 0; i < answer->choices->load.count; i++)
        plans_print(answer->choices->load.item[i], cpus);
    free(cpus);
    return fflush(stdout) == 0 || complain("the answer cannot be written: is the disk full?");
}
