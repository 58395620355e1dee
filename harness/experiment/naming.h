#ifndef EXPERIMENT_NAMING_H
#define EXPERIMENT_NAMING_H

/* The names of variants: as they are given, or made of their words. */

#include "variants.h"

/* Takes "NAME=" off the text; *name is NULL where there is none. Returns the command. */
const char *naming_read(struct arena *arena, const char *text, const char **name);
/* The text with a _ for each run of characters that no name has. */
char *naming_clean(struct arena *arena, const char *text);
/* Names the variants that have no name: by their program where that tells them apart, else
 * by all of their words ("sort_-n"); a .2 where the name is taken. */
void naming_complete(struct variants *variants, struct arena *arena);
/* NULL, or the name that two variants have. */
const char *naming_double(const struct variants *variants);

#endif
