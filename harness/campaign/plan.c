#include "campaign.h"
#include "harness/experiment/settings.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/units.h"
#include "harness/record/defaults.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

json_t *plan_read(const char *path)
{
    json_error_t error = {0};
    json_t *plan = json_read_record(path, 0, &error);
    const json_t *cells = json_object_get(plan, "cells");
    bool good = json_is_array(cells);
    JSON_EACH (cell, cells) {
        // A cell's name is that of its folder: it must not lead anywhere else.
        const char *name = json_text_or_empty(cell, "name");
        good = good && *name != '\0' && *name != '.' && !strchr(name, '/');
    }
    if (good)
        return plan;
    complain("%s cannot be read: is it damaged?%s%s", path, error.text[0] ? " " : "", error.text);
    exit(1);
}

bool campaign_plan_write(const json_t *plan, const char *path)
{
    OWNED char *text = must(json_dumps(plan, JSON_COMPACT));
    return save_text(path, text, SAVE_STATE);
}

double number_of(const json_t *object, const char *name, double otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

double setting_of_cell(const json_t *cell, const char *name, double otherwise)
{
    const char *text = json_text_at(json_object_get(cell, "settings"), name);
    return text ? strtod(text, NULL) : otherwise;
}

const char *cell_path(const char *folder, const char *name, const char *file, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/cells/%s%s%s", folder, name, *file ? "/" : "", file);
    return path;
}

// ---- the cells that are wanted

struct range {
    long first, last;
};

// "3-7,9" -> ranges, to be freed.
static struct range *parse_ranges(const char *text, size_t *count)
{
    struct range *ranges = must(calloc(strlen(text) + 1, sizeof *ranges));
    const char *at = text;
    for (*count = 0; isdigit((unsigned char)*at); at++) {
        char *end;
        struct range *range = &ranges[(*count)++];
        range->first = range->last = strtol(at, &end, 10);
        if (*end == '-' && isdigit((unsigned char)end[1]))
            range->last = strtol(end + 1, &end, 10);
        if (*end == '\0')
            return ranges;
        if (*end != ',')
            break;
        at = end;
    }
    usage_error("--cells %s: give numbers such as 3-7,9: jostle plan lists them", text);
}

static bool is_chosen(const json_t *cell, const struct campaign *choice, const struct range *ranges,
                      size_t count)
{
    const char *name = json_text_at(cell, "name"), *of = json_text_at(cell, "of");
    const long number = (long)number_of(cell, "number", 0);
    bool in_range = !ranges;
    if (choice->session > 0 && choice->session != session_of(cell))
        return false;
    if (choice->only && fnmatch(choice->only, name, FNM_NOESCAPE) != 0 &&
        (!of || fnmatch(choice->only, of, FNM_NOESCAPE) != 0))
        return false;
    for (size_t i = 0; i < count; i++)
        in_range = in_range || (ranges[i].first <= number && number <= ranges[i].last);
    return in_range;
}

json_t *plan_choose(const struct campaign *choice)
{
    size_t count = 0;
    OWNED struct range *ranges = choice->cells ? parse_ranges(choice->cells, &count) : NULL;
    json_t *chosen = must(json_array());
    JSON_EACH (cell, json_object_get(choice->plan, "cells")) {
        if (is_chosen(cell, choice, ranges, count))
            json_array_append(chosen, cell);
    }
    if (json_array_size(chosen) == 0 && choice->session > 0)
        usage_error("--session %llu: no cell of it is chosen: repeat in the campaign file says how "
                    "many sessions there are",
                    (unsigned long long)choice->session);
    if (json_array_size(chosen) == 0 && (choice->only || choice->cells))
        usage_error("%s%s%s%s: no cell matches: jostle plan lists them",
                    choice->only ? "--only " : "", choice->only ? choice->only : "",
                    choice->cells ? "--cells " : "", choice->cells ? choice->cells : "");
    return chosen;
}

// ---- what a job needs

// The largest number of a node in "@2", "@2-4", "@all-others" or "{node3}", or most.
static long most_nodes(const json_t *cell, const char *member, long most)
{
    static const char others[] = "@all-others", name[] = "{node";
    const char *text = json_text_or_empty(cell, member);
    if (most < 2 && strstr(text, others))
        most = 2;
    for (const char *at = text; *at != '\0'; at++) {
        const char *digits = *at == '@'                                ? at + 1
                             : strncmp(at, name, sizeof name - 1) == 0 ? at + sizeof name - 1
                                                                       : "";
        char *end;
        if (!isdigit((unsigned char)*digits))
            continue;
        const long first = strtol(digits, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
        most = first > most ? first : most;
        most = last > most ? last : most;
    }
    return most;
}

long plan_nodes(const json_t *plan)
{
    long most = 1;
    JSON_EACH (cell, json_object_get(plan, "cells"))
        most = most_nodes(cell, "spec", most_nodes(cell, "node", most));
    return most;
}

bool plan_has_input(const json_t *plan)
{
    bool has = false;
    JSON_EACH (cell, json_object_get(plan, "cells"))
        has = has || json_text_at(json_object_get(cell, "settings"), "input");
    return has;
}

// ---- sessions

unsigned session_of(const json_t *cell)
{
    return (unsigned)number_of(cell, "session", 1);
}

static json_t *repeated(const json_t *first, unsigned session, size_t number)
{
    json_t *cell = json_copy((json_t *)first);
    const json_t *settings = json_object_get(first, "settings");
    const char *seed = json_text_at(settings, "seed");
    json_object_set_new(cell, "name",
                        json_sprintf("%s.session%u", json_text_at(first, "name"), session));
    json_object_set(cell, "of", json_object_get(first, "name"));
    json_object_set_new(cell, "number", json_integer((json_int_t)number));
    json_object_set_new(cell, "session", json_integer(session));
    if (!seed)
        return cell;
    // The same seed would repeat the order of the runs, too.
    json_t *own = json_copy((json_t *)settings);
    json_object_set_new(own, "seed", json_sprintf("%llu", strtoull(seed, NULL, 10) + session - 1));
    json_object_set_new(cell, "settings", own);
    return cell;
}

void sessions_repeat(json_t *cells, unsigned repeat)
{
    const size_t count = json_array_size(cells);
    for (size_t i = 0; repeat > 1 && i < count; i++)
        json_object_set_new(json_array_get(cells, i), "session", json_integer(1));
    for (unsigned session = 2; session <= repeat; session++)
        for (size_t i = 0; i < count; i++)
            json_array_append_new(
                cells, repeated(json_array_get(cells, i), session, json_array_size(cells) + 1));
}

// ---- for the shell

char *safe_text(const char *text, const char *allowed)
{
    char *safe = must(strdup(text)), *to = safe;
    for (; *text != '\0'; text++)
        if (!allowed || strchr(allowed, *text))
            *to++ = *text;
        else if (((unsigned char)*text & 0xC0) != 0x80) // not inside a UTF-8 character
            *to++ = '_';
    *to = '\0';
    return safe;
}

int print_end(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

// A shared file system answers late rather than little: so several files are read at once.
enum { READERS = 8, FEW = 64 };

struct reading {
    const char *folder;
    struct states states;
    atomic_size_t next;
};

static void *read_some(void *argument)
{
    struct reading *reading = argument;
    size_t i;
    while ((i = atomic_fetch_add(&reading->next, 1)) < reading->states.count) {
        struct state *state = &reading->states.list[i];
        char path[PATH_MAX];
        state->status =
            json_read_record(cell_path(reading->folder, state->cell_name, "status.json", path),
                             JSON_DISABLE_EOF_CHECK, NULL);
        if (json_text_at(state->status, "state"))
            continue;
        json_decref(state->status);
        state->status = NULL;
    }
    return NULL;
}

bool state_is(const struct state *state, const char *name)
{
    return strcmp(state->name, name) == 0;
}

// Whether it was measured with the limits that are wanted now. stats notes also a metric that is
// part of the key instead.
static bool has_limits(const struct state *state)
{
    json_auto_t *wanted = settings_limits(json_object_get(state->cell, "settings"));
    json_auto_t *had = settings_limits(json_object_get(state->status, "limits"));
    return json_equal(wanted, had);
}

static const char *name_state(const struct state *state)
{
    const char *name = json_text_at(state->status, "state");
    const char *measured = json_text_at(state->status, "key"),
               *wanted = json_text_at(state->cell, "key");
    if (!name)
        return "waiting";
    if (measured && wanted && strcmp(measured, wanted) != 0)
        return "changed";
    return strcmp(name, "done") == 0 && !has_limits(state) ? "limits" : name;
}

struct states states_read(const char *folder, const json_t *cells, bool retry)
{
    struct reading reading = {.folder = folder, .states.count = json_array_size(cells)};
    struct states *states = &reading.states;
    pthread_t readers[READERS];
    size_t started = 0;
    states->list = must(calloc(states->count + 1, sizeof *states->list));
    for (size_t i = 0; i < states->count; i++) {
        states->list[i].cell = json_array_get(cells, i);
        states->list[i].cell_name = json_text_at(states->list[i].cell, "name");
    }
    // jansson's seed is set before there are threads.
    json_object_seed(0);
    while (states->count > FEW && started < READERS &&
           pthread_create(&readers[started], NULL, read_some, &reading) == 0)
        started++;
    read_some(&reading);
    for (size_t i = 0; i < started; i++)
        pthread_join(readers[i], NULL);
    for (size_t i = 0; i < states->count; i++) {
        struct state *state = &states->list[i];
        state->name = name_state(state);
        state->todo = !state_is(state, "done") && (retry || !state_is(state, "failed"));
    }
    return reading.states;
}

void states_free(struct states *states)
{
    for (size_t i = 0; i < states->count; i++)
        json_decref(states->list[i].status);
    free(states->list);
}

// ---- who is measured now

// On another node, whose locks need not be seen here, a cell is given up when its status is older
// than so many of its runs usually take, and than so many seconds.
static const double runs_of_silence = 20, least_silence_s = 600;

static void add_queued(struct queue *queue, const char *id, const char *job, const char *state)
{
    json_object_set_new(queue->states, id, json_string(state));
    json_t *tasks = json_object_get(queue->tasks, job);
    if (!tasks) {
        tasks = json_object();
        json_object_set_new(queue->tasks, job, tasks);
    }
    const json_int_t count = json_integer_value(json_object_get(tasks, state));
    json_object_set_new(tasks, state, json_integer(count + 1));
}

// The lines of a file, each split at tabs into two or three texts; fates: how jobs ended.
static void read_lines(struct queue *queue, const char *path, bool fates)
{
    FILE *file = path ? file_open_record(path) : NULL;
    OWNED char *line = NULL;
    size_t size = 0;
    if (path && !file) {
        complain("%s cannot be read: %s", path, strerror(errno));
        exit(1);
    }
    while (file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line;
        const char *id = strsep(&rest, "\t"), *second = strsep(&rest, "\t");
        if (second && fates)
            json_object_set_new(queue->fates, id, json_string(second));
        else if (second)
            add_queued(queue, id, second, rest ? rest : "");
    }
    if (file)
        fclose(file);
}

void queue_read(struct queue *queue, const char *queue_path, const char *fates_path)
{
    *queue = (struct queue){.answers = queue_path,
                            .states = json_object(),
                            .tasks = json_object(),
                            .fates = json_object()};
    read_lines(queue, queue_path, false);
    read_lines(queue, fates_path, true);
}

void queue_free(struct queue *queue)
{
    json_decref(queue->states);
    json_decref(queue->tasks);
    json_decref(queue->fates);
}

bool cell_is_held(const char *folder, const char *cell)
{
    char path[PATH_MAX];
    return lock_is_held(cell_path(folder, cell, "runs.jsonl", path));
}

double cell_age_s(const json_t *status, double now_s)
{
    const char *updated = json_text_at(status, "updated");
    struct tm tm = {0};
    if (!updated)
        return NAN;
    // What is no time, such as "2026-01-31T12:00:00Z", is long ago.
    const bool is_time = strptime(updated, "%Y-%m-%dT%H:%M:%S", &tm);
    return fmax(floor(now_s - (is_time ? (double)timegm(&tm) : 0)), 0);
}

bool cell_is_measured(const char *folder, const struct state *state, const struct queue *queue,
                      double now_s, char *reason, size_t size)
{
    const json_t *status = state->status;
    const char *job = json_text_at(status, "job"), *host = json_text_at(status, "host");
    const char *updated = json_text_at(status, "updated");
    char here[HOST_NAME_MAX + 1] = "";
    if (cell_is_held(folder, state->cell_name))
        return true;
    if (job && queue->answers) {
        const char *fate = json_text_at(queue->fates, job);
        snprintf(reason, size, "job %s is %s", job, fate ? fate : "gone");
        return json_object_get(queue->states, job);
    }
    if (gethostname(here, sizeof here) == 0 && host && strcmp(host, here) == 0) {
        snprintf(reason, size, "no process measures it");
        return false;
    }
    snprintf(reason, size, "%s has not been heard of since %s", host ? host : "its host",
             updated ? updated : "it began");
    const double runs = number_of(status, "runs", 0);
    const double run_s = runs > 0 ? number_of(status, "spent_s", 0) / runs : 0;
    return cell_age_s(status, now_s) <= fmax(runs_of_silence * run_s, least_silence_s);
}

// ---- how long cells will take

// From a single run of t seconds: at least min-runs pairs of 2 t, at most max-runs pairs of 3 t (a
// load that doubles the time), and what jostle adds.
static const double pair_s = 0.2, start_s = 1;
static const double gate_s = 60; // of a gate without limits, at least

static void add_time(json_t *sums, const char *name, double seconds)
{
    if (!name)
        return;
    const json_t *pair = json_object_get(sums, name);
    const double sum = json_real_value(json_array_get(pair, 0)),
                 count = json_real_value(json_array_get(pair, 1));
    json_object_set_new(sums, name, json_pack("[ff]", sum + seconds, count + 1));
}

void means_add(struct means *means, const json_t *cell, double seconds)
{
    add_time(means->by_label, json_text_at(cell, "label"), seconds);
    add_time(means->by_target, json_text_at(cell, "target"), seconds);
    add_time(means->all, "", seconds);
}

double mean_of(const json_t *sums, const char *name)
{
    const json_t *pair = name ? json_object_get(sums, name) : NULL;
    return !pair ? NAN
                 : json_real_value(json_array_get(pair, 0)) /
                       json_real_value(json_array_get(pair, 1));
}

double mean_of_target(const struct means *means, const json_t *cell)
{
    const double mean_s = mean_of(means->by_target, json_text_at(cell, "target"));
    return isnan(mean_s) ? mean_of(means->all, "") : mean_s;
}

void means_of(const struct states *states, struct means *means)
{
    *means = (struct means){json_object(), json_object(), json_object()};
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        const double spent_s = number_of(state->status, "spent_s", NAN);
        if (state_is(state, "done") && !isnan(spent_s))
            means_add(means, state->cell, spent_s);
    }
}

void means_free(struct means *means)
{
    json_decref(means->by_label);
    json_decref(means->by_target);
    json_decref(means->all);
}

double rest_of_cell(const json_t *status)
{
    const double expected = number_of(status, "expected_runs", 0);
    const double runs = number_of(status, "runs", 0), spent_s = number_of(status, "spent_s", 0);
    return expected <= 0 || runs <= 0 || spent_s <= 0 ? NAN
                                                      : spent_s * fmax(expected - runs, 0) / runs;
}

static json_t *range(double low, double high, const char *from)
{
    return json_pack("{so so ss}", "low", number_to_json(low), "high", number_to_json(high), "from",
                     from);
}

double most_runs_of_cell(const json_t *cell)
{
    const json_t *settings = json_object_get(cell, "settings");
    const bool ends_by_time = json_has(settings, "max-time") || json_has(settings, "at-most") ||
                              json_has(settings, "same-within");
    return setting_of_cell(cell, "max-runs", ends_by_time ? INFINITY : DEFAULT_MAX_RUNS);
}

// How long a cell whose runs of all conditions take so much is measured at most: by its limit of
// runs, of time, or the one that a gate without limits has.
static double longest_s(const json_t *cell, double block_s)
{
    const char *text = json_text_at(json_object_get(cell, "settings"), "max-time");
    const double by_runs_s = most_runs_of_cell(cell) * block_s;
    int64_t most_ns = 0;
    if (text && units_time(text, &most_ns) == 0)
        return fmin(by_runs_s, (double)most_ns / 1e9 + block_s);
    return isfinite(by_runs_s) ? by_runs_s : fmax(DEFAULT_MAX_RUNS * block_s, gate_s + block_s);
}

static json_t *time_of(const struct state *state, const struct means *means, const json_t *probes)
{
    const json_t *cell = state->cell, *status = state->status;
    const bool loaded = json_text_at(cell, "load");
    const double least =
        setting_of_cell(cell, "min-runs", fmin(DEFAULT_MIN_RUNS, most_runs_of_cell(cell)));
    const double runs = number_of(status, "runs", 0), rest_s = rest_of_cell(status);
    const char *label = json_text_at(cell, "label");
    if (!state->todo)
        return range(0, 0, "done");
    if (state_is(state, "limits") && runs > 0) {
        // It was measured with other limits: as many runs as the new ones allow.
        const double run_s = number_of(status, "spent_s", 0) / runs;
        const double conditions = loaded ? 2 : 1;
        return range(fmax(conditions * least - runs, 0) * run_s,
                     fmax(longest_s(cell, conditions * run_s) - runs * run_s, 0), "cell");
    }
    if (!state_is(state, "changed") && !isnan(rest_s))
        return range(rest_s, rest_s, "cell");
    const double of_label_s = mean_of(means->by_label, label),
                 of_target_s = mean_of(means->by_target, json_text_at(cell, "target"));
    if (!isnan(of_label_s))
        return range(of_label_s, of_label_s, "label");
    if (!isnan(of_target_s))
        return range(of_target_s, of_target_s, "target");
    const json_t *known = json_object_get(probes, label);
    if (!known)
        return json_null();
    const double run_s = json_number_value(known);
    return range(start_s + least * ((loaded ? 2 : 1) * run_s + pair_s),
                 start_s + longest_s(cell, (loaded ? 3 : 1) * run_s + pair_s), "probe");
}

json_t *remaining_plan(const json_t *plan, const struct states *states, const json_t *probes)
{
    struct means means;
    json_t *cells = json_array();
    double low_s = 0, high_s = 0;
    int todo = 0, unknown = 0;
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        const json_t *cell = state->cell;
        json_t *time = time_of(state, &means, probes);
        todo += state->todo;
        unknown += json_is_null(time);
        low_s += number_of(time, "low", 0);
        high_s += number_of(time, "high", 0);
        json_t *one = json_pack(
            "{so so so so so so ss sb so so so so}", "number", json_member(cell, "number"), "name",
            json_member(cell, "name"), "target", json_member(cell, "target"), "label",
            json_member(cell, "label"), "load", json_member(cell, "load"), "level",
            json_member(cell, "level"), "state", state->name, "todo", state->todo, "command",
            json_member(cell, "command"), "spec", json_member(cell, "spec"), "spent_s",
            json_member(state->status, "spent_s"), "estimate_s", time);
        if (json_object_get(cell, "session"))
            json_object_set(one, "session", json_object_get(cell, "session"));
        json_array_append_new(cells, one);
    }
    means_free(&means);
    return json_pack("{ss so so so s{si si si so so}}", "schema", SCHEMA_PLAN, "name",
                     json_member(plan, "name"), "file", json_member(plan, "file"), "cells", cells,
                     "total", "cells", (int)states->count, "todo", todo, "unknown", unknown,
                     "low_s", number_to_json(low_s), "high_s", number_to_json(high_s));
}
