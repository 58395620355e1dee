#include "study.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/units.h"
#include "harness/record/files.h"
#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"
#include "harness/stats/shares.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

json_t *study_record(const struct study *study, const char *folder, const char *file,
                     const char *schema)
{
    char why[RECORD_WHY];
    OWNED char *path = text_of("%s/%s", folder, file);
    json_t *record = record_read(path, schema, why);
    if (!record)
        complain("%s cannot be read (%s): give a folder that jostle %s has made", path, why,
                 study->name);
    return record;
}

json_t *study_plan(const struct study *study, const char *folder)
{
    return study_record(study, folder, study->file, study->schema);
}

bool study_keep(const struct study *study, const json_t *plan, const char *folder, bool *made)
{
    OWNED char *path = text_of("%s/%s", folder, study->file);
    return save_make_folder(folder, made) ? output_document(plan, path)
                                          : save_complain_folder(folder);
}

json_t *study_text(const char *text)
{
    json_t *value = text ? json_string(text) : json_null();
    if (!value)
        usage_error("%s: it is not UTF-8: rename it, or put the command into a script", text);
    return value;
}

json_t *study_resumed(const struct study *study, const json_t *plan, const char *folder,
                      bool resume, bool (*same)(const json_t *old, const json_t *plan))
{
    const bool there = file_is_in(folder, study->file, F_OK);
    if (there && !resume)
        usage_error("%s already holds a %s: choose another folder with --output, or continue it "
                    "with --resume",
                    folder, study->name);
    if (!there && !file_folder_has_only(folder, (const char *const[]){NULL}))
        usage_error("%s is not empty, and holds no %s: choose another folder with --output, one "
                    "that is empty or not there",
                    folder, study->name);
    json_t *old = !there ? NULL : study_plan(study, folder);
    if (there && !old)
        exit(EXIT_FAILURE);
    if (old && !same(old, plan))
        usage_error("%s holds a %s of another command, of other options or on other CPUs: give the "
                    "same, or another --output",
                    folder, study->name);
    return old;
}

void study_word(const char *word)
{
    pair_put("word", word);
}

void study_words(const json_t *words)
{
    JSON_EACH (word, words)
        study_word(json_string_value(word));
}

void study_option(const char *name, const char *value)
{
    if (!value)
        return;
    study_word(name);
    study_word(value);
}

void study_number(const char *name, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    study_option(name, text);
}

void study_step(const char *command, const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    pair_put("step", name);
    study_word(command);
    study_option("--output", path);
    study_word("--resume");
}

void study_step_end(void)
{
    pair_put("end", "");
}

bool study_is_done(const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    return file_is_in(path, RESULT_FILE, R_OK);
}

json_t *study_result(const char *folder, const char *name)
{
    json_error_t error;
    OWNED char *path = text_of("%s/%s/" RESULT_FILE, folder, name);
    json_t *result = json_read_record(path, 0, &error);
    if (!result)
        complain("%s cannot be read (%s): measure again into another --output", path, error.text);
    return result;
}

bool measured_read(struct measured *measured)
{
    char *path = text_of("%s/status.json", measured->folder);
    measured->status = json_read_record(path, 0, NULL);
    free(path);
    if (!experiment_has_runs(measured->folder))
        return true;
    if (!replay_open(&measured->experiment, &measured->session, measured->folder, true))
        return false;
    measured->summary = summary_build(&measured->session);
    disturbances_add(&measured->session, json_object_get(measured->summary, "warnings"));
    return measured->has_runs = true;
}

void measured_free(struct measured *measured)
{
    json_decref(measured->summary);
    session_free(&measured->session);
    experiment_close(&measured->experiment);
    json_decref(measured->status);
    free(measured->folder);
}

bool measured_is_done(const struct measured *measured)
{
    return file_is_in(measured->folder, RESULT_FILE, R_OK);
}

bool measured_open(struct measured *measured, const char *folder, const char *name)
{
    *measured = (struct measured){.folder = text_of("%s/%s", folder, name)};
    return replay_open(&measured->experiment, &measured->session, measured->folder, true);
}

