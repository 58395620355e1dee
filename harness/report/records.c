// Reads the records of an experiment for a report, names what is broken, and knows its metrics.
#include "experiment.h"

#include "harness/record/figure.h"
#include "harness/record/files.h"

#include "common/file.h"
#include "common/metric.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>

void problems_add(struct problems *problems, const char *kind, const char *cell, char *message)
{
    MORE(problems) =
        (struct problem){kind, kept(&problems->texts, cell), arena_keep(&problems->texts, message)};
}

void problems_move(struct problems *to, struct problems *from)
{
    for (size_t i = 0; i < from->count; i++) {
        MORE(to) = from->item[i];
    }
    arena_move(&to->texts, &from->texts);
    problems_free(from);
}

void problems_free(struct problems *problems)
{
    arena_free(&problems->texts);
    free(problems->item);
    *problems = (struct problems){0};
}

void problems_add_document(struct problems *problems, const struct document *document,
                           const char *cell, char *wrong)
{
    if (wrong)
        problems_add(problems, document->is_unknown ? "unknown-schema" : "broken-record", cell,
                     wrong);
}

struct reader {
    struct runs *runs;
    const struct run_options *options;
    const struct metric_list *metrics;
    struct view view;
    struct ignored ignored;
    bool has_capacity; // it is a search for capacities
    size_t discarded;
    double from_block; // the first that counts
    size_t broken, doubled;
    char *unknown; // a schema that is not ours, as JSON
    struct blocks {
        double *item; // ascending
        size_t count, allocated;
    } blocks[64]; // of each condition those that were measured
};

static size_t known_name(struct arena *texts, struct names *names, const struct value *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (view_equals(name, names->item[i]))
            return i;
    if (names->count == sizeof names->item / sizeof *names->item)
        return names->count - 1;
    names->item[names->count] = kept(texts, name->string);
    return names->count++;
}

double runs_value(const struct experiment *of, size_t run, size_t metric)
{
    return of->runs.values.item[run * of->metrics.count + metric];
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Whether a condition's run of this block was there before: it counts once. A warm-up, and a run
// of an old record, has no block of its own.
static bool is_doubled(struct blocks *blocks, const struct value *block)
{
    const double number = view_number(block, 0);
    const bool ascends = blocks->count == 0 || number > blocks->item[blocks->count - 1];
    if (!(number > 0))
        return false;
    if (!ascends && bsearch(&number, blocks->item, blocks->count, sizeof number, by_number))
        return true;
    MORE(blocks) = number;
    for (size_t i = blocks->count - 1; i > 0 && blocks->item[i - 1] > number; i--) {
        blocks->item[i] = blocks->item[i - 1];
        blocks->item[i - 1] = number;
    }
    return false;
}

double phase_of(const struct value *loads)
{
    EACH_VALUE (load, loads)
        if (view_is(view_get(load, "phase_s"), VIEW_NUMBER))
            return view_real(load, "phase_s");
    return NAN;
}

// What a run that does not count did, to be freed.
static char *failure_sentence(const struct run *is)
{
    OWNED char *text = failure_text(is);
    return text_of("%s %s", failure_of(is), text);
}

static void note_run(struct reader *reader, const struct value *run, const struct run *is)
{
    struct runs *runs = reader->runs;
    const enum failure failure = run_failure(is);
    const bool good = failure_counts(failure, run_exit_code(is), &reader->ignored) ||
                      failure_is_answer(failure, reader->has_capacity),
               measured = run_use(is) == RUN_MEASURED;
    const size_t condition =
        known_name(&runs->texts, &runs->conditions, view_get(run, "condition"));
    if (is_doubled(&reader->blocks[condition], view_get(run, "block"))) {
        reader->doubled++;
        return;
    }
    runs->seen[condition] += measured;
    runs->measured += measured;
    if (!runs->started)
        runs->started = kept(&runs->texts, is->start);
    free(runs->failure);
    runs->failure = good ? NULL : failure_sentence(is);
    if (is->host)
        known_name(&runs->texts, &runs->hosts, view_get(run, "host"));
    const bool used = measured && good && runs->seen[condition] > reader->discarded &&
                      view_number(view_get(run, "block"), 1) >= reader->from_block;
    if (reader->options->visit)
        reader->options->visit(reader->options->context, run, used);
    if (!reader->options->keep || !measured)
        return;
    for (size_t i = 0; i < reader->metrics->count; i++)
        MORE(&runs->values) = figure_of_run(reader->metrics->item[i].name, is, node_of_view(run));
    MORE(runs) = (struct run_record){
        .condition = (uint32_t)condition,
        .order = view_count(view_get(run, "order"), 0),
        .exit_code = view_real(run, "exit_code"),
        .flagged = !used || run_is_flagged(is),
        .phase_s = phase_of(view_get(run, "load")),
        .used = used,
    };
}

static void take_line(struct reader *reader, const char *line, size_t length)
{
    const struct value *run = view_parse(&reader->view, line, length);
    const struct value *schema = view_get(run, "schema");
    struct run is;
    if (view_equals(schema, SCHEMA_RUN) && run_read(&is, node_of_view(run))) {
        note_run(reader, run, &is);
    } else if (schema && !view_equals(schema, SCHEMA_RUN)) {
        free(reader->unknown);
        reader->unknown = must(strndup(schema->text, schema->length));
    } else {
        reader->broken++;
    }
}

static void take_lines(struct reader *reader, FILE *file)
{
    OWNED char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            length--;
        if (length > 0)
            take_line(reader, line, (size_t)length);
    }
}

