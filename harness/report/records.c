#include "records.h"

#include "run_value.h"
#include "view.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How a run failed (jostle.run/1), as harness/stats/judge.h has it. */

enum failure { NO_FAILURE, OF_SERVICE, NOT_STARTED, TIMED_OUT, BY_SIGNAL, BY_EXIT, OF_METRIC };

static bool is_known(const struct value *value)
{
    return value != NULL && value->type != VIEW_NULL;
}

static enum failure kind_of(const struct value *run)
{
    if (is_known(view_path(run, "service", "died")))
        return OF_SERVICE;
    if (is_known(view_get(run, "start_error")))
        return NOT_STARTED;
    if (view_true(view_get(run, "timed_out")))
        return TIMED_OUT;
    if (view_is(view_get(run, "signal"), VIEW_NUMBER))
        return BY_SIGNAL;
    if (view_number(view_get(run, "exit_code"), 0) != 0)
        return BY_EXIT;
    return is_known(view_get(run, "metric_failure")) ? OF_METRIC : NO_FAILURE;
}

static char *metric_words(const struct value *failure)
{
    OWNED char *metric = view_text(failure, "metric"), *reason = view_text(failure, "reason");
    char *text = text_of("metric %s: %s", metric == NULL ? "?" : metric,
                         reason == NULL ? "not known" : reason);
    return text;
}

static char *start_words(const struct value *run)
{
    OWNED char *error = view_text(run, "start_error");
    char *text = text_of("the target could not be started (%s)", error == NULL ? "?" : error);
    return text;
}

/* In words, to be freed; NULL: it did not fail. */
static char *run_failure(const struct value *run)
{
    switch (kind_of(run)) {
    case NO_FAILURE:
        return NULL;
    case OF_SERVICE:
        return must(strdup("the service ended during the run"));
    case NOT_STARTED:
        return start_words(run);
    case TIMED_OUT:
        return text_of("the target ran into the time-out after %g s",
                       view_number(view_get(run, "wall_s"), 0));
    case BY_SIGNAL:
        return text_of("the target was ended by signal %.0f",
                       view_number(view_get(run, "signal"), 0));
    case BY_EXIT:
        return text_of("the target failed with exit code %.0f",
                       view_number(view_get(run, "exit_code"), 0));
    case OF_METRIC:
        return metric_words(view_get(run, "metric_failure"));
    }
    return NULL;
}

/* Whether figures are made of it, failed or not, with these settings (--ignore-failure). */
static bool run_counts(const struct value *run, const struct value *settings)
{
    const enum failure kind = kind_of(run);
    const struct value *codes = view_get(settings, "ignore_codes");
    if (kind == NO_FAILURE)
        return true;
    if (!view_true(view_get(settings, "ignore_failure")) || kind == NOT_STARTED ||
        kind == OF_SERVICE)
        return false;
    for (const struct value *code = NULL; view_each(codes, &code);)
        if (kind == BY_EXIT && view_number(code, -1) == view_number(view_get(run, "exit_code"), -2))
            return true;
    return view_first(codes) == NULL;
}

#define LARGEST_BYTES (1L << 30) /* of a record; runs.jsonl is read line by line */

void problems_add(struct problems *problems, const char *kind, const char *cell, char *message)
{
    problems->item =
        grown(problems->item, problems->count, &problems->allocated, sizeof *problems->item);
    problems->item[problems->count++] =
        (struct problem){kind, cell == NULL ? NULL : must(strdup(cell)), message};
}

void problems_move(struct problems *to, struct problems *from)
{
    for (size_t i = 0; i < from->count; i++) {
        to->item = grown(to->item, to->count, &to->allocated, sizeof *to->item);
        to->item[to->count++] = from->item[i];
    }
    free(from->item);
    *from = (struct problems){0};
}

void problems_free(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->item[i].cell);
        free(problems->item[i].message);
    }
    free(problems->item);
    *problems = (struct problems){0};
}

/* A file of `who` that is there, and could not be opened (errno). */
static void add_unread(struct problems *problems, const char *who, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR)
        problems_add(
            problems, "broken-record", who,
            text_of("%s/%s cannot be read (%s)", who, strrchr(path, '/') + 1, file_why(errno)));
}

