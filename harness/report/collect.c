// Finds the experiments of the folders that a report is of, and reads them, several at a time.

#include "report.h"

#include "common/schemas.h"
#include "harness/record/settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct jobs {
    void (*job)(void *context, size_t number);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *work_on(void *argument)
{
    struct jobs *work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->job(work->context, i);
    return NULL;
}

// Calls job(context, 0) to job(context, count - 1), each once, a few at a time: folders are many
// and small, and may be on a file system that answers late.
static void workers_each(size_t count, void (*job)(void *context, size_t number), void *context)
{
    enum { MOST = 4 };
    struct jobs work = {.job = job, .context = context, .count = count};
    pthread_t thread[MOST];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0;
    while (started + 1 < MOST && started + 1 < (size_t)(cpus < 1 ? 1 : cpus) && started + 1 < count)
        if (pthread_create(&thread[started], NULL, work_on, &work) != 0)
            break;
        else
            started++;
    work_on(&work);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

// ---- what is not done

static void add_waiting(struct collected *to, const struct experiment *experiment,
                        const char *state, const char *reason)
{
    struct arena *texts = &to->texts;
    MORE(&to->waiting) = (struct waiting){
        .name = kept(texts, view_text(experiment->cell, "name")) ?: experiment->name,
        .reason = kept(texts, reason),
        .title = experiment->cell ? NULL : kept(texts, view_text(experiment->record.top, "line")),
        .host = kept(texts, view_text(experiment->environment, "host")
                                ?: view_text(experiment->status.top, "host")),
        .state = state,
        .runs = experiment->runs.measured,
    };
}

void collect_unstarted(struct collected *collected, const struct campaigns *campaigns,
                       const struct folders *folders, const struct wanted *wanted)
{
    OWNED const char **known = must(calloc(folders->count + 1, sizeof *known));
    for (size_t i = 0; i < folders->count; i++)
        known[i] = folders->item[i].name;
    qsort(known, folders->count, sizeof *known, by_text);
    for (size_t i = 0; i < campaigns->count; i++) {
        EACH_VALUE (cell, view_get(campaigns->item[i].document.top, "cells")) {
            const char *name = view_text(cell, "name");
            if (name && !bsearch(&name, known, folders->count, sizeof *known, by_text) &&
                name_wanted(wanted, name))
                MORE(&collected->waiting) =
                    (struct waiting){.name = name, .reason = "not started", .state = "waiting"};
        }
    }
}

// Why an experiment is not done; state as it is listed.
static const char *why_not_done(const struct experiment *experiment, const char *state)
{
    const size_t runs = experiment->runs.measured;
    if (strcmp(state, "done") == 0)
        return !experiment->record.top ? "experiment.json cannot be used"
                                       : "result.json cannot be used";
    if (strcmp(state, "running") == 0)
        return said(experiment->texts, "not ended when this report was made; %zu runs so far%s",
                    runs,
                    !experiment->status.top
                        ? ""
                        : said(experiment->texts, ", last noted %s",
                               view_text(experiment->status.top, "updated") ?: "never"));
    if (experiment->reason)
        return experiment->reason;
    if (strcmp(state, "failed") == 0)
        return said(experiment->texts, "failed after %zu runs", runs);
    if (strcmp(state, "waiting") == 0)
        return "not started";
    return said(experiment->texts,
                !experiment->result.top ? "no result; %zu runs are recorded"
                                        : "stopped after %zu runs",
                runs);
}

// A folder without a result, or with one that is not the last word.
static void note_unfinished(struct collected *to, const struct experiment *experiment)
{
    const char *state = experiment->state;
    if (!state) // of no campaign
        state = experiment->runs.failure                                  ? "failed"
                : experiment->runs.measured > 0 || experiment->record.top ? "interrupted"
                                                                          : "waiting";
    if (strcmp(state, "done") == 0 && experiment->result.top && experiment->record.top)
        return;
    add_waiting(to, experiment, strcmp(state, "done") == 0 ? "interrupted" : state,
                why_not_done(experiment, state));
}

// Each once; its texts are kept where they are not yet.
static void add_host(struct collected *to, const struct host *host)
{
    struct host own;
    for (size_t i = 0; i < to->hosts.count; i++) {
        bool equal = true;
        for (size_t j = HOST_ENVIRONMENT; j < HOST_TEXTS; j++)
            equal = equal && strcmp(to->hosts.item[i].text[j], host->text[j]) == 0;
        if (equal)
            return;
    }
    for (size_t i = 0; i < HOST_TEXTS; i++)
        own.text[i] = kept(&to->texts, host->text[i]);
    MORE(&to->hosts) = own;
}

static void add_host_of(struct collected *to, const struct experiment *experiment)
{
    static const char *const lasting[] = {"host",
                                          "os",
                                          "kernel",
                                          "architecture",
                                          "cpu",
                                          "cpus_online",
                                          "virtual_machine",
                                          "memory_bytes",
                                          "clocksource",
                                          "versions",
                                          NULL};
    static const char *const varied[] = {"cpus_allowed", "governor", "file_system", "device"};
    const struct value *environment = experiment->environment;
    struct arena *texts = experiment->texts;
    struct line json = {0};
    struct host host = {{view_text(environment, "host"), node_kind(texts, environment)}};
    line_object(&json, NULL);
    view_put_members(&json, environment, lasting);
    line_text(&json, "kind", host.text[HOST_KIND]);
    host.text[HOST_ENVIRONMENT] = (char *)arena_keep(texts, json.text) + 1;
    for (size_t i = 0; i < 4; i++)
        host.text[HOST_VARIED + i] = view_copy(texts, view_get(environment, varied[i]));
    add_host(to, &host);
}

// What makes two cells of one label comparable from node to node.
static char *same_key(const struct cell *cell)
{
    static const char *const settings[] = {
        "cold",  "cold_path", "shell",        "setup",        "prepare",     "conclude", "cleanup",
        "input", "service",   "keep_service", "service_cpus", "target_cpus", "nice",     "engine"};
    struct line json = {0};
    line_array(&json, NULL);
    line_text(&json, NULL, cell->target);
    line_text(&json, NULL, cell->label);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        view_put(&json, NULL, view_get(cell->of->settings, settings[i]));
    return json_text_end(&json);
}

static char *settings_of(const struct cell *cell)
{
    const struct value *settings = cell->of->settings;
    struct line json = {0};
    LINE_OBJECT (&json, NULL)
        EACH_VALUE (item, settings)
            if (strcmp(item->key, "seed") != 0)
                view_put(&json, item->key, item);
    return must(json.text);
}

// What is known of a cell after its records are gone.
static struct report_line line_of(struct arena *texts, const struct cell *cell)
{
    const bool over_sessions = cell->of->sessions > 0,
               has_runs = !over_sessions && !cell->of->capacity;
    return (struct report_line){
        .name = kept(texts, cell->name),
        .target = kept(texts, cell->target),
        .label = kept(texts, cell->label),
        .load = kept(texts, cell->load ?: "-"),
        .level = kept(texts, cell->level ?: "-"),
        .experiment = cell->of->name,
        .reference = kept(texts, cell->reference),
        .of_campaign = cell->of->cell != NULL,
        .same = arena_keep(texts, same_key(cell)),
        .host = kept(texts, cell->host),
        .kind = kept(texts, cell->kind),
        .wall_s = over_sessions
                      ? NAN
                      : view_real(view_get(cell->baseline, metrics[METRIC_WALL].name), "mean"),
        .runs = view_number(view_get(cell->baseline, "runs"), 0),
        .parameters = view_first(cell->parameters) ? view_copy(texts, cell->parameters) : NULL,
        .variant = kept(texts, cell->variant),
        .rate = kept(texts, row_rate(cell->of->texts, cell->loaded, true)),
        .is_loaded = cell->loaded != NULL,
        .alone = moments_of(has_runs ? cell->baseline : NULL),
        .loaded = moments_of(has_runs ? cell->loaded : NULL),
        .slowdown = estimate_of(cell->slowdown, "ratio"),
        .is_time = metric_is_wall(cell->main),
        .effect = ratio_effect(cell->slowdown),
        .legend = legend_of(cell->of),
    };
}

// ---- the family of all ratios

// The ratios of a list, of one condition or (NULL) of all. The wall time is in each record, also
// where it is neither one of --metric nor shown. What has no interval cannot look distinguishable.
static void add_ratios(struct family *family, const struct experiment *experiment,
                       const struct value *list, const char *condition)
{
    const struct metric_list *known = &experiment->metrics;
    const bool timed = known->item[METRIC_WALL].chosen || known->main == METRIC_WALL;
    const double apart = fmax(view_number(view_get(experiment->intervals, "family"), 1), 1);
    EACH_VALUE (item, list) {
        if ((condition && !view_matches(item, "condition", condition)) ||
            (!timed && view_matches(item, "metric", metrics[METRIC_WALL].name)))
            continue;
        family->ratios = family->ratios || !condition;
        if (view_is(view_get(item, "ci"), VIEW_ARRAY))
            MORE(family) = (struct member){
                .p = view_real(item, "p"),
                .chance = (1 - settings_confidence(node_of_view(experiment->intervals))) / apart,
                .distinguishable = ratio_effect(item) == EFFECT_SEEN};
    }
}

// ---- cells

// Whether the cell before this one, or one before that, has the baseline of this line.
static bool has_baseline(const struct collected *collected, const struct report_line *line)
{
    for (size_t i = collected->lines.count; i-- > 0;) {
        const struct report_line *other = &collected->lines.item[i];
        if (other->experiment != line->experiment)
            return false;
        if (strcmp(other->reference, line->reference) == 0)
            return true;
    }
    return false;
}

static void add_cell(struct collected *to, struct cell *cell, struct experiment *experiment,
                     const struct wanted *wanted)
{
    struct report_line line = line_of(&to->texts, cell);
    cell->again = has_baseline(to, &line);
    // A session's ratio is not one of the family, but that over all sessions. People want one row
    // of these.
    experiment->spots = experiment->is_session ? NULL : &line.spots;
    if (!experiment->is_session && cell->condition)
        add_ratios(&to->family, experiment, experiment->slowdowns, cell->condition);
    if (!wanted->rows || !experiment->is_session) {
        const bool first = to->lines.count == 0 ||
                           to->lines.item[to->lines.count - 1].experiment != line.experiment;
        line.text = cell_text(cell, wanted, first);
        line.settings = wanted->page ? arena_keep(&to->texts, settings_of(cell)) : NULL;
    }
    MORE(&to->lines) = line;
}

static void drop_lines(struct collected *to, size_t from)
{
    while (to->lines.count > from) {
        free(to->lines.item[--to->lines.count].text);
        free(to->lines.item[to->lines.count].spots.item);
    }
}

// Returns how many there are. False in *good: the records lack what a report needs.
static size_t make_cells(struct collected *to, struct experiment *experiment,
                         const struct wanted *wanted, bool *good)
{
    const size_t before = to->lines.count, ratios = to->family.count;
    struct pairing pairing;
    *good = experiment->conditions && experiment->state;
    for (size_t i = 0; *good && experiment_pairing(experiment, i, &pairing); i++) {
        struct cell cell;
        *good = cell_make(&cell, experiment, pairing);
        if (*good && cell_wanted(wanted, &cell))
            add_cell(to, &cell, experiment, wanted);
    }
    if (!*good) {
        drop_lines(to, before);
        to->family.count = ratios;
    }
    if (to->lines.count > before && !experiment->is_session) {
        add_ratios(&to->family, experiment, experiment->comparisons, NULL);
        add_ratios(&to->family, experiment, experiment->interactions, NULL);
    }
    return to->lines.count - before;
}

static void collect_folder(struct collected *to, struct experiment *experiment,
                           const struct wanted *wanted)
{
    bool good = true;
    size_t cells = 0;
    if (experiment->record.top)
        add_host_of(to, experiment);
    if (experiment->record.top && experiment->result.top)
        cells = make_cells(to, experiment, wanted, &good);
    if (good) {
        note_unfinished(to, experiment);
    } else {
        problems_add(&to->problems, "broken-record", experiment->name,
                     text_of("%s/result.json or experiment.json lacks what a report needs",
                             experiment->name));
        add_waiting(to, experiment, "interrupted", "its records cannot be used");
    }
    if (wanted->table && cells > 0) {
        experiment->spots = &to->table_spots;
        to->table = table_of(experiment);
    }
    if (to->waiting.count > 0 && !name_wanted(wanted, to->waiting.item[to->waiting.count - 1].name))
        to->waiting.count--;
    if (!wanted->only || cells > 0 || to->waiting.count > 0) {
        to->experiments++;
        to->runs += experiment->runs.measured;
    }
}

// ---- sessions of one cell

// Where a folder's experiment is among them.
struct place {
    const char *name;   // of the cell, as all its sessions share it; NULL: of no cell
    const char *key;    // of its definition; NULL: not known
    struct arena texts; // theirs
    unsigned session;
    size_t folder; // index
};

struct work {
    const struct folders *folders;
    const struct wanted *wanted;
    struct place *places;
    // The places of folders that may be sessions of one cell; each other one is by itself.
    struct {
        struct unit {
            struct place *place;
            size_t count;
        } * item;
        size_t count, allocated;
    } units;
    struct collected *parts; // one for each folder
};

static void find_place(void *context, size_t number)
{
    struct work *work = context;
    struct place *place = &work->places[number];
    struct document record;
    // Who reads all of it names what is wrong.
    free(experiment_document(&record, work->folders->item[number].path, ""));
    const struct value *cell = view_get(record.top, "cell");
    *place = (struct place){.folder = number};
    place->name = kept(&place->texts, view_text(cell, "of") ?: view_text(cell, "name"));
    place->key = kept(&place->texts, view_text(cell, "key"));
    place->session = view_count(view_get(cell, "session"), 1);
    document_free(&record);
}

// What has another definition is another cell, whatever its name.
static int by_cell(const struct place *x, const struct place *y)
{
    const int order = compare_texts(x->name, y->name);
    return order != 0 ? order : compare_texts(x->key, y->key);
}

static int by_session(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int order = by_cell(x, y);
    if (order != 0)
        return order;
    return x->session != y->session ? (x->session > y->session) - (x->session < y->session)
                                    : (x->folder > y->folder) - (x->folder < y->folder);
}

static void find_units(struct work *work)
{
    const size_t count = work->folders->count;
    work->places = must(calloc(count + 1, sizeof *work->places));
    workers_each(count, find_place, work);
    qsort(work->places, count, sizeof *work->places, by_session);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && work->places[i].name &&
                          by_cell(&work->places[end], &work->places[i]) == 0;)
            end++;
        MORE(&work->units) = (struct unit){&work->places[i], end - i};
    }
}

