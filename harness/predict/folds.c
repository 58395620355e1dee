#include "folds.h"

#include <math.h>
#include <stdlib.h>

const char *scheme_name(enum scheme scheme)
{
    static const char *const names[] = {"pair", "victim", "aggressor", "program", "both"};
    return names[scheme];
}

void tests_free(struct tests *tests)
{
    free(tests->test);
    *tests = (struct tests){0};
}

static struct test *add_test(struct tests *tests)
{
    if (tests->count == tests->capacity) {
        const size_t capacity = 2 * tests->capacity + 64;
        struct test *more = realloc(tests->test, capacity * sizeof *more);
        if (!more)
            return NULL;
        tests->test = more;
        tests->capacity = capacity;
    }
    return &tests->test[tests->count++];
}

// What is fitted to a training set.
struct taught {
    const struct dataset *data;
    struct candidate candidate[CANDIDATES];
    struct predict_model model[CANDIDATES];
    size_t candidates;
    struct trivials trivials;
    struct choice choice;
};

static bool teach(const struct dataset *data, const bool *train, double confidence,
                  struct taught *taught)
{
    taught->data = data;
    taught->candidates = choose_candidates(taught->candidate);
    for (size_t i = 0; i < taught->candidates; i++)
        choose_fit(data, train, &taught->candidate[i], &taught->model[i]);
    trivial_fit(data, train, &taught->trivials);
    return choose_model(data, train, confidence, &taught->choice);
}

static void fill(const struct taught *taught, size_t number, struct test *test)
{
    const struct dataset_item *item = &taught->data->item[number];
    struct prediction prediction;
    *test = (struct test){.item = number, .low = NAN, .high = NAN};
    for (enum trivial i = 0; i < TRIVIALS; i++)
        test->trivial[i] = trivial_predict(&taught->trivials, i, item->a, item->b);
    for (size_t i = 0; i < taught->candidates; i++) {
        const struct candidate *one = &taught->candidate[i], *chosen = &taught->choice.candidate;
        test->candidate[i] = choose_predict(item, one, &taught->model[i]);
        if (one->variant == chosen->variant && one->fitted == chosen->fitted)
            test->choice = i;
    }
    // As users get it.
    predict_apply(&taught->choice.model, &item->features, taught->data->confidence, &prediction);
    test->chosen = prediction.slowdown;
    if (prediction.source == PREDICT_FROM_PAIRS) {
        test->low = prediction.low;
        test->high = prediction.high;
    }
}

bool folds_test(const struct dataset *data, const bool *train, const bool *held, double confidence,
                struct tests *tests)
{
    struct taught taught;
    bool any = false, trained = false;
    for (size_t k = 0; k < data->count; k++) {
        any = any || held[k];
        trained = trained || train[k];
    }
    if (!any || !trained)
        return true;
    bool good = teach(data, train, confidence, &taught);
    for (size_t k = 0; good && k < data->count; k++) {
        struct test *test = held[k] ? add_test(tests) : NULL;
        good = test || !held[k];
        if (test)
            fill(&taught, k, test);
    }
    return good;
}

// Whether the scheme, when it tests `group` (a pair or a program), leaves a pair out; held:
// whether that pair is tested then.
static bool leaves_out(const struct dataset *data, enum scheme scheme, size_t group, size_t k,
                       bool *held)
{
    const struct dataset_item *item = &data->item[k];
    const struct dataset_item *pair =
        scheme == SCHEME_PAIR || scheme == SCHEME_BOTH ? &data->item[group] : NULL;
    bool out = false;
    switch (scheme) {
    case SCHEME_VICTIM:
        out = item->a == group;
        break;
    case SCHEME_AGGRESSOR:
        out = item->b == group;
        break;
    case SCHEME_PROGRAM:
        out = item->a == group || item->b == group;
        break;
    case SCHEME_BOTH:
        out = item->a == pair->a || item->a == pair->b || item->b == pair->a || item->b == pair->b;
        break;
    default:
        out = item == pair;
    }
    *held = pair ? item == pair : out;
    return out;
}

bool folds_run(const struct dataset *data, enum scheme scheme, double confidence,
               struct tests *tests)
{
    const size_t groups =
        scheme == SCHEME_PAIR || scheme == SCHEME_BOTH ? data->count : data->programs;
    bool *train = calloc(data->count + 1, sizeof *train),
         *held = calloc(data->count + 1, sizeof *held);
    bool good = train && held;
    *tests = (struct tests){0};
    for (size_t group = 0; good && group < groups; group++) {
        for (size_t k = 0; k < data->count; k++)
            train[k] = !leaves_out(data, scheme, group, k, &held[k]);
        good = folds_test(data, train, held, confidence, tests);
    }
    free(train);
    free(held);
    return good;
}
