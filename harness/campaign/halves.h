#ifndef CAMPAIGN_HALVES_H
#define CAMPAIGN_HALVES_H

#include "common/sha256.h"
#include "sections.h"

#include <jansson.h>

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

/* The words, quoted for a shell; to be freed. */
char *words_quoted(const json_t *words);

#endif
