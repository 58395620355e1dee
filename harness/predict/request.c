#include "request.h"

#include "common/messages.h"

#include <string.h>

#define FIELD(member) .offset = offsetof(struct request, member)
#define FLAG(title, member, words)                                                                 \
    {                                                                                              \
        .name = title, .type = OPTION_FLAG, FIELD(member), .help = words                           \
    }
#define TEXT(title, word, member, words)                                                           \
    {                                                                                              \
        .name = title, .argument = word, .type = OPTION_TEXT, FIELD(member), .help = words         \
    }

static const char *const formats[] = {"terminal", "md", "html", "svg", "csv", "json", NULL};
static const char *const places[] = {"core", "smt", "l3", "node", "machine", NULL};

static const struct option_row what_rows[] = {
    FLAG("with-itself", with_itself, "each program also beside a copy of itself"),
    FLAG("together", together, "each program beside all others at once, not beside each"),
    {.name = "place",
     .argument = "PLACE",
     .type = OPTION_TEXT,
     FIELD(place),
     .as = OPTION_CHOICE,
     .choices = places,
     .help = "only profiles of this place of the neighbour: core, smt, l3, node or machine "
             "(default: of all that are given; pairs are of one place)"},
    FLAG("force", force,
         "show a number also where it cannot be told on this machine; the reason stays"),
    {.name = "at-most",
     .argument = "R",
     .type = OPTION_REAL,
     FIELD(at_most),
     .maximum = 1e6,
     .exclusive = true,
     .help = "exit with status 3 if a slowdown is surely above R, such as 1.1, and with 4 if that "
             "is undecided"},
    {0},
};

static const struct option_row check_rows[] = {
    FLAG("check", check, "measure the pairs, too, and show both"),
    TEXT("records", "DIR", records,
         "with --check: folder of the records; pairs that are in it are not measured again "
         "(default: jostle-results/pairs)"),
    {.name = "min-runs",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(min_runs),
     .minimum = 2,
     .maximum = 100000,
     .preset = "5",
     .help = "with --check: at least so many runs alone and beside the other"},
    {.name = "max-runs",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(max_runs),
     .minimum = 2,
     .maximum = 100000,
     .preset = "30",
     .help = "with --check: at most so many"},
    {.name = "max-time",
     .argument = "TIME",
     .type = OPTION_TIME,
     FIELD(max_time_ns),
     .minimum = 1e9,
     .maximum = 1e15,
     .preset = "2m",
     .help = "with --check: at most so long for each pair"},
    {.name = "measured",
     .argument = "FILE",
     .type = OPTION_LIST,
     FIELD(measured),
     .help = "show next to each prediction what was measured: a pairs.jsonl of --check; may be "
             "given again"},
    {0},
};

static const struct option_row output_rows[] = {
    {.name = "format",
     .argument = "terminal|md|html|svg|csv|json",
     .type = OPTION_TEXT,
     FIELD(format),
     .as = OPTION_CHOICE,
     .choices = formats,
     .help = "how it is laid out (default: by the ending of --output, else terminal)"},
    TEXT("output", "FILE", output,
         "write to FILE, such as pairs.html: the matrix of victims and aggressors"),
    TEXT("json", "FILE", json, "write a jostle.prediction/1 to FILE too, - for stdout instead"),
    FLAG("quiet", quiet, "print nothing but errors"),
    {.name = "steps",
     .type = OPTION_FLAG,
     FIELD(steps),
     .hidden = true,
     .help = "for the shell: what --check measures, and where its records are, ended by NUL"},
    {.name = "pairs",
     .argument = "DIR",
     .type = OPTION_LIST,
     FIELD(pairs),
     .hidden = true,
     .help = "for the shell: write the pairs that --check has measured there to --output"},
    {.name = "plan",
     .type = OPTION_FLAG,
     FIELD(plan),
     .hidden = true,
     .help = "for the shell: format, output and the record, ended by NUL"},
    {0},
};

static const char intro[] =
    "How much does each program slow down beside each other one? From the profiles\n"
    "of the programs alone (jostle profile): what the one suffers beside loads, as a\n"
    "line in what these do to four small reporters, and what the other does to the\n"
    "reporters. For all ordered pairs, with an interval, and what it is made of.\n"
    "Where the machine was too noisy to tell, or a profile says nothing of it, there\n"
    "is no number, but the reason.\n";

static const char details[] =
    "Examples:\n"
    "  jostle predict solver.profile.json xz.profile.json\n"
    "  jostle predict --check solver.profile.json xz.profile.json\n"
    "  jostle predict --output pairs.html *.profile.json\n"
    "  jostle predict --together --at-most 1.1 solver.profile.json xz.profile.json "
    "dd.profile.json\n"
    "\n"
    "Exit status:\n"
    "  0  predicted    1  failure    2  wrong use, or a profile that cannot be used\n"
    "  3  a slowdown is above --at-most    4  cannot be told, or not within --at-most\n";

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

static const char *format_of(const char *output)
{
    const char *ending = output ? strrchr(output, '.') : NULL;
    if (!output)
        return "terminal";
    if (ending && strcmp(ending, ".htm") == 0)
        return "html";
    if (ending && strcmp(ending, ".txt") == 0)
        return "terminal";
    if (!ending || strcmp(ending, ".terminal") == 0 || !is_one_of(ending + 1, formats))
        usage_error("--output %s: no format has this ending: give .html, .md, .svg, .csv, .json "
                    "or .txt, or --format",
                    output);
    return ending + 1;
}

static void check(struct request *request)
{
    if (request->pairs.count > 0)
        return;
    if (!request->format)
        request->format = format_of(request->output);
    if (!*request->operand)
        usage_error("no profile: give two or more, such as those of jostle profile");
    if (request->together && request->check)
        usage_error("--together --check: only pairs are measured: leave out one of the two");
    if (request->together && request->with_itself)
        usage_error("--together --with-itself: give the profile's program as often as it runs: "
                    "leave out --with-itself");
    if (request->min_runs > request->max_runs)
        usage_error("--min-runs is above --max-runs: give less, or more of the other");
    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows - 2; i++)
        if (!request->check && i > 0 && options_given(request->given, check_rows[i].name))
            usage_error("--%s: only with --check: add it", check_rows[i].name);
}

void request_read(struct request *request, int argc, char **argv)
{
    *request = (struct request){0};
    const struct option_group groups[] = {
        {.rows = what_rows, .values = request, .title = "What to predict:"},
        {.rows = check_rows, .values = request, .title = "What was measured:"},
        {.rows = output_rows, .values = request, .title = "What to print:"}};
    const struct program program = {.name = "jostle predict",
                                    .usage = "PROFILE...",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = sizeof groups / sizeof *groups};
    int rest;
    request->given = options_parse(&program, argc, argv, &rest);
    request->operand = argv + rest;
    check(request);
}

void request_free(struct request *request)
{
    options_free(request->given);
}
