// The halves of cells, a target or a load with one choice of its parameters, and the settings that
// these have.

#ifndef CAMPAIGN_HALVES_H
#define CAMPAIGN_HALVES_H

#include "campaign.h"

// ---- setting.c

// A value in the form in which plans and cells have it, to be freed; "" for a flag
// that is false. NULL with a reason in error, such as "give a whole number".
char *setting_value(const char *name, const char *text, char *error, size_t size);

// Puts a value into settings {name: text}; of a list it is one more, on a line of its own.
// False: it is not valid UTF-8.
bool setting_add(json_t *settings, const char *name, const char *value);

// Takes flags that are false, "", out of settings {name: text}: such a flag is as if it
// was not there.
void settings_drop_false(json_t *settings);

// Returns those of settings {name: text} that make another experiment, for its key. To be released.
json_t *settings_fixed(const json_t *settings);

// ---- halves.c

// A cell is put together from two halves: a target with one choice of its
// parameters, and a load with one of its own. Whatever is the same for all cells of
// a half is worked out once.

enum { HALF_KEY_DIGITS = SHA256_DIGITS / 2 };

struct half {
    const char *name; // of the section; NULL: no load
    const struct section *section;
    char *part;         // of the cell's name
    json_t *parameters; // {name: value}
    json_t *values;     // the same, with those of let
    json_t *settings;   // {option: value}; "" for a flag that is false
    json_t *members;    // that all of its cells have
    char key[HALF_KEY_DIGITS + 1];
};

struct halves {
    struct half *item;
    size_t count, allocated;
};

// What the halves of a campaign share.
struct half_context {
    const struct config *config;
    json_t *builtin;                  // {placeholder: text} that every file has
    json_t *self;                     // the same placeholders, each standing for itself
    json_t *overrides;                // {option: value}
    json_t *settings, *settings_text; // of [campaign]; _text: with builtin left in place
    const char *workloads;            // the folder of jostle's own programs
};

// The settings of a section with its placeholders filled in. To be released.
json_t *half_settings(const struct half_context *context, const struct section *section,
                      const json_t *values, const json_t *builtin);

// What every section of a kind needs.
struct half_kind {
    const char *key, *example; // command or spec
    const char *instead;       // a setting that takes its place; NULL: none does
    // Fills in what is the kind's own; text is the entry of the key, or the first of the
    // setting in its place.
    void (*complete)(const struct half_context *context, struct half *half,
                     const struct entry *text);
};

// A half for each choice of the parameters of each section.
struct halves halves_of(const struct half_context *context, const struct sections *sections,
                        const struct half_kind *kind);
void halves_free(struct halves *halves);

// Sets the key, 32 digits of what makes a half another one, from its definition, which is released.
void half_set_key(struct half *half, json_t *definition);

// Characters of the names of cells.
#define NAME_CHARACTERS LETTERS "._%+=-"
// "name.n=1.m=2", or without pairs "name.1.2"; to be freed. allowed: as of safe_text().
char *half_name(const char *name, const json_t *parameters, bool pairs, const char *separator,
                const char *allowed);

// ---- target_half.c

// Puts the path of its program in front of the `service` that a section sets, if it does: a
// cell starts in a folder of its own.
void find_service(const struct half_context *context, const struct section *section,
                  json_t *settings);

struct halves halves_of_targets(const struct half_context *context, const struct sections *targets);

// ---- load_half.c

// The last one is no load at all.
struct halves halves_of_loads(const struct half_context *context, const struct sections *loads);

#endif
