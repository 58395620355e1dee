// Says which version this build is of, and which libraries it was made without.
#include "common/version.h"

#include "common/text.h"

#include <stdio.h>

#ifndef JOSTLE_REVISION // the Makefile gives it: "" where the sources are of none
#define JOSTLE_REVISION ""
#endif

// The first version whose loads and reporters are those of this one. It changes when one of them
// makes or measures something else: references, profiles and models of before are then refused.
#define COMPARABLE_SINCE "0.1.0"

const char *version_revision(void)
{
    return JOSTLE_REVISION[0] == '\0' ? NULL : JOSTLE_REVISION;
}

void version_print(const char *name)
{
    const char *revision = version_revision();
    if (!revision)
        printf("%s %s\n", name, JOSTLE_VERSION);
    else
        printf("%s %s (%s)\n", name, JOSTLE_VERSION, revision);
}

// Reads MAJOR.MINOR.PATCH; false for anything else.
static bool read_version(const char *text, unsigned numbers[3])
{
    int end = 0;
    return text &&
           sscanf(text, "%3u.%3u.%3u%n", &numbers[0], &numbers[1], &numbers[2], &end) == 3 &&
           text[end] == '\0';
}

// Which is later: below 0, 0, above 0, as strcmp does.
static int later(const unsigned a[3], const unsigned b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

bool version_comparable(const char *text)
{
    unsigned version[3], since[3], own[3];
    return read_version(text, version) && read_version(COMPARABLE_SINCE, since) &&
           read_version(JOSTLE_VERSION, own) && later(version, since) >= 0 &&
           later(version, own) <= 0;
}

#ifdef WITHOUT_jemalloc
#define JEMALLOC false
#else
#define JEMALLOC true
#endif
#ifdef WITHOUT_liburing
#define LIBURING false
#else
#define LIBURING true
#endif

const struct optional_library optional_libraries[OPTIONALS] = {
    [OPTIONAL_JEMALLOC] = {"jemalloc", JEMALLOC, "alloc has only glibc's allocator"},
    [OPTIONAL_LIBURING] = {"liburing", LIBURING, "io --depth runs threads"},
};

bool optional_missing(char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < OPTIONALS; i++)
        if (!optional_libraries[i].present)
            text_append(text, size, ", ", "%s (%s)", optional_libraries[i].name,
                        optional_libraries[i].lost);
    return text[0] != '\0';
}

#ifdef JOSTLE_STATIC

#include <nss.h>

bool linked_static(void)
{
    return true;
}

void linked_names(void)
{
    (void)__nss_configure_lookup("hosts", "files dns");
    (void)__nss_configure_lookup("passwd", "files");
}

#else

bool linked_static(void)
{
    return false;
}

void linked_names(void)
{
}

#endif