static bool has_cell(const struct experiment *experiment, const struct wanted *wanted)
{
    struct pairing pairing;
    for (size_t i = 0;
         experiment->baseline && experiment->state && experiment_pairing(experiment, i, &pairing);
         i++) {
        struct cell cell;
        if (cell_make(&cell, experiment, pairing) && cell_wanted(wanted, &cell))
            return true;
    }
    return false;
}

// Which of the unit's experiments are sessions of one cell: those with a cell in the report, if
// they are several. Two of one number are no sessions of each other, but two results of the same,
// such as of two nodes. Moves them to the front, in their order, and returns how many there are.
static size_t find_sessions(struct unit *unit, struct experiment *part, const struct wanted *wanted)
{
    size_t count = 0;
    for (size_t i = 0; unit->count > 1 && i < unit->count; i++) {
        if (!has_cell(&part[i], wanted))
            continue;
        if (count > 0 && part[count - 1].session == part[i].session)
            return 0;
        const struct experiment own = part[i];
        const struct place place = unit->place[i];
        memmove(&part[count + 1], &part[count], (i - count) * sizeof *part);
        memmove(&unit->place[count + 1], &unit->place[count], (i - count) * sizeof place);
        part[count] = own;
        unit->place[count++] = place;
    }
    return count > 1 ? count : 0;
}

