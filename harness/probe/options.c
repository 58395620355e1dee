#include "harness/probe/options.h"

#include "common/messages.h"
#include "common/option_value.h"
#include "common/options.h"
#include "common/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(member) .offset = offsetof(struct probe_options, member)

const char *const probe_places[] = {"machine", "core", "smt", "l3", "node", "other-node", NULL};

static const struct option_row rows[] = {
    {.name = "duration",
     .argument = "TIME",
     .type = OPTION_TIME,
     FIELD(duration_ns),
     .minimum = 1,
     .maximum = OPTION_TIME_MOST,
     .preset = "5s",
     .help = "how long to probe at most; it ends earlier when more would not tell more"},
    {.name = "for",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(sensitivity),
     .help = "what to expect here and now for a program whose sensitivity was measured: a "
             "PROGRAM.profile.json (or PROGRAM, where that is here), or a result (result.json, or "
             "its folder) with loads of these kinds"},
    {.name = "at-most",
     .argument = "R",
     .type = OPTION_TEXT,
     FIELD(at_most_text),
     .wrong = "soon",
     .help = "exit 3 when a resource is surely above the level R (20% or 0.2); with --for when the "
             "slowdown is surely above R (such as 1.05); 4 when that cannot be told"},
    {.name = "watch",
     .type = OPTION_FLAG,
     FIELD(watch),
     .help = "stay, and probe a little every --interval, until Ctrl-C: at most 1 % of one CPU"},
    {.name = "interval",
     .argument = "TIME",
     .type = OPTION_TIME,
     FIELD(interval_ns),
     .minimum = 1e9,
     .maximum = 3600e9,
     .preset = "10s",
     .help = "with --watch: the time from one line to the next"},
    {.name = "json",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(json),
     .help = "write a jostle.probe/1 to FILE too, - for stdout instead of the table; with --watch "
             "a line each, appended"},
    {.name = "place",
     .argument = "PLACE",
     .type = OPTION_CHOICE,
     FIELD(place),
     .choices = probe_places,
     .preset = "machine",
     .help = "whose reference to compare with: of loads on the same core, on a thread of the same "
             "core, below the same L3, on the same node, on another node, or anywhere; all but "
             "machine pin the probe to the CPUs of the reference's target"},
    {.name = "reference",
     .type = OPTION_FLAG,
     FIELD(make),
     .help = "make the reference instead, while the machine is quiet; it has options of its own "
             "(see below)"},
    {.name = "reference-file",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(reference),
     .help = "the reference (default: this host's and place's, as --reference wrote it)"},
    {.name = "reporters",
     .argument = "LIST",
     .type = OPTION_TEXT,
     FIELD(reporters),
     .wrong = "no-such-reporter",
     .help = "only these, such as gap,memory,read (default: all)"},
    {.name = "target-cpus",
     .argument = "LIST",
     .type = OPTION_CPUS,
     FIELD(target_cpus),
     .help = "probe on these CPUs (default: all that are allowed, or those of the place)"},
    {.name = "directory",
     .argument = "DIR",
     .type = OPTION_TEXT,
     FIELD(directory),
     .help = "folder on the disk that is probed (default: $TMPDIR, else /var/tmp)"},
    {.name = "confidence",
     .argument = "C",
     .type = OPTION_FRACTION,
     FIELD(confidence),
     .maximum = 1,
     .exclusive = true,
     .preset = "0.95",
     .help = "confidence of every interval"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(seed),
     .maximum = OPTION_WHOLE_MOST,
     .preset = "1",
     .help = "of the order of windows"},
    {.name = "quiet", .type = OPTION_FLAG, FIELD(quiet), .help = "print no table"},
    /* For tests: readings, and facts of the kernel, that were made elsewhere. */
    {.name = "sample",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(sample),
     .hidden = true,
     .help = "judge a jostle.probe-sample/1 instead of measuring"},
    {.name = "facts",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(facts),
     .hidden = true,
     .help = "with --sample: `kernel` of a jostle.probe/1"},
    {.name = "table",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(table),
     .hidden = true,
     .help = "where the record for the table goes"},
    {0},
};

static const char details[] =
    "jostle probe --reference makes the reference, on a quiet machine: see jostle probe "
    "--reference --help. Without one there are raw figures and what the kernel shows, and no "
    "level.\n\n"
    "Examples:\n"
    "  jostle probe\n"
    "  jostle probe --for solver.profile.json --at-most 1.05\n"
    "  jostle probe --at-most 20% --quiet || exit       in a job, before a benchmark\n"
    "  jostle probe --watch --json node.jsonl           then: jostle report node.jsonl\n\n"
    "Exit status:\n"
    "  0  probed (--at-most: below)         1  failure\n"
    "  2  wrong use                         3  --at-most: above\n"
    "  4  --at-most: undecided";

static bool read_limit(struct probe_options *options, char *error, size_t size)
{
    const struct option_row row = {.type = OPTION_FRACTION,
                                   .offset = offsetof(struct probe_options, at_most)};
    const struct option_row factor = {.type = OPTION_REAL,
                                      .offset = offsetof(struct probe_options, at_most)};
    return option_set(options->sensitivity == NULL ? &row : &factor, options, options->at_most_text,
                      error, size);
}

static void check(struct probe_options *options)
{
    char error[256];
    options->limited = options->at_most_text != NULL;
    if (options->limited && !read_limit(options, error, sizeof error))
        usage_error("--at-most %s: %s", options->at_most_text, error);
    if (options->limited && options->sensitivity == NULL &&
        !(options->at_most >= 0 && options->at_most < 1))
        usage_error("--at-most %s: not a level: give one from 0 to 1, such as 20%%, or a program "
                    "with --for",
                    options->at_most_text);
    if (options->limited && options->sensitivity != NULL && !(options->at_most >= 1))
        usage_error("--at-most %s: not a slowdown: give 1 or more, such as 1.05",
                    options->at_most_text);
    if (options->watch && options->limited)
        usage_error("--at-most and --watch: a watch decides nothing: leave one of them out");
    if (options->watch && options->quiet && options->json == NULL)
        usage_error("--watch and --quiet: nobody would see it: add --json FILE");
    if (options->facts != NULL && options->sample == NULL)
        usage_error("--facts: needs --sample");
    if (options->watch && options->sample != NULL)
        usage_error("--sample and --watch: leave one of them out");
}

void probe_options_parse(struct probe_options *options, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = options}};
    const struct program program = {
        .name = "jostle probe",
        .intro = "Shows the pressure on this node now, in units of our own loads: reporters, each "
                 "for some milliseconds in turn, are compared with what they reach on this machine "
                 "when it is quiet, and with what each load does to them: \"as if mem --limit 55% "
                 "ran here\". And what the kernel shows without root, with who is to blame: a "
                 "neighbour, one's own quota, the hypervisor.",
        .details = details,
        .groups = groups,
        .group_count = 1,
    };
    *options = (struct probe_options){0};
    options_free(options_parse(&program, argc, argv, NULL));
    check(options);
}
