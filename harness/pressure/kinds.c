#include "harness/pressure/kinds.h"

#include "common/device.h"
#include "common/machine.h"
#include "common/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The load's words end where the percentage begins: a spec is them and "55%". */
const struct kind_row kinds[KINDS] = {
    [KIND_CPU] = {.name = "cpu", .words = "cpu --percent", .resource = "CPU time"},
    [KIND_MEM] = {.name = "mem", .words = "mem --limit", .resource = "memory bandwidth"},
    [KIND_CACHE] = {.name = "cache", .words = "cache --size", .resource = "last-level cache"},
    [KIND_IO] = {.name = "io", .words = "io --limit", .resource = "disk"},
    [KIND_NET] = {.name = "net", .words = "net --limit", .resource = "network stack"},
    [KIND_ALLOC] = {.name = "alloc", .words = "alloc --limit", .resource = "memory management"},
};

enum kind kind_find(const char *name)
{
    enum kind kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

const char *kind_spec(enum kind kind, double level, char *text, size_t size)
{
    snprintf(text, size, "%s %g%%", kinds[kind].words, round(level * 1000) / 10);
    return text;
}

bool kind_of_spec(const char *spec, enum kind *kind, double *level)
{
    double percent;
    for (*kind = 0; *kind < KINDS; (*kind)++) {
        const size_t length = strlen(kinds[*kind].words);
        if (strncmp(spec, kinds[*kind].words, length) != 0 || spec[length] != ' ')
            continue;
        if (units_percent(spec + length + 1, &percent) != 0)
            return false;
        /* Of a rate, "50" are 50 a second, of a size bytes. */
        if (*kind != KIND_CPU && strchr(spec, '%') == NULL)
            return false;
        *level = percent / 100;
        return true;
    }
    return false;
}

const char *kind_io_folder(const char *directory)
{
    const char *temporary = getenv("TMPDIR");
    if (directory != NULL)
        return directory;
    return temporary != NULL && *temporary != '\0' ? temporary : "/var/tmp";
}

static bool no_disk(const char *directory, char *text, size_t size)
{
    struct device device;
    const char *folder = kind_io_folder(directory);
    if (!device_of(folder, &device) || access(folder, W_OK | X_OK) != 0) {
        snprintf(text, size, "%s: %s", folder, strerror(errno));
        return true;
    }
    if (!device.memory)
        return false;
    snprintf(text, size, "%s is in memory (%s)", folder, device.file_system);
    return true;
}

bool kind_impossible(enum kind kind, const char *directory, char *text, size_t size)
{
    struct caches caches;
    if (kind == KIND_IO)
        return no_disk(directory, text, size);
    if (kind != KIND_CACHE)
        return false;
    caches_read(-1, &caches);
    if (caches.l3_bytes > 0)
        return false;
    snprintf(text, size, "this machine states no L3 cache");
    return true;
}
