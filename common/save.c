// Writes whole files, so that a path holds what was there before or all that is written now.
#include "common/save.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { NAME_TRIES = 16, DESCRIPTOR_PATH = 32 };

// "FOLDER/NAME" beside path, to be freed; NULL with errno.
static char *beside(const char *path, const char *name)
{
    char *text = NULL;
    const char *slash = strrchr(path, '/');
    if (asprintf(&text, "%.*s%s", !slash ? 0 : (int)(slash - path) + 1, path, name) >= 0)
        return text;
    errno = ENOMEM;
    return NULL;
}

// A name that nobody has, and that is short where that of path is as long as can be.
static char *temporary_name(const char *path)
{
    char name[32];
    unsigned long long number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = (unsigned long long)getpid();
    snprintf(name, sizeof name, FILE_TEMPORARY "%016llx", number);
    return beside(path, name);
}

// A file without a name cannot be left behind.
static int open_unnamed(const char *path)
{
    char *folder = access("/proc/self/fd", X_OK) == 0 ? beside(path, ".") : NULL;
    const int fd = !folder ? -1 : open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, (mode_t)0666);
    free(folder);
    return fd;
}

// Where the file system has none without a name (NFS, some overlays).
static int open_named(struct save *save)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        save->temporary = temporary_name(save->path);
        const int fd =
            !save->temporary
                ? -1
                : open(save->temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        free(save->temporary);
        save->temporary = NULL;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int open_direct(struct save *save)
{
    save->direct = true;
    return open(save->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

// A pipe in the place of a record, which nobody reads, is an error (ENXIO), and not waited for.
static int open_at_once(struct save *save)
{
    save->direct = true;
    const int fd = open(save->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, O_WRONLY);
    return fd;
}

// A file of the user keeps its mode and, where we may, its owner.
static int open_output(struct save *save)
{
    struct stat status;
    const bool there = stat(save->path, &status) == 0;
    if (there && !S_ISREG(status.st_mode))
        return open_direct(save);
    // Into a file that may not be written to, no other is put in its place.
    if (there && access(save->path, W_OK) != 0)
        return -1;
    int fd = open_unnamed(save->path);
    if (fd < 0)
        fd = open_named(save);
    if (fd < 0 && there && (errno == EACCES || errno == EPERM))
        return open_direct(save);
    if (fd >= 0 && there) {
        (void)!fchown(fd, status.st_uid, status.st_gid);
        (void)fchmod(fd, status.st_mode & 07777);
    }
    return fd;
}

static int open_record(struct save *save)
{
    struct stat status;
    // A link or a folder is what rename makes of it; never a device, which others have.
    if (lstat(save->path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode) &&
        !S_ISDIR(status.st_mode))
        return open_at_once(save);
    const int fd = open_unnamed(save->path);
    return fd >= 0 ? fd : open_named(save);
}

static void forget(struct save *save)
{
    const int error = errno;
    if (save->temporary)
        (void)unlink(save->temporary);
    free(save->temporary);
    free(save->path);
    *save = (struct save){0};
    errno = error;
}

// Whether path names an open descriptor, of a file that must not be replaced under whoever has it
// open, or is a link to nothing yet, where what is written makes the file that it names.
static bool wants_direct(const char *path)
{
    static const char *const descriptors[] = {"/dev/std", "/dev/fd/", "/proc/"};
    struct stat status;
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        if (strncmp(path, descriptors[i], strlen(descriptors[i])) == 0)
            return true;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) != 0;
}

// Whether path is a link that somebody else has put into a folder where everybody may (/tmp): the
// kernel does not follow it where fs.protected_symlinks is 1, and we do not anywhere.
static bool is_planted(const char *path)
{
    struct stat link, folder;
    OWNED char *above = beside(path, ".");
    return above && lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(above, &folder) == 0 &&
           (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH) && link.st_uid != geteuid() &&
           link.st_uid != folder.st_uid;
}

bool save_begin(struct save *save, const char *path, enum save_kind kind)
{
    const bool direct = kind == SAVE_OUTPUT && wants_direct(path);
    *save = (struct save){0};
    if (kind == SAVE_OUTPUT && is_planted(path)) {
        errno = EACCES;
        return false;
    }
    // Where a link of the user leads to.
    *save = (struct save){.kind = kind,
                          .path = kind == SAVE_OUTPUT && !direct ? realpath(path, NULL) : NULL};
    if (!save->path)
        save->path = strdup(path);
    if (!save->path)
        return false;
    const int fd = direct                ? open_direct(save)
                   : kind == SAVE_OUTPUT ? open_output(save)
                                         : open_record(save);
    save->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (save->file)
        return true;
    if (fd >= 0)
        (void)close(fd);
    forget(save);
    return false;
}

// Gives the file without a name its own; where that is taken, one to be renamed.
static bool link_unnamed(struct save *save, const char *descriptor)
{
    if (linkat(AT_FDCWD, descriptor, AT_FDCWD, save->path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    for (int i = 0; i < NAME_TRIES && errno == EEXIST; i++) {
        save->temporary = temporary_name(save->path);
        if (!save->temporary)
            return false;
        if (linkat(AT_FDCWD, descriptor, AT_FDCWD, save->temporary, AT_SYMLINK_FOLLOW) == 0)
            return rename(save->temporary, save->path) == 0;
        const int error = errno;
        free(save->temporary);
        save->temporary = NULL;
        errno = error;
    }
    return false;
}

static bool give_name(struct save *save)
{
    char descriptor[DESCRIPTOR_PATH];
    if (save->temporary)
        return rename(save->temporary, save->path) == 0;
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fileno(save->file));
    return link_unnamed(save, descriptor);
}

// A file system that cannot flush has nothing to flush.
static bool is_synced(int result)
{
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

static bool publish(struct save *save)
{
    const bool flushed = save->kind != SAVE_STATE;
    if (fflush(save->file) != 0)
        return false;
    if (save->direct)
        return true;
    return (!flushed || is_synced(fsync(fileno(save->file)))) && give_name(save) &&
           (!flushed || save_sync_folder(save->path));
}

bool save_end(struct save *save, bool written)
{
    int error = errno;
    bool good = written && !ferror(save->file);
    if (good) {
        good = publish(save);
        error = errno;
    }
    if (fclose(save->file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good) { // the temporary name is no more
        free(save->temporary);
        save->temporary = NULL;
    }
    errno = error != 0 ? error : EIO;
    forget(save);
    return good;
}

// Whether that could be written now. False with errno.
static bool is_possible(const char *path)
{
    struct save save;
    struct stat status;
    if (!is_planted(path) && stat(path, &status) == 0) {
        errno = EISDIR; // where access() has nothing against it
        return access(path, W_OK) == 0 && !S_ISDIR(status.st_mode);
    }
    if (!is_planted(path) && wants_direct(path))
        return true; // to try it would make the file that the link names
    if (!save_begin(&save, path, SAVE_OUTPUT))
        return false;
    (void)save_end(&save, false);
    return true;
}

bool save_text(const char *path, const char *text, enum save_kind kind)
{
    struct save save;
    const size_t length = strlen(text);
    return save_begin(&save, path, kind) &&
           save_end(&save, fwrite(text, 1, length, save.file) == length);
}

bool save_sync_folder(const char *path)
{
    char *folder = beside(path, ".");
    const int fd = !folder ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    // A folder that may be written to but not be read cannot be flushed.
    if (fd < 0)
        return errno == EACCES;
    const bool good = is_synced(fsync(fd));
    const int error = errno;
    (void)close(fd);
    errno = error;
    return good;
}

char *save_default_folder(const char *kind, const char *program)
{
    char stamp[32] = "";
    struct tm local;
    const time_t now = time(NULL);
    const char *slash = strrchr(program, '/');
    OWNED char *name = text_of("%.100s", !slash ? program : slash + 1);
    for (char *c = name; *c != '\0'; c++)
        if (!isascii(*c) || (!isalnum((unsigned char)*c) && !strchr("._-", *c)))
            *c = '_';
    if (localtime_r(&now, &local))
        (void)strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    return text_of("jostle-results/%s%s%s.%s.%d", kind, *kind == '\0' ? "" : ".", name, stamp,
                   (int)getpid());
}

static bool make_one(const char *path, mode_t mode)
{
    if (mkdir(path, mode) != 0)
        return false;
    const bool good = save_sync_folder(path);
    const int error = errno;
    if (!good)
        (void)rmdir(path);
    errno = error;
    return good;
}

// errno: as it was, or that something else is there.
static bool is_folder(const char *path)
{
    struct stat status;
    const int error = errno;
    const bool there = stat(path, &status) == 0;
    errno = there && !S_ISDIR(status.st_mode) ? ENOTDIR : error;
    return there && S_ISDIR(status.st_mode);
}

static bool make_folder(const char *path, mode_t mode, bool *created)
{
    char whole[PATH_MAX];
    if (snprintf(whole, sizeof whole, "%s", path) >= (int)sizeof whole) {
        errno = ENAMETOOLONG;
        return false;
    }
    // What is there may be in a folder that cannot be written to.
    for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_one(whole, mode) && !is_folder(whole))
            return false;
        *slash = '/';
    }
    const bool made = make_one(whole, mode);
    if (created)
        *created = made;
    return made || is_folder(whole);
}

void save_ignore_results(const char *path)
{
    static const char name[] = "jostle-results/";
    char file[PATH_MAX];
    const char *found = strstr(path, name);
    if (!found || (found != path && found[-1] != '/'))
        return;
    if (snprintf(file, sizeof file, "%.*s%s.gitignore", (int)(found - path), path, name) >=
        (int)sizeof file)
        return;
    const int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    (void)file_write_all(fd, "*\n", 2);
    (void)close(fd);
}

bool save_make_folder(const char *path, bool *created)
{
    return make_folder(path, 0777, created);
}

bool save_append(int fd, const char *line, size_t length)
{
    struct stat before;
    const bool known = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    if (file_write_all(fd, line, length))
        return true;
    const int error = errno;
    // Where even this fails, the readers find a torn line.
    if (known && ftruncate(fd, before.st_size) == 0)
        (void)lseek(fd, 0, SEEK_END);
    errno = error;
    return false;
}

const char *save_advice(int error)
{
    switch (error) {
    case ENOSPC:
        return "the disk is full (df, df -i): make room on it";
    case EDQUOT:
        return "your quota there is used up: make room, or choose another folder";
    case EFBIG:
        return "the file would be longer than ulimit -f or the file system allows";
    case EROFS:
        return "the file system is read-only: choose another folder, or mount it for writing";
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
        return "the folder is not there, or is gone: make it, or choose another";
    case ENAMETOOLONG:
        return "give a shorter name";
    case EISDIR:
        return "that is a folder: give the name of a file";
    case ENXIO:
        return "that is a pipe that nobody reads, or a device: remove it, or choose another name";
    case ELOOP:
        return "that is a link, which may lead anywhere: remove it, or choose another folder";
    case EMLINK:
        return "that file has another name as well (a hard link), and would change there, too: put "
               "a copy in its place, or choose another folder";
    case EIO:
        return "the disk reports errors: check it, or choose another folder";
    default:
        return "choose another folder, or another name";
    }
}

// The file system that path is on, or the nearest folder above it that is there.
static bool find_system(const char *path, struct statvfs *system)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    while (statvfs(part, system) != 0) {
        char *slash = strrchr(part, '/');
        if (!slash || slash == part)
            return statvfs(slash ? "/" : ".", system) == 0;
        *slash = '\0';
    }
    return true;
}

// A disk with room may have no inode for a further file.
static bool has_no_inode(const char *path)
{
    struct statvfs system;
    return find_system(path, &system) && system.f_files > 0 && system.f_favail == 0 &&
           system.f_bavail > 0;
}

const char *save_advice_at(int error, const char *path)
{
    if (error == ENOSPC && has_no_inode(path))
        return "the disk has room, but no inodes left for a further file (df -i): remove files";
    return save_advice(error);
}

bool save_complain_folder(const char *path)
{
    const int error = errno;
    const bool full = error == ENOSPC || error == EDQUOT || error == EROFS;
    return complain("cannot make the folder %s (%s): %s", path, strerror(error),
                    full ? save_advice_at(error, path) : "choose another with --output");
}

bool save_complain(const char *path)
{
    const int error = errno;
    return complain("%s cannot be written (%s): %s",
                    strcmp(path, "-") == 0 ? "standard output" : path, strerror(error),
                    save_advice_at(error, path));
}

// Whether the folder of path is not there yet, and is made when that folder of records is.
static bool is_made_with(const char *path, const char *folder)
{
    char own[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || slash - path >= (ptrdiff_t)sizeof own)
        return false;
    snprintf(own, sizeof own, "%.*s", (int)(slash - path), path);
    const char *below = text_after(folder, own);
    return below && (*below == '\0' || *below == '/') && access(own, F_OK) != 0;
}

void save_check_output(const char *path, const char *folder)
{
    if (!path || strcmp(path, "-") == 0 || (folder && is_made_with(path, folder)) ||
        is_possible(path))
        return;
    (void)save_complain(path);
    exit(EXIT_FAILURE);
}

int kept_path(const char *name, char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool named = cache && *cache == '/';
    if (!named && (!home || *home == '\0'))
        return -1;
    return snprintf(path, PATH_MAX, "%s/%sjostle/%s", named ? cache : home, named ? "" : ".cache/",
                    name) < PATH_MAX
               ? 0
               : -1;
}

int kept_make_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return make_folder(folder, 0700, NULL) ? 0 : -1;
}

int kept_write(const char *path, const char *text)
{
    return kept_make_folder(path) == 0 && save_text(path, text, SAVE_RECORD) ? 0 : -1;
}

// Arm's cores have numbers for names.
static bool find_model(char *text, size_t size)
{
    char part[64];
    if (machine_field("/proc/cpuinfo", "model name", ": \t", text, size))
        return true;
    if (!machine_field("/proc/cpuinfo", "CPU part", ": \t", part, sizeof part))
        return false;
    snprintf(text, size, "CPU part %s", part);
    return true;
}

const char *kept_machine(char *text, size_t size)
{
    char model[128];
    struct utsname names;
    if (!find_model(model, sizeof model))
        snprintf(model, sizeof model, "%s", uname(&names) == 0 ? names.machine : "unknown");
    snprintf(text, size, "%s, %ld CPUs", model, sysconf(_SC_NPROCESSORS_ONLN));
    return text;
}