static void name_problems(const struct reader *reader, const char *who, struct problems *problems)
{
    const struct runs *runs = reader->runs;
    if (reader->broken > 0)
        problems_add(problems, "broken-record", who,
                     text_of("%s/runs.jsonl: %zu line%s broken or half-written and left out", who,
                             reader->broken, reader->broken > 1 ? "s are" : " is"));
    if (reader->doubled > 0)
        problems_add(problems, "broken-record", who,
                     text_of("%s/runs.jsonl: %zu line%s of a run that is there already: left out",
                             who, reader->doubled, reader->doubled > 1 ? "s are" : " is"));
    if (reader->unknown)
        problems_add(problems, "unknown-schema", who,
                     text_of("%s/runs.jsonl has records of the schema %s, which is not known here "
                             "(jostle.run/1): left out",
                             who, reader->unknown));
    const char *hosts = NULL;
    struct arena texts = {0};
    for (size_t i = 0; i < runs->hosts.count; i++)
        hosts = joined(&texts, hosts, ", ", runs->hosts.item[i]);
    if (runs->hosts.count > 1)
        problems_add(problems, "several-hosts", who,
                     text_of("%s: its runs come from several nodes (%s): baseline and load may not "
                             "be comparable",
                             who, hosts));
    arena_free(&texts);
}

void runs_read(struct runs *runs, const char *folder, const struct experiment *experiment,
               const struct run_options *options, const char *who, struct problems *problems)
{
    const struct value *settings = experiment->settings;
    *runs = (struct runs){0};
    OWNED char *path = record_path(folder, RUNS_FILE);
    FILE *file = file_open_record(path);
    if (!file) {
        problems_add_document(problems, &(struct document){0}, who, file_unread(who, RUNS_FILE));
        return;
    }
    struct reader reader = {.runs = runs,
                            .options = options,
                            .metrics = &experiment->metrics,
                            .has_capacity = view_is(view_get(settings, "capacity"), VIEW_OBJECT),
                            .discarded = view_count(view_get(settings, "discard_warmup"), 0),
                            .from_block =
                                view_number(view_get(experiment->washout, "from_block"), 1)};
    ignored_read(&reader.ignored, node_of_view(settings));
    take_lines(&reader, file);
    fclose(file);
    name_problems(&reader, who, problems);
    view_free(&reader.view);
    free(reader.unknown);
    for (size_t i = 0; i < sizeof reader.blocks / sizeof *reader.blocks; i++)
        free(reader.blocks[i].item);
}

size_t runs_condition(const struct runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->conditions.count; i++)
        if (strcmp(runs->conditions.item[i], name) == 0)
            return i;
    return SIZE_MAX;
}

void runs_free(struct runs *runs)
{
    arena_free(&runs->texts);
    free(runs->item);
    free(runs->values.item);
    free(runs->failure);
    *runs = (struct runs){0};
}

// ---- metrics

const struct quantity metrics[METRIC_COUNT] = {
    [METRIC_WALL] = {"wall_s", "wall", "s", "wall time", "s", 1, "wall time, from start to end",
                     false, false},
    [METRIC_USER] = {"user_s", "user", "s", "user time", "s", 1,
                     "user time, CPU time in the target's own code", false, false},
    [METRIC_SYSTEM] = {"system_s", "system", "s", "system time", "s", 1,
                       "system time, CPU time in the kernel", false, false},
    [METRIC_MEMORY] = {"max_rss_bytes", "memory", "B", "memory", "MiB", 1 / 1048576.0,
                       "memory, the peak of the largest process", false, false},
};

