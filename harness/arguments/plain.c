// Leaves plain files and folders in a tree of records, and nothing else.
#include "plain.h"

#include "common/messages.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FOLDERS 16

// What runs as somebody else, or is more than a record.
#define SPECIAL_BITS (S_ISUID | S_ISGID | S_ISVTX)

static int make_plain(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)where;
    if (type == FTW_NS || type == FTW_DNR)
        return -1;
    if (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode))
        return (status->st_mode & SPECIAL_BITS) == 0
                   ? 0
                   : chmod(path, status->st_mode & ~(mode_t)SPECIAL_BITS & 07777);
    if (unlink(path) != 0)
        return -1;
    return printf("%s%c", path, '\0') > 0 ? 0 : -1;
}

int plain(int argc, char **argv)
{
    if (argc != 1)
        return 2;
    if (nftw(argv[0], make_plain, OPEN_FOLDERS, FTW_PHYS) != 0 || fflush(stdout) != 0)
        return !complain("%s: %s", argv[0], strerror(errno));
    return EXIT_SUCCESS;
}
