// Sums up the records of a watch: when a node or program was slowed down, and by whom.

#include "blame.h"
#include "harness/stats/json.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"

// What a record says of its moment, and of which a row has the mean.
static const struct {
    const char *name, *object, *key;
} figures[] = {{"factor", "verdict", "factor"},    {"others_cpus", "kernel", "others_cpus"},
               {"cpu_some", "kernel", "cpu_some"}, {"io_some", "kernel", "io_some"},
               {"steal", "kernel", "steal"},       {"throttled", "verdict", "quota"}};
enum { FACTOR, FIGURES = sizeof figures / sizeof *figures };

// Who is named, and with how much of the victim's waiting for CPUs.
struct culprit {
    char text[160]; // "": nobody
    double blame;   // NAN: it is of disks
};

struct moment {
    time_t made;
    double figure[FIGURES]; // NAN: not known
    // Where there is a verdict: the first one, and whoever cannot be seen, where that is another.
    struct culprit first, unseen;
};

// The records of one host and victim.
struct history {
    char host[256], victim[320];
    size_t count, allocated;
    struct moment *item; // by time, rising
};

struct histories {
    size_t count, allocated;
    struct history *item; // by host
    bool cut;             // a file ends within a record: a watch was killed while it wrote
};

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
        if (strcmp(histories->item[i].host, host) == 0 &&
            strcmp(histories->item[i].victim, victim) == 0)
            return &histories->item[i];
    MORE(histories) = (struct history){0};
    struct history *history = &histories->item[histories->count - 1];
    memcpy(history->host, host, sizeof host);
    memcpy(history->victim, victim, sizeof victim);
    return history;
}

static void read_culprit(struct culprit *culprit, const json_t *from, bool of_cpu)
{
    json_copy_text(from, "text", culprit->text, sizeof culprit->text);
    culprit->blame = of_cpu ? json_number_at(from, "blame") : (double)NAN;
}

static void read_culprits(struct moment *moment, const json_t *record)
{
    const json_t *verdict = json_object_get(record, "verdict"),
                 *culprits = json_object_get(record, "culprits");
    const bool of_cpu = json_text_is(verdict, "resource", "cpu");
    if (!of_cpu && !json_text_is(verdict, "resource", "disk"))
        return;
    read_culprit(&moment->first, json_array_get(culprits, 0), of_cpu);
    for (size_t i = 1; i < json_array_size(culprits); i++)
        if (!json_object_get(json_array_get(culprits, i), "pid"))
            read_culprit(&moment->unseen, json_array_get(culprits, i), of_cpu);
}

