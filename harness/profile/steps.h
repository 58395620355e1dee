// What a profile still needs, by its plan and by what is in its folder: one experiment after the
// other. The shell runs each, and asks again.
#ifndef PROFILE_STEPS_H
#define PROFILE_STEPS_H

#include <stdbool.h>

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

#endif
