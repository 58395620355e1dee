// The command line of pack.
#define OPTIONS_OF struct pack_request

#include "pack.h"

#include "common/messages.h"
#include "common/save.h"

#include <unistd.h>

const char *const pack_place_names[] = {"none", "close", "spread", NULL};

static const char *const formats[] = {"terminal", "md", "html", "csv", "json", NULL};

static const struct option_row what_rows[] = {
    {ROW("max-copies", "N", OPTION_COUNT, max_copies), .minimum = 2, .maximum = PACK_COPIES_MOST,
     .help = "measure 1 to N copies (default: as many as the allowed CPUs have room for)"},
    {ROW("mix", "NAME=CMD", OPTION_LIST, mix), .check = option_check_assignment, .wrong = "program",
     .help = "one of several programs that share the node, in place of PROGRAM; copies are dealt "
             "to them in turn"},
    {ROW("place", "PLACE", OPTION_CHOICE, place), .choices = pack_place_names, .preset = "none",
     .help = "where the copies run: close (side by side: threads of a core, cores of a cache), "
             "spread (as far apart as possible), none (nothing is pinned)"},
    {ROW("cpus-per-copy", "K", OPTION_COUNT, cpus_per_copy), .minimum = 1,
     .maximum = PACK_COPIES_MOST, .preset = "1",
     .help = "CPUs (hardware threads) that a copy uses"},
    {ROW("target-cpus", "LIST", OPTION_CPUS, target_cpus),
     .help = "all copies stay on these CPUs, and --place chooses among them"},
    FLAG("oversubscribe", oversubscribe, "allow more copies than there are CPUs for"),
    FLAG("own-folder", own_folder, "start each copy in an empty folder of its own"),
    TEXT("input", "FILE", input, "stdin of each copy, opened anew for each (default: /dev/null)"),
    TEXT("setup", "CMD", setup, "as in jostle run, once for each number of copies"),
    TEXT("prepare", "CMD", prepare, "run CMD with bash before each run, unmeasured"),
    TEXT("conclude", "CMD", conclude, "run CMD with bash after each run, unmeasured"),
    TEXT("cleanup", "CMD", cleanup, "as in jostle run, once for each number of copies"),
    {ROW("timeout", "TIME", OPTION_TEXT, timeout), .as = OPTION_TIME, .minimum = 1e6,
     .maximum = OPTION_TIME_MOST, .help = "end a run, and all its copies, after TIME"},
    {0}};

