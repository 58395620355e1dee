#include "mem/edge.h"

#include "common/cpus.h"
#include "common/date.h"
#include "common/headroom.h"
#include "common/json.h"
#include "common/kept.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/trust.h"
#include "mem/edge-run.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ---- keeping it ---- */

/* "AMD EPYC, 2 CPUs, L3 32 MiB": the machine, as far as it can be known. */
static void describe(const struct mem_caches *caches, char *text, size_t size)
{
    char machine[192];
    snprintf(text, size, "%s, L3 %llu bytes", kept_machine(machine, sizeof machine),
             (unsigned long long)caches->l3_bytes);
}

static int path_of(const char *ending, char path[PATH_MAX])
{
    char host[256] = "", name[300];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "machine/%s.cache-edge.%s", host, ending);
    return kept_path(name, path);
}

bool edge_kept(const struct mem_caches *caches, uint64_t *bytes)
{
    char path[PATH_MAX], machine[256];
    *bytes = 0;
    if (path_of("json", path) != 0 || !trust_path(path))
        return false;
    describe(caches, machine, sizeof machine);
    json_t *record = json_read_record(path, 0, NULL);
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const char *kept = json_string_value(json_object_get(record, "machine"));
    const json_t *edge = json_object_get(record, "cache_edge_bytes");
    const json_int_t found = json_integer_value(edge);
    const bool fits = schema != NULL && kept != NULL && strcmp(schema, SCHEMA_CACHE_EDGE) == 0 &&
                      strcmp(kept, machine) == 0 && (json_is_null(edge) || found > 0);
    if (fits)
        *bytes = (uint64_t)found;
    json_decref(record);
    return fits;
}

static void add_points(struct line *line, const struct edge *edge)
{
    line_array(line, "latencies");
    for (size_t i = 0; i < edge->count; i++) {
        line_object(line, NULL);
        line_count(line, "bytes", edge->point[i].bytes);
        line_fixed(line, "ns_per_load", edge->point[i].ns_per_load, 2);
        line_close(line);
    }
    line_close(line);
}

static bool keep(const struct edge *edge, const struct mem_caches *caches, const char *path)
{
    char created[DATE_SIZE], machine[256];
    struct line line = {0};
    describe(caches, machine, sizeof machine);
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_CACHE_EDGE);
    line_text(&line, "machine", machine);
    line_text(&line, "created", date_utc(time(NULL), created));
    if (edge->bytes > 0)
        line_count(&line, "cache_edge_bytes", edge->bytes);
    else
        line_null(&line, "cache_edge_bytes");
    add_points(&line, edge);
    const char *text = line_end(&line);
    const bool kept = text != NULL && kept_write(path, text) == 0;
    line_free(&line);
    return kept;
}

/* ---- finding it ---- */

static void measure(struct edge *edge, int cpu, bool quiet)
{
    struct cpu_list before;
    const bool pinned = cpus_allowed(&before) == 0 && cpus_pin(cpu) == 0;
    if (!quiet)
        fprintf(stderr, "measuring where the caches end: once on this machine, about 2 s\n");
    edge_run(edge, headroom_left(-1).bytes / 4);
    if (pinned)
        (void)cpus_pin_list(&before);
    edge->bytes = edge_of(edge->point, edge->count);
}

uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet)
{
    struct edge edge = {0};
    char path[PATH_MAX], lock[PATH_MAX];
    uint64_t bytes;
    if (edge_kept(caches, &bytes) || path_of("json", path) != 0 || path_of("lock", lock) != 0 ||
        kept_make_folder(lock) != 0)
        return bytes;
    const int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return 0;
    /* Where the file system has no locks, two that measure disturb each other: no more. */
    (void)flock(fd, LOCK_EX);
    if (!edge_kept(caches, &bytes)) {
        measure(&edge, cpu, quiet);
        bytes = edge.count > 1 && keep(&edge, caches, path) ? edge.bytes : 0;
    }
    close(fd);
    return bytes;
}
