// The programs that are predicted: their profiles, names, and who meets whom.

#include "predict.h"

#include "common/child.h"
#include "common/file.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/version.h"

#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
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

// Names each entry by its program, and by its file, without folder and ending, where two programs
// have the same name.
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