bool metric_is_wall(const struct quantity *metric)
{
    return strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
}

const struct value *metric_entry(const struct value *settings, const struct value *name)
{
    EACH_VALUE (item, view_get(settings, "metrics"))
        if (view_same(view_get(item, "name"), name))
            return item;
    return NULL;
}

bool metric_decides(const struct value *settings, const char *name)
{
    const struct value *list = view_get(settings, "decide");
    return !view_first(list) || view_lists(list, name);
}

// What the records say of a metric: its definition, else its figure or slowdown, which have
// the unit of what is built in.
static const struct value *facts_of(const struct value *conditions, const struct value *slowdowns,
                                    const struct value *settings, const struct value *name)
{
    const struct value *facts =
        metric_entry(settings, name) ?: view_path(view_first(conditions), "metrics", name->string);
    for (const struct value *item = NULL;
         !view_has_text(facts, "unit") && view_each(slowdowns, &item);)
        if (view_same(view_get(item, "metric"), name))
            facts = item;
    return facts;
}

// The wall time is reported in any case, and stays in its column where only other ones that
// each run has are chosen. A service's client may run for a fixed time: it is what it prints.
static void choose_main(struct metric_list *list, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"),
                       *decide = view_get(settings, "decide");
    if (!view_first(decide))
        decide = chosen;
    list->main = METRIC_WALL;
    if (!view_first(chosen))
        list->item[METRIC_WALL].chosen = true;
    for (const struct value *item = NULL; list->main == METRIC_WALL &&
                                          !list->item[METRIC_WALL].chosen &&
                                          view_each(decide, &item);) {
        const size_t place = metric_named(list, item);
        if (place >= METRIC_COUNT && place < list->count)
            list->main = place;
    }
}

struct metric_list metric_list(struct arena *texts, const struct value *conditions,
                               const struct value *slowdowns, const struct value *settings)
{
    struct metric_list list = {.item = must(malloc(sizeof metrics)), .count = METRIC_COUNT};
    const struct value *chosen = view_get(settings, "metric");
    memcpy(list.item, metrics, sizeof metrics);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        list.item[i].chosen = view_lists(chosen, metrics[i].name);
    EACH_VALUE (name, chosen) {
        if (!name->string || metric_named(&list, name) < list.count)
            continue;
        const struct value *facts = facts_of(conditions, slowdowns, settings, name);
        const char *words = shown(texts, name->string),
                   *unit = shown(texts, view_text(facts, "unit") ?: "");
        list.item = must(realloc(list.item, (list.count + 1) * sizeof *list.item));
        list.item[list.count++] =
            (struct quantity){.name = name->string,
                              .title = words,
                              .words = words,
                              .unit = unit,
                              .table_unit = unit,
                              .table_factor = 1,
                              .higher = view_matches(facts, "better", "higher"),
                              .chosen = true};
    }
    choose_main(&list, settings);
    return list;
}

size_t metric_named(const struct metric_list *list, const struct value *name)
{
    size_t place = 0;
    while (place < list->count && !view_equals(name, list->item[place].name))
        place++;
    return place;
}

const struct quantity *metric_chosen(const struct metric_list *list, const struct value *name)
{
    const size_t place = metric_named(list, name);
    return place < list->count && list->item[place].chosen ? &list->item[place] : NULL;
}

const struct value *metric_figure(const struct value *condition, const struct quantity *metric)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (strcmp(metric->name, metrics[i].name) == 0)
            return view_get(condition, metric->name);
    return view_path(condition, "metrics", metric->name);
}

void metrics_put(struct line *json, const char *unit_names)
{
    const struct mean_units units = mean_units_of(unit_names);
    LINE_ARRAY (json, "metrics")
        for (unsigned i = 0; i < METRIC_COUNT; i++) {
            line_object(json, NULL);
            line_text(json, "name", metrics[i].name);
            line_text(json, "title", metrics[i].title);
            line_text(json, "unit", metrics[i].unit);
            line_text(json, "table_unit",
                      unit_names ? mean_unit_for(&units, i)->name : metrics[i].table_unit);
            line_text(json, "meaning", metrics[i].meaning);
            line_close(json);
        }
}
