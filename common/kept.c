#include "kept.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"
#include "save.h"

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
    return save_make_private_folder(folder) ? 0 : -1;
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

// SHA-256 by libgcrypt, which uses what instructions the CPU has for it: about 2 GB/s
// where plain C has 0.2.