/* The whole file, to be freed; NULL with errno: there is none that can be read. */
static char *whole_file(const char *path, size_t *length)
{
    struct stat status;
    const int file = file_open_regular(path, true);
    if (file < 0)
        return NULL;
    if (fstat(file, &status) != 0 || status.st_size > LARGEST_BYTES) {
        close(file);
        errno = EFBIG;
        return NULL;
    }
    char *text = must(malloc((size_t)status.st_size + 1));
    ssize_t more = 0;
    *length = 0;
    while (*length < (size_t)status.st_size &&
           (more = read(file, text + *length, (size_t)status.st_size - *length)) > 0)
        *length += (size_t)more;
    close(file);
    text[*length] = '\0';
    return text;
}

/* Why top is no record of this schema, to be freed; NULL: it is one. */
static char *unusable(const struct value *top, const char *schema, const char *who,
                      const char *file)
{
    if (!view_is(top, VIEW_OBJECT))
        return text_of("%s/%s is broken or half-written", who, file);
    if (view_equals(view_get(top, "schema"), schema))
        return NULL;
    OWNED char *found = must(view_copy(view_get(top, "schema")));
    char *message = text_of("%s/%s has the schema %s, which is not known here (%s): was it made by "
                            "another version of jostle?",
                            who, file, found, schema);
    return message;
}

void document_read(struct document *document, const char *path, const char *schema, const char *who,
                   struct problems *problems)
{
    size_t length = 0;
    const char *file = strrchr(path, '/') + 1;
    *document = (struct document){0};
    char *text = whole_file(path, &length);
    if (text == NULL) {
        add_unread(problems, who, path);
        return;
    }
    document->text = must(malloc(3 * length + 1));
    length = view_compact(text, length, document->text);
    free(text);
    document->top = view_parse(&document->view, document->text, length);
    char *message = length == 0 ? text_of("%s/%s is empty", who, file)
                                : unusable(document->top, schema, who, file);
    if (message == NULL)
        return;
    document->top = NULL;
    problems_add(problems, strstr(message, " has the schema ") ? "unknown-schema" : "broken-record",
                 who, message);
}

void document_free(struct document *document)
{
    view_free(&document->view);
    free(document->text);
    *document = (struct document){0};
}

struct reader {
    struct runs *runs;
    const struct run_options *options;
    struct view view;
    const struct value *settings;
    size_t discarded;
    double from_block; /* the first that counts */
    size_t broken;
    char *unknown; /* a schema that is not ours, as JSON */
    char *clean;   /* a line that was not UTF-8 */
};

static size_t known_name(char **names, size_t *count, size_t most, const struct value *name)
{
    for (size_t i = 0; i < *count; i++)
        if (view_equals(name, names[i]))
            return i;
    if (*count == most)
        return most - 1;
    names[*count] = must(view_string(name));
    return (*count)++;
}

/* The wall time is in each run. */
static bool is_kept_apart(const struct metric_list *list, size_t metric)
{
    return list->item[metric].chosen && metric != METRIC_WALL;
}

static void keep_values(struct runs *runs, const struct value *run, const struct metric_list *list)
{
    runs->metric_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!is_kept_apart(list, i))
            continue;
        runs->metric_count++;
        runs->value =
            grown(runs->value, runs->value_count, &runs->value_allocated, sizeof *runs->value);
        runs->value[runs->value_count++] = run_value(run, list->item[i].name);
    }
}

double runs_value(const struct runs *runs, size_t run, const struct metric_list *list,
                  size_t metric)
{
    size_t place = 0;
    if (metric == METRIC_WALL)
        return runs->item[run].wall_s;
    for (size_t i = 0; i < metric; i++)
        place += is_kept_apart(list, i);
    return is_kept_apart(list, metric) && place < runs->metric_count
               ? runs->value[run * runs->metric_count + place]
               : NAN;
}

