// The plan of a pack, pack-plan.json: what it measures, as its command line and its trial have it.

#include "pack.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

const struct study pack_study = {"pack", "pack-plan.json", SCHEMA_PACK_PLAN};

// ---- the programs

// A word as a copy can start it, wherever it starts. To be freed.
static char *found_program(const struct pack_request *request, const char *word)
{
    char path[PATH_MAX];
    if (strchr(word, '{'))
        return must(strdup(word));
    if (!strchr(word, '/')) {
        if (!child_find(word, path))
            usage_error("%s: no such program in PATH: fix the command, or build it", word);
        return must(strdup(word));
    }
    if (access(word, X_OK) != 0)
        usage_error("%s: it is not there, or cannot be executed: fix the command, or build it",
                    word);
    return must(request->own_folder ? realpath(word, NULL) : strdup(word));
}

static json_t *words_json(const struct pack_request *request, const char *const *words,
                          size_t count)
{
    json_t *list = must(json_array());
    char *program = found_program(request, words[0]);
    json_add(list, study_text(program));
    free(program);
    for (size_t i = 1; i < count; i++) {
        if (strchr(words[i], '\n'))
            usage_error("a word has more than one line: put the command into a script");
        json_add(list, study_text(words[i]));
    }
    return list;
}

// A command line that is one text: run by sh only where it has something for a shell.
static json_t *text_words(const struct pack_request *request, const char *text, const char *option)
{
    const char *why = "";
    size_t count;
    if (words_need_shell(text)) {
        const char *const words[] = {"sh", "-c", text};
        return words_json(request, words, 3);
    }
    OWNED char **words = words_split(text, &count, &why);
    if (!words || count == 0)
        usage_error("%s%s: %s: give a command", option, text, !words ? why : "there is no command");
    return words_json(request, (const char *const *)words, count);
}

// It becomes the name of a metric.
static void check_name(const char *name)
{
    static const char *const own[] = {"copy", "worst", "makespan", "cpu", "copy_cpu", NULL};
    if (*name == '\0' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789_") != strlen(name) ||
        (*name >= '0' && *name <= '9'))
        usage_error("--mix %s: not a name: give one of letters, digits and _, which begins with a "
                    "letter",
                    name);
    for (size_t i = 0; own[i] != NULL; i++)
        if (strcmp(name, own[i]) == 0)
            usage_error("--mix %s: the name of a figure of jostle's: give another", name);
}

static json_t *mix_json(const struct pack_request *request)
{
    json_t *list = must(json_array());
    for (size_t i = 0; i < request->mix.count; i++) {
        const char *text = request->mix.item[i], *equals = strchr(text, '=');
        if (!equals)
            usage_error("--mix %s: it has no name: give NAME=CMD", text);
        OWNED char *name = must(strndup(text, (size_t)(equals - text)));
        check_name(name);
        if (json_named(list, "name", name))
            usage_error("--mix %s: two programs have this name: give another", name);
        json_add(list, must(json_pack("{s:s, s:o}", "name", name, "words",
                                      text_words(request, equals + 1, "--mix "))));
    }
    return list;
}

static json_t *programs_json(const struct pack_request *request)
{
    size_t count = 0;
    if (request->mix.count > 0)
        return mix_json(request);
    while (request->words[count])
        count++;
    json_t *words = count == 1 ? text_words(request, request->words[0], "")
                               : words_json(request, (const char *const *)request->words, count);
    return must(json_pack("[{s:n, s:o}]", "name", "words", words));
}

// ---- how many

static size_t most_copies(const struct pack_request *request, const json_t *cpus, size_t programs)
{
    const char *allowed = json_text_at(cpus, "allowed");
    const size_t room = (size_t)json_number_at(cpus, "room"),
                 most = request->max_copies > 0 ? (size_t)request->max_copies : room;
    if (most > room && !request->oversubscribe)
        usage_error("%s %zu: fewer CPUs than copies: CPUs %s have room for %zu: give at most that "
                    "many, or --oversubscribe to have them take turns",
                    request->max_copies > 0 ? "--max-copies" : "copies", most, allowed, room);
    if (most < programs)
        usage_error("--mix: fewer copies (%zu) than programs (%zu): give --max-copies %zu%s", most,
                    programs, programs, room < programs ? " --oversubscribe" : "");
    if (most < 2)
        usage_error("only one copy has a CPU here (CPUs %s): nothing can be compared: allow more, "
                    "or give --max-copies 2 --oversubscribe to have them take turns",
                    allowed);
    return most;
}

