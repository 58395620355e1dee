#ifndef COMMON_OPTIONAL_H
#define COMMON_OPTIONAL_H

/* The libraries that jostle can be built without, and what is lost then. */

#include <stdbool.h>
#include <stddef.h>

enum optional { OPTIONAL_JEMALLOC, OPTIONAL_LIBURING, OPTIONALS };

struct optional_library {
    const char *name;
    bool present;     /* this build has it */
    const char *lost; /* without it, in a few words */
};

extern const struct optional_library optional_libraries[OPTIONALS];

/* "liburing (WHAT IS LOST), jemalloc (...)": those that this build lacks. False, and "": none. */
bool optional_missing(char *text, size_t size);

#endif
