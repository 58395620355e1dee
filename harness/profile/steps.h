#ifndef PROFILE_STEPS_H
#define PROFILE_STEPS_H

#include <jansson.h>
#include <stdbool.h>

// What a profile still needs, by its plan and by what is in its folder: one experiment after the
// other. The shell runs each, and asks again.

// Names of the experiments, each in a folder of that name.
#define STEP_ALONE       "alone"
#define STEP_SENSITIVITY "sensitivity"
#define STEP_ADDED       "added"
#define STEP_PRESSURE    "pressure"

// Prints the next step for the shell, as pairs of name and value, each ended by NUL:
//
//     say TEXT          something for people, such as how long it takes
//     problem TEXT      it cannot be done, with exit status 2
//     step NAME         the experiment; `done`: none is left
//     word WORD...      the words of `jostle`, with the folder
//
// False after a message on stderr.
bool steps_print(const char *folder);

// The file in the folder that says what is wanted: a jostle.profile-plan/1.
#define STEPS_PLAN "profile-plan.json"
// It, a new reference; NULL after a message on stderr.
json_t *steps_plan(const char *folder);

// The profile of the records in FOLDER, a jostle.program/1 with what could not be told as
// `reasons`; paths in it are relative to the folder of `file`. A new reference; NULL after a
// message on stderr.
json_t *derive_profile(const char *folder, const char *file);

// What runs alone show, a jostle.noise/1, a new reference; NULL after a message on stderr.
json_t *derive_noise(const char *folder);

#endif
