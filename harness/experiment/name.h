#ifndef EXPERIMENT_NAME_H
#define EXPERIMENT_NAME_H

/* The text of a name: of a variant, or of a revision. */

#include "arena.h"

/* Takes "NAME=" off the text; *name is NULL where there is none. Returns the command. */
const char *name_read(struct arena *arena, const char *text, const char **name);
/* The text with a _ for each run of characters that no name has. */
char *name_clean(struct arena *arena, const char *text);

#endif
