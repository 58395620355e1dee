#ifndef CAMPAIGN_FOLDER_H
#define CAMPAIGN_FOLDER_H

/* The folder of a campaign: its plan, its lock. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Makes the folder, and holds it until the program ends: tasks that measure some of its cells share
 * it, whoever measures all of them has it alone. One with files of somebody else's is wrong use.
 * False after a message. */
bool folder_hold(const char *folder, bool shared);

/* Brings the plan, and the file that it was made from, into the folder, and says in
 * what it differs from the one that is there. shared: it must be the one that is
 * there. file: for messages. False after a message. */
bool folder_keep_plan(const char *folder, const json_t *plan, const char *conf_path,
                      const char *file, bool shared);

/* One campaign of several folders: which of their cells to take, and the plan. Copies
 * nothing. */

enum prefer { PREFER_NONE, PREFER_FIRST, PREFER_NEWEST };

struct merged {
    json_t *plan;
    char **take; /* the folders of the cells */
    size_t count;
    size_t again;     /* cells that were found once more */
    size_t conflicts; /* cells that differ, each named in a message */
};

/* Ends the program with 1 where a folder cannot be read. */
void merge(struct merged *merged, const char *const *folders, size_t count, enum prefer prefer);
void merge_free(struct merged *merged);

#endif
