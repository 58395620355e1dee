// placement: where a target and its load sit on this machine.

#include "placement.h"

#include "common/child.h"
#include "common/core_kinds.h"
#include "common/cpus.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "common/text.h"
#include "harness/experiment/describe.h"
#include "harness/experiment/loads.h"
#include "harness/stats/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct choices {
    const char *place_name, *place_cpus; // NULL: not given
    enum place place;                    // where place_name is given
    unsigned targets, loads;             // cores of each; 0: not given
    const char *target_cpus, *load_cpus; // NULL: not given
    const char *synthetic, *allowed;     // NULL: not given
    struct option_list load;             // SPECs
    bool json;
    struct options *options; // holds what the list holds
};

#define ROW(name, argument, type, member) OPTION_ROW(struct choices, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("place", "PLACE", OPTION_TEXT, place_name), .as = OPTION_CHOICE, .choices = place_names,
     .help = "where the load runs, seen from the target (see below)"},
    {ROW("place-cpus", "N[:M]", OPTION_TEXT, place_cpus), .check = option_check_cores,
     .wrong = "1:",
     .help = "with --place: cores for the target, and for the load (default: 1, and as many)"},
    {ROW("target-cpus", "LIST", OPTION_CPUS, target_cpus),
     .help = "these CPUs for the target, in place of --place"},
    {ROW("load-cpus", "LIST", OPTION_CPUS, load_cpus),
     .help = "these CPUs for the load, in place of --place"},
    {ROW("load", "SPEC", OPTION_LIST, load),
     .help = "a load as for jostle slowdown: which of these CPUs its workers would use"},
    {ROW("allowed", "LIST", OPTION_CPUS, allowed),
     .help = "as if only these CPUs were allowed here"},
    {ROW("synthetic", "TEXT", OPTION_TEXT, synthetic),
     .help = "another machine, as hwloc describes it: 'node:2 l3:2 core:4 pu:2'"},
    {ROW("json", NULL, OPTION_FLAG, json), .help = "print a JSON object instead of the drawing"},
    {0},
};

// What goes with what; wrong use ends the program.
static void check(const struct choices *choices)
{
    const char *place = choices->place_name;
    if (place && (choices->target_cpus || choices->load_cpus))
        usage_error("--place %s: it chooses the CPUs itself: leave out %s", place,
                    choices->target_cpus ? "--target-cpus" : "--load-cpus");
    if (choices->place_cpus && (!place || choices->place == PLACE_MACHINE))
        usage_error("--place-cpus: there is nothing to choose: add a --place other than machine");
    if (place && choices->place == PLACE_CORE && choices->targets != choices->loads)
        usage_error(
            "--place core: target and load are on the same CPUs: give one number to --place-cpus");
    if (choices->load.count > 0 && choices->synthetic)
        usage_error("--load is about this machine: leave out --synthetic");
}

// The meaning of each place, for --help.
static void list_places(char *text, size_t size)
{
    snprintf(text, size, "PLACE is where the load runs, seen from the target:\n");
    for (enum place place = 0; place < PLACES; place++)
        text_append(text, size, "", "  %-10s  %s\n", place_names[place], place_meaning(place));
    text_append(text, size, "",
                "The first cores that fit are taken, of each core one hardware thread; all CPUs "
                "that affinity and cpuset leave are considered, no others. jostle run and jostle "
                "slowdown have the same --place: it pins the target in every condition, the "
                "baseline too, and the loads. See docs/placement.md.\n\n"
                "Examples:\n"
                "  jostle topology --place l3 --load 'cpu --percent 50'\n"
                "  jostle topology --synthetic 'node:2 l3:2 core:4 pu:2' --place smt\n\n"
                "Exit status:\n"
                "  0  shown    1  failure    2  wrong use, or the machine has no such place");
}

