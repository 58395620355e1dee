#include "blame.h"
#include "harness/stats/json.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"

static time_t time_of(const json_t *record)
{
    struct tm made = {0};
    const char *text = json_text_at(record, "made");
    return !text || !strptime(text, "%Y-%m-%dT%H:%M:%SZ", &made) ? (time_t)-1 : timegm(&made);
}

static struct history *history_of(struct histories *histories, const json_t *record)
{
    char host[256], victim[320];
    json_copy_text(record, "host", host, sizeof host);
    json_copy_text(json_object_get(record, "victim"), "name", victim, sizeof victim);
    for (size_t i = 0; i < histories->count; i++)
        if (strcmp(histories->history[i].host, host) == 0 &&
            strcmp(histories->history[i].victim, victim) == 0)
            return &histories->history[i];
    histories->history =
        must(realloc(histories->history, (histories->count + 1) * sizeof *histories->history));
    struct history *history = &histories->history[histories->count++];
    *history = (struct history){0};
    memcpy(history->host, host, sizeof host);
    memcpy(history->victim, victim, sizeof victim);
    return history;
}

static void add(struct histories *histories, const json_t *record)
{
    const char *schema = json_text_at(record, "schema");
    const json_t *kernel = json_object_get(record, "kernel");
    const json_t *verdict = json_object_get(record, "verdict");
    if (!schema || strcmp(schema, SCHEMA_BLAME) != 0 || time_of(record) == (time_t)-1)
        return;
    struct history *history = history_of(histories, record);
    history->moment =
        grown(history->moment, history->count, &history->room, sizeof *history->moment);
    struct moment *moment = &history->moment[history->count++];
    *moment = (struct moment){
        .made = time_of(record),
        .factor = json_number_at(verdict, "factor"),
        .cpu_some = json_number_at(kernel, "cpu_some"),
        .io_some = json_number_at(kernel, "io_some"),
        .steal = json_number_at(kernel, "steal"),
        .throttled = json_number_at(verdict, "quota"),
        .others_cpus = json_number_at(kernel, "others_cpus"),
        .victim_cpus = json_number_at(json_object_get(record, "victim"), "cpus"),
    };
    json_copy_text(verdict, "resource", moment->resource, sizeof moment->resource);
    if (strcmp(moment->resource, "cpu") == 0 || strcmp(moment->resource, "disk") == 0)
        json_copy_text(json_array_get(json_object_get(record, "culprits"), 0), "text",
                       moment->culprit, sizeof moment->culprit);
}

// A record a line, as a watch writes them. False: the first line is none, and nothing was taken.
// A later one was cut off when a watch was killed or the disk was full: those after it count.
static bool read_lines(FILE *file, struct histories *histories)
{
    OWNED char *line = NULL;
    size_t size = 0, count = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        json_t *record = json_read_line(line, (size_t)length);
        if (record)
            add(histories, record);
        else
            good = count > 0;
        histories->cut = histories->cut || (!record && good);
        json_decref(record);
        count++;
    }
    return good;
}

// One record on several lines, or more. What is no such record is passed over.
static void read_documents(FILE *file, struct histories *histories)
{
    json_error_t error;
    json_t *record;
    rewind(file);
    while ((record = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)) != NULL) {
        add(histories, record);
        json_decref(record);
    }
    // At the end of the file there is nothing but blanks, unless a record was cut off.
    histories->cut = histories->cut || error.position > 1;
}

static bool read_file(const char *path, struct histories *histories)
{
    FILE *file = file_open_record(path);
    if (!file)
        return complain("%s: %s: give what jostle blame has written", path, file_why(errno));
    if (!read_lines(file, histories))
        read_documents(file, histories);
    (void)fclose(file);
    return true;
}

static bool is_record_name(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && (strcmp(end, ".jsonl") == 0 || strcmp(end, ".json") == 0);
}

static bool read_folder(const char *path, struct histories *histories)
{
    DIR *folder = opendir(path);
    bool good = folder != NULL;
    if (!good)
        return complain("%s: %s: give what jostle blame has written", path, strerror(errno));
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
    return order != 0 ? order : strcmp(one->victim, other->victim);
}