static json_t *hints_json(const char *text)
{
    json_t *list = must(json_array());
    char *copy = must(strdup(!text ? "" : text)), *rest = copy;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        json_add(list, must(json_pack("{s:s, s:s}", "scheduler", line, "options", tab + 1)));
    }
    free(copy);
    return list;
}

// ---- the plan

static json_t *settings_json(const struct pack_request *request, size_t most)
{
    return must(json_pack(
        "{s:I, s:I, s:s, s:s?, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:s?, s:s?, s:f, s:b, s:f, s:f, "
        "s:I, s:I, s:f, s:I}",
        "max_copies", (json_int_t)most, "cpus_per_copy", (json_int_t)request->cpus_per_copy,
        "place", pack_place_names[request->place], "target_cpus", request->target_cpus,
        "oversubscribe", request->oversubscribe, "own_folder", request->own_folder, "input",
        study_text(request->input), "setup", study_text(request->setup), "prepare",
        study_text(request->prepare), "conclude", study_text(request->conclude), "cleanup",
        study_text(request->cleanup), "timeout", request->timeout, "statistic", request->statistic,
        "at_most", request->at_most, "gate", options_given(request->given, "at-most"), "confidence",
        request->confidence, "error", request->error, "min_runs", (json_int_t)request->min_runs,
        "max_runs", (json_int_t)request->max_runs, "max_time_s", (double)request->max_time_ns / 1e9,
        "seed", (json_int_t)request->seed));
}

json_t *plan_make(const struct pack_request *request)
{
    if (request->input && access(request->input, R_OK) != 0)
        usage_error("--input %s: it cannot be read: give a file", request->input);
    json_t *cpus = seats_choose(request), *programs = programs_json(request);
    const size_t most = most_copies(request, cpus, json_array_size(programs));
    const struct headroom headroom = headroom_left(-1);
    return must(json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:s}, s:n, s:n}",
                          "schema", SCHEMA_PACK_PLAN, "made", json_date(time(NULL)), "jostle",
                          JOSTLE_VERSION, "machine", must(environment_now()), "programs", programs,
                          "settings", settings_json(request, most), "cpus", cpus, "hints",
                          hints_json(request->hints), "memory", "free_bytes",
                          (double)headroom.bytes, "whose", headroom.whose, "trial", "search"));
}

// What may differ when a pack is continued: how long, and how exactly.
static const char *const limits[] = {"max_time_s", "min_runs", "max_runs", "error"};

static json_t *without_limits(const json_t *plan)
{
    json_t *settings = must(json_deep_copy(json_object_get(plan, "settings")));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        (void)json_object_del(settings, limits[i]); // it is there
    return settings;
}

bool plan_is_same(const json_t *one, const json_t *other)
{
    json_auto_t *a = without_limits(one), *b = without_limits(other);
    return json_equal(a, b) &&
           json_equal(json_object_get(one, "programs"), json_object_get(other, "programs")) &&
           json_equal(json_object_get(one, "cpus"), json_object_get(other, "cpus"));
}

// ---- what it says

double plan_setting(const json_t *plan, const char *name)
{
    return json_number_at(json_object_get(plan, "settings"), name);
}

double plan_confidence(const json_t *plan)
{
    return json_confidence_at(json_object_get(plan, "settings"));
}

size_t plan_programs(const json_t *plan)
{
    return json_array_size(json_object_get(plan, "programs"));
}

size_t plan_most(const json_t *plan)
{
    const double room = json_number_at(json_object_get(plan, "memory"), "room"),
                 most = plan_setting(plan, "max_copies");
    return (size_t)(room < most ? room : most); // of NAN, before the trial, most
}

