// profile: what `jostle profile` measures, and what came of it. It reads and writes files;
// processes are the shell's.
//
//     --next DIR         the next step: see study.h
//     --derive DIR       writes the profile from its records
//     --show FILE|DIR    a profile on stdout, or that of the records in a folder
//     --noise DIR        what runs alone show, on stdout; exit 3 where it is too much
//
// Without any of these it reads the command line, writes the plan into the folder of the
// records, and prints what the shell is to do.
#define OPTIONS_OF struct profile_request

#include "profile.h"

#include "common/exit_status.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REQUEST_LEVELS = 4 };

struct profile_request {
    // As typed.
    const char *kinds, *levels, *place, *place_cpus, *target_cpus, *load_cpus, *input, *prepare,
        *conclude, *setup, *cleanup, *timeout, *nice, *ignore_failure, *output, *json;
    int64_t max_time_ns;
    double confidence;
    uint64_t seed, max_runs;
    bool check_noise, no_pressure, dry_run, resume, quiet, verbose;
    const char *next, *derive, *noise, *show; // what the shell calls: folder or file
    char **words;                             // of the program
    size_t word_count;
    // Found out.
    char *name, *file, *folder; // of the profile; to be freed
    struct options *given;
};

static const char *const places[] = {"core", "smt", "l3", "node", "machine", NULL};

static const struct option_row what_rows[] = {
    TEXT("kinds", "LIST", kinds,
         "kinds of load, with commas between: cpu, mem, cache, io, net, alloc (default: all that "
         "are possible here)"),
    TEXT("levels", "LIST", levels,
         "levels of each kind, such as 25%,50%,75%,100%; no others are added then (default: 50% "
         "and 100%, and more where the curve may bend)"),
    {ROW("place", "core|smt|l3|node|machine", OPTION_TEXT, place), .as = OPTION_CHOICE,
     .choices = places, .preset = "machine", .help = "where neighbours run, seen from PROGRAM"},
    FLAG("no-pressure", no_pressure,
         "measure what loads do to PROGRAM alone, not what it does to others"),
    FLAG("check-noise", check_noise,
         "measure only how PROGRAM varies alone, for a minute at most, and say what can be told "
         "of it on this machine"),
    {0}};

// What is handed on to each experiment as it is.
static const struct option_row how_rows[] = {
    {ROW("confidence", "C", OPTION_FRACTION, confidence), .maximum = 1, .exclusive = true,
     .preset = "0.95", .help = "confidence of every interval"},
    {ROW("seed", "N", OPTION_COUNT, seed), .maximum = OPTION_SEED_MOST,
     .help = "seed of the random orders (default: taken from the clock, and recorded)"},
    {ROW("place-cpus", "N[:M]", OPTION_TEXT, place_cpus), .check = option_check_cores,
     .wrong = "1:", .help = "cores for PROGRAM, and for its neighbours (default: 1, and as many)"},
    {ROW("target-cpus", "LIST", OPTION_CPUS, target_cpus), .help = "pin PROGRAM to these CPUs"},
    {ROW("load-cpus", "LIST", OPTION_CPUS, load_cpus), .help = "pin its neighbours to these CPUs"},
    {ROW("nice", "N", OPTION_TEXT, nice), .as = OPTION_INTEGER, .minimum = -20, .maximum = 19,
     .help = "priority of PROGRAM"},
    TEXT("input", "FILE", input, "PROGRAM's stdin, opened anew for each run (default: /dev/null)"),
    TEXT("setup", "CMD", setup, "run CMD with bash before the first run of each experiment"),
    TEXT("prepare", "CMD", prepare, "run CMD with bash before each run, unmeasured"),
    TEXT("conclude", "CMD", conclude, "run CMD with bash after each run, unmeasured"),
    TEXT("cleanup", "CMD", cleanup, "run CMD with bash after the last run of each experiment"),
    {ROW("ignore-failure", "CODES", OPTION_TEXT, ignore_failure), .bare = "any",
     .help = "continue when PROGRAM fails, and use such runs; with CODES (exit codes with commas "
             "between) only those that end with one of them"},
    {ROW("timeout", "TIME", OPTION_TEXT, timeout), .as = OPTION_TIME, .minimum = 1e6,
     .maximum = OPTION_TIME_MOST, .help = "end a run, and its whole process tree, after TIME"},
    {0}};

