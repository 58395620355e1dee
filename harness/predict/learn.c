#include "learn.h"

#include "choose.h"
#include "scores_json.h"
#include "study.h"

#include "common/date.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double confidence = 0.9;

static json_t *choice_json(const char *place, const struct choice *choice, size_t programs)
{
    json_t *weights = json_array();
    for (size_t i = 0; i < choice->candidate.terms; i++)
        json_array_append_new(weights, json_real(choice->model.weight[i]));
    return json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:I, s:I}", "place", place, "variant",
        choice->candidate.variant->name, "learned", choice->candidate.fitted, "weights", weights,
        "quantile_low", number_to_json(choice->model.quantile_low), "quantile_high",
        number_to_json(choice->model.quantile_high), "scale_floor",
        number_to_json(choice->model.scale_floor), "confidence", confidence, "covered",
        number_to_json(isfinite(choice->model.quantile_low) ? choice->conformal.covered : NAN),
        "error", number_to_json(100 * choice->error), "programs", (json_int_t)programs, "pairs",
        (json_int_t)choice->pairs);
}

static json_t *learn_place(const struct study *study, const char *place)
{
    struct study_place made;
    struct choice choice;
    json_t *json = NULL;
    bool *train = calloc(study->pairs.count + 1, sizeof *train);
    if (study_place(study, place, &made) && train) {
        size_t programs = 0;
        for (size_t i = 0; i < made.data.count; i++)
            train[i] = !made.held[i];
        for (size_t i = 0; i < made.data.programs; i++)
            programs += study_held(study, made.data.name[i]) ? 0 : 1;
        if (programs < CONFORMAL_PROGRAMS)
            complain(
                "%s: %zu programs with profiles and pairs are too few to learn from: measure at "
                "least ten",
                place, programs);
        else if (choose_model(&made.data, train, confidence, &choice))
            json = choice_json(place, &choice, programs);
        else
            complain("%s: no pair has a number: jostle predict --evaluate says why", place);
    }
    study_place_free(&made);
    free(train);
    return json;
}

// Of which machine the profiles are: all have to be of the same.
static const char *machine_of(const struct study *study)
{
    for (size_t i = 1; i < study->profiles; i++)
        if (strcmp(study->profile[i]->profile.machine, study->profile[0]->profile.machine) != 0) {
            complain("%s and %s are of different machines: give profiles of one",
                     study->profile[0]->path, study->profile[i]->path);
            return NULL;
        }
    return study->profile[0]->profile.machine;
}

// Pairs may have been measured at a place where no program has a profile: others can be learned.
static bool has_profiles(const struct study *study, const char *place)
{
    for (size_t i = 0; i < study->profiles; i++)
        if (strcmp(study->profile[i]->profile.place, place) == 0)
            return true;
    fprintf(stderr, "jostle: %s: there are pairs, but no profiles: it is left out\n", place);
    return false;
}

static json_t *learn_study(const struct study *study)
{
    size_t count;
    const char **place = study_places(study, &count), *machine = machine_of(study);
    json_t *models = json_array();
    bool good = place && machine;
    for (size_t i = 0; good && i < count; i++) {
        if (!has_profiles(study, place[i]))
            continue;
        json_t *one = learn_place(study, place[i]);
        good = one && json_array_append_new(models, one) == 0;
    }
    free(place);
    if (!good) {
        json_decref(models);
        return NULL;
    }
    char made[DATE_SIZE];
    return json_pack("{s:s, s:s, s:s, s:{s:o, s:o}, s:o}", "schema", SCHEMA_PREDICTION_MODEL,
                     "made", date_utc(time(NULL), made), "jostle", JOSTLE_VERSION, "machine",
                     "host", text_to_json(study->profile[0]->profile.host), "hash",
                     text_to_json(machine), "models", models);
}

json_t *learn_folder(const char *folder)
{
    struct study study;
    json_t *record = study_read(&study, folder) ? learn_study(&study) : NULL;
    study_free(&study);
    return record;
}

bool learn_print(const json_t *record)
{
    const json_t *one;
    size_t i;
    bool good = true;
    json_array_foreach(json_object_get(record, "models"), i, one)
    {
        const double covered = json_number_at(one, "covered");
        good = good &&
               printf("%s: model `%s`%s from %lld pairs of %lld programs; of programs left out in "
                      "turn, by which it was chosen: error %.1f points, ",
                      json_string_value(json_object_get(one, "place")),
                      json_string_value(json_object_get(one, "variant")),
                      json_is_true(json_object_get(one, "learned")) ? ", weights learned" : "",
                      json_integer_value(json_object_get(one, "pairs")),
                      json_integer_value(json_object_get(one, "programs")),
                      json_number_at(one, "error")) > 0;
        good =
            good && (isnan(covered) ? printf("no intervals: too few programs\n")
                                    : printf("90 %% intervals hold %.0f %%\n", 100 * covered)) > 0;
    }
    return good;
}

static bool fill(struct predict_model *model, const json_t *one)
{
    const char *name = json_string_value(json_object_get(one, "variant"));
    const json_t *weights = json_object_get(one, "weights");
    predict_model_preset(model);
    model->variant = name ? predict_variant_find(name) : NULL;
    if (!model->variant || json_array_size(weights) > PREDICT_TERMS)
        return false;
    for (size_t i = 0; i < json_array_size(weights); i++)
        model->weight[i] = json_number_value(json_array_get(weights, i));
    model->quantile_low = json_number_at(one, "quantile_low");
    model->quantile_high = json_number_at(one, "quantile_high");
    model->scale_floor = json_number_at(one, "scale_floor");
    model->confidence = json_number_at(one, "confidence");
    return true;
}

// Why the record is no model of this machine and version; NULL: it is.
static const char *against(const json_t *record, const char *machine)
{
    const char *schema = json_text_at(record, "schema"), *version = json_text_at(record, "jostle");
    const char *hash = json_text_at(json_object_get(record, "machine"), "hash");
    if (!schema || strcmp(schema, SCHEMA_PREDICTION_MODEL) != 0)
        return "holds no model: give a file that jostle predict --learn has made";
    if (!version_comparable(version))
        return "was learned by another version of jostle: learn it anew (--learn)";
    if (machine && (!hash || strcmp(hash, machine) != 0))
        return "was learned on another machine: learn one here (--learn)";
    return NULL;
}

static bool read_record(const json_t *record, const char *place, const char *machine,
                        struct predict_model *model, char *why, size_t size)
{
    const char *wrong = against(record, machine);
    const json_t *one;
    size_t i;
    if (wrong) {
        (void)snprintf(why, size, "%s", wrong);
        return false;
    }
    json_array_foreach(json_object_get(record, "models"), i, one)
    {
        const char *name = json_text_at(one, "place");
        if (name && strcmp(name, place) == 0) {
            if (fill(model, one))
                return true;
            (void)snprintf(why, size, "has a model for %s that this version does not know", place);
            return false;
        }
    }
    (void)snprintf(why, size, "has no model for the place %s: learn one from pairs there", place);
    return false;
}

bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size)
{
    json_error_t error;
    json_t *record = json_read_record(path, 0, &error);
    if (!record)
        (void)snprintf(why, size, "cannot be read: %s", error.text);
    const bool good = record && read_record(record, place, machine, model, why, size);
    json_decref(record);
    return good;
}
