#include "scratch.h"

#include "common/messages.h"
#include "common/save.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* A folder of ours as mkdtemp() makes it, and its name as we write it: a note of somebody else's
 * must not name anything that was not made for this. */
static bool is_scratch(const char *path)
{
    struct stat status;
    return fnmatch("/*/jostle.??????", path, 0) == 0 && strstr(path, "/../") == NULL &&
           lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0777) == 0700;
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
        if (is_scratch(path))
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
    struct save save;
    if (save_begin(&save, scratch->note, SAVE_STATE) &&
        save_end(&save, fprintf(save.file, "%s\n", scratch->path) > 0))
        return true;
    save_complain(scratch->note);
    scratch_remove(scratch);
    return false;
}

void scratch_remove(struct scratch *scratch)
{
    if (scratch->path[0] == '\0')
        return;
    remove_tree(scratch->path);
    unlink(scratch->note);
    scratch->path[0] = '\0';
}