const char *plan_name(const json_t *plan)
{
    const json_t *program = json_array_get(json_object_get(plan, "programs"), 0);
    const char *name = json_text_at(program, "name");
    if (name)
        return name;
    const char *word = json_string_value(json_array_get(json_object_get(program, "words"), 0));
    const char *slash = strrchr(word, '/');
    return !slash ? word : slash + 1;
}

// ---- the trial

const char *plan_trial_time(const json_t *plan, char text[32])
{
    const char *given = json_text_at(json_object_get(plan, "settings"), "timeout");
    const double most_s = plan_setting(plan, "max_time_s");
    int64_t timeout_ns = INT64_MAX;
    if (given)
        (void)units_time(given, &timeout_ns); // checked as the option's value
    snprintf(text, 32, "%.9gs", fmin((double)timeout_ns / 1e9, most_s));
    return text;
}

static double figure_of(struct measured *trial, const char *name)
{
    return trial->has_runs ? measured_figure(trial, 0, measured_metric(trial, name)).center : NAN;
}

bool plan_take_trial(json_t *plan, const char *dir)
{
    json_t *memory = json_object_get(plan, "memory");
    struct measured trial = {.folder = text_of("%s/" STAGE_TRIAL, dir)};
    const bool good = measured_read(&trial);
    const double copy_s = figure_of(&trial, "copy_s"), all_s = figure_of(&trial, "makespan_s"),
                 peak_bytes = figure_of(&trial, "copy_peak_bytes");
    measured_free(&trial);
    if (!good)
        return false;
    if (!(copy_s > 0) || !(all_s > 0))
        return complain("%s/" STAGE_TRIAL " has no figures: start again with another --output",
                        dir);
    json_put(plan, "trial",
             must(json_pack("{s:f, s:f, s:o}", "copy_s", copy_s, "makespan_s", all_s, "peak_bytes",
                            json_number(peak_bytes))));
    json_put(memory, "room",
             peak_bytes > 0
                 ? json_integer((json_int_t)(json_number_at(memory, "free_bytes") / peak_bytes))
                 : json_null());
    const size_t programs = plan_programs(plan), most = plan_most(plan);
    return (most >= 2 && most >= programs) ||
           complain("memory: a copy takes %.0f MiB at its peak, and %s has %.0f MiB left: %s "
                    "do not fit: nothing can be compared; free some memory, or use a larger node",
                    peak_bytes / 1048576, json_text_at(memory, "whose"),
                    json_number_at(memory, "free_bytes") / 1048576,
                    programs > 1 ? "the programs" : "two");
}

// ---- the command line of `copies`, which a pack measures

static void add_value(json_t *words, const char *option, const char *value)
{
    if (!value)
        return;
    json_add(words, json_text(option));
    json_add(words, json_text(value));
}

static void add_programs(json_t *words, const json_t *plan)
{
    const json_t *programs = json_object_get(plan, "programs");
    if (json_array_size(programs) == 1) {
        json_add(words, json_text("--"));
        if (json_array_extend(words, json_object_get(json_array_get(programs, 0), "words")) != 0)
            must(NULL);
        return;
    }
    JSON_EACH (program, programs) {
        OWNED char *command = json_words_quoted(json_object_get(program, "words"));
        OWNED char *text = text_of("%s=%s", json_text_at(program, "name"), command);
        add_value(words, "--mix", text);
    }
}

json_t *launcher_words(const json_t *plan, size_t copies)
{
    const json_t *settings = json_object_get(plan, "settings");
    json_t *words = must(json_array());
    char path[PATH_MAX], number[32];
    OWNED char *pins = NULL;
    snprintf(number, sizeof number, "%zu", copies > 0 ? copies : 1);
    json_add(words, json_text(child_path("copies", path)));
    if (copies == 0 && plan_programs(plan) > 1)
        json_add(words, json_text("--in-turn"));
    else
        add_value(words, "--copies", number);
    JSON_EACH (list, json_object_get(json_object_get(plan, "cpus"), "lists"))
        pins = text_joined(pins, ":", json_string_value(list));
    add_value(words, "--pin", pins);
    if (json_is_true(json_object_get(settings, "own_folder")))
        json_add(words, json_text("--own-folder"));
    add_value(words, "--input", json_text_at(settings, "input"));
    add_programs(words, plan);
    return words;
}
