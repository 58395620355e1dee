/* topology: where a target and its load sit on this machine. */

#include "draw.h"
#include "machine.h"
#include "options.h"
#include "place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_WRONG_USE 2

/* Takes the CPUs that an option names, or all that are allowed. */
static bool take_list(const struct machine *machine, const char *option, const char *text,
                      hwloc_bitmap_t cpus)
{
    if (text == NULL)
        return hwloc_bitmap_copy(cpus, machine->allowed) == 0;
    hwloc_bitmap_t named = machine_parse(text);
    if (named == NULL)
        return complain("%s %s: not a list of CPUs: give one such as 0-3,8", option, text);
    hwloc_bitmap_copy(cpus, named);
    hwloc_bitmap_andnot(named, named, machine->allowed);
    const int missing = hwloc_bitmap_first(named);
    hwloc_bitmap_free(named);
    if (missing < 0)
        return true;
    char *allowed = machine_format(machine->allowed);
    complain("%s %s: CPU %d is not allowed here: choose from %s", option, text, missing,
             allowed == NULL ? "those that are" : allowed);
    free(allowed);
    return false;
}

static void print_list(const char *name, hwloc_const_bitmap_t cpus)
{
    char *text = machine_format(cpus);
    printf(",\"%s\":\"%s\"", name, text == NULL ? "" : text);
    free(text);
}

/* The CPUs that both use together, when the cgroup's quota is less. */
static void print_warnings(const struct machine *machine, const struct placement *placement)
{
    hwloc_bitmap_t both = hwloc_bitmap_alloc();
    if (both == NULL)
        return;
    hwloc_bitmap_or(both, placement->target, placement->load);
    const int used = hwloc_bitmap_weight(both);
    hwloc_bitmap_free(both);
    if (machine->quota_cpus < used)
        printf("\"the cgroup's quota of %.2f CPUs is less than the %d CPUs that target and load "
               "use: they throttle each other, wherever they are\"",
               machine->quota_cpus, used);
}

static void print_answer(const struct machine *machine, const struct placement *placement,
                         const struct options *options)
{
    const char *separator = "";
    printf("{\"schema\":\"jostle.topology/1\",\"this_system\":%s",
           machine->this_system ? "true" : "false");
    if (options->placed)
        printf(",\"place\":\"%s\"", place_name(options->place));
    else
        printf(",\"place\":null");
    print_list("target_cpus", placement->target);
    print_list("load_cpus", placement->load);
    print_list("allowed_cpus", machine->allowed);
    print_list("affinity_cpus", machine->affinity);
    print_list("cpuset_cpus", machine->cpuset);
    print_list("machine_cpus", machine->complete);
    if (isfinite(machine->quota_cpus))
        printf(",\"quota_cpus\":%.3f", machine->quota_cpus);
    else
        printf(",\"quota_cpus\":null");
    printf(",\"offers\":[");
    for (unsigned i = 0; i < PLACES; i++) {
        if (!placement->offers[i])
            continue;
        printf("%s\"%s\"", separator, place_name((enum place)i));
        separator = ",";
    }
    printf("],\"warnings\":[");
    print_warnings(machine, placement);
    printf("]}\n");
}

static int answer(const struct machine *machine, const struct options *options)
{
    struct placement placement;
    bool good;
    if (!placement_open(&placement, machine))
        return EXIT_FAILURE;
    if (options->placed)
        good = placement_choose(&placement, machine, options->place,
                                options->targets > 0 ? options->targets : 1,
                                options->loads > 0 ? options->loads : 1);
    else
        good = take_list(machine, "--target-cpus", options->target_cpus, placement.target) &&
               take_list(machine, "--load-cpus", options->load_cpus, placement.load);
    if (good && options->draw)
        draw_machine(stdout, machine, &placement);
    else if (good)
        print_answer(machine, &placement, options);
    placement_close(&placement);
    return good ? EXIT_SUCCESS : EXIT_WRONG_USE;
}

int main(int argc, char **argv)
{
    struct options options;
    struct machine machine;
    bool done, usage;
    if (!options_parse(&options, argc, argv, &done))
        return EXIT_WRONG_USE;
    if (done)
        return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    if (!machine_open(&machine, options.synthetic, options.allowed, &usage))
        return usage ? EXIT_WRONG_USE : EXIT_FAILURE;
    int code = answer(&machine, &options);
    machine_close(&machine);
    if (fflush(stdout) != 0 && code == EXIT_SUCCESS)
        code = EXIT_FAILURE;
    return code;
}
