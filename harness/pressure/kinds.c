// Kinds of load that pressure is stated in: their words, and what makes one impossible here.

#include "pressure.h"

#include "common/caches.h"
#include "common/device.h"
#include "common/units.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// The load's words end where the percentage begins: a spec is them and "55%".
const struct kind_row kinds[KINDS] = {
    [KIND_CPU] = {.name = "cpu", .words = "cpu --percent"},
    [KIND_MEM] = {.name = "mem", .words = "mem --limit"},
    [KIND_CACHE] = {.name = "cache", .words = "cache --size"},
    [KIND_IO] = {.name = "io", .words = "io --limit"},
    [KIND_NET] = {.name = "net", .words = "net --limit"},
    [KIND_ALLOC] = {.name = "alloc", .words = "alloc --limit"},
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
        // Of a rate, "50" are 50 a second, of a size bytes.
        if (*kind != KIND_CPU && !strchr(spec, '%'))
            return false;
        *level = percent / 100;
        return true;
    }
    return false;
}

static bool no_disk(char *text, size_t size)
{
    struct device device;
    const char *temporary = getenv("TMPDIR");
    const char *folder = temporary && *temporary ? temporary : "/var/tmp"; // as loadgen io has it
    if (!device_of(folder, &device) || access(folder, W_OK | X_OK) != 0) {
        snprintf(text, size, "%s: %s", folder, strerror(errno));
        return true;
    }
    snprintf(text, size, "%s is in memory (%s)", folder, device.file_system);
    return device.memory;
}

bool kind_impossible(enum kind kind, char *text, size_t size)
{
    struct caches caches;
    if (kind == KIND_IO)
        return no_disk(text, size);
    if (kind != KIND_CACHE)
        return false;
    caches_read(-1, &caches);
    if (caches.l3_bytes > 0)
        return false;
    snprintf(text, size, "this machine states no L3 cache");
    return true;
}
