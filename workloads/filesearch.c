// filesearch: the largest file below the current folder.
//
// A target that lives on the file system's metadata. Pair it with filegen.
#define PROGRAM "filesearch"
#include "arguments.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

struct result {
    char *path; // NULL: no file yet; to be freed
    struct stat status;
    uint64_t files;
};

static const char help[] =
    "Usage: filesearch [--spoil]\n"
    "\n"
    "Finds the largest regular file below the current folder and prints its path and\n"
    "its size in bytes; among equals the path that comes first in byte order. Links\n"
    "are not followed, other file systems are entered. At the end the file is looked\n"
    "at again: it must still be there, unchanged in size.\n"
    "\n"
    "  --spoil  make the size found wrong before the check (exit 1), to see the check work\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 the result is right, 1 it is not, there is no file or a folder could\n"
    "not be read, 2 wrong arguments.\n";

static bool is_better(const struct result *best, const FTSENT *entry)
{
    const off_t size = entry->fts_statp->st_size;
    return !best->path || size > best->status.st_size ||
           (size == best->status.st_size && strcmp(entry->fts_path, best->path) < 0);
}

// Looks at one thing that the walk met. What vanished since its folder was read is no error.
static void visit(struct result *best, const FTSENT *entry)
{
    switch (entry->fts_info) {
    case FTS_F:
        best->files++;
        if (!is_better(best, entry))
            break;
        free(best->path);
        best->path = strdup(entry->fts_path);
        if (!best->path)
            fail(1, "no memory for a path: free some");
        best->status = *entry->fts_statp;
        break;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        if (entry->fts_errno != ENOENT || entry->fts_level == 0)
            fail(1, "cannot read '%s' (%s): make it readable or search elsewhere", entry->fts_path,
                 strerror(entry->fts_errno));
        break;
    default:
        break;
    }
}

static struct result search(void)
{
    char here[] = ".";
    char *const roots[] = {here, NULL};
    struct result best = {0};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
    if (!walk)
        fail(1, "cannot read the current folder (%s): search elsewhere", strerror(errno));
    // fts_read tells its end from an error by errno alone.
    const FTSENT *entry;
    while (errno = 0, (entry = fts_read(walk)) != NULL)
        visit(&best, entry);
    if (errno != 0 || fts_close(walk) != 0)
        fail(1, "the walk broke off (%s): try again", strerror(errno));
    return best;
}

// Whether the file is still the one that was found.
static bool unchanged(const struct result *found)
{
    struct stat now;
    return lstat(found->path, &now) == 0 && S_ISREG(now.st_mode) &&
           now.st_dev == found->status.st_dev && now.st_ino == found->status.st_ino &&
           now.st_size == found->status.st_size;
}

int main(int argc, char **argv)
{
    const bool spoil = takes_spoil(argc, argv, help);
    if (optind < argc)
        fail(2, "'%s' is too much: change into the folder to be searched and give no argument",
             argv[optind]);
    struct result found = search();
    if (!found.path)
        fail(1, "no regular file below the current folder: change into another, or run filegen");
    if (spoil)
        found.status.st_size++;
    if (!unchanged(&found))
        fail(1, "'%s' is not as it was found: search when nobody writes here", found.path);
    printf("%s %jd bytes, largest of %" PRIu64 " files, verified\n", found.path,
           (intmax_t)found.status.st_size, found.files);
    free(found.path);
    return written();
}
