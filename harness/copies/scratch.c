#include "scratch.h"

#include "common/messages.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OPEN_FOLDERS 16

bool copies_scratch_make(struct scratch *scratch, size_t count)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];
    if (base == NULL || *base != '/')
        base = "/var/tmp";
    if (snprintf(scratch->top, sizeof scratch->top, "%s/jostle-copies.XXXXXX", base) >= PATH_MAX ||
        mkdtemp(scratch->top) == NULL) {
        scratch->top[0] = '\0';
        return complain(
            "%s: no folder can be made there (%s): set TMPDIR to one that can be written", base,
            strerror(errno));
    }
    for (size_t i = 1; i <= count; i++)
        if (mkdir(scratch_of(scratch, i, path), 0700) != 0)
            return complain("%s: %s: set TMPDIR to a folder that can be written", path,
                            strerror(errno));
    return true;
}

const char *scratch_of(const struct scratch *scratch, size_t number, char path[PATH_MAX])
{
    path[0] = '\0';
    if (scratch->top[0] != '\0' &&
        snprintf(path, PATH_MAX, "%s/%zu", scratch->top, number) >= PATH_MAX)
        path[0] = '\0';
    return path;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    (void)remove(path); /* what cannot be removed does not keep the others */
    return 0;
}

void copies_scratch_remove(struct scratch *scratch)
{
    if (scratch->top[0] != '\0')
        (void)nftw(scratch->top, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    scratch->top[0] = '\0';
}
