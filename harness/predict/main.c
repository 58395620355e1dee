// predict: how much programs slow down beside each other, from their profiles; it reads and writes
// files; processes are the shell's.

#define OPTIONS_OF struct predict_request

#include "predict.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "harness/stats/json.h"

#include <math.h>
#include <string.h>

static const char *const formats[] = {"terminal", "md", "html", "svg", "csv", "json", NULL};
static const char *const places[] = {"core", "smt", "l3", "node", "machine", NULL};

static const struct option_row what_rows[] = {
    FLAG("with-itself", with_itself, "each program also beside a copy of itself"),
    FLAG("together", together, "each program beside all others at once, not beside each"),
    {ROW("place", "PLACE", OPTION_TEXT, place), .as = OPTION_CHOICE, .choices = places,
     .help = "only profiles of this place of the neighbour: core, smt, l3, node or machine "
             "(default: of all that are given; pairs are of one place)"},
    FLAG("force", force,
         "show a number also where it cannot be told on this machine; the reason stays"),
    {ROW("at-most", "R", OPTION_REAL, at_most), .maximum = 1e6, .exclusive = true,
     .help = "exit with status 3 if a slowdown is surely above R, such as 1.1, and with 4 if that "
             "is undecided"},
    {0},
};

static const struct option_row check_rows[] = {
    FLAG("check", check, "measure the pairs, too, and show both"),
    TEXT("records", "DIR", records,
         "with --check: folder of the records; pairs that are in it are not measured again "
         "(default: jostle-results/pairs)"),
    {ROW("min-runs", "N", OPTION_COUNT, min_runs), .minimum = 2, .maximum = 100000, .preset = "5",
     .help = "with --check: at least so many runs alone and beside the other"},
    {ROW("max-runs", "N", OPTION_COUNT, max_runs), .minimum = 2, .maximum = 100000, .preset = "30",
     .help = "with --check: at most so many"},
    {ROW("max-time", "TIME", OPTION_TIME, max_time_ns), .minimum = 1e9, .maximum = 1e15,
     .preset = "2m", .help = "with --check: at most so long for each pair"},
    {ROW("measured", "FILE", OPTION_LIST, measured),
     .help = "show next to each prediction what was measured: a pairs.jsonl of --check; may be "
             "given again"},
    {0},
};