static void add_record(struct histories *histories, const json_t *record)
{
    const json_t *verdict = json_object_get(record, "verdict");
    struct moment moment = {.made = time_of(record)};
    if (!json_text_is(record, "schema", SCHEMA_BLAME) || moment.made == (time_t)-1)
        return;
    for (size_t i = 0; i < FIGURES; i++)
        moment.figure[i] =
            json_number_at(json_object_get(record, figures[i].object), figures[i].key);
    // A quota of its own is not the doing of others.
    if (json_text_is(verdict, "resource", "quota"))
        moment.figure[FACTOR] = 1 / (1 - json_number_at(verdict, "waited_others"));
    read_culprits(&moment, record);
    MORE(history_of(histories, record)) = moment;
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
            add_record(histories, record);
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
        add_record(histories, record);
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

// A history in figures: for each host who was to blame, and rows over the time.

// The mean of what is known of a figure, and the largest; NAN: nothing is.
static double mean_of(const struct history *history, size_t first, size_t end, size_t figure,
                      double *most)
{
    double sum = 0;
    size_t count = 0;
    *most = NAN;
    for (size_t i = first; i < end; i++) {
        const double value = history->item[i].figure[figure];
        if (isnan(value))
            continue;
        sum += value;
        *most = fmax(*most, value); // of NAN and a number the number
        count++;
    }
    return count == 0 ? NAN : sum / (double)count;
}

enum { NAMED = 16 };

struct named {
    const char *text;
    size_t times, records; // named first; named
    double blame;          // the sum
};

struct all_named {
    size_t count;
    struct named item[NAMED]; // most often first
};

static void name(struct all_named *all, const struct culprit *culprit, bool first)
{
    size_t k = 0;
    while (k < all->count && strcmp(all->item[k].text, culprit->text) != 0)
        k++;
    if (culprit->text[0] == '\0' || k == NAMED)
        return;
    if (k == all->count)
        all->item[all->count++] = (struct named){.text = culprit->text};
    all->item[k].times += first;
    all->item[k].records++;
    all->item[k].blame += culprit->blame;
    for (; k > 0 && all->item[k].times > all->item[k - 1].times; k--) {
        const struct named other = all->item[k];
        all->item[k] = all->item[k - 1];
        all->item[k - 1] = other;
    }
}

// Who was named first, how often, and with which part; and who cannot be seen.
static json_t *culprits_to_json(const struct history *history, size_t first, size_t end)
{
    struct all_named all = {0};
    json_t *list = must(json_array());
    for (size_t i = first; i < end; i++) {
        name(&all, &history->item[i].first, true);
        name(&all, &history->item[i].unseen, false);
    }
    for (size_t k = 0; k < all.count; k++) {
        const struct named *one = &all.item[k];
        json_add(list, must(json_pack("{s:s, s:I, s:o}", "text", one->text, "times",
                                      (json_int_t)one->times, "blame",
                                      json_number(one->blame / (double)one->records))));
    }
    return list;
}

// One row: the moments from first to end, taken together.
static json_t *row_to_json(const struct history *history, size_t first, size_t end)
{
    double most, mean = mean_of(history, first, end, FACTOR, &most);
    json_t *row =
        must(json_pack("{s:o, s:f, s:I, s:o, s:o}", "from", json_date(history->item[first].made),
                       "hours", difftime(history->item[first].made, history->item[0].made) / 3600,
                       "records", (json_int_t)(end - first), figures[FACTOR].name,
                       json_number(mean), "most", json_number(most)));
    for (size_t i = FACTOR + 1; i < FIGURES; i++) {
        mean = mean_of(history, first, end, i, &most);
        json_put(row, figures[i].name, json_number(mean));
    }
    json_put(row, "culprits", culprits_to_json(history, first, end));
    return row;
}

// Stretches of equal length; one in which nothing was written has no row.
static json_t *rows_to_json(const struct history *history, size_t most)
{
    json_t *rows = must(json_array());
    const time_t begin = history->item[0].made;
    const double length = difftime(history->item[history->count - 1].made, begin) + 1;
    for (size_t first = 0; first < history->count;) {
        const size_t row =
            (size_t)(difftime(history->item[first].made, begin) / length * (double)most);
        size_t end = first + 1;
        while (end < history->count &&
               (size_t)(difftime(history->item[end].made, begin) / length * (double)most) == row)
            end++;
        json_add(rows, row_to_json(history, first, end));
        first = end;
    }
    return rows;
}

static json_t *histories_to_json(const struct histories *histories, size_t rows)
{
    json_t *hosts = must(json_array());
    for (size_t i = 0; i < histories->count; i++) {
        const struct history *history = &histories->item[i];
        double most;
        const double mean = mean_of(history, 0, history->count, FACTOR, &most);
        json_add(hosts, must(json_pack("{s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "host",
                                       history->host, "victim", history->victim, "from",
                                       json_date(history->item[0].made), "to",
                                       json_date(history->item[history->count - 1].made), "records",
                                       (json_int_t)history->count, "factor", json_number(mean),
                                       "most", json_number(most), "culprits",
                                       culprits_to_json(history, 0, history->count), "rows",
                                       rows_to_json(history, rows))));
    }
    return must(json_pack("{s:s, s:b, s:o}", "schema", SCHEMA_BLAME_HISTORY, "cut", histories->cut,
                          "hosts", hosts));
}

json_t *history_json(const char *path, size_t rows)
{
    struct stat status;
    struct histories histories = {0};
    json_t *record = NULL;
    const bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode),
               good = folder ? read_folder(path, &histories) : read_file(path, &histories);
    for (size_t i = 0; i < histories.count; i++)
        qsort(histories.item[i].item, histories.item[i].count, sizeof *histories.item[i].item,
              by_time);
    if (histories.count > 0)
        qsort(histories.item, histories.count, sizeof *histories.item, by_host);
    if (good && histories.count > 0)
        record = histories_to_json(&histories, rows);
    else if (good)
        complain("%s holds no " SCHEMA_BLAME ": give what jostle blame --json has written", path);
    for (size_t i = 0; i < histories.count; i++)
        free(histories.item[i].item);
    free(histories.item);
    return record;
}

int history_show(const char *path, bool page)
{
    enum { ROWS_OF_TABLE = 24, ROWS_OF_PAGE = 240 };
    json_t *record = history_json(path, page ? ROWS_OF_PAGE : ROWS_OF_TABLE);
    const bool written = record && json_print(record, stdout, RECORD_FORMAT);
    json_decref(record);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
