#ifndef CAMPAIGN_TEMPLATE_H
#define CAMPAIGN_TEMPLATE_H

/* "a {n} b": text with placeholders. {{ and }} are braces; a brace that begins no
 * placeholder is one, too. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

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
 * {name: text}; a name that neither has is put back as {name}. NULL: out of memory. */
char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill);

#endif
