#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#include <stdbool.h>

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

#endif
