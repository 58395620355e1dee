#include "machine_study.h"

#include "machine_profile.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "harness/predict/model.h"
#include "harness/predict/pairs.h"
#include "harness/predict/pairs_add.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROGRAMS = 12 };

static const char place[] = "l3";

struct world {
    struct machine machine;
    struct machine_known program[PROGRAMS];
    struct program_profile profile[PROGRAMS];
    struct invert_curves reference;
    struct machine_noise noise;
};

static void name_of(size_t number, char name[8])
{
    (void)snprintf(name, 8, "p%02hhu", (unsigned char)number); /* of PROGRAMS */
}

static bool write_profile(const char *folder, const struct program_profile *profile)
{
    char *path;
    if (asprintf(&path, "%s/profiles/%s.profile.json", folder, profile->name) < 0)
        return false;
    json_t *record = profile_to_json(profile);
    const bool good = record && json_dump_file(record, path, RECORD_FORMAT) == 0;
    json_decref(record);
    free(path);
    return good;
}

static bool write_profiles(struct world *world, const char *folder)
{
    char *path;
    bool good = asprintf(&path, "%s/profiles", folder) >= 0;
    if (!good)
        return false;
    (void)mkdir(path, 0777);
    free(path);
    for (size_t i = 0; good && i < PROGRAMS; i++) {
        char name[8];
        name_of(i, name);
        machine_profile(&world->program[i], name, place, &world->reference, &world->noise,
                        &world->profile[i]);
        good = write_profile(folder, &world->profile[i]);
    }
    return good;
}

static struct pair_measure measure(struct world *world, double slowdown)
{
    return (struct pair_measure){.slowdown = machine_measure(slowdown, &world->noise),
                                 .low = NAN,
                                 .high = NAN,
                                 .sd = NAN,
                                 .n = MACHINE_PAIR_BLOCKS};
}

static bool add_pair(struct world *world, struct pair_list *pairs, size_t a, size_t b,
                     enum machine_study what)
{
    char name_a[8], name_b[8];
    const struct demand both[2] = {world->program[a].demand, world->program[b].demand};
    const double slowdown =
        what == STUDY_NOISE ? 1 : machine_slowdown(&world->machine, both, 2, false);
    name_of(a, name_a);
    name_of(b, name_b);
    struct pair_truth pair = {
        .a = strdup(name_a),
        .b = strdup(name_b),
        .place = strdup(place),
        .first = measure(world, slowdown),
        .repeated = (a + b) % 2 == 0,
    };
    if (pair.repeated)
        pair.repeat = measure(world, slowdown);
    if (what == STUDY_LEAK) {
        struct predict_model model;
        struct prediction prediction;
        predict_model_preset(&model);
        if (predict_pair(&model, &world->profile[a], &world->profile[b], &prediction))
            pair.first.slowdown = prediction.slowdown;
    }
    return pair_list_add(pairs, &pair);
}

static bool write_pairs(struct world *world, const char *folder, enum machine_study what)
{
    struct pair_list pairs = {0};
    char *path;
    bool good = asprintf(&path, "%s/pairs.jsonl", folder) >= 0;
    if (!good)
        return false;
    for (size_t a = 0; good && a < PROGRAMS; a++)
        for (size_t b = 0; good && b < PROGRAMS; b++)
            good = a == b || add_pair(world, &pairs, a, b, what);
    good = good && pair_list_write(&pairs, path);
    pair_list_free(&pairs);
    free(path);
    return good;
}

bool machine_study_write(const char *folder, enum machine_study what, double sd, unsigned long seed)
{
    struct machine_curves curves;
    struct world *world = calloc(1, sizeof *world);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    bool good = world && rng;
    if (good) {
        gsl_rng_set(rng, seed);
        world->machine = machine_usual();
        world->noise = (struct machine_noise){.rng = rng, .sd = sd};
        machine_curves_make(&world->machine, false, &curves);
        machine_reference(&curves, &world->noise, &world->reference);
        for (size_t i = 0; i < PROGRAMS; i++) {
            const struct demand demand = machine_draw(&world->machine, rng);
            machine_know(&world->machine, &demand, false, &world->program[i]);
        }
        good = write_profiles(world, folder) && write_pairs(world, folder, what);
    }
    gsl_rng_free(rng);
    free(world);
    return good || complain("simulate: %s: a study cannot be written there: give a folder", folder);
}
