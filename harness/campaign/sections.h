#ifndef CAMPAIGN_SECTIONS_H
#define CAMPAIGN_SECTIONS_H

#include "common/messages.h"
#include "common/sha256.h"

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
/* For a key that such a section does not have. */
struct hint section_hint(const char *kind, const char *key);

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

/* A cell is put together from two halves: a target with one choice of its
 * parameters, and a load with one of its own. Whatever is the same for all cells of
 * a half is worked out once. */

enum { HALF_KEY_DIGITS = SHA256_DIGITS / 2 };

struct half {
    const char *name;   /* of the section; NULL: no load */
    char *part;         /* of the cell's name */
    json_t *parameters; /* {name: value} */
    json_t *settings;   /* {option: value}; "" for a flag that is false */
    char key[HALF_KEY_DIGITS + 1];
    /* a target's */
    char *label;
    json_t *command;
    const struct section *section;
    /* a load's */
    char *condition, *spec;
    char *node; /* "@2", or "" */
};

struct halves {
    struct half *list;
    size_t count, allocated;
};

/* What the halves of a campaign share. */
struct context {
    const struct config *config;
    json_t *builtin;                  /* {placeholder: text} that every file has */
    json_t *self;                     /* the same placeholders, each standing for itself */
    json_t *overrides;                /* {option: value} */
    json_t *settings, *settings_text; /* of [campaign]; _text: with builtin left in place */
    const char *workloads;            /* the folder of jostle's own programs */
};

/* The settings of a section with its placeholders filled in. To be released. */
json_t *half_settings(const struct context *context, const struct section *section,
                      const json_t *parameters, const json_t *builtin);

/* Puts the path of its program in front of the `service` that a section sets, if it does: a
 * cell starts in a folder of its own. */
void find_service(const struct context *context, const struct section *section, json_t *settings);

struct halves halves_of_targets(const struct context *context, const struct sections *targets);
/* The last one is no load at all. */
struct halves halves_of_loads(const struct context *context, const struct sections *loads);
void halves_free(struct halves *halves);

/* A campaign file becomes a plan: jostle.campaign/1, the list of its cells. */

struct expand_folders {
    const char *instances, *workloads; /* of jostle: the placeholders of these names */
};

/* overrides: "NAME=VALUE" texts that hold for every cell. Ends the program with 2
 * where the file is wrong. To be released. */
json_t *expand(const struct config *config, const struct expand_folders *folders,
               const char *const *overrides, size_t override_count);

#endif