static const struct option_row where_rows[] = {
    {ROW("max-time", "TIME", OPTION_TIME, max_time_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .help = "for the whole profile, without what has to be calibrated first (default: 3min, or "
             "what a long program needs, which is said first)"},
    {ROW("max-runs", "N", OPTION_COUNT, max_runs), .minimum = 2, .maximum = 1e6,
     .help = "runs of each condition at most (default: as many as the time allows, and 60; with "
             "--check-noise 400)"},
    TEXT("output", "FILE|DIR", output,
         "the profile, or the folder for it (default: PROGRAM.profile.json); its records go to a "
         "folder beside it, FILE without .json"),
    TEXT("json", "FILE", json, "write the profile to FILE too, - for stdout in place of the table"),
    FLAG("resume", resume, "continue a profile that was interrupted"),
    FLAG("dry-run", dry_run,
         "run PROGRAM alone, a few times, say how long the profile takes, and end"),
    FLAG("verbose", verbose, "show each step's own result"),
    FLAG("quiet", quiet, "print nothing but errors"),
    HIDDEN("next", "DIR", next, "print the next step"),
    HIDDEN("derive", "DIR", derive, "write the profile from its records"),
    HIDDEN("noise", "DIR", noise, "print what runs alone show"),
    HIDDEN("show", "DIR", show, "print a profile, checked, or that of a folder"),
    HIDDEN("page", "DIR", show, "the same: a page needs no more"),
    {0}};

static const char intro[] =
    "Measures what loads do to PROGRAM, and what PROGRAM does to its neighbours, and keeps both "
    "as PROGRAM.profile.json: sensitivity is its slowdown under each kind of load at several "
    "levels; pressure is what it does, run again and again, to four small reporters such as "
    "the time of a load from memory, beside what the loads do to them. `jostle predict` takes two "
    "profiles and says what each costs the other.\n";

static const char details[] =
    "Examples:\n"
    "  jostle profile -- ./solver input.dat\n"
    "  jostle profile --place core --kinds cpu,mem -- ./solver input.dat\n"
    "  jostle profile --check-noise -- ./solver input.dat\n"
    "  jostle report solver.profile.json\n"
    "\n"
    "Exit status:\n"
    "  0  measured\n"
    "  1  jostle failed, or PROGRAM failed when it was run again and again\n"
    "  2  wrong use, or a program that cannot be profiled: too short, or too long for --max-time\n"
    "  3  --check-noise: what is wanted cannot be told on this machine\n"
    "  5  PROGRAM failed, alone or under a load\n"
    "  129, 130, 143  interrupted by a signal: --resume continues\n";

// ---- names ----

// The text with a _ for each run of characters that no file name should have.
static char *clean(const char *text)
{
    char *name = text_of("%s", text), *to = name;
    for (const char *from = text; *from != '\0'; from++) {
        const bool good = isalnum((unsigned char)*from) || strchr("._-+", *from);
        if (good || to == name || to[-1] != '_')
            *to++ = (char)(good ? *from : '_');
    }
    *to = '\0';
    return name;
}

static char *without(const char *text, const char *ending)
{
    return text_of("%.*s", (int)text_before(text, ending), text);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return path[strlen(path) - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void name_after_program(struct profile_request *request, const char *folder)
{
    request->name = clean(base(request->words[0]));
    if (request->name[strspn(request->name, "._-")] == '\0') {
        free(request->name);
        request->name = text_of("program");
    }
    const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] != '/';
    request->file = text_of("%s%s%s.profile.json", folder, slash ? "/" : "", request->name);
}

static void name_after_file(struct profile_request *request)
{
    OWNED char *bare = without(base(request->output), ".json");
    request->file = text_of("%s", request->output);
    request->name = without(bare, ".profile");
    if (strcmp(bare, base(request->output)) == 0 || request->name[0] == '\0')
        usage_error("--output %s: no name of a profile: give a folder, or a file that ends with "
                    ".profile.json",
                    request->output);
}

static void find_names(struct profile_request *request)
{
    if (request->check_noise) {
        request->name = clean(base(request->words[0]));
        request->folder = request->output ? text_of("%s", request->output)
                                          : save_default_folder("noise", request->words[0]);
        return;
    }
    if (!request->output)
        name_after_program(request, "");
    else if (is_folder(request->output))
        name_after_program(request, request->output);
    else
        name_after_file(request);
    request->folder = without(request->file, ".json");
}

// ---- the plan ----

// Each text between commas, handed to `take`.
static void each_item(const char *list, void (*take)(const char *, json_t *), json_t *plan)
{
    char *copy = text_of("%s", list), *rest = copy;
    for (char *one; (one = strsep(&rest, ",")) != NULL;)
        take(one, plan);
    free(copy);
}

static void add_kind(enum kind kind, json_t *plan)
{
    char reason[256];
    if (kind_impossible(kind, reason, sizeof reason)) {
        json_add(json_object_get(plan, "reasons"),
                 json_owned_text(text_of("%s: not measured: %s", kinds[kind].name, reason)));
        return;
    }
    json_add(json_object_get(plan, "kinds"), json_text(kinds[kind].name));
}

static void take_kind(const char *name, json_t *plan)
{
    const char *names[KINDS + 1] = {NULL};
    const enum kind kind = kind_find(name);
    for (size_t i = 0; i < KINDS; i++)
        names[i] = kinds[i].name;
    if (kind == KINDS)
        usage_error("--kinds %s: no kind of load%s: give some of cpu, mem, cache, io, net, alloc",
                    name, nearest_hint(name, names).text);
    add_kind(kind, plan);
}

static void take_level(const char *text, json_t *plan)
{
    double percent;
    json_t *levels = json_object_get(plan, "levels");
    if (units_percent(text, &percent) != 0 || !(percent > 0) || percent > 100)
        usage_error("--levels %s: no level: give some above 0 and up to 100%%, such as 50%%,100%%",
                    text);
    if (json_array_size(levels) == REQUEST_LEVELS)
        usage_error("--levels: %d at most: leave some out", REQUEST_LEVELS);
    for (size_t i = 0; i < json_array_size(levels); i++)
        if (json_number_value(json_array_get(levels, i)) == percent / 100)
            usage_error("--levels %s: given twice: give each level once", text);
    json_add(levels, json_number(percent / 100));
}

static void add_kinds(const struct profile_request *request, json_t *plan)
{
    if (request->kinds)
        each_item(request->kinds, take_kind, plan);
    for (enum kind kind = 0; kind < KINDS && !request->kinds; kind++)
        add_kind(kind, plan);
    if (json_array_size(json_object_get(plan, "kinds")) == 0)
        usage_error("--kinds: none of these loads is possible here (%s): give others",
                    json_string_value(json_array_get(json_object_get(plan, "reasons"), 0)));
}

// The words of options that every experiment gets as they are.
static json_t *handed_on(const struct profile_request *request)
{
    json_t *words = must(json_array());
    for (const struct option_row *row = how_rows; row->name != NULL; row++) {
        char value[PATH_MAX];
        if (!options_given(request->given, row->name))
            continue;
        if (!option_format(row, request, value, sizeof value))
            usage_error("--%s: too long: give less", row->name);
        const bool bare = row->type == OPTION_TEXT && row->bare && strcmp(value, row->bare) == 0;
        OWNED char *word = text_of("--%s%s%s", row->name, bare ? "" : "=", bare ? "" : value);
        json_add(words, study_text(word));
    }
    if (strcmp(request->place, "machine") != 0 || options_given(request->given, "place-cpus"))
        json_add(words, json_owned_text(text_of("--place=%s", request->place)));
    return words;
}

// The plan, a new reference: name, words, place, kinds and levels, time, and `options`, the words
// that all experiments have. Kinds that are not possible here are in its `reasons`.
static json_t *request_plan(const struct profile_request *request)
{
    json_t *words = must(json_array());
    for (size_t i = 0; i < request->word_count; i++)
        json_add(words, study_text(request->words[i]));
    const double max_s = (double)request->max_time_ns / 1e9, max_runs = (double)request->max_runs;
    json_t *plan = must(json_pack(
        "{s:s, s:o, s:s, s:[], s:[], s:[], s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "schema", SCHEMA_PROFILE_PLAN, "name", study_text(request->name), "place", request->place,
        "kinds", "levels", "reasons", "check_noise", request->check_noise, "pressure",
        !request->no_pressure, "adds", !request->levels, "options", handed_on(request), "words",
        words, "input", study_text(request->input), "setup", study_text(request->setup), "prepare",
        study_text(request->prepare), "conclude", study_text(request->conclude), "cleanup",
        study_text(request->cleanup), "ignore_failure", study_text(request->ignore_failure),
        "confidence", json_number(request->confidence), "max_time_s",
        json_number(max_s > 0 ? max_s : NAN), "max_runs",
        json_number(max_runs > 0 ? max_runs : NAN)));
    add_kinds(request, plan);
    each_item(request->levels ? request->levels : "50%,100%", take_level, plan);
    return plan;
}

// Reads and checks the command line; wrong use ends the program.
static void request_read(struct profile_request *request, int argc, char **argv)
{
    *request = (struct profile_request){0};
    const struct option_group groups[] = {
        {.rows = what_rows, .values = request, .title = "What to measure:"},
        {.rows = how_rows, .values = request, .title = "How to measure:"},
        {.rows = where_rows, .values = request, .title = "How long, and where it goes:"}};
    const struct program program = {.name = "jostle profile",
                                    .usage = "[--] PROGRAM [ARGS...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 3,
                                    .stop_at_operand = true};
    int rest;
    request->given = options_parse(&program, argc, argv, &rest);
    if (request->next || request->derive || request->noise || request->show)
        return;
    request->words = argv + rest;
    request->word_count = (size_t)(argc - rest);
    if (request->word_count == 0)
        usage_error("no program: give one: jostle profile -- PROGRAM");
    find_names(request);
    save_check_output(request->json, request->folder);
}

static void request_free(struct profile_request *request)
{
    options_free(request->given);
    free(request->name);
    free(request->file);
    free(request->folder);
}

// ---- what the shell asks for

// Whether both measure the same: all but the time and the reference.
static bool is_same(const json_t *a, const json_t *b)
{
    static const char *const names[] = {"words",   "place",         "kinds",   "levels",
                                        "options", "input",         "prepare", "check_noise",
                                        "adds",    "ignore_failure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!json_equal(json_object_get(a, names[i]), json_object_get(b, names[i])))
            return false;
    return true;
}

// Writes the plan, and prints what the shell is to do.
static bool begin(const struct profile_request *request)
{
    json_t *plan = request_plan(request);
    json_t *old = study_resumed(&profile_study, plan, request->folder, request->resume, is_same);
    if (!old && request->file && access(request->file, F_OK) == 0)
        usage_error("%s is there, and its records (%s) are not: move it away, or give another "
                    "--output",
                    request->file, request->folder);
    if (old && json_is_null(json_object_get(plan, "max_time_s")))
        json_put(plan, "max_time_s", json_incref(json_object_get(old, "max_time_s")));
    bool made = false;
    const bool good = study_keep(&profile_study, plan, request->folder, &made);
    pair_put("folder", request->folder);
    pair_put("named", request->file ? request->file : request->output);
    pair_put_flag("made", made);
    pair_put_flag("begun", old != NULL);
    pair_put("file", request->file);
    pair_put("json", request->json);
    pair_put_flag("check_noise", request->check_noise);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("resume", request->resume);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
    json_decref(old);
    json_decref(plan);
    return good && fflush(stdout) == 0;
}

static bool derive(const struct profile_request *request)
{
    if (!request->output)
        usage_error("--derive: it needs --output FILE");
    json_auto_t *record = derive_profile(request->derive, request->output);
    return record && output_named(record, request->output);
}

// What a file holds, where it is a profile.
static json_t *read_profile(const char *path)
{
    struct program_profile profile;
    char why[PROFILE_WHY];
    json_t *record = NULL;
    if (profile_read(&profile, path, why, sizeof why))
        record = json_incref(profile.record);
    else
        complain("%s %s", path, why);
    profile_free(&profile);
    return record;
}

static json_t *show_folder(const char *folder)
{
    json_t *plan = study_plan(&profile_study, folder);
    const bool of_noise = json_is_true(json_object_get(plan, "check_noise"));
    json_decref(plan);
    if (of_noise)
        complain("%s holds runs of --check-noise, and no profile: see jostle report %s/%s", folder,
                 folder, STEP_ALONE);
    return !plan || of_noise ? NULL : derive_profile(folder, folder);
}

static bool show(const char *path)
{
    struct stat status;
    const bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    json_auto_t *record = is_folder ? show_folder(path) : read_profile(path);
    return record && output_json(record, "-", stdout);
}

static int noise(const char *folder)
{
    json_auto_t *record = derive_noise(folder);
    if (!record || !output_json(record, "-", stdout))
        return EXIT_FAILURE;
    return json_is_true(json_object_get(record, "can_be_told")) ? EXIT_SUCCESS : EXIT_ABOVE;
}

int main(int argc, char **argv)
{
    streams_open();
    struct profile_request request;
    int status;
    request_read(&request, argc, argv);
    if (request.next)
        status = steps_print(request.next, request.verbose, request.dry_run) ? EXIT_SUCCESS
                                                                             : EXIT_FAILURE;
    else if (request.derive)
        status = derive(&request) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (request.show)
        status = show(request.show) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (request.noise)
        status = noise(request.noise);
    else
        status = begin(&request) ? EXIT_SUCCESS : EXIT_FAILURE;
    request_free(&request);
    return status;
}
