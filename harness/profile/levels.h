// The program's pressure in units of our own loads, by the reference of this machine.
#ifndef PROFILE_LEVELS_H
#define PROFILE_LEVELS_H

#include "pressure.h"

#include "harness/pressure/reference.h"

#include <jansson.h>

// The reference in `file`, or where it is NULL the one that is kept of this host and place. False:
// there is none that can be read; `why` (to be freed) says what to do, unless `why` is NULL.
bool levels_reference(struct reference *reference, const char *file, const char *place, char **why);

// Fills the profile's levels, by the reference in `file` (NULL: the one that is kept of this host
// and place). `reference` of `pressure` says which, null where none can be used; why, and what
// to do, is then in `reasons`, as is what the levels do not explain.
// environment: of the experiment, which is to be of the reference's machine.
void levels_take(struct program_profile *profile, const struct pressure_readings *readings,
                 const char *file, const json_t *environment, json_t *pressure, json_t *reasons);

#endif