static const struct option_row output_rows[] = {
    {ROW("format", "terminal|md|html|svg|csv|json", OPTION_TEXT, format), .as = OPTION_CHOICE,
     .choices = formats,
     .help = "how it is laid out (default: by the ending of --output, else terminal)"},
    TEXT("output", "FILE", output,
         "write to FILE, such as pairs.html: the matrix of victims and aggressors"),
    TEXT("json", "FILE", json, "write a jostle.prediction/1 to FILE too, - for stdout instead"),
    FLAG("quiet", quiet, "print nothing but errors"),
    {ROW("steps", NULL, OPTION_FLAG, steps), .hidden = true,
     .help = "for the shell: what --check measures, and where its records are, ended by NUL"},
    {ROW("plan", NULL, OPTION_FLAG, plan), .hidden = true,
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
    "  jostle predict --together --at-most 1.1 *.profile.json\n"
    "\n"
    "Exit status:\n"
    "  0  predicted                        1  failure\n"
    "  2  wrong use, or an unfit profile   3  a slowdown is above --at-most\n"
    "  4  cannot be told, or not within --at-most\n";

static const char *format_of(const char *output)
{
    const char *ending = output ? strrchr(output, '.') : NULL;
    if (!output)
        return "terminal";
    if (ending && strcmp(ending, ".htm") == 0)
        return "html";
    if (ending && strcmp(ending, ".txt") == 0)
        return "terminal";
    size_t format = 1; // but terminal
    while (ending && formats[format] && strcmp(ending + 1, formats[format]) != 0)
        format++;
    if (!ending || !formats[format])
        usage_error("--output %s: no format has this ending: give .html, .md, .svg, .csv, .json "
                    "or .txt, or --format",
                    output);
    return formats[format];
}

static void check(struct predict_request *request)
{
    static const char *const of_check[] = {"records", "min-runs", "max-runs", "max-time"};
    if (!request->format)
        request->format = format_of(request->output);
    if (!*request->operand)
        usage_error("no profile: give two or more, such as those of jostle profile");
    if (request->together && request->check)
        usage_error("--together --check: only pairs are measured: leave out one of the two");
    if (request->together && request->with_itself)
        usage_error("--together --with-itself: give the profile's program as often as it runs: "
                    "leave out --with-itself");
    if (request->min_runs > request->max_runs && options_given(request->given, "min-runs"))
        usage_error("--min-runs %ju: more than --max-runs %ju: give no more",
                    (uintmax_t)request->min_runs, (uintmax_t)request->max_runs);
    if (request->min_runs > request->max_runs)
        request->min_runs = request->max_runs;
    for (size_t i = 0; i < sizeof of_check / sizeof *of_check; i++)
        if (!request->check && options_given(request->given, of_check[i]))
            usage_error("--%s: only with --check: add it", of_check[i]);
}

// Reads the command line; --help and wrong use end the program. `format` is then the name of
// a format, from --format, the ending of --output, or the preset.
static void request_read(struct predict_request *request, int argc, char **argv)
{
    *request = (struct predict_request){0};
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
    request->records = request->records ? request->records : "jostle-results/pairs";
    check(request);
}

// The record of a prediction, jostle.prediction/1.

static json_t *program_to_json(const struct program_entry *entry)
{
    const struct program_profile *profile = &entry->profile;
    const json_t *reasons = json_object_get(profile->record, "reasons");
    return must(json_pack(
        "{s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:I, s:o}", "name", entry->name, "file",
        json_text(entry->path), "place", profile->place, "made", profile->made, "alone_s",
        number_to_json(profile->alone_s), "cpus_used", number_to_json(profile->cpus_used),
        "alone_sd", number_to_json(profile->noise_sd), "runs", (json_int_t)profile->noise_n,
        "reasons", json_is_array(reasons) ? json_deep_copy(reasons) : json_array()));
}

// A new reference.
static json_t *record_make(const struct table *table)
{
    const struct program_list *list = table->programs;
    const struct program_profile *first = &list->entry[0].profile;
    const double at_most = table->request->at_most;
    json_t *programs = must(json_array());
    for (size_t i = 0; i < list->count; i++)
        json_add(programs, program_to_json(&list->entry[i]));
    return must(json_pack("{s:s, s:s, s:{s:s, s:s}, s:b, s:o, s:o, s:o, s:o, s:o}", "schema",
                          SCHEMA_PREDICTION, "jostle", JOSTLE_VERSION, "machine", "host",
                          first->host, "hash", first->machine, "together",
                          table->count > 0 && table->row[0].together, "at_most",
                          number_to_json(at_most > 0 ? at_most : NAN), "programs", programs,
                          "predictions", table_to_json(table), "worst", table_worst_to_json(table),
                          "check", table_check_to_json(table)));
}

static int steps(const struct predict_request *request)
{
    struct program_list list;
    programs_read(&list, request->operand, request->place, false);
    const bool good = !request->check || check_print(&list, request);
    programs_free(&list);
    return good ? 0 : 1;
}

// To --json, and to the shell that lays it out in a format.
static bool write_record(const struct predict_request *request, const json_t *record,
                         const char *format)
{
    if (request->json && !output_json(record, request->json, stdout))
        return false;
    if (request->json && strcmp(request->json, "-") == 0)
        return true;
    if (!request->plan)
        return request->json || output_json(record, "-", stdout);
    // What the shell is to do with the record that follows.
    printf("%s%c%s%c%s%c", format, 0, request->output ? request->output : "", 0,
           request->quiet ? "quiet" : "", 0);
    return output_json(record, "-", stdout) && putchar('\0') != EOF;
}

static int predict(const struct predict_request *request)
{
    struct program_list list;
    json_auto_t *measured = must(json_array());
    struct table table;
    programs_read(&list, request->operand, request->place, request->together);
    bool good = !request->check || pairs_collect(measured, request->records);
    for (size_t i = 0; good && i < request->measured.count; i++)
        good = pairs_read(measured, request->measured.item[i]);
    if (!good) {
        programs_free(&list);
        return 1;
    }
    table_make(&table, &list, measured, request);
    json_t *record = record_make(&table);
    good = write_record(request, record, request->format);
    json_decref(record);
    const int status = good ? table_status(&table) : 1;
    table_free(&table);
    programs_free(&list);
    return status;
}

int main(int argc, char **argv)
{
    streams_open();
    struct predict_request request;
    request_read(&request, argc, argv);
    const int status = request.steps ? steps(&request) : predict(&request);
    options_free(request.given);
    return status;
}
