#include "dataset.h"

#include "harness/profile/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool dataset_pair(struct dataset_item *item, const struct program_profile *a,
                  const struct program_profile *b)
{
    struct predict_model model;
    struct prediction prediction;
    *item = (struct dataset_item){.y = NAN, .repeat = NAN};
    if (!predict_features(a, b, &item->features))
        return false;
    // What is to be told is judged by the profiles alone: the truth does not choose its pairs.
    predict_model_preset(&model);
    const bool known = predict_apply(&model, &item->features, a->confidence, &prediction);
    const double effect = known ? fabs(prediction.slowdown - 1) : 0;
    item->gated = gate_judge(a->noise.sd, a->noise.n, effect).passed;
    return true;
}

bool dataset_add(struct dataset *data, const struct dataset_item *item)
{
    if (data->count == data->capacity) {
        const size_t capacity = 2 * data->capacity + 64;
        struct dataset_item *more = realloc(data->item, capacity * sizeof *more);
        if (!more)
            return false;
        data->item = more;
        data->capacity = capacity;
    }
    struct dataset_item *added = &data->item[data->count++];
    *added = *item;
    for (size_t i = 0; i < DATASET_VARIANTS && predict_variants[i].name; i++)
        predict_variants[i].terms(&added->features, added->term[i]);
    return true;
}

size_t dataset_program(struct dataset *data, const char *name)
{
    for (size_t i = 0; i < data->programs; i++)
        if (strcmp(data->name[i], name) == 0)
            return i;
    if (data->programs == DATASET_PROGRAMS)
        return DATASET_PROGRAMS;
    data->name[data->programs] = name;
    return data->programs++;
}

void dataset_free(struct dataset *data)
{
    free(data->item);
    data->item = NULL;
    data->count = data->capacity = 0;
}