bool histories_read(const char *path, struct histories *histories)
{
    struct stat status;
    *histories = (struct histories){0};
    const bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (!(folder ? read_folder(path, histories) : read_file(path, histories)))
        return false;
    if (histories->count == 0)
        return complain("%s holds no " SCHEMA_BLAME ": give what jostle blame --json has written",
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

int history_show(const char *path, bool page)
{
    enum { ROWS_OF_TABLE = 24, ROWS_OF_PAGE = 240 };
    struct histories histories;
    if (!histories_read(path, &histories))
        return EXIT_FAILURE;
    json_t *record = histories_to_json(&histories, page ? ROWS_OF_PAGE : ROWS_OF_TABLE);
    const bool written = json_print(record, stdout, RECORD_FORMAT);
    json_decref(record);
    histories_free(&histories);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A history in figures: for each host who was to blame, and rows over the time.

// A mean of what is known, and the largest.
struct mean {
    double sum, most;
    size_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->most = mean->count == 0 ? value : fmax(mean->most, value);
    mean->count++;
}

static json_t *mean_to_json(const struct mean *mean)
{
    return json_number(mean->count == 0 ? NAN : mean->sum / (double)mean->count);
}

static json_t *most_to_json(const struct mean *mean)
{
    return json_number(mean->count == 0 ? NAN : mean->most);
}

// Who was named first, how often, most often first.
static json_t *culprits_to_json(const struct history *history, size_t first, size_t end)
{
    enum { NAMED = 16 };
    struct {
        const char *text;
        size_t times;
    } found[NAMED];
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        const char *text = history->moment[i].culprit;
        size_t k = 0;
        while (k < count && strcmp(found[k].text, text) != 0)
            k++;
        if (*text == '\0' || k == NAMED)
            continue;
        if (k == count) {
            found[count].text = text;
            found[count++].times = 0;
        }
        found[k].times++;
        for (; k > 0 && found[k].times > found[k - 1].times; k--) {
            const char *other = found[k].text;
            const size_t times = found[k].times;
            found[k] = found[k - 1];
            found[k - 1].text = other;
            found[k - 1].times = times;
        }
    }
    json_t *list = must(json_array());
    for (size_t k = 0; k < count; k++)
        json_add(list, must(json_pack("{s:s, s:I}", "text", found[k].text, "times",
                                      (json_int_t)found[k].times)));
    return list;
}

// One row: the moments from first to end, taken together.
static json_t *row_to_json(const struct history *history, size_t first, size_t end)
{
    struct mean factor = {0}, cpu = {0}, io = {0}, steal = {0}, throttled = {0}, others = {0};
    for (size_t i = first; i < end; i++) {
        const struct moment *moment = &history->moment[i];
        mean_add(&factor, moment->factor);
        mean_add(&cpu, moment->cpu_some);
        mean_add(&io, moment->io_some);
        mean_add(&steal, moment->steal);
        mean_add(&throttled, moment->throttled);
        mean_add(&others, moment->others_cpus);
    }
    return must(json_pack("{s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "from",
                          json_date(history->moment[first].made), "hours",
                          difftime(history->moment[first].made, history->moment[0].made) / 3600,
                          "records", (json_int_t)(end - first), "factor", mean_to_json(&factor),
                          "most", most_to_json(&factor), "others_cpus", mean_to_json(&others),
                          "cpu_some", mean_to_json(&cpu), "io_some", mean_to_json(&io), "steal",
                          mean_to_json(&steal), "throttled", mean_to_json(&throttled), "culprits",
                          culprits_to_json(history, first, end)));
}

// Stretches of equal length; one in which nothing was written has no row.
static json_t *rows_to_json(const struct history *history, size_t most)
{
    json_t *rows = must(json_array());
    const time_t begin = history->moment[0].made;
    const double length = difftime(history->moment[history->count - 1].made, begin) + 1;
    for (size_t first = 0; first < history->count;) {
        const size_t row =
            (size_t)(difftime(history->moment[first].made, begin) / length * (double)most);
        size_t end = first + 1;
        while (end < history->count &&
               (size_t)(difftime(history->moment[end].made, begin) / length * (double)most) == row)
            end++;
        json_add(rows, row_to_json(history, first, end));
        first = end;
    }
    return rows;
}

json_t *histories_to_json(const struct histories *histories, size_t rows)
{
    json_t *hosts = must(json_array());
    for (size_t i = 0; i < histories->count; i++) {
        const struct history *history = &histories->history[i];
        struct mean factor = {0};
        for (size_t k = 0; k < history->count; k++)
            mean_add(&factor, history->moment[k].factor);
        json_add(hosts, must(json_pack("{s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "host",
                                       history->host, "victim", history->victim, "from",
                                       json_date(history->moment[0].made), "to",
                                       json_date(history->moment[history->count - 1].made),
                                       "records", (json_int_t)history->count, "factor",
                                       mean_to_json(&factor), "most", most_to_json(&factor),
                                       "culprits", culprits_to_json(history, 0, history->count),
                                       "rows", rows_to_json(history, rows))));
    }
    return must(json_pack("{s:s, s:b, s:o}", "schema", SCHEMA_BLAME_HISTORY, "cut", histories->cut,
                          "hosts", hosts));
}
