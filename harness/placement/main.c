/* placement: where a target and its load sit on this machine. */

#include "choices.h"
#include "machine.h"
#include "place.h"
#include "show.h"

#include "common/messages.h"
#include "common/streams.h"

#include <stdlib.h>

#define EXIT_WRONG_USE 2

/* Takes the CPUs that an option names, or all that are allowed. */
static bool take_list(const struct machine *machine, const char *option, const char *text,
                      hwloc_bitmap_t cpus)
{
    if (text == NULL)
        return hwloc_bitmap_copy(cpus, machine->allowed) == 0;
    hwloc_bitmap_t missing = machine_parse(text);
    if (missing == NULL)
        return complain("out of memory: free some");
    hwloc_bitmap_copy(cpus, missing);
    hwloc_bitmap_andnot(missing, missing, machine->allowed);
    const int first = hwloc_bitmap_first(missing);
    hwloc_bitmap_free(missing);
    if (first < 0)
        return true;
    char *allowed = machine_format(machine->allowed);
    complain("%s %s: CPU %d is not allowed here: choose from %s", option, text, first,
             allowed == NULL ? "those that are" : allowed);
    free(allowed);
    return false;
}

static int answer(const struct machine *machine, const struct choices *choices)
{
    struct placement placement;
    const struct answer answer = {machine, &placement, choices};
    bool good, shown = false;
    if (!placement_open(&placement, machine))
        return EXIT_FAILURE;
    if (choices->place_name != NULL)
        good = placement_choose(&placement, machine, choices->place,
                                choices->targets > 0 ? choices->targets : 1,
                                choices->loads > 0 ? choices->loads : 1);
    else
        good = take_list(machine, "--target-cpus", choices->target_cpus, placement.target) &&
               take_list(machine, "--load-cpus", choices->load_cpus, placement.load);
    if (good)
        shown = choices->json ? show_json(&answer) : show_text(&answer);
    placement_close(&placement);
    return !good ? EXIT_WRONG_USE : shown ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    streams_open();
    struct choices choices;
    struct machine machine;
    bool usage;
    int code = EXIT_FAILURE;
    choices_parse(&choices, argc, argv);
    if (machine_open(&machine, choices.synthetic, choices.allowed, &usage)) {
        code = answer(&machine, &choices);
        machine_close(&machine);
    } else if (usage) {
        code = EXIT_WRONG_USE;
    }
    choices_free(&choices);
    return code;
}
