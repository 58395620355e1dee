#include "kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/device.h"
#include "common/machine.h"
#include "common/messages.h"
#include "common/units.h"

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

// A text with all that counts has room here; longer ones would be told apart by their start.
enum { MOST = 2048 };

static const char *text(const json_t *environment, const char *name)
{
    const char *value = json_string_value(json_object_get(environment, name));
    return value ? value : "?";
}

void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1])
{
    char all[MOST];
    const double gib = json_number_value(json_object_get(environment, "memory_bytes")) / (1 << 30);
    const int length =
        snprintf(all, sizeof all, "%s\n%s\n%s\n%lld\n%s\n%lld\n%.0f\n", text(environment, "host"),
                 text(environment, "architecture"), text(environment, "cpu"),
                 (long long)json_integer_value(json_object_get(environment, "cpus_online")),
                 text(environment, "smt"),
                 (long long)json_integer_value(json_object_get(environment, "numa_nodes")), gib);
    sha256_hex(all, length < 0 ? 0 : strnlen(all, sizeof all), digits);
}

#define MS 1000000

const struct reporter_row reporter_rows[REPORTERS] = {
    [REPORTER_GAP] = {.name = "gap", .unit = "s/s", .window_ns = 5 * MS},
    [REPORTER_L2] = {.name = "l2", .unit = "ns", .window_ns = 2 * MS},
    [REPORTER_MEMORY] = {.name = "memory", .unit = "ns", .window_ns = 3 * MS},
    [REPORTER_FAULTS] = {.name = "faults", .unit = "ns", .window_ns = 2 * MS},
};

static enum reporter reporter_find(const char *name)
{
    enum reporter reporter = 0;
    while (reporter < REPORTERS && strcmp(reporter_rows[reporter].name, name) != 0)
        reporter++;
    return reporter;
}

static bool unknown(const char *name)
{
    const char *names[REPORTERS + 1] = {NULL};
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        names[reporter] = reporter_rows[reporter].name;
    return complain("--reporters %s: there is no such reporter%s: see probe sample --help", name,
                    nearest_hint(name, names).text);
}

bool reporters_choose(const char *list, bool wanted[REPORTERS])
{
    char text[512], *rest = text;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        wanted[reporter] = !list;
    if (!list)
        return true;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        return complain("--reporters: too long: name each reporter once");
    for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
        const enum reporter reporter = reporter_find(name);
        if (reporter == REPORTERS)
            return unknown(name);
        wanted[reporter] = true;
    }
    return true;
}

const char *reporter_metric(enum reporter reporter, char *text, size_t size)
{
    const struct reporter_row *row = &reporter_rows[reporter];
    snprintf(text, size,
             "%s=stdout:/\"name\":\"%s\",[^}]*\"value\":([0-9.e+-]+)/,unit=%s,better=lower",
             row->name, row->name, row->unit);
    return text;
}
