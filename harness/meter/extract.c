// Finds all metrics of a run, in what the target wrote or was counted of it.
#include "extract.h"

#include "command_line.h"
#include "gauge.h"
#include "search.h"
#include "sought.h"
#include "tally.h"
#include "written_files.h"

#include "common/file.h"
#include "common/jq.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/metric.h"
#include "common/pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool extract_begin(struct extractor *extractor, const struct command_line *asked)
{
    *extractor = (struct extractor){.sought = asked->sought, .count = asked->definition.count};
    extractor->of_source = must(calloc(extractor->count + 1, sizeof *extractor->of_source));
    extractor->expression = must(calloc(extractor->count + 1, sizeof *extractor->expression));
    for (size_t i = 0; i < extractor->count; i++) {
        struct sought *sought = &extractor->sought[i];
        const struct metric *metric = &sought->metric;
        sought->fd[0] = sought->fd[1] = -1;
        if (!metric_is_output(metric)) {
            if (!gauge_begin(sought))
                return false;
            continue;
        }
        extractor->reads = true;
        char why[128];
        sought->has_regex = !metric->is_jq &&
                            pattern_compile(&sought->regex, metric->expression, 0, why, sizeof why);
        if (!metric->is_jq && !sought->has_regex)
            return complain("metric %s: %s", metric->name, why);
    }
    return true;
}

// The path of a metric's file, from where meter runs. NULL: it has none, or it is too long.
static const char *path_of(const struct extractor *extractor, const struct sought *sought,
                           char text[PATH_MAX])
{
    const char *path = sought->metric.path;
    if (!path || path[0] == '/' || !extractor->folder)
        return path;
    const int length = snprintf(text, PATH_MAX, "%s/%s", extractor->folder, path);
    return length < PATH_MAX ? text : NULL;
}

// Whether the metric is of that target: a source of its own comes before that of all.
static bool applies(const struct extractor *extractor, const struct sought *sought, size_t target)
{
    if (sought->only != ANY_TARGET)
        return sought->only == target;
    for (size_t i = 0; i < extractor->count; i++)
        if (extractor->sought[i].only == target &&
            strcmp(extractor->sought[i].metric.name, sought->metric.name) == 0)
            return false;
    return true;
}

static bool is_counted(const struct sought *sought)
{
    return sought->applies && !metric_is_output(&sought->metric);
}

void extract_before(struct extractor *extractor, const struct target *target)
{
    char text[PATH_MAX];
    extractor->folder = target->folder;
    extractor->words = target->words;
    for (size_t i = 0; i < extractor->count; i++) {
        struct sought *sought = &extractor->sought[i];
        sought->applies = applies(extractor, sought, target->number);
        const char *path = path_of(extractor, sought, text);
        if (path)
            files_note(&sought->before, path);
        if (is_counted(sought))
            gauge_open(sought);
    }
}

void extract_start(struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_counted(&extractor->sought[i]))
            gauge_start(&extractor->sought[i]);
}

void extract_stop(struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_counted(&extractor->sought[i]))
            gauge_stop(&extractor->sought[i]);
}

static const char *where(const struct metric *metric)
{
    return metric->source == METRIC_FILE      ? metric->path
           : metric->source == METRIC_COMMAND ? "the command"
           : metric->source == METRIC_STDERR  ? "stderr"
                                              : "stdout";
}

// A file with the words of the target, blanks between; -1 where there can be none.
static int command_open(char **words)
{
    const int fd = memfd_create("command", MFD_CLOEXEC);
    for (size_t i = 0; fd >= 0 && words && words[i]; i++)
        if (!file_write_all(fd, words[i], strlen(words[i])) || !file_write_all(fd, " ", 1)) {
            (void)close(fd);
            return -1;
        }
    return fd;
}

// The source of a metric. -1 after a failure, which is then in its tally. Only of
// files and of the command it is ours to close.
static int source_open(const struct extractor *extractor, struct sought *sought,
                       const struct extract_from *from)
{
    const enum metric_source source = sought->metric.source;
    char text[PATH_MAX];
    struct stat status;
    if (source == METRIC_FILE) {
        const char *path = path_of(extractor, sought, text), *why = strerror(ENAMETOOLONG);
        const int fd = !path ? -1 : files_open(&sought->before, path, &why);
        if (fd < 0)
            reason_set(sought->tally.reason, "%s: %s", where(&sought->metric), why);
        return fd;
    }
    if (source == METRIC_COMMAND) {
        const int fd = command_open(extractor->words);
        if (fd < 0)
            reason_set(sought->tally.reason, "the command: %s", strerror(errno));
        return fd;
    }
    const int fd = source == METRIC_STDOUT ? from->out_fd : from->error_fd;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    reason_set(sought->tally.reason, "%s went where it cannot be read again",
               where(&sought->metric));
    return -1;
}

static void source_close(const struct metric *metric, int fd)
{
    if (fd >= 0 && (metric->source == METRIC_FILE || metric->source == METRIC_COMMAND))
        (void)close(fd);
}

