#ifndef CAMPAIGN_SECTIONS_H
#define CAMPAIGN_SECTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A campaign file as `git config -f FILE --includes --list -z --show-origin`
 * prints it: a list of entries, in git's order, in which the last one of a name
 * counts. */

struct entry {
    const char *file;    /* that it is in: FILE, or one that is included */
    const char *section; /* in lower case, as git has it */
    const char *sub;     /* "" for a section without a name */
    const char *key;     /* in lower case */
    const char *value;   /* "true" for a key without = */
};

struct config {
    const char *file; /* the campaign file itself */
    struct entry *entries;
    size_t count;
    char *text; /* what the entries point into */
};

/* Reads what git printed, to its end. Ends the program where it is no such text. */
void config_read(struct config *config, const char *file, FILE *stream);
void config_free(struct config *config);

/* Refuses includes of files that do not exist: git passes over them. */
void config_check_includes(const struct config *config);
bool config_includes(const struct config *config);
/* Writes the entries, without the includes, as one file. */
bool config_write(const struct config *config, FILE *stream);

/* Ends the program with 2 and "FILE:LINE: SECTION.NAME.KEY: MESSAGE". key may be NULL:
 * then it is the entry's. entry may be NULL: then the message is about the file. */
void config_refuse(const struct config *config, const struct entry *entry, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5), noreturn));

/* " (did you mean X?)" or "", into text; returns text. NULL ends names. */
const char *config_hint(const char *word, const char *const *names, char *text, size_t size);

/* The sections of a campaign file, and every choice of their parameters. */

struct section {
    const char *kind, *name; /* target or load */
    const struct entry **entries;
    size_t count;
};

struct sections {
    struct section *list;
    size_t count;
};

/* All sections of a kind ("target"), in the order of the files: first those of the
 * campaign file, then those of what it includes. */
struct sections sections_of(const struct config *config, const char *kind);
void sections_free(struct sections *sections);

/* The last entry with this key, which counts; NULL if there is none. */
const struct entry *section_entry(const struct section *section, const char *key);

/* Is the key one that this kind of section has of its own (command, spec, case)? */
bool section_reserves(const char *kind, const char *key);
// Is the entry a setting of how to measure?
bool section_sets(const struct section *section, const struct entry *entry);
/* " (did you mean X?)" for a key that such a section does not have, or "", into text;
 * returns text. */
const char *section_hint(const char *kind, const char *key, char *text, size_t size);

/* Every choice of the section's parameters: [{name: value}], with `case` rows and
 * the lists of values crossed. Ends the program where they make no sense. To be
 * released. */
json_t *section_choices(const struct config *config, const struct section *section);

/* Refuses placeholders that nothing fills in, and parameters that are used nowhere.
 * names: {parameter: anything}; builtin: {name: text}. */
void section_check_placeholders(const struct config *config, const struct section *section,
                                const json_t *names, const json_t *builtin);

/* The words of an entry's value, as a shell splits them; to be freed. */
char **entry_words(const struct config *config, const struct entry *entry, size_t *count);

#endif