static void note_run(struct reader *reader, const struct value *run)
{
    struct runs *runs = reader->runs;
    const bool good = run_counts(run, reader->settings),
               measured = view_number(view_get(run, "block"), 1) != 0;
    const size_t most = sizeof runs->condition / sizeof *runs->condition;
    const size_t condition =
        known_name(runs->condition, &runs->condition_count, most, view_get(run, "condition"));
    runs->seen[condition] += measured;
    runs->measured += measured;
    if (runs->started == NULL)
        runs->started = view_text(run, "start");
    free(runs->failure);
    runs->failure = good ? NULL : run_failure(run);
    if (view_is(view_get(run, "host"), VIEW_STRING))
        known_name(runs->host, &runs->host_count, sizeof runs->host / sizeof *runs->host,
                   view_get(run, "host"));
    const bool used = measured && good && runs->seen[condition] > reader->discarded &&
                      view_number(view_get(run, "block"), 1) >= reader->from_block;
    if (reader->options->visit != NULL)
        reader->options->visit(reader->options->context, run, used);
    if (!reader->options->keep || !measured)
        return;
    if (reader->options->metrics != NULL)
        keep_values(runs, run, reader->options->metrics);
    runs->item = grown(runs->item, runs->count, &runs->allocated, sizeof *runs->item);
    runs->item[runs->count++] = (struct run_record){
        .condition = (uint32_t)condition,
        .order = view_count(view_get(run, "order"), 0),
        .wall_s = view_number(view_get(run, "wall_s"), 0),
        .max_rss_bytes = view_real(run, "max_rss_bytes"),
        .exit_code = view_real(run, "exit_code"),
        .flagged = !used || view_first(view_get(run, "flags")) != NULL,
        .used = used,
    };
}

static void take_line(struct reader *reader, const char *line, size_t length)
{
    const struct value *run = view_parse(&reader->view, line, length);
    const struct value *schema = view_get(run, "schema");
    if (view_is(run, VIEW_OBJECT) && view_equals(schema, SCHEMA_RUN) &&
        view_is(view_get(run, "wall_s"), VIEW_NUMBER) &&
        view_is(view_get(run, "condition"), VIEW_STRING)) {
        note_run(reader, run);
    } else if (schema != NULL && !view_equals(schema, SCHEMA_RUN)) {
        free(reader->unknown);
        reader->unknown = must(view_copy(schema));
    } else {
        reader->broken++;
    }
}

static bool plain(const char *line, size_t length)
{
    unsigned char all = 0;
    for (size_t i = 0; i < length; i++)
        all |= (unsigned char)line[i];
    return all < 0x80;
}

static void take_lines(struct reader *reader, FILE *file)
{
    OWNED char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            length--;
        if (length == 0)
            continue;
        if (plain(line, (size_t)length)) {
            take_line(reader, line, (size_t)length);
            continue;
        }
        reader->clean = must(realloc(reader->clean, 3 * (size_t)length + 1));
        take_line(reader, reader->clean, view_compact(line, (size_t)length, reader->clean));
    }
}

static void name_problems(const struct reader *reader, const char *who, struct problems *problems)
{
    const struct runs *runs = reader->runs;
    if (reader->broken > 0)
        problems_add(problems, "broken-record", who,
                     text_of("%s/runs.jsonl: %zu line%s broken or half-written and left out", who,
                             reader->broken, reader->broken > 1 ? "s are" : " is"));
    if (reader->unknown != NULL)
        problems_add(problems, "unknown-schema", who,
                     text_of("%s/runs.jsonl has records of the schema %s, which is not known here "
                             "(jostle.run/1): left out",
                             who, reader->unknown));
    if (runs->host_count < 2)
        return;
    OWNED char *hosts = must(strdup(runs->host[0]));
    for (size_t i = 1; i < runs->host_count; i++)
        hosts = text_joined(hosts, ", ", runs->host[i]);
    problems_add(
        problems, "several-hosts", who,
        text_of(
            "%s: its runs come from several nodes (%s): baseline and load may not be comparable",
            who, hosts));
}

void runs_read(struct runs *runs, const char *path, const struct value *settings,
               const struct value *washout, const struct run_options *options, const char *who,
               struct problems *problems)
{
    *runs = (struct runs){0};
    FILE *file = file_open_record(path);
    if (file == NULL) {
        add_unread(problems, who, path);
        return;
    }
    struct reader reader = {.runs = runs,
                            .options = options,
                            .settings = settings,
                            .discarded = view_count(view_get(settings, "discard_warmup"), 0),
                            .from_block = view_number(view_get(washout, "from_block"), 1)};
    take_lines(&reader, file);
    fclose(file);
    name_problems(&reader, who, problems);
    view_free(&reader.view);
    free(reader.unknown);
    free(reader.clean);
}

size_t runs_condition(const struct runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->condition_count; i++)
        if (strcmp(runs->condition[i], name) == 0)
            return i;
    return SIZE_MAX;
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->condition_count; i++)
        free(runs->condition[i]);
    for (size_t i = 0; i < runs->host_count; i++)
        free(runs->host[i]);
    free(runs->item);
    free(runs->value);
    free(runs->started);
    free(runs->failure);
    *runs = (struct runs){0};
}
