#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CORES 8192

enum option_code {
    OPTION_PLACE = 256,
    OPTION_PLACE_CPUS,
    OPTION_TARGET_CPUS,
    OPTION_LOAD_CPUS,
    OPTION_SYNTHETIC,
    OPTION_ALLOWED,
    OPTION_DRAW,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option option_table[] = {
    {"place", required_argument, NULL, OPTION_PLACE},
    {"place-cpus", required_argument, NULL, OPTION_PLACE_CPUS},
    {"target-cpus", required_argument, NULL, OPTION_TARGET_CPUS},
    {"load-cpus", required_argument, NULL, OPTION_LOAD_CPUS},
    {"synthetic", required_argument, NULL, OPTION_SYNTHETIC},
    {"allowed", required_argument, NULL, OPTION_ALLOWED},
    {"draw", no_argument, NULL, OPTION_DRAW},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    puts(
        "usage: topology [OPTIONS]\n"
        "Answers where a target and its load would sit on this machine, as JSON.\n"
        "\n"
        "  --place PLACE        how far apart (default: anywhere that is allowed)\n"
        "  --place-cpus N[:M]   cores for the target, and for the load (default: 1, and as many)\n"
        "  --target-cpus LIST   these CPUs for the target, in place of --place\n"
        "  --load-cpus LIST     these CPUs for the load, in place of --place\n"
        "  --draw               draw the machine, in place of JSON\n"
        "  --allowed LIST       as if only these CPUs were allowed\n"
        "  --synthetic TEXT     another machine, as hwloc describes it: 'node:2 l3:2 core:4 pu:2'\n"
        "  --help, --version\n"
        "\n"
        "PLACE is where the load is, seen from the target:");
    for (unsigned i = 0; i < PLACES; i++)
        printf("  %-10s  %s\n", place_name((enum place)i), place_meaning((enum place)i));
    puts("The first cores that fit are taken, of each core one hardware thread; all CPUs that\n"
         "affinity and cpuset leave are considered, no others.\n"
         "\n"
         "Exit status: 0 answered; 1 failure; 2 wrong use, or the machine has no such place.");
}

static bool parse_place(struct options *options, const char *text)
{
    const bool all[PLACES] = {true, true, true, true, true, true};
    char names[128];
    options->placed = true;
    return place_parse(text, &options->place) ||
           complain("--place %s: unknown: give one of %s", text,
                    place_list(all, names, sizeof names));
}

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

static bool parse_place_cpus(struct options *options, const char *whole)
{
    const char *text = whole;
    bool good = parse_count(&text, &options->targets);
    options->loads = options->targets;
    if (good && *text == ':') {
        text++;
        good = parse_count(&text, &options->loads);
    }
    return (good && *text == '\0') ||
           complain("--place-cpus %s: give a number of cores from 1 on, such as 2, or 1:4 for the "
                    "target and the load",
                    whole);
}

/* What goes with what. */
static bool check(const struct options *options)
{
    const bool listed = options->target_cpus != NULL || options->load_cpus != NULL;
    if (options->placed && listed)
        return complain("--place %s: it chooses the CPUs itself: leave out %s",
                        place_name(options->place),
                        options->target_cpus != NULL ? "--target-cpus" : "--load-cpus");
    if (options->targets > 0 && (!options->placed || options->place == PLACE_MACHINE))
        return complain("--place-cpus: there is nothing to choose: add a --place other than "
                        "machine");
    if (options->place == PLACE_CORE && options->targets != options->loads)
        return complain("--place core: target and load are on the same CPUs: give one number to "
                        "--place-cpus");
    return true;
}

static bool obey(struct options *options, int code, bool *done)
{
    switch (code) {
    case OPTION_PLACE:
        return parse_place(options, optarg);
    case OPTION_PLACE_CPUS:
        return parse_place_cpus(options, optarg);
    case OPTION_TARGET_CPUS:
        options->target_cpus = optarg;
        return true;
    case OPTION_LOAD_CPUS:
        options->load_cpus = optarg;
        return true;
    case OPTION_SYNTHETIC:
        options->synthetic = optarg;
        return true;
    case OPTION_ALLOWED:
        options->allowed = optarg;
        return true;
    case OPTION_DRAW:
        options->draw = true;
        return true;
    case OPTION_HELP:
        print_help();
        *done = true;
        return true;
    case OPTION_VERSION:
        puts("topology " JOSTLE_VERSION);
        *done = true;
        return true;
    default: /* getopt has told */
        return false;
    }
}

bool options_parse(struct options *options, int argc, char **argv, bool *done)
{
    static char name[] = "jostle: topology";
    int code;
    *options = (struct options){0};
    *done = false;
    argv[0] = name;
    while (!*done && (code = getopt_long(argc, argv, "", option_table, NULL)) != -1)
        if (!obey(options, code, done))
            return false;
    if (*done)
        return true;
    if (optind < argc)
        return complain("topology: %s: it takes options only: see --help", argv[optind]);
    return check(options);
}
