#include "meter.h"

#include "common/child.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The files that a metric is read from: those that a run wrote, not those of an earlier one.

static void files_forget(struct files_before *before)
{
    free(before->status);
    *before = (struct files_before){.count = 0};
}

// files_find: the files of path, in order of their names; a path without a pattern is itself,
// whether it is there or not. globfree() frees them. False: no memory.
static bool files_find(const char *path, glob_t *found)
{
    const int status = glob(path, GLOB_NOMAGIC | GLOB_NOESCAPE, NULL, found);
    if (status != 0)
        *found = (glob_t){.gl_pathc = 0};
    return status == 0 || status == GLOB_NOMATCH;
}

static bool is_same(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

// has_stamp: whether one of them was written at that time.
static bool has_stamp(const struct files_before *before, const struct timespec *at)
{
    for (size_t i = 0; i < before->count; i++)
        if (is_same(&before->status[i].st_mtim, at))
            return true;
    return false;
}

// wait_for_tick: until what is written next has another stamp than what is there. The kernel stamps
// files with its coarse clock, so the wait is at most a tick, 10 ms.
static void wait_for_tick(const struct files_before *before)
{
    const struct timespec pause = {.tv_nsec = 500000};
    struct timespec now;
    for (int i = 0; i < 40; i++) {
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
        if (!has_stamp(before, &now))
            return;
        (void)nanosleep(&pause, NULL);
    }
}

// files_note: what the files of path, which may be a pattern, are like now. Waits for the next tick
// of the kernel's clock (at most 10 ms) where one was written in this one.
static void files_note(struct files_before *before, const char *path)
{
    glob_t found;
    files_forget(before);
    before->unknown = !files_find(path, &found);
    if (found.gl_pathc > 0) {
        before->status = calloc(found.gl_pathc, sizeof *before->status);
        before->unknown = before->status == NULL;
    }
    for (size_t i = 0; before->status != NULL && i < found.gl_pathc; i++)
        if (stat(found.gl_pathv[i], &before->status[before->count]) == 0)
            before->count++;
    globfree(&found);
    wait_for_tick(before);
}

// is_written: whether the run wrote the file. That its time differs from before is asked,
// not that it is later than some clock of ours: a file server has another one.
static bool is_written(const struct files_before *before, const struct stat *now)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct stat *old = &before->status[i];
        if (old->st_ino == now->st_ino && old->st_dev == now->st_dev &&
            old->st_size == now->st_size && is_same(&old->st_mtim, &now->st_mtim) &&
            is_same(&old->st_ctim, &now->st_ctim))
            return false;
    }
    return true;
}

// files_open: opens a file that has to be a regular one, and written since. -1 with *why set to
// what is wrong with it: "was not written by this run".
static int files_open(const struct files_before *before, const char *path, const char **why)
{
    struct stat status;
    // A FIFO must not hold us up.
    const int fd = file_above_stderr(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0 || fstat(fd, &status) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        *why = "is no regular file";
    else if (before->unknown)
        *why = "no memory to know whether this run wrote it";
    else if (!is_written(before, &status))
        *why = "was not written by this run";
    else
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

bool extract_begin(struct extractor *extractor, const struct settings *settings)
{
    const struct metric *metric = settings->metric;
    const size_t count = settings->metric_count;
    *extractor = (struct extractor){.metric = metric, .only = settings->only, .count = count};
    if (count == 0)
        return true;
    extractor->applies = must(calloc(count, sizeof *extractor->applies));
    extractor->regex = must(calloc(count, sizeof *extractor->regex));
    extractor->before = must(calloc(count, sizeof *extractor->before));
    extractor->figure = must(calloc(count, sizeof *extractor->figure));
    extractor->gauge = must(calloc(count, sizeof *extractor->gauge));
    for (size_t i = 0; i < count; i++) {
        if (!metric_is_output(&metric[i])) {
            if (gauge_begin(&extractor->gauge[i], &metric[i]))
                continue;
            extractor->count = i;
            return false;
        }
        extractor->reads = true;
        const bool compiled = metric[i].is_jq || regcomp(&extractor->regex[i], metric[i].expression,
                                                         REG_EXTENDED) == 0;
        extractor->count = compiled ? count : i;
        if (!compiled)
            return complain("metric %s: its expression needs too much memory", metric[i].name);
    }
    return true;
}

// path_of: of the file of a metric, from where meter runs. NULL: it has none, or is too long.
static const char *path_of(const struct extractor *extractor, size_t metric, char text[PATH_MAX])
{
    const char *path = extractor->metric[metric].path;
    if (path == NULL || path[0] == '/' || extractor->folder == NULL)
        return path;
    const int length = snprintf(text, PATH_MAX, "%s/%s", extractor->folder, path);
    return length < PATH_MAX ? text : NULL;
}

// applies: whether the metric is of that target: a source of its own comes before that of all.
static bool applies(const struct extractor *extractor, size_t metric, size_t target)
{
    if (extractor->only[metric] != ANY_TARGET)
        return extractor->only[metric] == target;
    for (size_t i = 0; i < extractor->count; i++)
        if (extractor->only[i] == target &&
            strcmp(extractor->metric[i].name, extractor->metric[metric].name) == 0)
            return false;
    return true;
}

static bool is_counted(const struct extractor *extractor, size_t metric)
{
    return extractor->applies[metric] && !metric_is_output(&extractor->metric[metric]);
}

void extract_before(struct extractor *extractor, const struct target *target)
{
    char text[PATH_MAX];
    extractor->folder = target->folder;
    for (size_t i = 0; i < extractor->count; i++) {
        extractor->applies[i] = applies(extractor, i, target->number);
        const char *path = path_of(extractor, i, text);
        if (path != NULL)
            files_note(&extractor->before[i], path);
        if (is_counted(extractor, i))
            gauge_open(&extractor->gauge[i]);
    }
}

void extract_start(struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_counted(extractor, i))
            gauge_start(&extractor->gauge[i]);
}

void extract_stop(struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_counted(extractor, i)) {
            gauge_stop(&extractor->gauge[i]);
            extractor->figure[i] = extractor->gauge[i].figure;
        }
}

