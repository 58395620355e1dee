#ifndef EXPERIMENT_RESUME_H
#define EXPERIMENT_RESUME_H

/* Continuing an experiment that was interrupted. */

#include "arena.h"
#include "folder.h"

#include <jansson.h>

/* The experiment.json of the folder at path; NULL: there is none that can be read. */
json_t *resume_read(struct arena *arena, const char *path);
/* Ends the program with wrong use when the new experiment is not the old one:
 * another command, other loads, other settings that change what is measured. */
void resume_compare(const struct folder *folder, struct arena *arena, const json_t *old,
                    const json_t *new);
/* Warns where the program or a variable is not what it was in the session before: the
 * figures then mix two. */
void resume_warn(const struct folder *folder, const json_t *old, const json_t *new);
/* Whether nothing is left to do: the old one has ended by itself, with a result
 * and the same settings. */
bool resume_is_complete(const struct folder *folder, struct arena *arena, const json_t *old,
                        const json_t *new);
/* The old experiment with the limits of now and an entry more in `resumed`. A new
 * reference. */
json_t *resume_note(const json_t *old, const json_t *new);

#endif
