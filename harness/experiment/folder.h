#ifndef EXPERIMENT_FOLDER_H
#define EXPERIMENT_FOLDER_H

#include "arena.h"

#include <jansson.h>
#include <stdbool.h>

/* The folder of an experiment's records. Failures end the program with a message. */

struct folder {
    const char *path; /* absolute */
    bool created;     /* it was not there before */
    bool begun;       /* nor was runs.jsonl */
    bool has_runs;    /* runs.jsonl was there, and is not empty */
    int runs;         /* runs.jsonl, which is locked while this is open */
};

/* Where the records go when the user names no folder: jostle-results/TARGET.TIME.PID. */
const char *folder_default(struct arena *arena, const char *target);
/* Makes the folder if it is not there, and locks it. What holds runs already is wrong use unless
 * they are to be resumed; what holds anything else is wrong use unless it is `ours`: an experiment
 * that is resumed, or a cell's folder. */
void experiment_folder_open(struct folder *folder, struct arena *arena, const char *path,
                            bool resume, bool ours);
/* Says that nobody knows of what experiment the runs in it are, and ends. */
void folder_unknown(const char *path) __attribute__((noreturn));
/* Replaces a record as a whole: no crash leaves half of one. */
void folder_write(const struct folder *folder, struct arena *arena, const char *name,
                  const json_t *record);
void experiment_folder_close(struct folder *folder);

/* The text of a name: of a variant, or of a revision. */

/* Takes "NAME=" off the text; *name is NULL where there is none. Returns the command. */
const char *name_read(struct arena *arena, const char *text, const char **name);
/* The text with a _ for each run of characters that no name has. */
char *name_clean(struct arena *arena, const char *text);

/* Continuing an experiment that was interrupted. */

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