static const char *where(const struct metric *metric)
{
    return metric->source == METRIC_FILE     ? metric->path
           : metric->source == METRIC_STDERR ? "stderr"
                                             : "stdout";
}

// open_file: the one file of a metric; -1 after a failure, which is then in tally.
static int open_file(const struct extractor *extractor, size_t metric, struct tally *tally)
{
    char text[PATH_MAX];
    const char *path = path_of(extractor, metric, text), *why = strerror(ENAMETOOLONG);
    const int fd = path == NULL ? -1 : files_open(&extractor->before[metric], path, &why);
    if (fd < 0)
        reason_set(tally->reason, "%s: %s", where(&extractor->metric[metric]), why);
    return fd;
}

// source_open: the source of a metric. -1 after a failure. Only of files it is ours to close.
static int source_open(const struct extractor *extractor, size_t metric,
                       const struct extract_from *from, struct tally *tally)
{
    const enum metric_source source = extractor->metric[metric].source;
    struct stat status;
    if (source == METRIC_FILE)
        return open_file(extractor, metric, tally);
    const int fd = source == METRIC_STDOUT ? from->out_fd : from->error_fd;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    reason_set(tally->reason, "%s went where it cannot be read again",
               where(&extractor->metric[metric]));
    return -1;
}

static void source_close(const struct metric *metric, int fd)
{
    if (fd >= 0 && metric->source == METRIC_FILE)
        (void)close(fd);
}

// search_pattern: the files of a pattern that the run wrote, in order of their names; from the
// last one on where only the last match counts.
static void search_pattern(const struct extractor *extractor, size_t i, struct tally *tally)
{
    const struct metric *metric = &extractor->metric[i];
    const bool one = metric->take == TAKE_LAST || metric->take == TAKE_FIRST;
    char text[PATH_MAX];
    glob_t found = {.gl_pathc = 0};
    size_t written = 0;
    const char *why, *path = path_of(extractor, i, text);
    const bool known = path != NULL && files_find(path, &found);
    for (size_t k = 0; known && k < found.gl_pathc && !(one && tally->count > 0); k++) {
        const size_t at = metric->take == TAKE_LAST ? found.gl_pathc - 1 - k : k;
        const int fd = files_open(&extractor->before[i], found.gl_pathv[at], &why);
        if (fd < 0)
            continue;
        written++;
        search(fd, &extractor->regex[i], tally);
        (void)close(fd);
    }
    if (written == 0)
        reason_set(tally->reason, "%s: no such file was written by this run", metric->path);
    globfree(&found);
}

static void extract_regex(struct extractor *extractor, size_t i, const struct extract_from *from)
{
    const struct metric *metric = &extractor->metric[i];
    struct tally tally = {.metric = metric};
    if (metric->source == METRIC_FILE && strpbrk(metric->path, METRIC_PATTERN) != NULL) {
        search_pattern(extractor, i, &tally);
    } else {
        const int fd = source_open(extractor, i, from, &tally);
        if (fd >= 0)
            search(fd, &extractor->regex[i], &tally);
        source_close(metric, fd);
    }
    tally_end(&tally, where(metric), &extractor->figure[i]);
}

