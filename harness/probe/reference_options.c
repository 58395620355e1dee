#include "reference_options.h"

#include "harness/pressure/reference.h"
#include "harness/probe/options.h"

#include "common/messages.h"
#include "common/option_value.h"
#include "common/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND    INT64_C(1000000000)
#define LOOK_PART 10 /* of --max-time at most is for the quiet machine before */

#define FIELD(member) .offset = offsetof(struct reference_choices, member)

static const struct option_row rows[] = {
    {.name = "reference", .type = OPTION_FLAG, FIELD(reference), .help = "make the reference"},
    {.name = "place",
     .argument = "PLACE",
     .type = OPTION_TEXT,
     FIELD(place),
     .as = OPTION_CHOICE,
     .choices = probe_places,
     .preset = "machine",
     .help = "where the loads run, seen from the reporters: core, smt, l3, node, other-node or "
             "machine; there is one reference for each place"},
    {.name = "place-cpus",
     .argument = "N[:M]",
     .type = OPTION_TEXT,
     FIELD(place_cpus),
     .check = option_check_cores,
     .wrong = "1:",
     .help = "with --place: cores for the reporters, and for the loads (default: 1, and as many)"},
    {.name = "quick",
     .type = OPTION_FLAG,
     FIELD(quick),
     .help = "in about a minute: fewer and shorter runs, wider intervals"},
    {.name = "max-time",
     .argument = "TIME",
     .type = OPTION_TIME,
     FIELD(max_time_ns),
     .minimum = 1,
     .maximum = OPTION_TIME_MOST,
     .preset = "5m",
     .help = "start no further run after TIME"},
    {.name = "force",
     .type = OPTION_FLAG,
     FIELD(force),
     .help = "keep it also where the machine was not quiet; it is then marked, and each probe "
             "says so"},
    {.name = "reporters",
     .argument = "LIST",
     .type = OPTION_TEXT,
     FIELD(reporters_text),
     .wrong = "no-such-reporter",
     .help = "only these reporters, such as wake,memory,read (default: all)"},
    {.name = "kinds",
     .argument = "LIST",
     .type = OPTION_TEXT,
     FIELD(kinds_text),
     .wrong = "no-such-kind",
     .help = "only these kinds of load, such as cpu,mem (default: all: cpu, mem, cache, io, net, "
             "alloc)"},
    {.name = "directory",
     .argument = "DIR",
     .type = OPTION_TEXT,
     FIELD(directory),
     .help = "folder on the disk that is probed and loaded (default: $TMPDIR, else /var/tmp)"},
    {.name = "output",
     .argument = "DIR",
     .type = OPTION_TEXT,
     FIELD(output),
     .help = "folder for the records of the experiment (default: beside the reference)"},
    {.name = "reference-file",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(file),
     .help = "where the reference is written (default: probe/HOST.PLACE.json in "
             "$XDG_CACHE_HOME/jostle, else ~/.cache/jostle)"},
    {.name = "resume",
     .type = OPTION_FLAG,
     FIELD(resume),
     .help = "continue the experiment that was interrupted"},
    {.name = "again",
     .type = OPTION_FLAG,
     FIELD(again),
     .help = "look at the quiet machine once more (5 s), and add that to the reference: how much "
             "the machine varies from hour to hour is then known better; curves stay"},
    {.name = "json",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(json),
     .help = "write the reference to FILE too, - for stdout"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(seed),
     .maximum = OPTION_WHOLE_MOST,
     .preset = "1",
     .help = "seed of the random order"},
    {.name = "quiet", .type = OPTION_FLAG, FIELD(quiet), .help = "print nothing but errors"},
    {.name = "look",
     .argument = "DIR",
     .type = OPTION_TEXT,
     FIELD(look),
     .hidden = true,
     .help = ""},
    {.name = "after", .type = OPTION_FLAG, FIELD(after), .hidden = true, .help = ""},
    {.name = "derive",
     .argument = "DIR",
     .type = OPTION_TEXT,
     FIELD(derive),
     .hidden = true,
     .help = ""},
    {0},
};

static void parse(struct reference_choices *choices, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = choices}};
    const struct program program = {
        .name = "jostle probe --reference",
        .intro =
            "Measures what the reporters reach on this machine while it is quiet, and beside each "
            "kind of load at 25, 50, 75 and 100 %, in one interleaved experiment; and keeps it as "
            "the reference that jostle probe compares with. What the loads' percentages refer to "
            "is calibrated first where that was not done yet.",
        .details =
            "Examples:\n"
            "  jostle probe --reference\n"
            "  jostle probe --reference --place core --quick\n"
            "  jostle probe --reference --resume\n"
            "  jostle probe --reference --again      # at other hours, on the quiet machine\n\n"
            "Exit status:\n"
            "  0  kept    1  failure, or the machine was not quiet    2  wrong use\n"
            "  129, 130, 143  interrupted by a signal: --resume continues",
        .groups = groups,
        .group_count = 1,
    };
    *choices = (struct reference_choices){0};
    options_free(options_parse(&program, argc, argv, NULL));
}

static void choose_kinds(struct reference_choices *choices)
{
    char text[256], *rest = text;
    for (enum kind kind = 0; kind < KINDS; kind++)
        choices->kinds[kind] = choices->kinds_text == NULL;
    if (choices->kinds_text == NULL)
        return;
    if (snprintf(text, sizeof text, "%s", choices->kinds_text) >= (int)sizeof text)
        usage_error("--kinds: too long: name each kind once");
    for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
        const enum kind kind = kind_find(name);
        if (kind == KINDS)
            usage_error("--kinds %s: there is no such kind of load: give some of cpu, mem, cache, "
                        "io, net, alloc",
                        name);
        choices->kinds[kind] = true;
    }
}

static void copy_path(char into[PATH_MAX], const char *path)
{
    if (snprintf(into, PATH_MAX, "%s", path) >= PATH_MAX)
        usage_error("%.64s...: the path is too long: give a shorter one", path);
}

/* The folder of the records is beside the record that is kept: HOST.PLACE and HOST.PLACE.json. */
static void choose_places(struct reference_choices *choices)
{
    char path[PATH_MAX];
    if (!reference_path(choices->place, path))
        usage_error("HOME is not set: set it or XDG_CACHE_HOME");
    copy_path(choices->record, choices->file == NULL ? path : choices->file);
    path[strlen(path) - strlen(".json")] = '\0';
    copy_path(choices->folder, choices->output == NULL ? path : choices->output);
}

void reference_options(struct reference_choices *choices, int argc, char **argv)
{
    parse(choices, argc, argv);
    if (choices->again && choices->resume)
        usage_error("--again and --resume: give one of them: --again adds to a finished reference");
    if (!reporters_choose(choices->reporters_text, choices->reporters))
        exit(2);
    choose_kinds(choices);
    choose_places(choices);
    choices->sample_ns = (choices->quick ? 3 : 6) * SECOND / 10;
    choices->look_ns = (choices->quick ? 2 : 5) * SECOND;
    if (choices->look_ns > choices->max_time_ns / LOOK_PART)
        choices->look_ns = choices->max_time_ns / LOOK_PART;
    choices->budget_s = choices->quick ? 60 : 240;
}
