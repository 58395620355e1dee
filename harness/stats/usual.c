// Compares what the machine reached with what it reached in earlier experiments.
#include "messages.h"
#include "result.h"
#include "sample.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/trust.h"

#include <fcntl.h>
#include <gsl/gsl_cdf.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Experiments that are looked at, the newest ones; and lines that a file has at most.
enum { LOOKED_AT = 200, LINES_MOST = 1000 };
// The 95 % of a range are its two sides.
static const double side = 0.025;
// Medians of quiet machines differ by about so much from experiment to experiment.
static const double least_sd = 0.01;
// What is surely worse by less is not worth a word.
static const double worth_saying = 0.03;

static const struct {
    const char *reporter, *words;
} told[] = {
    {"l2", "the CPU"},
    {"gap", "getting a CPU"},
    {"memory", "the memory"},
};
enum { TOLD = sizeof told / sizeof *told };

// "" where there is none.
static const char *text_in(const json_t *experiment, const char *object, const char *name)
{
    return json_text_or_empty(json_object_get(experiment, object), name);
}

// The path of the file. False: there is no place for one, or it is not to be trusted.
static bool find_file(const json_t *experiment, char path[PATH_MAX])
{
    const char *host = text_in(experiment, "environment", "host");
    char name[NAME_MAX];
    const int length = snprintf(name, sizeof name, "machine/%s.jsonl", host);
    return *host != '\0' && strchr(host, '/') == NULL && length < (int)sizeof name &&
           kept_path(name, path) == 0 && trust_path(path);
}

static double median_in(const json_t *machine, const char *reporter)
{
    return json_number_at(json_named(json_object_get(machine, "reporters"), "name", reporter),
                          "median");
}

// A line of the file, a new reference.
static json_t *entry_of(const json_t *experiment, const json_t *machine)
{
    char now[DATE_SIZE];
    json_t *medians = json_object();
    for (size_t i = 0; i < TOLD; i++)
        json_object_set_new(medians, told[i].reporter,
                            json_figure(median_in(machine, told[i].reporter)));
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema", SCHEMA_MACHINE, "time",
                     date_utc(time(NULL), now), "kernel",
                     text_in(experiment, "environment", "kernel"), "cpus",
                     text_in(experiment, "settings", "target_cpus"), "medians", medians);
}

// The newest earlier lines that are comparable, in their order, and in *lines how many the file
// has; what is no line of ours is passed over.
static json_t *read_earlier(const char *path, const json_t *entry, size_t *lines)
{
    json_t *earlier = json_array();
    FILE *file = file_open_record(path);
    OWNED char *line = NULL;
    size_t size = 0;
    *lines = 0;
    while (file && getline(&line, &size, file) > 0) {
        json_t *one = json_loads(line, 0, NULL);
        ++*lines;
        if (json_text_is(one, "schema", SCHEMA_MACHINE) &&
            json_equal(json_object_get(entry, "kernel"), json_object_get(one, "kernel")) &&
            json_equal(json_object_get(entry, "cpus"), json_object_get(one, "cpus")))
            json_array_append(earlier, one);
        if (json_array_size(earlier) > LOOKED_AT)
            json_array_remove(earlier, 0);
        json_decref(one);
    }
    if (file)
        fclose(file);
    return earlier;
}

// Since when: the first of the newest earlier ones that were all as unusual. index: which entry
// each value is of.
static json_t *since(const json_t *earlier, const struct sample *logs, const size_t *index,
                     double from)
{
    size_t first = logs->count;
    while (first > 0 && logs->value[first - 1] > from)
        first--;
    return first == logs->count
               ? json_null()
               : json_string(json_text_or_empty(json_array_get(earlier, index[first]), "time"));
}

