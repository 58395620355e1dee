#include "common/kept.h"

#include "common/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

int kept_path(const char *name, char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool named = cache != NULL && *cache == '/';
    if (!named && (home == NULL || *home == '\0'))
        return -1;
    return snprintf(path, PATH_MAX, "%s/%sjostle/%s", named ? cache : home, named ? "" : ".cache/",
                    name) < PATH_MAX
               ? 0
               : -1;
}

int kept_make_folder(const char *path)
{
    char partial[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(partial, sizeof partial, "%.*s", (int)(slash - path), path);
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

int kept_write_fd(int fd, const char *text)
{
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL)
        return -1;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written ? 0 : -1;
}

int kept_write(const char *path, const char *text)
{
    char temporary[PATH_MAX + 16];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int fd = kept_make_folder(path) == 0 ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (kept_write_fd(fd, text) == 0 && rename(temporary, path) == 0)
        return 0;
    const int error = errno;
    if (fd >= 0)
        unlink(temporary);
    errno = error;
    return -1;
}

/* Arm's cores have numbers for names. */
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