// The files of a pattern that the run wrote, in order of their names; from the
// last one on where only the last match counts.
static void search_pattern(const struct extractor *extractor, struct sought *sought)
{
    const enum metric_take take = sought->metric.take;
    const bool one = take == TAKE_LAST || take == TAKE_FIRST;
    char text[PATH_MAX];
    glob_t found = {.gl_pathc = 0};
    size_t written = 0;
    const char *why, *path = path_of(extractor, sought, text);
    const bool known = path && files_find(path, &found);
    for (size_t k = 0; known && k < found.gl_pathc && !(one && sought->tally.count > 0); k++) {
        const size_t at = take == TAKE_LAST ? found.gl_pathc - 1 - k : k;
        const int fd = files_open(&sought->before, found.gl_pathv[at], &why);
        if (fd < 0)
            continue;
        written++;
        search(fd, &sought->regex, &sought->tally);
        (void)close(fd);
    }
    if (written == 0)
        reason_set(sought->tally.reason, "%s: no such file was written by this run",
                   sought->metric.path);
    globfree(&found);
}

static void extract_regex(const struct extractor *extractor, struct sought *sought,
                          const struct extract_from *from)
{
    const struct metric *metric = &sought->metric;
    sought->tally = (struct tally){.metric = metric};
    if (metric->source == METRIC_FILE && strpbrk(metric->path, METRIC_PATTERN)) {
        search_pattern(extractor, sought);
    } else {
        const int fd = source_open(extractor, sought, from);
        if (fd >= 0)
            search(fd, &sought->regex, &sought->tally);
        source_close(metric, fd);
    }
    tally_end(&sought->tally, where(metric), &sought->figure);
}

static void take_value(void *user, const struct jq_value *value)
{
    struct sought *const *of_source = user;
    struct tally *tally = &of_source[value->metric]->tally;
    switch (value->kind) {
    case JQ_NUMBER:
        (void)tally_add(tally, value->text, strlen(value->text));
        break;
    case JQ_NOT_FINITE:
        (void)tally_add(tally, "inf", strlen("inf"));
        break;
    case JQ_OTHER:
        reason_set(tally->reason, "no number: %.60s%s", value->text,
                   value->text[0] == '"' ? " (a string: add | tonumber)" : "");
        break;
    case JQ_ERROR:
        reason_set(tally->reason, "jq: %s", value->text);
        break;
    case JQ_NOTHING:
        break;
    }
}

static bool same_source(const struct metric *a, const struct metric *b)
{
    return a->is_jq && b->is_jq && a->source == b->source &&
           (!a->path || strcmp(a->path, b->path) == 0);
}

// The metrics that have the source of this one, by one process; nothing where an
// earlier one has it, too, and so has done that.
static void extract_jq(const struct extractor *extractor, struct sought *first,
                       const struct extract_from *from)
{
    struct jq_query query = {
        .expression = extractor->expression, .take = take_value, .user = extractor->of_source};
    char error[REASON_SIZE];
    for (size_t i = 0; i < extractor->count; i++) {
        struct sought *sought = &extractor->sought[i];
        if (!sought->applies || !same_source(&first->metric, &sought->metric))
            continue;
        if (sought < first)
            return;
        sought->tally = (struct tally){.metric = &sought->metric};
        extractor->of_source[query.count] = sought;
        extractor->expression[query.count++] = sought->metric.expression;
    }
    const int fd = source_open(extractor, first, from);
    const bool read = fd >= 0 && jq_evaluate(&query, fd, error, sizeof error);
    if (fd < 0)
        snprintf(error, sizeof error, "%s", first->tally.reason);
    source_close(&first->metric, fd);
    for (size_t i = 0; i < query.count; i++) {
        struct sought *sought = extractor->of_source[i];
        // What kept jq from reading it all is said first.
        if (!read) {
            sought->tally.reason[0] = '\0';
            reason_set(sought->tally.reason, "%s", error);
        }
        tally_end(&sought->tally, where(&first->metric), &sought->figure);
    }
}

void extract(struct extractor *extractor, const struct extract_from *from)
{
    for (size_t i = 0; i < extractor->count; i++) {
        struct sought *sought = &extractor->sought[i];
        if (!sought->applies || is_counted(sought))
            continue;
        if (sought->metric.is_jq)
            extract_jq(extractor, sought, from);
        else
            extract_regex(extractor, sought, from);
    }
}

// Whether it is a result of this run.
static bool is_result(const struct sought *sought)
{
    return sought->applies && sought->metric.role == ROLE_RESULT;
}

size_t extract_failure(const struct extractor *extractor)
{
    size_t i = 0;
    while (i < extractor->count &&
           !(is_result(&extractor->sought[i]) && extractor->sought[i].figure.reason[0] != '\0'))
        i++;
    return i;
}

bool extract_is_sound(const struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_result(&extractor->sought[i]) && extractor->sought[i].figure.value == 0)
            return false;
    return extract_failure(extractor) == extractor->count;
}

void extract_end(struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++) {
        if (extractor->sought[i].has_regex)
            regfree(&extractor->sought[i].regex);
        files_forget(&extractor->sought[i].before);
    }
    free(extractor->of_source);
    free(extractor->expression);
}