// The metrics of one process of jq.
struct jq_metrics {
    size_t count;
    size_t *index; // into the extractor's
    const char **expression;
    struct tally *tally;
};

static void take_value(void *user, const struct jq_value *value)
{
    const struct jq_metrics *metrics = user;
    struct tally *tally = &metrics->tally[value->metric];
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
           (a->path == NULL || strcmp(a->path, b->path) == 0);
}

// gather: the metrics that have the source of the one at `first`; none where an earlier one
// has it, too.
static size_t gather(const struct extractor *extractor, size_t first, struct jq_metrics *metrics)
{
    const struct metric *metric = extractor->metric;
    metrics->count = 0;
    for (size_t i = 0; i < extractor->count; i++) {
        if (!extractor->applies[i] || !same_source(&metric[first], &metric[i]))
            continue;
        if (i < first)
            return 0;
        metrics->index[metrics->count] = i;
        metrics->expression[metrics->count] = metric[i].expression;
        metrics->tally[metrics->count++] = (struct tally){.metric = &metric[i]};
    }
    return metrics->count;
}

static void evaluate(struct extractor *extractor, struct jq_metrics *metrics,
                     const struct extract_from *from)
{
    const struct metric *metric = &extractor->metric[metrics->index[0]];
    const struct jq_query query = {.expression = metrics->expression,
                                   .count = metrics->count,
                                   .take = take_value,
                                   .user = metrics};
    struct tally whole = {.metric = metric};
    char error[REASON_SIZE];
    const int fd = source_open(extractor, metrics->index[0], from, &whole);
    if (fd >= 0 && !jq_evaluate(&query, fd, error, sizeof error))
        reason_set(whole.reason, "%s", error);
    source_close(metric, fd);
    for (size_t i = 0; i < metrics->count; i++) {
        // What kept jq from reading it all is said first.
        if (whole.reason[0] != '\0')
            memcpy(metrics->tally[i].reason, whole.reason, sizeof whole.reason);
        tally_end(&metrics->tally[i], where(metric), &extractor->figure[metrics->index[i]]);
    }
}

// extract_jq: the metrics that have the source of the one at `first`.
static void extract_jq(struct extractor *extractor, size_t first, const struct extract_from *from)
{
    struct jq_metrics metrics = {.index = calloc(extractor->count, sizeof *metrics.index),
                                 .expression = calloc(extractor->count, sizeof(char *)),
                                 .tally = calloc(extractor->count, sizeof *metrics.tally)};
    if (metrics.index == NULL || metrics.expression == NULL || metrics.tally == NULL) {
        struct tally tally = {.metric = &extractor->metric[first], .reason = "no memory"};
        tally_end(&tally, "", &extractor->figure[first]);
    } else if (gather(extractor, first, &metrics) > 0) {
        evaluate(extractor, &metrics, from);
    }
    free(metrics.index);
    free(metrics.expression);
    free(metrics.tally);
}

void extract(struct extractor *extractor, const struct extract_from *from)
{
    for (size_t i = 0; i < extractor->count; i++) {
        if (!extractor->applies[i] || is_counted(extractor, i))
            continue;
        if (extractor->metric[i].is_jq)
            extract_jq(extractor, i, from);
        else
            extract_regex(extractor, i, from);
    }
}

// is_result: of this run.
static bool is_result(const struct extractor *extractor, size_t metric)
{
    return extractor->applies[metric] && extractor->metric[metric].role == ROLE_RESULT;
}

size_t extract_failure(const struct extractor *extractor)
{
    size_t i = 0;
    while (i < extractor->count &&
           !(is_result(extractor, i) && extractor->figure[i].reason[0] != '\0'))
        i++;
    return i;
}

bool extract_is_sound(const struct extractor *extractor)
{
    for (size_t i = 0; i < extractor->count; i++)
        if (is_result(extractor, i) && extractor->figure[i].value == 0)
            return false;
    return extract_failure(extractor) == extractor->count;
}

void extract_end(struct extractor *extractor)
{
    for (size_t i = 0; extractor->regex != NULL && i < extractor->count; i++)
        if (!extractor->metric[i].is_jq && metric_is_output(&extractor->metric[i]))
            regfree(&extractor->regex[i]);
    for (size_t i = 0; extractor->before != NULL && i < extractor->count; i++)
        files_forget(&extractor->before[i]);
    free(extractor->applies);
    free(extractor->regex);
    free(extractor->before);
    free(extractor->figure);
    free(extractor->gauge);
    *extractor = (struct extractor){.count = 0};
}
