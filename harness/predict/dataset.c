#include "dataset.h"

#include <stdlib.h>
#include <string.h>

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
