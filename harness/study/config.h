// Files in the syntax of git config, which campaigns and the matrix of a bench are written in.

#ifndef STUDY_CONFIG_H
#define STUDY_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A file as `git config -f FILE --includes --list -z --show-origin`
// prints it: a list of entries, in git's order, in which the last one of a name
// counts.

struct entry {
    const char *file;    // that it is in: FILE, or one that is included
    const char *section; // in lower case, as git has it
    const char *sub;     // "" for a section without a name
    const char *key;     // in lower case
    const char *value;   // "true" for a key without =
};

struct config {
    const char *file; // the file itself
    struct entry *entries;
    size_t count;
    char *text; // what the entries point into
};

// Reads what git printed, to its end. Ends the program where it is no such text.
void config_read(struct config *config, const char *file, FILE *stream);
void config_free(struct config *config);

// Refuses includes of files that do not exist: git passes over them.
void config_check_includes(const struct config *config);
bool config_includes(const struct config *config);
// Writes the entries, without the includes, as one file.
bool config_write(const struct config *config, FILE *stream);

// Ends the program with 2 and "FILE:LINE: SECTION.NAME.KEY: MESSAGE". key may be NULL:
// then it is the entry's. entry may be NULL: then the message is about the file.
void config_refuse(const struct config *config, const struct entry *entry, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5), noreturn));

struct section {
    const char *kind, *name; // [kind "name"]
    const struct entry **entries;
    size_t count;
};

// All entries of [kind "name"], in their order, none where there is no such section; to be freed.
struct section section_named(const struct config *config, const char *kind, const char *name);
void section_free(struct section *section);
#define OWNED_SECTION __attribute__((cleanup(section_free)))

struct sections {
    struct section *list;
    size_t count;
};

// All sections of a kind ("target"), in the order of the files: first those of the
// file itself, then those of what it includes.
struct sections sections_of(const struct config *config, const char *kind);
void sections_free(struct sections *sections);

// The last entry with this key, which counts; NULL if there is none.
const struct entry *section_entry(const struct section *section, const char *key);

#endif
