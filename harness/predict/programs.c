#include "predict.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/units.h"
#include "common/version.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Opens the program that a shell would run by this word; -1: there is none here.
static int open_program(const char *word)
{
    if (strchr(word, '/'))
        return file_open_regular(word, true); // the name is a profile's
    const char *path = getenv("PATH");
    char name[PATH_MAX];
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        if (snprintf(name, sizeof name, "%.*s/%s", (int)length, path, word) < (int)sizeof name &&
            access(name, X_OK) == 0)
            return file_open_regular(name, true);
    }
    return -1;
}

// Whether the file was last changed before the profile was made: its content needs no look then.
static bool is_older(int fd, const char *made)
{
    struct stat status;
    struct tm time = {0};
    return fstat(fd, &status) == 0 && strptime(made, "%Y-%m-%dT%H:%M:%S", &time) &&
           status.st_ctime < timegm(&time);
}

// A program that is not here cannot have changed here.
static void check_executable(const struct program_entry *entry)
{
    const struct program_profile *profile = &entry->profile;
    const char *word = json_string_value(
        json_array_get(json_object_get(json_object_get(profile->record, "program"), "words"), 0));
    char digits[SHA256_DIGITS + 1];
    if (!word || profile->sha256[0] == '\0')
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
        if (i != self &&
            strcmp(list->entry[i].profile.place, list->entry[self].profile.place) == 0 &&
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
        if (has_namesake(list, i))
            (void)snprintf(entry->name, sizeof entry->name, "%.*s", (int)strcspn(name, "."), name);
        else
            (void)snprintf(entry->name, sizeof entry->name, "%s", entry->profile.name);
    }
    // Reasons that name a program name it so, too.
    for (size_t i = 0; i < list->count; i++)
        (void)snprintf(list->entry[i].profile.name, sizeof list->entry[i].profile.name, "%.*s",
                       (int)sizeof list->entry[i].profile.name - 1, list->entry[i].name);
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

void programs_free(struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        profile_free(&list->entry[i].profile);
    free(list->entry);
}

// What --check measures.

static void add(json_t *words, const char *word)
{
    json_add(words, json_text(word));
}

static void add_pair(json_t *words, const char *option, const char *value)
{
    if (value) {
        add(words, option);
        add(words, value);
    }
}

static void add_count(json_t *words, const char *option, uint64_t count)
{
    OWNED char *text = text_of("%llu", (unsigned long long)count);
    add_pair(words, option, text);
}

static const json_t *program_of(const struct program_entry *entry)
{
    return json_object_get(entry->profile.record, "program");
}

// How its profile has it run.
static void add_program(json_t *words, const json_t *program)
{
    const char *ignored = json_text_at(program, "ignore_failure");
    add_pair(words, "--input", json_text_at(program, "input"));
    add_pair(words, "--prepare", json_text_at(program, "prepare"));
    add_pair(words, "--conclude", json_text_at(program, "conclude"));
    if (ignored) {
        char *option = strcmp(ignored, "any") == 0 ? text_of("--ignore-failure")
                                                   : text_of("--ignore-failure=%s", ignored);
        add(words, option);
        free(option);
    }
    add(words, "--");
    JSON_EACH (word, json_object_get(program, "words"))
        add(words, json_string_value(word));
}

// What both need before all runs, or leave behind: --setup, --cleanup.
static void add_both(json_t *words, const char *option, const struct program_entry *a,
                     const struct program_entry *b)
{
    const char *of_a = json_text_at(program_of(a), option + 2);
    const char *of_b = json_text_at(program_of(b), option + 2);
    if (!of_a || !of_b || strcmp(of_a, of_b) == 0) {
        add_pair(words, option, of_a ? of_a : of_b);
        return;
    }
    OWNED char *both = text_of("%s\n%s", of_a, of_b);
    add_pair(words, option, both);
}

static json_t *words_of(const struct program_entry *a, const struct program_entry *b,
                        const struct request *request)
{
    char time[32], *load = loop_text(b->name, program_of(b));
    json_t *words = must(json_array());
    add_pair(words, "--place", a->profile.place);
    add_pair(words, "--load", load);
    add_count(words, "--min-runs", request->min_runs);
    add_count(words, "--max-runs", request->max_runs);
    add_pair(words, "--max-time", units_exact_time(request->max_time_ns, time, sizeof time));
    add_both(words, "--setup", a, b);
    add_both(words, "--cleanup", a, b);
    add_program(words, program_of(a));
    free(load);
    return words;
}

static bool print_pair(const struct program_entry *a, const struct program_entry *b,
                       const struct request *request)
{
    json_t *words = words_of(a, b, request);
    bool good = printf("%s@%s.%s%c%zu%c", a->name, b->name, a->profile.place, 0,
                       json_array_size(words), 0) > 0;
    JSON_EACH (word, words)
        good = good && printf("%s%c", json_string_value(word), 0) > 0;
    json_decref(words);
    return good;
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

static bool check_records(const struct program_entry *a, const struct program_entry *b,
                          const char *records)
{
    OWNED char *cell = text_of("%s/cells/%s@%s.%s", records, a->name, b->name, a->profile.place);
    OWNED char *path = text_of("%s/experiment.json", cell);
    return is_of_both(path, a, b) ||
           complain("%s is of other programs of these names: give another --records, "
                    "or remove it",
                    cell);
}

static bool is_pair(const struct program_list *list, size_t a, size_t b, bool with_itself)
{
    return strcmp(list->entry[a].profile.place, list->entry[b].profile.place) == 0 &&
           (a != b || with_itself);
}

static bool print_head(const struct program_list *list, const struct request *request)
{
    char time[32];
    size_t count = 0;
    for (size_t a = 0; a < list->count; a++)
        for (size_t b = 0; b < list->count; b++)
            count += is_pair(list, a, b, request->with_itself);
    units_exact_time(request->max_time_ns, time, sizeof time);
    return printf("%zu%c%s%c", count, 0, time, 0) > 0;
}

bool check_print(const struct program_list *list, const struct request *request)
{
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++)
        good = has_words(&list->entry[i]);
    good = good && print_head(list, request);
    for (size_t a = 0; good && a < list->count; a++)
        for (size_t b = 0; good && b < list->count; b++)
            if (is_pair(list, a, b, request->with_itself))
                good = check_records(&list->entry[a], &list->entry[b], request->records) &&
                       print_pair(&list->entry[a], &list->entry[b], request);
    return good;
}
