// Measured pairs: those of a file, and those that --check has measured.

#include "predict.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether both are the same pair of the same host, or of any host where one does not say its own.
static bool is_same_pair(const json_t *one, const json_t *other)
{
    static const char *const names[] = {"a", "b", "place"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!json_text_is(one, names[i], json_text_at(other, names[i])))
            return false;
    return !json_has(one, "host") || !json_has(other, "host") ||
           json_equal(json_object_get(one, "host"), json_object_get(other, "host"));
}

// Takes the pair over; of one that is there already it becomes the repeat.
static void add_pair(json_t *pairs, json_t *pair)
{
    static const char *const measures[] = {"slowdown", "ci", "n", "sd", "starts"};
    json_t *known = NULL;
    JSON_EACH (one, pairs) {
        if (is_same_pair(one, pair))
            known = known ? known : one;
    }
    if (!known) {
        json_add(pairs, pair);
        return;
    }
    if (!json_has(known, "repeat") && !json_has(pair, "repeat")) {
        json_t *repeat = must(json_object());
        for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
            json_put(repeat, measures[i], json_member(pair, measures[i]));
        json_put(known, "repeat", repeat);
    }
    json_decref(pair);
}

static bool is_pair_record(const json_t *record)
{
    const json_t *repeat = json_object_get(record, "repeat");
    return json_text_is(record, "schema", SCHEMA_PAIR) && json_text_at(record, "a") &&
           json_text_at(record, "b") && json_text_at(record, "place") &&
           json_number_at(record, "slowdown") > 0 &&
           (!json_is_object(repeat) || json_number_at(repeat, "slowdown") > 0);
}

bool pairs_read(json_t *pairs, const char *path)
{
    FILE *file = file_open_record(path);
    OWNED char *line = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    bool good = true;
    if (!file)
        return complain("%s: %s: give the pairs.jsonl of `predict --check`", path, file_why(errno));
    while (good && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        number++;
        good = is_pair_record(record);
        if (good)
            add_pair(pairs, json_incref(record));
        else
            complain("%s: line %zu is no " SCHEMA_PAIR ": remove it", path, number);
        json_decref(record);
    }
    fclose(file);
    return good;
}

// ---- what --check has measured

// The slowdown of the wall time beside the one load that there is; NULL: there is none.
static const json_t *slowdown_of(const json_t *result)
{
    JSON_EACH (one, json_object_get(result, "slowdowns")) {
        if (json_text_is(one, "metric", "wall_s") && json_text_at(one, "condition"))
            return one;
    }
    return NULL;
}

// Returns the standard deviation of the log ratio of a block.
static double spread_of(const struct measured *measured, size_t condition)
{
    const size_t blocks = measured->session.blocks;
    size_t count = 0;
    OWNED double *alone_s = measured_by_block(measured, 0, WALL_S);
    OWNED double *beside_s = measured_by_block(measured, condition, WALL_S);
    for (size_t i = 0; i < blocks; i++)
        if (alone_s[i] > 0 && beside_s[i] > 0)
            alone_s[count++] = log(beside_s[i] / alone_s[i]);
    return count > 1 ? gsl_stats_sd(alone_s, 1, count) : NAN;
}

// When the runs were that count, how they spread, and the host, into the pair; false where they
// cannot be read.
static bool read_runs(const char *cells, const char *name, const char *loaded, json_t *pair)
{
    struct measured measured;
    json_t *starts = json_object_get(pair, "starts");
    bool good = measured_open(&measured, cells, name);
    const int condition = good ? settings_condition(&measured.experiment.settings, loaded) : -1;
    good = condition > 0;
    for (size_t i = 0; good && i < measured.session.count; i++) {
        const struct observation *run = &measured.session.runs[i];
        if (!json_has(pair, "host"))
            json_put(pair, "host", json_text(json_text_at(run->record, "host")));
        if ((run->condition == 0 || run->condition == condition) &&
            session_uses(&measured.session, run) && json_has(run->record, "start"))
            json_add(starts, json_incref(json_object_get(run->record, "start")));
    }
    if (good)
        json_put(pair, "sd", number_to_json(spread_of(&measured, (size_t)condition)));
    measured_free(&measured);
    return good;
}

// Returns the pair whose records are in the folder A@B.PLACE, where the load is B, as a new
// reference; NULL: it has no result.
static json_t *pair_of(const char *cells, const char *name)
{
    OWNED char *of_experiment = text_of("%s/%s/experiment.json", cells, name),
               *of_result = text_of("%s/%s/result.json", cells, name);
    json_auto_t *experiment = json_read_record(of_experiment, 0, NULL),
                *result = json_read_record(of_result, 0, NULL);
    const json_t *slowdown = slowdown_of(result);
    const char *b = json_text_at(slowdown, "condition");
    const char *place = json_text_at(json_object_get(experiment, "settings"), "place");
    if (!(json_number_at(slowdown, "ratio") > 0))
        return NULL;
    json_t *pair = must(json_pack(
        "{s:s, s:o, s:s, s:s, s:n, s:o, s:o, s:I, s:n, s:[], s:n}", "schema", SCHEMA_PAIR, "a",
        json_owned_text(text_of("%.*s", (int)strcspn(name, "@"), name)), "b", b, "place",
        place ? place : "machine", "host", "slowdown",
        number_to_json(json_number_at(slowdown, "ratio")), "ci",
        bounds_to_json(json_bound_at(slowdown, 0), json_bound_at(slowdown, 1)), "n",
        json_integer_value(json_object_get(slowdown, "pairs")), "sd", "starts", "repeat"));
    if (read_runs(cells, name, b, pair))
        return pair;
    json_decref(pair);
    return NULL;
}

// A line each.
static bool write_pairs(const json_t *pairs, const char *folder)
{
    OWNED char *path = text_of("%s/pairs.jsonl", folder);
    struct save save;
    bool good = save_begin(&save, path, SAVE_OUTPUT);
    if (!good)
        return save_complain(path);
    JSON_EACH (pair, pairs)
        good =
            good && json_dumpf(pair, save.file, LINE_FORMAT) == 0 && fputc('\n', save.file) != EOF;
    return save_end(&save, good) || save_complain(path);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool pairs_collect(json_t *pairs, const char *folder)
{
    struct dirent **entry = NULL;
    OWNED char *cells = text_of("%s/cells", folder);
    size_t left = 0;
    const int count = scandir(cells, &entry, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        json_t *pair = pair_of(cells, entry[i]->d_name);
        if (pair)
            add_pair(pairs, pair);
        else
            left++;
        free(entry[i]);
    }
    free(entry);
    if (left > 0)
        complain("%zu cells have no result: measure them, and give the same command again", left);
    return count <= 0 || write_pairs(pairs, folder);
}
