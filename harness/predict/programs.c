#include "predict.h"

#include "common/child.h"
#include "common/file.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "common/units.h"
#include "common/version.h"
#include "harness/record/files.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens the program that a shell would run by this word; -1: there is none here.
static int open_program(const char *word)
{
    char path[PATH_MAX];
    if (strchr(word, '/'))
        return file_open_regular(word, true); // the name is a profile's
    return child_find(word, path) ? file_open_regular(path, true) : -1;
}

// Whether the file was last changed before the profile was made: its content needs no look then.
static bool is_older(int fd, const char *made)
{
    struct stat status;
    struct tm time = {0};
    return fstat(fd, &status) == 0 && strptime(made, "%Y-%m-%dT%H:%M:%S", &time) &&
           status.st_ctime < timegm(&time);
}

// Whether the profile is of this machine: what is called as its program elsewhere says nothing of
// it.
static bool is_of_here(const struct program_profile *profile)
{
    char here[IDENTITY_DIGITS + 1];
    json_auto_t *environment = must(environment_now());
    identity_of(environment, here);
    return strcmp(profile->machine, here) == 0;
}

// A program that is not here cannot have changed here.
static void check_executable(const struct program_entry *entry)
{
    const struct program_profile *profile = &entry->profile;
    const char *word = json_string_value(
        json_array_get(json_object_get(json_object_get(profile->record, "program"), "words"), 0));
    char digits[SHA256_DIGITS + 1];
    if (!word || profile->sha256[0] == '\0' || !is_of_here(profile))
        return;
    const int fd = open_program(word);
    const bool changed = fd >= 0 && !is_older(fd, profile->made) && sha256_file(fd, digits) &&
                         strcmp(digits, profile->sha256) != 0;
    if (fd >= 0)
        (void)close(fd);
    if (changed)
        usage_error("%s: %s has changed since it was profiled: make the profile again", entry->path,
                    word);
}

static void check_against(const struct program_entry *entry, const struct program_entry *first,
                          bool copies)
{
    const struct program_profile *a = &first->profile, *b = &entry->profile;
    if (!copies && file_is_same(first->path, entry->path))
        usage_error("%s: given twice: give each profile once, or --with-itself", entry->path);
    if (strcmp(a->machine, b->machine) != 0)
        usage_error("%s is of the machine %s, %s of %s: profile both on one machine", first->path,
                    a->host, entry->path, strcmp(a->host, b->host) == 0 ? "another" : b->host);
}

static void read_entry(struct program_entry *entry, const char *path)
{
    const struct program_profile *profile = &entry->profile;
    char why[PROFILE_WHY];
    *entry = (struct program_entry){.path = path};
    if (!profile_read(&entry->profile, path, why, sizeof why))
        usage_error("%s: %s", path, why);
    if (!version_comparable(profile->version))
        usage_error("%s: made by jostle %s, and this is %s: make the profile again", path,
                    profile->version, JOSTLE_VERSION);
    if (profile->machine[0] == '\0')
        usage_error("%s: does not say of which machine it is: make the profile again", path);
    check_executable(entry);
}

static bool has_namesake(const struct program_list *list, size_t self)
{
    for (size_t i = 0; i < list->count; i++)
        if (programs_meet(list, i, self, false) &&
            strcmp(list->entry[i].profile.name, list->entry[self].profile.name) == 0)
            return true;
    return false;
}

// By the program's name; where two have one, by the file's, without its folder and ending.
static void name_all(struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct program_entry *entry = &list->entry[i];
        const char *slash = strrchr(entry->path, '/'), *name = slash ? slash + 1 : entry->path;
        // Of a file's name only what is UTF-8 can be in a record.
        json_auto_t *of_file = has_namesake(list, i)
                                   ? json_owned_text(text_of("%.*s", (int)strcspn(name, "."), name))
                                   : NULL;
        (void)snprintf(entry->name, sizeof entry->name, "%s",
                       of_file ? json_string_value(of_file) : entry->profile.name);
    }
    // Reasons that name a program name it so, too.
    for (size_t i = 0; i < list->count; i++)
        list->entry[i].profile.name = list->entry[i].name;
}

