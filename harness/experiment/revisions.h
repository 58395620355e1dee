#ifndef EXPERIMENT_REVISIONS_H
#define EXPERIMENT_REVISIONS_H

/* The git revisions of --revision. The shell makes a worktree of each and builds there; this
 * says which there are, and learns what was made of them. */

#include "arena.h"

#include "common/options.h"

#include <jansson.h>
#include <stdbool.h>

/* Where the shell says what it has made: a line "NAME COMMIT TREE FOLDER" for each, with tabs
 * between. */
#define REVISIONS_FACTS "JOSTLE_REVISIONS"

struct revision {
    const char *name;   /* of the variant */
    const char *text;   /* as it was given: "main", or "." for the working tree */
    const char *commit; /* full hash; NULL: the working tree, or not known yet */
    const char *tree;   /* hash of what it holds */
    const char *folder; /* where it runs; NULL: not made yet */
};

struct revisions {
    struct revision *revision;
    size_t count;
};

/* "NAME=REVISION" or "REVISION" of each; what the shell has made of them, where it says so.
 * Wrong use ends the program. */
void revisions_read(struct revisions *revisions, struct arena *arena,
                    const struct option_list *texts);
/* Writes for the shell, as strings ended by NUL, a key and its value in turn: `build COMMAND`,
 * `records FOLDER` where --output gives it, and for each `revision NAME`, `revision_text REVISION`,
 * and `revision_tree HASH` where the experiment that is resumed has it. False: it could not be
 * written. */
bool revisions_write(const struct revisions *revisions, const char *build, const char *records,
                     const json_t *old);
/* {name, commit, tree}, or null. A new reference. */
json_t *revision_to_json(const struct revision *revision);

#endif