// By the logarithms of that reporter's medians. What one more experiment differs by from the usual:
// from the median of the earlier ones, and half the width of the interval in which 95 % of the next
// ones are (a prediction interval, with a robust standard deviation).
static void compare_one(const json_t *earlier, const char *reporter, double now, json_t *unusual)
{
    struct sample logs = {0};
    OWNED size_t *index = must(calloc(json_array_size(earlier) + 1, sizeof *index));
    for (size_t i = 0; i < json_array_size(earlier); i++) {
        const double value =
            json_number_at(json_object_get(json_array_get(earlier, i), "medians"), reporter);
        if (!(value > 0))
            continue;
        index[logs.count] = i;
        sample_add(&logs, log(value));
    }
    if (logs.count >= USUAL_LEAST && now > 0) {
        const double center = sample_median(&logs), count = (double)logs.count;
        const double half = gsl_cdf_tdist_Qinv(side, count - 1) *
                            fmax(sample_robust_sd(&logs), least_sd) * sqrt(1 + 1 / count);
        const double change = log(now) - center;
        if (change - half > log1p(worth_saying))
            json_array_append_new(
                unusual,
                json_pack("{s:s, s:o, s:[o, o], s:o, s:i}", "reporter", reporter, "ratio",
                          json_figure(exp(change)), "range", json_figure(exp(change - half)),
                          json_figure(exp(change + half)), "since",
                          since(earlier, &logs, index, center + half + log1p(worth_saying)),
                          "experiments", (int)logs.count));
    }
    sample_free(&logs);
}

// Adds a line; where the file has become long, to the newest ones alone. What earlier experiments
// were like is a help, not a record: an experiment does not fail for it, and what cannot be written
// is tried again by the next one.
static void append(const char *path, const json_t *entry, bool is_long)
{
    OWNED char *text = must(json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(FIGURE_DIGITS)));
    OWNED char *added = text_of("%s\n", text), *line = NULL, *kept = NULL;
    size_t size = 0, kept_size = 0, number = 0;
    FILE *file = is_long ? file_open_record(path) : NULL;
    if (file) {
        FILE *out = must(open_memstream(&kept, &kept_size));
        while (getline(&line, &size, file) > 0)
            if (number++ >= LINES_MOST / 2)
                fputs(line, out);
        (void)save_text(path, stream_text(out, &kept), SAVE_STATE);
        fclose(file);
    }
    const int fd = kept_make_folder(path) == 0
                       ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                       : -1;
    if (fd >= 0) {
        (void)save_append(fd, added, strlen(added));
        (void)close(fd);
    }
}

json_t *usual_compare(const json_t *experiment, const json_t *machine)
{
    json_t *unusual = json_array();
    char path[PATH_MAX];
    size_t lines;
    if (!json_is_object(machine) || !find_file(experiment, path))
        return unusual;
    json_auto_t *entry = entry_of(experiment, machine);
    json_auto_t *earlier = read_earlier(path, entry, &lines);
    for (size_t i = 0; i < TOLD; i++)
        compare_one(earlier, told[i].reporter, median_in(machine, told[i].reporter), unusual);
    append(path, entry, lines >= LINES_MOST);
    return unusual;
}

void usual_warn(const json_t *unusual, json_t *warnings)
{
    JSON_EACH (one, unusual) {
        const json_t *range = json_object_get(one, "range");
        const char *reporter = json_text_or_empty(one, "reporter"), *words = reporter;
        const char *from = json_text_or_empty(one, "since");
        struct message message = {.flag = FLAG_MACHINE_UNUSUAL};
        for (size_t k = 0; k < TOLD; k++)
            words = strcmp(told[k].reporter, reporter) == 0 ? told[k].words : words;
        message_detail(&message, "what", "%s", words);
        message_detail(&message, "ratio", "%.2f", json_number_at(one, "ratio"));
        message_detail(&message, "range", "%.2f to %.2f",
                       json_number_value(json_array_get(range, 0)),
                       json_number_value(json_array_get(range, 1)));
        message_detail(&message, "since", "%s%.16s", *from == '\0' ? "" : " since ", from);
        message_detail(&message, "experiments", "%.0f", json_number_at(one, "experiments"));
        message_add(warnings, &message);
    }
}
