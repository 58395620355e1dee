#include "show.h"

#include "plans.h"

#include "common/child.h"
#include "common/core_kinds.h"
#include "common/messages.h"
#include "common/schemas.h"

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

/* The kinds of this machine's cores, or of one that a test has made up; NULL: the machine is one
 * of hwloc alone, or there is no memory. */
static struct core_kinds *kinds_of(const struct machine *machine)
{
    return machine->this_system || getenv("JOSTLE_KERNEL_ROOT") != NULL ? core_kinds_read() : NULL;
}

/* What is on cores of unlike speed takes as long as the kernel's choice of a core makes it. */
static void warn_of_kinds(json_t *list, const struct core_kinds *kinds, const char *who,
                          hwloc_const_bitmap_t cpus)
{
    struct cpu_list numbers;
    char *text = machine_format(cpus);
    const unsigned among = text != NULL && kinds != NULL && cpus_parse(text, &numbers) == 0
                               ? core_kinds_among(kinds, &numbers)
                               : 0;
    if (among > 1)
        json_array_append_new(
            list, json_sprintf("the %s's CPUs %s are of %u kinds of cores, of unlike speed: jostle "
                               "topology shows them; give CPUs of one kind with --%s-cpus",
                               who, text, among, who));
    free(text);
}

/* Target and load together use more CPUs than the cgroup's quota allows, or one of them has unlike
 * ones. A new reference. */
static json_t *warnings(const struct answer *answer, const struct core_kinds *kinds)
{
    json_t *list = json_array();
    hwloc_bitmap_t both = hwloc_bitmap_alloc();
    if (both == NULL)
        return list;
    hwloc_bitmap_or(both, answer->placement->target, answer->placement->load);
    const int used = hwloc_bitmap_weight(both);
    hwloc_bitmap_free(both);
    warn_of_kinds(list, kinds, "target", answer->placement->target);
    warn_of_kinds(list, kinds, "load", answer->placement->load);
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
    struct core_kinds *kinds = kinds_of(machine);
    json_t *object = json_pack("{s:s, s:b, s:s?}", "schema", SCHEMA_TOPOLOGY, "this_system",
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
    json_object_set_new(object, "core_kinds", core_kinds_to_json(kinds));
    json_object_set_new(object, "warnings", warnings(answer, kinds));
    free(kinds);
    json_object_set_new(object, "loads", plans(answer));
    const bool written = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
                         putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(object);
    return written;
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

/* Where there is more than one kind, each in a line; and what is to be warned of. */
static void print_kinds(const struct answer *answer)
{
    char text[CORE_KIND_TEXT];
    struct core_kinds *kinds = kinds_of(answer->machine);
    json_t *list = warnings(answer, kinds), *warning;
    size_t i;
    for (unsigned kind = 0; kinds != NULL && kinds->count > 1 && kind < kinds->count; kind++)
        printf("%-16s %s\n", kind == 0 ? "kinds of cores" : "",
               core_kind_describe(&kinds->kind[kind], text, sizeof text));
    json_array_foreach(list, i, warning)
        printf("%-16s %s\n", "warning", json_string_value(warning));
    json_decref(list);
    free(kinds);
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
    print_kinds(answer);
    for (size_t i = 0; i < answer->choices->load.count; i++)
        plans_print(answer->choices->load.item[i], cpus);
    free(cpus);
    return fflush(stdout) == 0;
}