static const struct option_row how_rows[] = {
    {ROW("at-most", "R", OPTION_REAL, at_most), .minimum = 1, .maximum = 1000, .exclusive = true,
     .preset = "1.02",
     .help = "how many copies fit: the slowdown of a copy stays below R. Given, it is a gate, too: "
             "exit 0 when it surely does for every number of copies, 3 when one is above, 4 when "
             "undecided"},
    {ROW("confidence", "C", OPTION_FRACTION, confidence), .minimum = 0, .maximum = 1,
     .exclusive = true, .preset = "0.95", .help = "of every interval, and of what is said to fit"},
    {ROW("error", "E", OPTION_FRACTION, error), .minimum = 0, .maximum = 1, .exclusive = true,
     .help = "stop when the relative error of every slowdown is at most E (default: half of what "
             "--at-most allows: 0.01)"},
    {ROW("statistic", "NAME", OPTION_TEXT, statistic), .as = OPTION_CHOICE,
     .choices = statistic_names,
     .help = "what a number of copies is summarised by: as in jostle run (default: mean)"},
    {ROW("min-runs", "N", OPTION_COUNT, min_runs), .minimum = 2, .maximum = 1e6, .preset = "10",
     .help = "runs of each number of copies at least, where --max-time has room for them"},
    {ROW("max-runs", "N", OPTION_COUNT, max_runs), .minimum = 2, .maximum = 1e6, .preset = "60",
     .help = "runs of each number of copies at most"},
    {ROW("max-time", "TIME", OPTION_TIME, max_time_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .preset = "5m",
     .help = "of everything; where not all numbers of copies can be measured in TIME, the search "
             "halves the gaps"},
    {ROW("seed", "N", OPTION_INTEGER, seed), .minimum = 0, .maximum = OPTION_SEED_MOST,
     .preset = "1", .help = "seed of the random order"},
    {0}};

static const struct option_row where_rows[] = {
    TEXT("output", "DIR", output,
         "folder for the records (default: jostle-results/pack.PROGRAM.TIME)"),
    FLAG("resume", resume, "continue the pack in --output DIR, if it holds one: same command"),
    {ROW("format", "FORMAT", OPTION_TEXT, format), .as = OPTION_CHOICE, .choices = formats,
     .help = "how the result is printed: terminal, md, html, csv or json"},
    TEXT("json", "FILE", json, "write the record (jostle.pack/1) to FILE too, - for stdout"),
    FLAG("dry-run", dry_run, "only print what would be measured first, and where"),
    FLAG("verbose", verbose, "show each command on stderr as it is run"),
    FLAG("quiet", quiet, "print nothing but errors"),
    HIDDEN("next", "DIR", next, "say what is to be measured next"),
    HIDDEN("derive", "DIR", derive, "make pack.json of the records in DIR; print the verdict"),
    HIDDEN("show", "DIR", show, "print it on stdout, with texts for the formats"),
    HIDDEN("page", "DIR", show, "the same: a page needs no more"),
    HIDDEN("synthetic", "TEXT", synthetic, "another machine, as hwloc describes it"),
    HIDDEN("hints", "TEXT", hints, "a line for each scheduler: name, tab, its options"),
    {ROW("again", NULL, OPTION_FLAG, again), .hidden = true,
     .help = "with --next: a last stage that the time has ended is continued"},
    {ROW("left", "S", OPTION_REAL, left_s), .minimum = -1e9, .maximum = 1e9, .hidden = true,
     .help = "with --next: seconds that are left"},
    {0}};

static const char intro[] =
    "How many copies of PROGRAM fit on this node? Runs 1 to N copies at once, in blocks of random "
    "order, and prints the time of a copy, the throughput of the node, up to how many copies none "
    "is slowed down, and the knee: where throughput per time is best. {copy} in a word is the "
    "number of the copy, {scratch} an empty folder of its own: for a port, a file. Stops below N "
    "where the memory does not suffice.\n";

static const char details[] =
    "Examples:\n"
    "  jostle pack -- ./solver input.dat\n"
    "  jostle pack --place spread --max-copies 8 --at-most 1.05 -- ./solver\n"
    "  jostle pack --mix 'db=./db --port 70{copy}' --mix 'job=./job' --max-copies 6\n"
    "\n"
    "Exit status:\n"
    "  0  measured (--at-most: below)       1  failure of jostle\n"
    "  2  wrong use                         3  --at-most: above\n"
    "  4  --at-most: undecided              5  a copy failed\n"
    "  129, 130, 143  interrupted by a signal: --resume continues\n";

static void check(const struct pack_request *request)
{
    const bool has_program = *request->words != NULL;
    if (has_program && request->mix.count > 0)
        usage_error("--mix and %s: two sorts of programs: give one of them", *request->words);
    if (!has_program && request->mix.count == 0)
        usage_error("pack needs a program: jostle pack [OPTIONS] -- PROGRAM, or several --mix "
                    "NAME=CMD");
    if (request->mix.count == 1)
        usage_error("--mix: there is only one program: give it after --, or give several --mix");
    if (request->mix.count > PACK_PROGRAMS_MOST)
        usage_error("--mix: %zu programs: at most %d can be measured together: give fewer",
                    request->mix.count, PACK_PROGRAMS_MOST);
    if (request->min_runs > request->max_runs && options_given(request->given, "min-runs"))
        usage_error("--min-runs %ju: more than --max-runs %ju: give no more",
                    (uintmax_t)request->min_runs, (uintmax_t)request->max_runs);
    save_check_output(request->json, request->output);
}

void pack_request_read(struct pack_request *request, int argc, char **argv)
{
    *request = (struct pack_request){0};
    const struct option_group groups[] = {
        {.rows = what_rows, .values = request, .title = "What to measure:"},
        {.rows = how_rows, .values = request, .title = "How to measure:"},
        {.rows = where_rows, .values = request, .title = "Where, and what to print:"}};
    const struct program program = {.name = "jostle pack",
                                    .usage = "[--] PROGRAM [ARGS...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 3,
                                    .stop_at_operand = true};
    int rest;
    request->given = options_parse(&program, argc, argv, &rest);
    request->words = argv + rest;
    if (!request->next && !request->derive && !request->show)
        check(request);
    if (request->min_runs > request->max_runs)
        request->min_runs = request->max_runs;
    if (!(request->error > 0))
        request->error = (request->at_most - 1) / 2;
}

void pack_request_free(struct pack_request *request)
{
    options_free(request->given);
}
