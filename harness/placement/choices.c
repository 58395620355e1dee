#include "choices.h"

#include "common/messages.h"
#include "common/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CORES 8192

static bool check_place(const char *text, char *error, size_t size)
{
    const char *names[PLACES + 1] = {NULL};
    for (unsigned i = 0; i < PLACES; i++)
        names[i] = place_name((enum place)i);
    return option_choose(text, names, error, size) >= 0;
}

/* A number of cores at *text, which is moved behind it. */
static bool parse_count(const char **text, unsigned *count)
{
    char *end = NULL;
    errno = 0;
    const unsigned long value = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
    if (errno != 0 || value < 1 || value > MOST_CORES)
        return false;
    *text = end;
    *count = (unsigned)value;
    return true;
}

/* "N" for both, or "N:M". */
static bool parse_place_cpus(const char *text, unsigned *targets, unsigned *loads)
{
    bool good = parse_count(&text, targets);
    *loads = *targets;
    if (good && *text == ':') {
        text++;
        good = parse_count(&text, loads);
    }
    return good && *text == '\0';
}

#define FIELD(member) .offset = offsetof(struct choices, member)

static const struct option_row rows[] = {
    {.name = "place",
     .argument = "PLACE",
     .type = OPTION_TEXT,
     FIELD(place_name),
     .check = check_place,
     .wrong = "no-such-place",
     .help = "where the load runs, seen from the target (see below)"},
    {.name = "place-cpus",
     .argument = "N[:M]",
     .type = OPTION_TEXT,
     FIELD(place_cpus),
     .check = option_check_cores,
     .wrong = "1:",
     .help = "with --place: cores for the target, and for the load (default: 1, and as many)"},
    {.name = "target-cpus",
     .argument = "LIST",
     .type = OPTION_CPUS,
     FIELD(target_cpus),
     .help = "these CPUs for the target, in place of --place"},
    {.name = "load-cpus",
     .argument = "LIST",
     .type = OPTION_CPUS,
     FIELD(load_cpus),
     .help = "these CPUs for the load, in place of --place"},
    {.name = "load",
     .argument = "SPEC",
     .type = OPTION_LIST,
     FIELD(load),
     .help = "a load as for jostle slowdown: which of these CPUs its workers would use"},
    {.name = "allowed",
     .argument = "LIST",
     .type = OPTION_CPUS,
     FIELD(allowed),
     .help = "as if only these CPUs were allowed here"},
    {.name = "synthetic",
     .argument = "TEXT",
     .type = OPTION_TEXT,
     FIELD(synthetic),
     .help = "another machine, as hwloc describes it: 'node:2 l3:2 core:4 pu:2'"},
    {.name = "json",
     .type = OPTION_FLAG,
     FIELD(json),
     .help = "print a JSON object instead of the drawing"},
    {0},
};

/* What goes with what; wrong use ends the program. */
static void check(const struct choices *choices)
{
    const char *place = choices->place_name;
    if (place != NULL && (choices->target_cpus != NULL || choices->load_cpus != NULL))
        usage_error("--place %s: it chooses the CPUs itself: leave out %s", place,
                    choices->target_cpus != NULL ? "--target-cpus" : "--load-cpus");
    if (choices->place_cpus != NULL && (place == NULL || choices->place == PLACE_MACHINE))
        usage_error("--place-cpus: there is nothing to choose: add a --place other than machine");
    if (place != NULL && choices->place == PLACE_CORE && choices->targets != choices->loads)
        usage_error("--place core: target and load are on the same CPUs: give one number to "
                    "--place-cpus");
    if (choices->load.count > 0 && choices->synthetic != NULL)
        usage_error("--load is about this machine: leave out --synthetic");
}

/* The meaning of each place, for --help. */
static void list_places(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size,
                                   "PLACE is where the load runs, seen from the "
                                   "target:\n");
    for (unsigned i = 0; i < PLACES && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "  %-10s  %s\n",
                                 place_name((enum place)i), place_meaning((enum place)i));
    if (used < size)
        snprintf(text + used, size - used,
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

void choices_parse(struct choices *choices, int argc, char **argv)
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
    if (choices->place_name != NULL)
        place_parse(choices->place_name, &choices->place);
    if (choices->place_cpus != NULL)
        parse_place_cpus(choices->place_cpus, &choices->targets, &choices->loads);
    check(choices);
}

void choices_free(struct choices *choices)
{
    options_free(choices->options);
}
