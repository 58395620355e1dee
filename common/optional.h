#ifndef COMMON_OPTIONAL_H
#define COMMON_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>

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