void programs_read(struct program_list *list, char **path, const char *place, bool copies)
{
    size_t count = 0;
    while (path[count])
        count++;
    *list = (struct program_list){.entry = must(calloc(count + 1, sizeof *list->entry))};
    for (size_t i = 0; i < count; i++) {
        struct program_entry *entry = &list->entry[list->count];
        read_entry(entry, path[i]);
        if (place && strcmp(entry->profile.place, place) != 0) {
            profile_free(&entry->profile);
            continue;
        }
        for (size_t k = 0; k < list->count; k++)
            check_against(entry, &list->entry[k], copies);
        list->count++;
    }
    name_all(list);
}

bool programs_meet(const struct program_list *list, size_t a, size_t b, bool with_itself)
{
    return strcmp(list->entry[a].profile.place, list->entry[b].profile.place) == 0 &&
           (a != b || with_itself);
}

void programs_free(struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        profile_free(&list->entry[i].profile);
    free(list->entry);
}

// What --check measures.

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
                     const struct program_entry *b, const struct request *request)
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
static bool is_of_both(const char *folder, const struct program_entry *a,
                       const struct program_entry *b)
{
    json_t *experiment = experiment_json(folder);
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
                     size_t count, const struct request *request)
{
    OWNED char *cells = text_of("%s/cells", request->records),
               *name = text_of("%s@%s.%s", a->name, b->name, a->profile.place),
               *folder = text_of("%s/%s", cells, name);
    if (!is_of_both(folder, a, b))
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

bool check_print(const struct program_list *list, const struct request *request)
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

// ---- measured pairs

// The same pair of the same host; where one does not say its host, of any.
static bool is_same_pair(const json_t *one, const json_t *other)
{
    static const char *const names[] = {"a", "b", "place"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!json_text_is(one, names[i], json_text_at(other, names[i])))
            return false;
    return !json_has(one, "host") || !json_has(other, "host") ||
           json_equal(json_object_get(one, "host"), json_object_get(other, "host"));
}

// Takes the pair over; of one that is there already it becomes the repeat.
static void add_pair(json_t *pairs, json_t *pair)
{
    static const char *const measures[] = {"slowdown", "ci", "n", "sd", "starts"};
    json_t *known = NULL;
    JSON_EACH (one, pairs) {
        if (is_same_pair(one, pair))
            known = known ? known : one;
    }
    if (!known) {
        json_add(pairs, pair);
        return;
    }
    if (!json_has(known, "repeat") && !json_has(pair, "repeat")) {
        json_t *repeat = must(json_object());
        for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
            json_put(repeat, measures[i], json_member(pair, measures[i]));
        json_put(known, "repeat", repeat);
    }
    json_decref(pair);
}

static bool is_pair_record(const json_t *record)
{
    const json_t *repeat = json_object_get(record, "repeat");
    return json_text_is(record, "schema", SCHEMA_PAIR) && json_text_at(record, "a") &&
           json_text_at(record, "b") && json_text_at(record, "place") &&
           json_number_at(record, "slowdown") > 0 &&
           (!json_is_object(repeat) || json_number_at(repeat, "slowdown") > 0);
}

bool pairs_read(json_t *pairs, const char *path)
{
    FILE *file = file_open_record(path);
    OWNED char *line = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    bool good = true;
    if (!file)
        return complain("%s: %s: give the pairs.jsonl of `predict --check`", path, file_why(errno));
    while (good && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        number++;
        good = is_pair_record(record);
        if (good)
            add_pair(pairs, json_incref(record));
        else
            complain("%s: line %zu is no " SCHEMA_PAIR ": remove it", path, number);
        json_decref(record);
    }
    fclose(file);
    return good;
}

// ---- what --check has measured

// The slowdown of the wall time beside the one load that there is; NULL: there is none.
static const json_t *slowdown_of(const json_t *result)
{
    JSON_EACH (one, json_object_get(result, "slowdowns")) {
        if (json_text_is(one, "metric", "wall_s") && json_text_at(one, "condition"))
            return one;
    }
    return NULL;
}

// Of the log ratio of a block.
static double spread_of(const struct measured *measured, size_t condition)
{
    const size_t blocks = measured->session.blocks;
    size_t count = 0;
    OWNED double *alone_s = measured_by_block(measured, 0, WALL_S);
    OWNED double *beside_s = measured_by_block(measured, condition, WALL_S);
    for (size_t i = 0; i < blocks; i++)
        if (alone_s[i] > 0 && beside_s[i] > 0)
            alone_s[count++] = log(beside_s[i] / alone_s[i]);
    return count > 1 ? gsl_stats_sd(alone_s, 1, count) : NAN;
}

// When the runs were that count, how they spread, and the host, into the pair; false where they
// cannot be read.
static bool read_runs(const char *cells, const char *name, const char *loaded, json_t *pair)
{
    struct measured measured;
    json_t *starts = json_object_get(pair, "starts");
    bool good = measured_open(&measured, cells, name);
    const int condition = good ? settings_condition(&measured.experiment.settings, loaded) : -1;
    good = condition > 0;
    for (size_t i = 0; good && i < measured.session.count; i++) {
        const struct observation *run = &measured.session.runs[i];
        if (!json_has(pair, "host"))
            json_put(pair, "host", json_text(json_text_at(run->record, "host")));
        if ((run->condition == 0 || run->condition == condition) &&
            session_uses(&measured.session, run) && json_has(run->record, "start"))
            json_add(starts, json_incref(json_object_get(run->record, "start")));
    }
    if (good)
        json_put(pair, "sd", number_to_json(spread_of(&measured, (size_t)condition)));
    measured_free(&measured);
    return good;
}

// Of the folder A@B.PLACE, where the load is B. A new reference; NULL: it has no result.
static json_t *pair_of(const char *cells, const char *name)
{
    OWNED char *folder = text_of("%s/%s", cells, name), *path = record_path(folder, RESULT_FILE);
    json_auto_t *experiment = experiment_json(folder), *result = json_read_record(path, 0, NULL);
    const json_t *slowdown = slowdown_of(result);
    const char *b = json_text_at(slowdown, "condition");
    const char *place = json_text_at(json_object_get(experiment, "settings"), "place");
    if (!(json_number_at(slowdown, "ratio") > 0))
        return NULL;
    json_t *pair = must(json_pack(
        "{s:s, s:o, s:s, s:s, s:n, s:o, s:o, s:I, s:n, s:[], s:n}", "schema", SCHEMA_PAIR, "a",
        json_owned_text(text_of("%.*s", (int)strcspn(name, "@"), name)), "b", b, "place",
        place ? place : "machine", "host", "slowdown",
        number_to_json(json_number_at(slowdown, "ratio")), "ci",
        bounds_to_json(json_bound_at(slowdown, 0), json_bound_at(slowdown, 1)), "n",
        json_integer_value(json_object_get(slowdown, "pairs")), "sd", "starts", "repeat"));
    if (read_runs(cells, name, b, pair))
        return pair;
    json_decref(pair);
    return NULL;
}

// A line each.
static bool write_pairs(const json_t *pairs, const char *folder)
{
    OWNED char *path = text_of("%s/pairs.jsonl", folder);
    struct save save;
    bool good = save_begin(&save, path, SAVE_OUTPUT);
    if (!good)
        return save_complain(path);
    JSON_EACH (pair, pairs)
        good =
            good && json_dumpf(pair, save.file, LINE_FORMAT) == 0 && fputc('\n', save.file) != EOF;
    return save_end(&save, good) || save_complain(path);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool pairs_collect(json_t *pairs, const char *folder)
{
    struct dirent **entry = NULL;
    OWNED char *cells = text_of("%s/cells", folder);
    size_t left = 0;
    const int count = scandir(cells, &entry, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        json_t *pair = pair_of(cells, entry[i]->d_name);
        if (pair)
            add_pair(pairs, pair);
        else
            left++;
        free(entry[i]);
    }
    free(entry);
    if (left > 0)
        complain("%zu cells have no result: measure them, and give the same command again", left);
    return count <= 0 || write_pairs(pairs, folder);
}
