// The programs that are predicted of: their profiles, read and checked.
#ifndef PREDICT_PROGRAMS_H
#define PREDICT_PROGRAMS_H

#include "harness/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct program_entry {
    const char *path;
    char name[2 * PROFILE_TEXT]; // of the program, different for each of one place
    struct program_profile profile;
};

struct program_list {
    struct program_entry *entry;
    size_t count;
};

// Reads the profiles at the paths, ended by NULL; of `place` only, where that is not NULL. Ends
// the program with wrong use where one cannot be read, is of another machine than the first or
// of another version of jostle, has a program that has changed since, or is given twice
// (unless `copies` allows that).
void programs_read(struct program_list *list, char **path, const char *place, bool copies);

void programs_free(struct program_list *list);

#endif
