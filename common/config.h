#ifndef COMMON_CONFIG_H
#define COMMON_CONFIG_H

#include "memory.h"

#include <stdbool.h>

// A file in the syntax of git config (its manual, "Syntax"), read as git does, which does not say
// in which line an entry is: entries in their order, of which the last one of a name counts. What
// is included by include.path follows that entry.

struct entry {
    const char *file; // that it is in: the file that was read, or one that is included
    unsigned line;
    const char *section; // in lower case, as git has it
    const char *sub;     // "" for a section without a name
    const char *key;     // in lower case
    const char *value;   // "true" for a key without =
};

struct config {
    const char *file; // that was read
    struct entry *item;
    size_t count, allocated;
    const char *error;  // why it cannot be read: in which line of which file, and what to do
    struct arena arena; // what the entries point into
};

// Reads a file, and what it includes; where there is a stream, that, which is closed, and nothing
// that it includes. False: it cannot be read. To be freed in any case.
bool config_read(struct config *config, const char *file, FILE *stream);
void config_free(struct config *config);

#endif
