// The empty working folder of a cell, which is noted in the cell's folder: the next session removes
// what one left that was killed, where nobody has its lock.

#include "drive.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/save.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder of ours as mkdtemp() makes it, and its name as we write it: a note of somebody else's
// must not name anything that was not made for this.
static bool is_scratch(const char *path)
{
    char pattern[64];
    struct stat status;
    snprintf(pattern, sizeof pattern, "/*/jostle.%u.??????", (unsigned)geteuid());
    return fnmatch(pattern, path, 0) == 0 && !strstr(path, "/../") && lstat(path, &status) == 0 &&
           S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 0777) == 0700;
}

// Opens a folder, and locks it; -1: somebody else has it, or it cannot be locked.
static int lock_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || lock_take(fd, false, 0) == LOCK_TAKEN)
        return fd;
    close(fd);
    return -1;
}

// What the last session on this host noted and did not remove.
static void remove_left(const char *note)
{
    char path[PATH_MAX];
    FILE *file = file_open_record(note);
    const bool noted = file && fgets(path, sizeof path, file);
    if (file)
        fclose(file);
    if (!noted)
        return;
    path[strcspn(path, "\n")] = '\0';
    const int fd = is_scratch(path) ? lock_folder(path) : -1;
    if (fd < 0)
        return;
    file_remove_tree(path);
    close(fd);
}

void scratch_remove(struct scratch *scratch)
{
    if (scratch->path[0] == '\0')
        return;
    file_remove_tree(scratch->path);
    unlink(scratch->note);
    if (scratch->fd >= 0)
        close(scratch->fd);
    scratch->path[0] = '\0';
}

bool scratch_make(struct scratch *scratch, const char *base, const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "localhost";
    gethostname(host, sizeof host - 1);
    snprintf(scratch->note, sizeof scratch->note, "%s/scratch.%s", folder, host);
    remove_left(scratch->note);
    snprintf(scratch->path, sizeof scratch->path, "%s/jostle.%u.XXXXXX", base, (unsigned)geteuid());
    if (!mkdtemp(scratch->path)) {
        scratch->path[0] = '\0';
        return complain("cannot make a working folder in %s: give another --scratch", base);
    }
    scratch->fd = lock_folder(scratch->path);
    struct save save;
    if (save_begin(&save, scratch->note, SAVE_STATE) &&
        save_end(&save, fprintf(save.file, "%s\n", scratch->path) > 0))
        return true;
    save_complain(scratch->note);
    scratch_remove(scratch);
    return false;
}