// Answers --help; wrong use ends the program.
static void choices_parse(struct choices *choices, int argc, char **argv)
{
    char details[2048];
    const struct option_group groups[] = {{.rows = rows, .values = choices}};
    const struct program program = {
        .name = "jostle topology",
        .intro = "Shows this machine (drawn by lstopo), what is allowed of it, and where a target "
                 "and its load would sit. Nothing is measured and no load is started.",
        .details = details,
        .groups = groups,
        .group_count = 1,
    };
    list_places(details, sizeof details);
    *choices = (struct choices){0};
    choices->options = options_parse(&program, argc, argv, NULL);
    while (choices->place_name && strcmp(place_names[choices->place], choices->place_name) != 0)
        choices->place++;
    // "N" for both, or "N:M".
    if (choices->place_cpus &&
        sscanf(choices->place_cpus, "%u:%u", &choices->targets, &choices->loads) == 1)
        choices->loads = choices->targets;
    check(choices);
}

// The answer, for programs and for people.

struct answer {
    const struct machine *machine;
    const struct placement *placement;
    const struct choices *choices;
};

// What the workers of a load would use: loadgen's own plan of each load that a SPEC
// joins, on the CPUs of the list (NULL: wherever they may run). A load that loadgen
// refuses ends the program with loadgen's message and exit status.

// An exec: load's time to settle matters to no plan.
#define SETTLE_NS 1000000000

// Runs loadgen on one load; its answer goes to *output, NULL: to our stdout.
static void run(struct arena *arena, const struct load *load, const char *cpus, char **output)
{
    char start[PATH_MAX], path[PATH_MAX];
    const char *const pinned[] = {child_path("start", start), "--cpus", cpus, "--"};
    const char *const plan[] = {child_path("loadgen", path), load->words.item[0], "--dry-run",
                                "--json"};
    struct option_list argv = {0};
    list_add_all(&argv, arena, pinned, cpus ? 4 : 0);
    list_add_all(&argv, arena, plan, output ? 4 : 3);
    list_add_all(&argv, arena, load->words.item + 1, load->words.count - 1);
    fflush(stdout);
    const int status = child_run(argv.item, -1, output);
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
}

// The loads of one SPEC, named or not.
static struct condition parse(struct arena *arena, const char *spec)
{
    struct conditions conditions = {0};
    struct asked_loads asked = {0};
    const struct option_list none = {0};
    const struct load_context context = {.settle_ns = SETTLE_NS, .pause = true, .own = &none};
    conditions_add_load(&conditions, arena, spec, &context);
    conditions_describe(&conditions, arena, &asked, NULL);
    return conditions.condition[0];
}

// Appends the plans, one object each, to list; NULL: prints a line for each.
static void show_plans(const struct answer *answer, const char *cpus, json_t *list)
{
    for (size_t k = 0; k < answer->choices->load.count; k++) {
        struct arena arena = {0};
        const struct condition condition = parse(&arena, answer->choices->load.item[k]);
        for (size_t i = 0; i < condition.load_count; i++) {
            OWNED char *text = NULL;
            run(&arena, &condition.load[i], cpus, list ? &text : NULL);
            if (list)
                json_array_append_new(list, json_loads(text, 0, NULL));
        }
        arena_free(&arena);
    }
}

// The CPUs as a member of a JSON object.
static void set_list(json_t *object, const char *name, hwloc_const_bitmap_t cpus)
{
    OWNED char *text = machine_format(cpus);
    json_object_set_new(object, name, json_string(text));
}

// The kinds of this machine's cores, or of one that a test has made up; NULL: the machine is one
// of hwloc alone, or there is no memory.
static struct core_kinds *kinds_of(const struct machine *machine)
{
    return machine->this_system || getenv("JOSTLE_KERNEL_ROOT") ? core_kinds_read() : NULL;
}

// What is on cores of unlike speed takes as long as the kernel's choice of a core makes it.
static void warn_of_kinds(json_t *list, const struct core_kinds *kinds, const char *who,
                          hwloc_const_bitmap_t cpus)
{
    struct cpu_list numbers;
    OWNED char *text = machine_format(cpus);
    const unsigned among =
        kinds && cpus_parse(text, &numbers) == 0 ? core_kinds_among(kinds, &numbers) : 0;
    if (among > 1)
        json_array_append_new(
            list, json_sprintf("the %s's CPUs %s are of %u kinds of cores, of unlike speed: jostle "
                               "topology shows them; give CPUs of one kind with --%s-cpus",
                               who, text, among, who));
}

