#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#include <stdbool.h>
#include <stddef.h>

// The version of this build (JOSTLE_VERSION, semantic: semver.org), the revision of its sources,
// and which versions' measurements are of the same loads.

// The revision of git that the sources are of, with "+" behind it where they were changed after
// it; NULL where they were no checkout and no archive of one.
const char *version_revision(void);

// Prints "NAME 1.2.3 (REVISION)" as a line on stdout.
void version_print(const char *name);

// True when what version TEXT measured with its own loads and reporters (references, profiles,
// models) is comparable with what this one measures: it is not older than the last change of
// them, and not newer than this version. False for what is no version, or NULL.
bool version_comparable(const char *text);

// The libraries that jostle can be built without, and what is lost then.

enum optional { OPTIONAL_JEMALLOC, OPTIONAL_LIBURING, OPTIONALS };

struct optional_library {
    const char *name;
    bool present;     // this build has it
    const char *lost; // without it, in a few words
};

extern const struct optional_library optional_libraries[OPTIONALS];

// "liburing (WHAT IS LOST), jemalloc (...)": those that this build lacks. False, and "": none.
bool optional_missing(char *text, size_t size);

// What depends on how this program was linked. One that is static (make bundle) runs on systems
// with other libraries than those that it was made with, and can load none of theirs.

bool linked_static(void);

// Call it before a name of a host or a user is looked up (getaddrinfo, getpwuid): in a static
// program such names come from files and DNS alone. What else /etc/nsswitch.conf names are
// libraries.
void linked_names(void);

#endif
