#ifndef CAMPAIGN_MERGE_H
#define CAMPAIGN_MERGE_H

/* One campaign of several folders: which of their cells to take, and the plan. Copies
 * nothing. */

#include <jansson.h>
#include <stddef.h>

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
