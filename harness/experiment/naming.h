#ifndef EXPERIMENT_NAMING_H
#define EXPERIMENT_NAMING_H

/* The names of variants: made of their words where none was given. */

#include "variants.h"

/* Names the variants that have no name: by their program where that tells them apart, else
 * by all of their words ("sort_-n"); a .2 where the name is taken. */
void naming_complete(struct variants *variants, struct arena *arena);
/* NULL, or the name that two variants have. */
const char *naming_double(const struct variants *variants);

#endif