static void collect_unit(void *context, size_t number)
{
    struct work *work = context;
    const struct wanted *wanted = work->wanted;
    struct unit *unit = &work->units.item[number];
    const struct run_options options = {.keep = wanted->page || wanted->lists};
    OWNED struct experiment *part = must(calloc(unit->count, sizeof *part));
    for (size_t i = 0; i < unit->count; i++) {
        const size_t folder = unit->place[i].folder;
        experiment_read(&part[i], &work->folders->item[folder], folder + 1, wanted, &options,
                        &work->parts[folder].problems);
    }
    const size_t sessions = find_sessions(unit, part, wanted);
    for (size_t i = 0; i < unit->count; i++) {
        part[i].is_session = i < sessions;
        collect_folder(&work->parts[unit->place[i].folder], &part[i], wanted);
    }
    if (sessions > 0) {
        struct collected *to = &work->parts[unit->place[0].folder];
        const size_t before = to->lines.count;
        struct experiment all;
        bool good;
        sessions_join(&all, part, sessions, kept(&to->texts, unit->place[0].name));
        make_cells(to, &all, wanted, &good);
        if (wanted->lists) // who wants the runs gets them of each session
            drop_lines(to, before);
        experiment_free(&all);
    }
    for (size_t i = 0; i < unit->count; i++)
        experiment_free(&part[i]);
}

