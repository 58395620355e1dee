// The profile, from its plan and its experiments.
#ifndef PROFILE_DERIVE_H
#define PROFILE_DERIVE_H

#include "profile.h"

#include <jansson.h>
#include <stdbool.h>

// The profile of the records in FOLDER, a jostle.program/1 with what could not be told as
// `reasons`; paths in it are relative to the folder of `file`. A new reference; NULL after a
// message on stderr.
json_t *derive_profile(const char *folder, const char *file);

// What runs alone show, a jostle.noise/1, a new reference; NULL after a message on stderr.
json_t *derive_noise(const char *folder);

#endif