double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count)
{
    double *value = must(calloc(measured->session.count + 1, sizeof *value));
    *count = 0;
    EACH_USED (run, &measured->session, condition)
        value[(*count)++] = run->value[metric];
    return value;
}

double *measured_by_block(const struct measured *measured, size_t condition, size_t metric)
{
    const size_t blocks = measured->session.blocks;
    double *value = must(calloc(blocks + 1, sizeof *value));
    for (size_t i = 0; i < blocks; i++)
        value[i] = NAN;
    EACH_USED (run, &measured->session, condition)
        if (run->block > 0 && run->block <= blocks)
            value[run->block - 1] = run->value[metric];
    return value;
}

double measured_overhead_s(const struct measured *measured)
{
    const size_t count = measured->session.count;
    if (count < 2)
        return 0;
    const struct observation *run = measured->session.runs;
    const struct facts *first = &measured->session.facts[run->fact],
                       *last = &measured->session.facts[run[count - 1].fact];
    double runs_s = 0;
    for (size_t i = 0; i + 1 < count; i++)
        runs_s += run[i].value[WALL_S];
    const double each_s = (elapsed_between_s(first, last) - runs_s) / (double)(count - 1);
    return isfinite(each_s) && each_s > 0 ? each_s : 0;
}

size_t measured_metric(const struct measured *measured, const char *name)
{
    return metrics_find(&measured->experiment.settings.metrics, name);
}

static const struct sample *sample_of(const struct measured *measured, int condition, size_t metric)
{
    return condition < 0 || metric == MAX_METRICS
               ? NULL
               : &measured->session.conditions[condition].metric[metric];
}

size_t measured_count(const struct measured *measured, int condition, size_t metric)
{
    const struct sample *sample = sample_of(measured, condition, metric);
    return !sample ? 0 : sample->count;
}

struct interval measured_figure(struct measured *measured, int condition, size_t metric)
{
    const size_t count = measured_count(measured, condition, metric);
    if (count < 2)
        return interval_unbounded(count == 0 ? NAN : sample_of(measured, condition, metric)->mean);
    return metric_location(&measured->session, (size_t)condition, metric).interval;
}

double measured_value(const struct measured *measured, size_t block, size_t condition,
                      size_t metric)
{
    const struct session *session = &measured->session;
    const int run = session->table[block * session->settings->condition_count + condition];
    if (run < 0 || metric == MAX_METRICS || !session_uses(session, &session->runs[run]))
        return NAN;
    return session->runs[run].value[metric];
}

json_t *figure_json(const char *name, struct interval interval)
{
    json_t *object = must(json_object());
    json_put_interval(object, name, &interval);
    return object;
}

json_t *study_figure_text(const json_t *object, const char *unit)
{
    char text[NUMBER_SIZE];
    const double value = json_number_at(object, "value"), low = json_bound_at(object, 0);
    const double runs = json_number_at(object, "n"); // NAN: not of runs, such as a peak
    if (unit && strcmp(unit, "fraction") == 0)
        number_percent(value, text);
    // Fixed digits would show a residual as nothing.
    else if ((!unit || *unit == '\0') && value > 0 && value < 1e-8)
        number_scientific(value, text);
    // One run has no interval, and one of two that begins at 0 shows no size either.
    else if (!isnan(value) && (isnan(low) ? runs > 0 : runs < 3 && low <= 0))
        number_with_interval(value, NAN, NAN, unit ? unit : "", text);
    else if (isnan(value) || isnan(low))
        number_scaled(value, unit ? unit : "", text);
    else
        number_with_interval(value, low, json_bound_at(object, 1), unit, text);
    return json_text(text);
}

char *study_ratio_text(const json_t *object, const char *name)
{
    char number[NUMBER_SIZE];
    const double ratio = json_number_at(object, name), low = json_bound_at(object, 0);
    if (isnan(ratio))
        return text_of("-");
    return text_of("%s%s", number_ratio(ratio, low, json_bound_at(object, 1), number),
                   isnan(low) ? " ± ?" : "");
}
