// Reads what --load says.
#ifndef EXPERIMENT_LOADS_H
#define EXPERIMENT_LOADS_H

#include "conditions.h"

// What all --load have.
struct load_context {
    int64_t settle_ns;             // of an exec: load
    bool pause;                    // programs that run already may be paused
    const struct option_list *own; // --setting; see adjustment_check_own()
};
// Takes "NAME=" or "NAME@WHERE=" off the text of a --load. Returns the spec, with @WHERE in front
// of each of its loads; *name is the condition's, without NAME= the first word.
const char *load_name_read(struct arena *arena, const char *text, const char **name);
// Adds what "NAME=SPEC", "NAME@NODES=SPEC" or "SPEC" (named by its first word) describes, with
// settings in brackets in front of SPEC. Wrong use ends the program.
void conditions_add_load(struct conditions *conditions, struct arena *arena, const char *text,
                         const struct load_context *context);
// The spec behind its settings in brackets, if it has some.
const char *spec_without_settings(const char *spec);
// Sets the words of one load that loadgen itself makes. False: the spec, which has no settings, is
// that of a program of the user's. Wrong use ends the program.
bool load_words_read(struct arena *arena, struct load *load, const char *spec);
#endif
