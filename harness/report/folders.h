#ifndef REPORT_FOLDERS_H
#define REPORT_FOLDERS_H

#include <stddef.h>

/* The experiments below the folders of a command line. */

struct folder {
    char *name; /* its last part; the second of one name is NAME#2 */
    char *path;
};

struct folders {
    struct folder *item;
    size_t count, allocated;
};

/* Adds dir itself, whatever it is. */
void folders_add_named(struct folders *folders, const char *dir);
/* Adds the cells of a campaign, dir itself, or the experiments right below it,
 * in natural order. */
void folders_add(struct folders *folders, const char *dir);
/* Makes the names of all differ; once, after the last was added. */
void folders_distinguish(struct folders *folders);
void folders_free(struct folders *folders);
/* DIR/name is there. */
int folder_has(const char *dir, const char *name);

#endif
