#include "model.h"

#include <math.h>
#include <string.h>

static double effect_of(const struct predict_kind *kind)
{
    return isfinite(kind->effect) ? kind->effect : 0;
}

static size_t product(const struct pair_features *features, double term[PREDICT_TERMS])
{
    double all = 1;
    for (size_t i = 0; i < features->kinds; i++)
        all *= 1 + effect_of(&features->kind[i]);
    term[0] = all - 1;
    return 1;
}

static size_t sum(const struct pair_features *features, double term[PREDICT_TERMS])
{
    term[0] = 0;
    for (size_t i = 0; i < features->kinds; i++)
        term[0] += effect_of(&features->kind[i]);
    return 1;
}

static size_t largest(const struct pair_features *features, double term[PREDICT_TERMS])
{
    term[0] = 0;
    for (size_t i = 0; i < features->kinds; i++)
        term[0] = fmax(term[0], effect_of(&features->kind[i]));
    return 1;
}

static size_t rank_one(const struct pair_features *features, double term[PREDICT_TERMS])
{
    term[0] = features->sensitivity * features->pressure;
    return 1;
}

// Memory and caches, and all that goes through the kernel.
static size_t two(const struct pair_features *features, double term[PREDICT_TERMS])
{
    term[0] = term[1] = 0;
    for (size_t i = 0; i < features->kinds; i++) {
        const char *name = features->kind[i].name;
        const bool in_kernel =
            strcmp(name, "io") == 0 || strcmp(name, "net") == 0 || strcmp(name, "alloc") == 0;
        term[in_kernel] += effect_of(&features->kind[i]);
    }
    return 2;
}

// Kinds by name, so that a weight means the same for every victim.
static size_t kinds(const struct pair_features *features, double term[PREDICT_TERMS])
{
    static const char *const names[] = {"cpu", "mem", "cache", "io", "net", "alloc"};
    enum { NAMES = sizeof names / sizeof *names };
    for (size_t k = 0; k < NAMES; k++) {
        term[k] = 0;
        for (size_t i = 0; i < features->kinds; i++)
            if (strcmp(features->kind[i].name, names[k]) == 0)
                term[k] = effect_of(&features->kind[i]);
    }
    return NAMES;
}

// Beyond what the levels say: a victim that much slows down beside a neighbour that slows much,
// whatever by.
static size_t sum_and_rank(const struct pair_features *features, double term[PREDICT_TERMS])
{
    (void)sum(features, term);
    term[1] = features->sensitivity * features->pressure;
    return 2;
}

// The same beside any neighbour: where levels are noise, the victim alone says more.
static size_t sum_and_victim(const struct pair_features *features, double term[PREDICT_TERMS])
{
    (void)sum(features, term);
    term[1] = features->sensitivity;
    return 2;
}

static size_t none(const struct pair_features *features, double term[PREDICT_TERMS])
{
    (void)features;
    (void)term;
    return 0;
}

const struct predict_variant predict_variants[] = {
    {"product", "effects of the kinds multiply", product},
    {"sum", "effects of the kinds add", sum},
    {"max", "the largest effect of a kind counts", largest},
    {"rank-one", "the victim's mean sensitivity x the aggressor's mean level", rank_one},
    {"two", "memory and caches, and what goes through the kernel, each with a weight", two},
    {"kinds", "each kind with a weight", kinds},
    {"sum-rank", "the sum and rank-one, each with a weight", sum_and_rank},
    {"sum-victim", "the sum and the victim's mean sensitivity, each with a weight", sum_and_victim},
    {"fair-share", "the fair share of CPUs, and nothing else", none},
    {0},
};

const struct predict_variant *predict_variant_find(const char *name)
{
    for (const struct predict_variant *one = predict_variants; one->name; one++)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}
