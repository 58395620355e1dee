#include "scratch.h"

#include "common/messages.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16 };

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* What the last session on this host noted and did not remove. */
static void remove_left(const char *note)
{
    char path[PATH_MAX];
    FILE *file = fopen(note, "re");
    if (file == NULL)
        return;
    if (fgets(path, sizeof path, file) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        /* A damaged note must not name anything else. */
        if (fnmatch("/*/jostle.??????", path, 0) == 0)
            remove_tree(path);
    }
    fclose(file);
}

bool scratch_make(struct scratch *scratch, const char *base, const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "localhost";
    gethostname(host, sizeof host - 1);
    snprintf(scratch->note, sizeof scratch->note, "%s/scratch.%s", folder, host);
    remove_left(scratch->note);
    snprintf(scratch->path, sizeof scratch->path, "%s/jostle.XXXXXX", base);
    if (mkdtemp(scratch->path) == NULL) {
        scratch->path[0] = '\0';
        return complain("cannot make a working folder in %s: give another --scratch", base);
    }
    FILE *file = fopen(scratch->note, "we");
    const bool noted = file != NULL && fprintf(file, "%s\n", scratch->path) > 0;
    if (file != NULL && fclose(file) == 0 && noted)
        return true;
    scratch_remove(scratch);
    return complain("cannot write to %s: is the disk full?", folder);
}

void scratch_remove(struct scratch *scratch)
{
    if (scratch->path[0] == '\0')
        return;
    remove_tree(scratch->path);
    unlink(scratch->note);
    scratch->path[0] = '\0';
}
