#include "harness/probe/history.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "harness/bench/json.h"
#include "harness/report/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static time_t time_of(const json_t *record)
{
    struct tm made = {0};
    const char *text = json_text_at(record, "made");
    return text == NULL || strptime(text, "%Y-%m-%dT%H:%M:%SZ", &made) == NULL ? (time_t)-1
                                                                               : timegm(&made);
}

static struct history *history_of(struct histories *histories, const json_t *record)
{
    char host[256], place[32];
    json_copy_text(record, "host", host, sizeof host);
    json_copy_text(record, "place", place, sizeof place);
    for (size_t i = 0; i < histories->count; i++)
        if (strcmp(histories->history[i].host, host) == 0 &&
            strcmp(histories->history[i].place, place) == 0)
            return &histories->history[i];
    histories->history =
        must(realloc(histories->history, (histories->count + 1) * sizeof *histories->history));
    struct history *history = &histories->history[histories->count++];
    *history = (struct history){.confidence = json_number_at(record, "confidence")};
    memcpy(history->host, host, sizeof host);
    memcpy(history->place, place, sizeof place);
    return history;
}

static void read_resources(struct moment *moment, const json_t *resources)
{
    const json_t *row;
    size_t i;
    json_array_foreach(resources, i, row)
    {
        const char *name = json_text_at(row, "name");
        const enum kind kind = name == NULL ? KINDS : kind_find(name);
        const json_t *ci = json_object_get(row, "ci");
        if (kind == KINDS)
            continue;
        moment->level[kind] = json_number_at(row, "level");
        moment->seen[kind] = json_is_true(json_object_get(row, "seen"));
        if (!json_is_array(ci))
            continue;
        moment->lo[kind] = json_number_value(json_array_get(ci, 0));
        moment->hi[kind] = json_number_value(json_array_get(ci, 1));
    }
}

static void read_verdicts(struct moment *moment, const json_t *verdicts)
{
    const json_t *row;
    size_t i, used = 0;
    json_array_foreach(verdicts, i, row)
    {
        const char *name = json_text_at(row, "name");
        if (name != NULL && used + strlen(name) + 2 < sizeof moment->verdicts)
            used += (size_t)snprintf(moment->verdicts + used, sizeof moment->verdicts - used,
                                     "%s%s", used == 0 ? "" : " ", name);
    }
}

static void add(struct histories *histories, const json_t *record)
{
    const char *schema = json_text_at(record, "schema");
    const json_t *kernel = json_object_get(record, "kernel");
    if (schema == NULL || strcmp(schema, SCHEMA_PROBE) != 0 || time_of(record) == (time_t)-1)
        return;
    struct history *history = history_of(histories, record);
    history->moment =
        grown(history->moment, history->count, &history->room, sizeof *history->moment);
    struct moment *moment = &history->moment[history->count++];
    *moment = (struct moment){
        .made = time_of(record),
        .cpu_some = json_number_at(kernel, "cpu_some"),
        .memory_some = json_number_at(kernel, "memory_some"),
        .io_some = json_number_at(kernel, "io_some"),
        .steal = json_number_at(kernel, "steal"),
        .throttled = json_number_at(kernel, "throttled"),
        .foreign_cpus = json_number_at(kernel, "foreign_cpus"),
        .slowdown = json_number_at(json_object_get(record, "expect"), "slowdown"),
    };
    for (enum kind k = 0; k < KINDS; k++)
        moment->level[k] = moment->lo[k] = moment->hi[k] = NAN;
    read_resources(moment, json_object_get(record, "resources"));
    read_verdicts(moment, json_object_get(record, "verdicts"));
    json_copy_text(json_object_get(record, "reference"), "made", history->reference_made,
                   sizeof history->reference_made);
    json_copy_text(json_object_get(record, "expect"), "of", history->program,
                   sizeof history->program);
}

/* A record a line, as a watch writes them. False: the first line is none, and nothing was taken.
 * A later one was cut off when a watch was killed or the disk was full: those after it count. */
static bool read_lines(FILE *file, struct histories *histories)
{
    char *line = NULL;
    size_t size = 0, count = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        json_t *record = json_read_line(line, (size_t)length);
        if (record != NULL)
            add(histories, record);
        else
            good = count > 0;
        histories->cut = histories->cut || (record == NULL && good);
        json_decref(record);
        count++;
    }
    free(line);
    return good;
}

/* One record on several lines, or more. What is no such record is passed over. */
static void read_documents(FILE *file, struct histories *histories)
{
    json_error_t error;
    json_t *record;
    rewind(file);
    while ((record = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)) != NULL) {
        add(histories, record);
        json_decref(record);
    }
    /* At the end of the file there is nothing but blanks, unless a record was cut off. */
    histories->cut = histories->cut || error.position > 1;
}

static bool read_file(const char *path, struct histories *histories)
{
    FILE *file = file_open_record(path);
    if (file == NULL)
        return complain("%s: %s: give what jostle probe has written", path, file_why(errno));
    if (!read_lines(file, histories))
        read_documents(file, histories);
    (void)fclose(file);
    return true;
}

static bool is_record_name(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && (strcmp(end, ".jsonl") == 0 || strcmp(end, ".json") == 0);
}

static bool read_folder(const char *path, struct histories *histories)
{
    DIR *folder = opendir(path);
    bool good = folder != NULL;
    if (!good)
        return complain("%s: %s: give what jostle probe has written", path, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(folder)) != NULL;) {
        char file[PATH_MAX];
        if (is_record_name(entry) &&
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            good = read_file(file, histories);
    }
    closedir(folder);
    return good;
}

static int by_time(const void *a, const void *b)
{
    const struct moment *one = a, *other = b;
    return (one->made > other->made) - (one->made < other->made);
}

static int by_host(const void *a, const void *b)
{
    const struct history *one = a, *other = b;
    const int order = strcmp(one->host, other->host);
    return order != 0 ? order : strcmp(one->place, other->place);
}

bool histories_read(const char *path, struct histories *histories)
{
    struct stat status;
    *histories = (struct histories){0};
    const bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (!(folder ? read_folder(path, histories) : read_file(path, histories)))
        return false;
    if (histories->count == 0)
        return complain("%s holds no " SCHEMA_PROBE ": give what jostle probe --json has written",
                        path);
    for (size_t i = 0; i < histories->count; i++)
        qsort(histories->history[i].moment, histories->history[i].count,
              sizeof *histories->history[i].moment, by_time);
    qsort(histories->history, histories->count, sizeof *histories->history, by_host);
    return true;
}

void histories_free(struct histories *histories)
{
    for (size_t i = 0; i < histories->count; i++)
        free(histories->history[i].moment);
    free(histories->history);
}
