#include "trivial.h"

enum { SWEEPS = 50 };

const char *trivial_name(enum trivial trivial)
{
    static const char *const names[] = {"one", "mean", "victim-mean", "aggressor-mean", "additive"};
    return names[trivial];
}

// Mean of y - what `given` already explains, by program in one role; 0 where there is no pair.
static void means(const struct dataset *data, const bool *train, bool victims, double mean,
                  const double *given, double *effect)
{
    size_t n[DATASET_PROGRAMS] = {0};
    for (size_t i = 0; i < data->programs; i++)
        effect[i] = 0;
    for (size_t k = 0; k < data->count; k++) {
        const struct dataset_item *item = &data->item[k];
        const size_t one = victims ? item->a : item->b, other = victims ? item->b : item->a;
        if (!train[k])
            continue;
        effect[one] += item->y - mean - (given ? given[other] : 0);
        n[one]++;
    }
    for (size_t i = 0; i < data->programs; i++)
        effect[i] = n[i] > 0 ? effect[i] / (double)n[i] : 0;
}

void trivial_fit(const struct dataset *data, const bool *train, struct trivials *fitted)
{
    size_t count = 0;
    *fitted = (struct trivials){0};
    for (size_t k = 0; k < data->count; k++) {
        fitted->mean += train[k] ? data->item[k].y : 0;
        count += train[k] ? 1 : 0;
    }
    fitted->mean = count > 0 ? fitted->mean / (double)count : 1;
    means(data, train, true, fitted->mean, NULL, fitted->victim);
    means(data, train, false, fitted->mean, NULL, fitted->aggressor);
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        means(data, train, true, fitted->mean, fitted->column, fitted->row);
        means(data, train, false, fitted->mean, fitted->row, fitted->column);
    }
}

double trivial_predict(const struct trivials *fitted, enum trivial trivial, size_t a, size_t b)
{
    switch (trivial) {
    case TRIVIAL_ONE:
        return 1;
    case TRIVIAL_VICTIM:
        return fitted->mean + fitted->victim[a];
    case TRIVIAL_AGGRESSOR:
        return fitted->mean + fitted->aggressor[b];
    case TRIVIAL_ADDITIVE:
        return fitted->mean + fitted->row[a] + fitted->column[b];
    default:
        return fitted->mean;
    }
}
