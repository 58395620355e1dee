#ifndef CAMPAIGN_PARAMETERS_H
#define CAMPAIGN_PARAMETERS_H

/* The sections of a campaign file, and every choice of their parameters. */

#include "entries.h"

#include <jansson.h>

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