// Target, label, load, level in natural order (n=2 before n=10), then the experiment.
static int order_of_entries(const void *a, const void *b)
{
    const struct report_line *x = a, *y = b;
    const char *keys[][2] = {
        {x->target, y->target},
        {x->label, y->label},
        {x->of_campaign ? "-" : x->experiment, y->of_campaign ? "-" : y->experiment},
        {x->load, y->load},
        {x->level, y->level},
        {x->experiment, y->experiment},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const int order = strverscmp(keys[i][0], keys[i][1]);
        if (order != 0)
            return order;
    }
    return strcmp(x->name, y->name);
}

#define APPEND(list)                                                                               \
    for (size_t i = 0; i < part->list.count; i++)                                                  \
        MORE(&to->list) = part->list.item[i];                                                      \
    free(part->list.item)

// Takes over what a part has.
static void merge(struct collected *to, struct collected *part)
{
    APPEND(lines);
    APPEND(waiting);
    problems_move(&to->problems, &part->problems);
    family_move(&to->family, &part->family);
    for (size_t i = 0; i < part->hosts.count; i++)
        add_host(to, &part->hosts.item[i]);
    free(part->hosts.item);
    arena_move(&to->texts, &part->texts);
    if (part->table) {
        to->table = part->table;
        to->table_spots = part->table_spots;
    }
    to->experiments += part->experiments;
    to->runs += part->runs;
}

