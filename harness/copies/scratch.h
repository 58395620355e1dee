#ifndef COPIES_SCRATCH_H
#define COPIES_SCRATCH_H

/* An empty folder for each copy, below one in $TMPDIR (else /var/tmp). */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct scratch {
    char top[PATH_MAX]; /* "": there is none */
};

/* Makes a folder for each of `count` copies. False after a message; to be removed all the same. */
bool copies_scratch_make(struct scratch *scratch, size_t count);
/* That of copy `number`, from 1 on, into a buffer of PATH_MAX; returns it; "" where there is none.
 */
const char *scratch_of(const struct scratch *scratch, size_t number, char path[PATH_MAX]);
/* With all that is in them. */
void copies_scratch_remove(struct scratch *scratch);

#endif
