// What --check measures: each pair that is not measured yet, as an experiment.

#include "predict.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <gsl/gsl_statistics_double.h>
#include <string.h>

static const json_t *program_of(const struct program_entry *entry)
{
    return json_object_get(entry->profile.record, "program");
}

// How its profile has it run.
static void put_program(const json_t *program)
{
    const char *ignored = json_text_at(program, "ignore_failure");
    study_option("--input", json_text_at(program, "input"));
    study_option("--prepare", json_text_at(program, "prepare"));
    study_option("--conclude", json_text_at(program, "conclude"));
    if (ignored) {
        OWNED char *option = strcmp(ignored, "any") == 0 ? text_of("--ignore-failure")
                                                         : text_of("--ignore-failure=%s", ignored);
        study_word(option);
    }
    study_word("--");
    study_words(json_object_get(program, "words"));
}

// What both need before all runs, or leave behind: --setup, --cleanup.
static void put_both(const char *option, const struct program_entry *a,
                     const struct program_entry *b)
{
    const char *of_a = json_text_at(program_of(a), option + 2);
    const char *of_b = json_text_at(program_of(b), option + 2);
    if (!of_a || !of_b || strcmp(of_a, of_b) == 0) {
        study_option(option, of_a ? of_a : of_b);
        return;
    }
    OWNED char *both = text_of("%s\n%s", of_a, of_b);
    study_option(option, both);
}

// Its records are in CELLS/NAME.
static void put_pair(const char *cells, const char *name, const struct program_entry *a,
                     const struct program_entry *b, const struct predict_request *request)
{
    char time[32];
    OWNED char *load = loop_text(b->name, program_of(b));
    study_step("slowdown", cells, name);
    study_word("--quiet");
    study_option("--place", a->profile.place);
    study_option("--load", load);
    study_number("--min-runs", "%.0f", (double)request->min_runs);
    study_number("--max-runs", "%.0f", (double)request->max_runs);
    study_option("--max-time", units_exact_time(request->max_time_ns, time, sizeof time));
    put_both("--setup", a, b);
    put_both("--cleanup", a, b);
    put_program(program_of(a));
    study_step_end();
}

static bool has_words(const struct program_entry *entry)
{
    const json_t *words = json_object_get(program_of(entry), "words");
    bool good = json_array_size(words) > 0;
    JSON_EACH (word, words)
        good = good && json_is_string(word);
    return good ||
           complain("%s: does not say how its program is run: make the profile again", entry->path);
}

// Whether the recorded command is the profile's. Its first word may have become a path; a single
// one may have been split, or run by a shell: of that nothing is known.
static bool is_command(const json_t *recorded, const json_t *words)
{
    const size_t count = json_array_size(words);
    bool same = count == 1 || json_array_size(recorded) == count;
    for (size_t i = 1; same && i < count; i++)
        same = json_equal(json_array_get(recorded, i), json_array_get(words, i)) != 0;
    return same;
}

// Whether a pair's records, where there are any, are of these programs, not of others of the same
// names.
static bool is_of_both(const char *path, const struct program_entry *a,
                       const struct program_entry *b)
{
    json_t *experiment = json_read_record(path, 0, NULL);
    const json_t *load = json_array_get(json_object_get(experiment, "loads"), 1);
    const char *digits = json_text_at(json_object_get(experiment, "program"), "sha256");
    const char *spec = json_text_at(load, "spec");
    OWNED char *text = loop_text(b->name, program_of(b));
    const bool same =
        !experiment ||
        ((!spec || strcmp(text + strlen(b->name) + 1, spec) == 0) &&
         (!digits || a->profile.sha256[0] == '\0' || strcmp(digits, a->profile.sha256) == 0) &&
         is_command(json_object_get(experiment, "command"),
                    json_object_get(program_of(a), "words")));
    json_decref(experiment);
    return same;
}

// A pair that is not measured yet. False after a message: its records are of other programs.
static bool say_pair(const struct program_entry *a, const struct program_entry *b, size_t number,
                     size_t count, const struct predict_request *request)
{
    OWNED char *cells = text_of("%s/cells", request->records),
               *name = text_of("%s@%s.%s", a->name, b->name, a->profile.place),
               *path = text_of("%s/%s/experiment.json", cells, name);
    if (!is_of_both(path, a, b))
        return complain("%s/%s is of other programs of these names: give another --records, or "
                        "remove it",
                        cells, name);
    if (study_is_done(cells, name))
        return true;
    OWNED char *text = text_of("%zu/%zu %s", number, count, name);
    pair_put("say", text);
    put_pair(cells, name, a, b, request);
    return true;
}

bool check_print(const struct program_list *list, const struct predict_request *request)
{
    size_t count = 0, number = 0;
    bool good = true;
    char time[32];
    for (size_t i = 0; good && i < list->count; i++)
        good = has_words(&list->entry[i]);
    for (size_t a = 0; a < list->count; a++)
        for (size_t b = 0; b < list->count; b++)
            count += programs_meet(list, a, b, request->with_itself);
    if (count == 0 || !good)
        return good;
    pair_put("folder", request->records);
    pair_put_flag("quiet", request->quiet);
    OWNED char *text = text_of("pairs to measure: %zu, each for %s at most (--max-time)", count,
                               units_exact_time(request->max_time_ns, time, sizeof time));
    pair_put("say", text);
    for (size_t a = 0; good && a < list->count; a++)
        for (size_t b = 0; good && b < list->count; b++)
            if (programs_meet(list, a, b, request->with_itself))
                good = say_pair(&list->entry[a], &list->entry[b], ++number, count, request);
    return good;
}
