#ifndef CAMPAIGN_SETTINGS_H
#define CAMPAIGN_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a campaign file may set: the measuring options of `jostle slowdown`, but
 * for those that a campaign gives itself. */

enum { SETTING_NAMES = 64 };
/* All names, ended by NULL, into an array of most entries. Returns how many. */
size_t setting_names(const char **names, size_t most);
bool setting_known(const char *name);

/* A value in the form in which plans and cells have it, to be freed; "" for a flag
 * that is false. NULL with a reason in error, such as "give a whole number". */
char *setting_value(const char *name, const char *text, char *error, size_t size);

/* Puts a value into settings {name: text}; of a list it is one more, on a line of its own.
 * False: it is not valid UTF-8. */
bool setting_add(json_t *settings, const char *name, const char *value);

/* Takes flags that are false, "", out of settings {name: text}: such a flag is as if it
 * was not there. */
void settings_drop_false(json_t *settings);

/* Of settings {name: text}: those that say when to stop. An experiment with other
 * limits is the same experiment: its records have all that these need. To be released. */
json_t *settings_limits(const json_t *settings);
/* And those that make another experiment, for its key. To be released. */
json_t *settings_fixed(const json_t *settings);

/* "a {n} b": text with placeholders. {{ and }} are braces; a brace that begins no
 * placeholder is one, too. */

struct piece {
    bool placeholder;
    const char *text; /* of a placeholder the name, without braces */
    size_t length;
};

/* Takes the next piece off *text; false at the end. */
bool template_next(const char **text, struct piece *piece);

/* {node2} stays as it is in a load: it is filled in where the job's nodes are known. */
bool template_is_node(const struct piece *piece);

enum fill {
    FILL_PLAIN, /* values as they are */
    FILL_QUOTED /* values quoted for a shell, where they need it */
};
/* The text with its placeholders filled in, to be freed. values and builtin are
 * {name: text}; a name that neither has is put back as {name}. */
char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill);

#endif
