#include "programs.h"

#include "common/file.h"
#include "common/kept.h"
#include "common/messages.h"
#include "common/sha256.h"
#include "common/version.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

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
    if (!copies && is_same_file(first->path, entry->path))
        usage_error("%s: given twice: give each profile once, or --with-itself", entry->path);
    if (strcmp(a->machine, b->machine) != 0)
        usage_error("%s is of the machine %s, %s of %s: profile both on one machine", first->path,
                    a->host, entry->path, strcmp(a->host, b->host) == 0 ? "another" : b->host);
}

static void check_entry(const struct program_entry *entry)
{
    const struct program_profile *profile = &entry->profile;
    if (!version_comparable(profile->version))
        usage_error("%s: made by jostle %s, and this is %s: make the profile again", entry->path,
                    profile->version, JOSTLE_VERSION);
    if (profile->machine[0] == '\0')
        usage_error("%s: does not say of which machine it is: make the profile again", entry->path);
    check_executable(entry);
}

static void read_entry(struct program_entry *entry, const char *path)
{
    char why[PROFILE_WHY];
    *entry = (struct program_entry){.path = path};
    if (!profile_read(&entry->profile, path, why, sizeof why))
        usage_error("%s: %s", path, why);
    check_entry(entry);
}

// The file's name without its folder and ending.
static void name_by_file(struct program_entry *entry)
{
    const char *slash = strrchr(entry->path, '/'), *name = slash ? slash + 1 : entry->path;
    (void)snprintf(entry->name, sizeof entry->name, "%.*s", (int)strcspn(name, "."), name);
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

// By the program's name; where two have one, by the file's.
static void name_all(struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct program_entry *entry = &list->entry[i];
        if (has_namesake(list, i))
            name_by_file(entry);
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
    *list = (struct program_list){.entry = calloc(count + 1, sizeof *list->entry)};
    if (!list->entry)
        usage_error("%zu profiles do not fit into memory: give fewer", count);
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
