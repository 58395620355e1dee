#include "models.h"

#include "learn.h"

#include "common/record_json.h"

#include "common/kept.h"
#include "common/messages.h"
#include "common/trust.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void models_begin(struct models *models, const char *path, const char *host, const char *machine)
{
    char name[PATH_MAX], kept[PATH_MAX];
    *models = (struct models){.is_given = path != NULL};
    (void)snprintf(models->machine, sizeof models->machine, "%s", machine);
    if (path) {
        if (access(path, R_OK) != 0)
            usage_error("--model %s: cannot be read: give a file that --learn has made", path);
        (void)snprintf(models->path, sizeof models->path, "%s", path);
        return;
    }
    // A name of a host has no slash.
    (void)snprintf(name, sizeof name, "predict/%s.json", host);
    if (kept_path(name, kept) != 0 || access(kept, R_OK) != 0)
        return;
    if (trust_path(kept))
        (void)snprintf(models->path, sizeof models->path, "%s", kept);
    else
        trust_complain(kept, "model");
}

// Reads the model of a place, or sets the one that needs no pairs.
static void fill(struct models *models, size_t index, const char *place)
{
    char why[PREDICT_WHY];
    struct predict_model *model = &models->of[index].model;
    (void)snprintf(models->of[index].place, sizeof models->of[index].place, "%s", place);
    predict_model_preset(model);
    if (models->path[0] == '\0')
        return;
    models->of[index].learned =
        learn_read(models->path, place, models->machine, model, why, sizeof why);
    if (models->of[index].learned)
        return;
    if (models->is_given)
        usage_error("--model %s: %s", models->path, why);
    predict_model_preset(model);
}

const struct predict_model *models_find(void *user, const char *place)
{
    struct models *models = user;
    size_t index = 0;
    while (index < models->count && strcmp(models->of[index].place, place) != 0)
        index++;
    // There are no more places than that.
    if (index == MODELS_PLACES)
        return &models->of[0].model;
    if (index == models->count) {
        fill(models, index, place);
        models->count++;
    }
    return &models->of[index].model;
}

json_t *models_to_json(const struct models *models)
{
    json_t *array = json_array();
    for (size_t i = 0; i < models->count; i++) {
        const struct predict_model *model = &models->of[i].model;
        const bool learned = models->of[i].learned;
        json_t *weights = json_array();
        double term[PREDICT_TERMS];
        const struct pair_features none = {0};
        const size_t terms = model->variant->terms(&none, term);
        for (size_t k = 0; k < terms; k++)
            json_array_append_new(weights, number_to_json(model->weight[k]));
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:o}", "place",
                                        models->of[i].place, "variant", model->variant->name,
                                        "help", model->variant->help, "weights", weights, "learned",
                                        learned, "confidence", number_to_json(model->confidence),
                                        "file", learned ? json_string(models->path) : json_null()));
    }
    return array;
}