void collect(struct collected *collected, const struct folders *folders,
             const struct wanted *wanted)
{
    *collected = (struct collected){0};
    struct work work = {.folders = folders,
                        .wanted = wanted,
                        .parts = must(calloc(folders->count + 1, sizeof *work.parts))};
    find_units(&work);
    workers_each(work.units.count, collect_unit, &work);
    for (size_t i = 0; i < folders->count; i++) {
        merge(collected, &work.parts[i]);
        arena_free(&work.places[i].texts);
    }
    free(work.parts);
    free(work.places);
    free(work.units.item);
    family_settle(&collected->family);
    for (size_t i = 0; i < collected->lines.count; i++) {
        struct report_line *line = &collected->lines.item[i];
        line->text = spots_fill(&collected->family, line->text, &line->spots);
    }
    collected->table = spots_fill(&collected->family, collected->table, &collected->table_spots);
    if (collected->lines.count > 0) // qsort() takes no NULL
        qsort(collected->lines.item, collected->lines.count, sizeof *collected->lines.item,
              order_of_entries);
}

void collected_free(struct collected *collected)
{
    drop_lines(collected, 0);
    free(collected->lines.item);
    free(collected->waiting.item);
    free(collected->hosts.item);
    free(collected->table);
    arena_free(&collected->texts);
    problems_free(&collected->problems);
    family_free(&collected->family);
}

size_t collected_cells(const struct collected *collected)
{
    size_t count = 0;
    for (size_t i = 0; i < collected->lines.count; i++)
        count += collected->lines.item[i].text != NULL;
    return count;
}