// Target and load together use more CPUs than the cgroup's quota allows, or one of them has unlike
// ones. A new reference.
static json_t *warnings(const struct answer *answer, const struct core_kinds *kinds)
{
    json_t *list = json_array();
    hwloc_bitmap_t both = must(hwloc_bitmap_alloc());
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
            json_array_append_new(list, json_string(place_names[i]));
    return list;
}

static char *load_cpus(const struct answer *answer)
{
    const bool pinned = answer->choices->load_cpus ||
                        (answer->choices->place_name && answer->choices->place != PLACE_MACHINE);
    return pinned ? machine_format(answer->placement->load) : NULL;
}

// jostle.topology/1 on stdout. Both: false after a message. A load that loadgen
// refuses ends the program with its exit status.
static bool show_json(const struct answer *answer)
{
    const struct machine *machine = answer->machine;
    const double quota_cpus = machine->quota_cpus;
    struct core_kinds *kinds = kinds_of(machine);
    json_auto_t *object = json_pack("{s:s, s:b, s:s?}", "schema", SCHEMA_TOPOLOGY, "this_system",
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
    OWNED char *cpus = load_cpus(answer);
    json_t *plans = json_array();
    show_plans(answer, cpus, plans);
    json_object_set_new(object, "loads", plans);
    return json_print(object, stdout, LINE_FORMAT);
}

// Calls lstopo; says how to get it where it is not there.
static void draw(const struct choices *choices)
{
    static const char *const programs[] = {"lstopo-no-graphics", "lstopo"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (!child_find(programs[i], path))
            continue;
        const char *argv[] = {path, "--of", "console", "--no-io", "--disallowed", NULL, NULL, NULL};
        if (choices->synthetic) {
            argv[5] = "--input";
            argv[6] = choices->synthetic;
        }
        fflush(stdout);
        child_run(argv, -1, NULL);
        putchar('\n');
        return;
    }
    complain("no drawing, as lstopo is not installed: install hwloc-nox (Debian, Ubuntu) or hwloc");
}

static void print_list(const char *what, hwloc_const_bitmap_t cpus)
{
    OWNED char *text = machine_format(cpus);
    printf("%-16s CPU %s\n", what, text);
}

// Where there is more than one kind, each in a line; and what is to be warned of.
static void print_kinds(const struct answer *answer)
{
    char text[CORE_KIND_TEXT];
    struct core_kinds *kinds = kinds_of(answer->machine);
    json_t *list = warnings(answer, kinds);
    for (unsigned kind = 0; kinds && kinds->count > 1 && kind < kinds->count; kind++)
        printf("%-16s %s\n", kind == 0 ? "kinds of cores" : "",
               core_kind_describe(&kinds->kind[kind], text, sizeof text));
    JSON_EACH (warning, list)
        printf("%-16s %s\n", "warning", json_string_value(warning));
    json_decref(list);
    free(kinds);
}

// lstopo's drawing, where target and load sit in it, and what each load would use.
static bool show_text(const struct answer *answer)
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
    show_plans(answer, cpus, NULL);
    free(cpus);
    return fflush(stdout) == 0;
}

#define EXIT_WRONG_USE 2

// Takes the CPUs that an option names, or all that are allowed.
static bool take_list(const struct machine *machine, const char *option, const char *text,
                      hwloc_bitmap_t cpus)
{
    if (!text)
        return hwloc_bitmap_copy(cpus, machine->allowed) == 0;
    hwloc_bitmap_t missing = machine_parse(text);
    hwloc_bitmap_copy(cpus, missing);
    hwloc_bitmap_andnot(missing, missing, machine->allowed);
    const int first = hwloc_bitmap_first(missing);
    hwloc_bitmap_free(missing);
    if (first < 0)
        return true;
    OWNED char *allowed = machine_format(machine->allowed);
    return complain("%s %s: CPU %d is not allowed here: choose from %s", option, text, first,
                    allowed);
}

static int answer(const struct machine *machine, const struct choices *choices)
{
    struct placement placement;
    const struct answer answer = {machine, &placement, choices};
    bool good, shown = false;
    placement_open(&placement, machine);
    if (choices->place_name)
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
    options_free(choices.options);
    return code;
}
