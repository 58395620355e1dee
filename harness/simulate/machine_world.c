#include "machine_world.h"

#include "machine_profile.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const world_places[WORLD_PLACES] = {"l3", "core"};
const double world_noises[WORLD_NOISES] = {0.001, 0.01, 0.04, 0.1, 0.15};

static const double confidence = 0.9; // of predictions

enum { LOADS = 2 * MACHINE_KINDS }; // as neighbours, whose levels are known

static const char *const names[WORLD_PROGRAMS] = {"a", "b", "c", "d", "e", "f",
                                                  "g", "h", "i", "j", "k", "l"};

// What is known exactly.
struct world {
    struct machine machine;
    struct machine_curves curves;
    struct machine_known program[WORLD_PROGRAMS];
    double slowdown[WORLD_PROGRAMS][WORLD_PROGRAMS];
    struct machine_known load[LOADS];
    double level[LOADS];
};

// The same, as measured.
struct measured {
    struct invert_curves reference;
    struct program_profile profile[WORLD_PROGRAMS];
};

static void make_world(struct world *world, const struct demand *demand, bool same_core,
                       gsl_rng *rng)
{
    world->machine = machine_usual();
    machine_curves_make(&world->machine, same_core, &world->curves);
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        machine_know(&world->machine, &demand[i], same_core, &world->program[i]);
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        for (size_t k = 0; k < WORLD_PROGRAMS; k++) {
            const struct demand both[2] = {demand[i], demand[k]};
            world->slowdown[i][k] = machine_slowdown(&world->machine, both, 2, same_core);
        }
    for (size_t i = 0; i < LOADS; i++) {
        world->level[i] = gsl_ran_flat(rng, 0.1, 0.95);
        const struct demand load =
            machine_load(&world->machine, (enum machine_kind)(i % MACHINE_KINDS), world->level[i]);
        machine_know(&world->machine, &load, same_core, &world->load[i]);
    }
}

struct predictor world_predictor(size_t number)
{
    if (number < TRIVIALS)
        return (struct predictor){PREDICTOR_TRIVIAL, number};
    if (number < TRIVIALS + CANDIDATES)
        return (struct predictor){PREDICTOR_CANDIDATE, number - TRIVIALS};
    return (struct predictor){.kind = PREDICTOR_CHOSEN};
}

// Sensitivities and levels: how often their intervals hold.
static void judge_profiles(const struct world *world, const struct measured *measured,
                           const char *place, struct machine_noise *noise, struct world_sums *sums)
{
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        for (enum machine_kind kind = 0; kind < MACHINE_KINDS; kind++) {
            const struct sensitivity_curve *curve =
                sensitivity_find(&measured->profile[i].sensitivity, machine_kind_name(kind));
            for (size_t p = 0; curve && p < curve->count; p++) {
                const double truth = world->program[i].slowdown[kind][p];
                sums->points++;
                sums->points_covered +=
                    truth >= curve->point[p].low && truth <= curve->point[p].high;
            }
        }
    for (size_t i = 0; i < LOADS; i++) {
        struct program_profile profile;
        machine_profile(&world->load[i], "load", place, &measured->reference, noise, &profile);
        for (enum machine_kind kind = 0; kind < MACHINE_KINDS; kind++) {
            const struct profile_level *level = profile_level_of(&profile, machine_kind_name(kind));
            const double truth = i % MACHINE_KINDS == kind ? world->level[i] : 0;
            if (!level)
                continue;
            sums->levels++;
            sums->levels_covered += truth >= level->low && truth <= level->high;
            sums->level_width += level->high - level->low;
        }
        profile_free(&profile);
    }
}

// The pairs of all programs, measured; `truth`: the same with what they really are.
static bool make_pairs(const struct world *world, const struct measured *measured,
                       struct machine_noise *noise, struct dataset *data, struct dataset *truth,
                       struct world_sums *sums)
{
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        if (dataset_program(data, names[i]) != i || dataset_program(truth, names[i]) != i)
            return false;
    data->confidence = truth->confidence = measured->profile[0].confidence;
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        for (size_t k = 0; k < WORLD_PROGRAMS; k++) {
            struct dataset_item item;
            if (i == k)
                continue;
            sums->pairs++;
            if (!dataset_pair(&item, &measured->profile[i], &measured->profile[k])) {
                sums->refused++;
                continue;
            }
            item.a = i;
            item.b = k;
            item.y = machine_measure(world->slowdown[i][k], noise);
            item.repeat = machine_measure(world->slowdown[i][k], noise);
            sums->gated += item.gated;
            if (!dataset_add(data, &item))
                return false;
            item.y = world->slowdown[i][k];
            if (!dataset_add(truth, &item))
                return false;
        }
    return true;
}

static void add_cover(struct cover *sum, struct cover cover)
{
    sum->n += cover.n;
    sum->share += cover.share * (double)cover.n;
    sum->width += cover.width * (double)cover.n;
}

static void judge_pairs(const struct dataset *data, const struct dataset *truth,
                        const struct tests *tests, struct world_sums *sums)
{
    const struct predictor chosen = world_predictor(WORLD_PREDICTORS - 1);
    const struct errors errors = scores_errors(truth, tests, chosen);
    const struct ceiling ceiling = scores_ceiling(data, tests);
    struct safety safety[LIMITS];
    struct candidate candidate[CANDIDATES];
    const size_t candidates = choose_candidates(candidate);
    for (size_t i = 0; i < WORLD_PREDICTORS; i++)
        if (i < TRIVIALS + candidates || i == WORLD_PREDICTORS - 1)
            sums->error[i] += scores_errors(truth, tests, world_predictor(i)).mean;
    sums->worlds++;
    sums->chosen.n += errors.n;
    sums->chosen.p90 += errors.p90;
    sums->chosen.worst = fmax(sums->chosen.worst, errors.worst);
    sums->chosen.rank += errors.rank;
    sums->skill += scores_skill(truth, tests, chosen).value;
    add_cover(&sums->measured, scores_cover(data, tests));
    add_cover(&sums->truth, scores_cover(truth, tests));
    scores_safety(truth, tests, safety);
    for (size_t i = 0; i < LIMITS; i++) {
        sums->safety[i].said += safety[i].said;
        sums->safety[i].wrong += safety[i].wrong;
        sums->safety[i].said_surely += safety[i].said_surely;
        sums->safety[i].wrong_surely += safety[i].wrong_surely;
    }
    sums->ceiling += ceiling.error;
    sums->ceiling_rank += ceiling.rank;
    sums->leaks += ceiling.below || ceiling.drawn;
}

static void make_narrow(struct tests *tests, double narrow)
{
    for (size_t i = 0; i < tests->count; i++) {
        struct test *test = &tests->test[i];
        test->low = test->chosen - narrow * (test->chosen - test->low);
        test->high = test->chosen + narrow * (test->high - test->chosen);
    }
}

static bool run_noise(const struct world *world, const char *place, struct machine_noise *noise,
                      double narrow, struct measured *measured, struct world_sums *sums)
{
    struct dataset data = {0}, truth = {0};
    struct tests tests = {0};
    machine_reference(&world->curves, noise, &measured->reference);
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        machine_profile(&world->program[i], names[i], place, &measured->reference, noise,
                        &measured->profile[i]);
    judge_profiles(world, measured, place, noise, sums);
    const bool good = make_pairs(world, measured, noise, &data, &truth, sums) &&
                      folds_run(&data, SCHEME_PROGRAM, confidence, &tests);
    if (good) {
        make_narrow(&tests, narrow);
        judge_pairs(&data, &truth, &tests, sums);
    }
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        profile_free(&measured->profile[i]);
    tests_free(&tests);
    dataset_free(&data);
    dataset_free(&truth);
    return good;
}

bool world_run(gsl_rng *rng, double narrow, bool brief,
               struct world_sums sums[WORLD_PLACES][WORLD_NOISES])
{
    struct world *world = malloc(sizeof *world);
    struct measured *measured = malloc(sizeof *measured);
    const struct machine machine = machine_usual();
    struct demand demand[WORLD_PROGRAMS];
    bool good = world && measured;
    for (size_t i = 0; i < WORLD_PROGRAMS; i++)
        demand[i] = machine_draw(&machine, rng);
    for (size_t place = 0; good && place < (brief ? 1 : WORLD_PLACES); place++) {
        make_world(world, demand, strcmp(world_places[place], "core") == 0, rng);
        for (size_t i = 0; good && i < WORLD_NOISES; i++) {
            struct machine_noise noise = {.rng = rng, .sd = world_noises[i]};
            if (brief && i != WORLD_NOISE_LOW)
                continue;
            good = run_noise(world, world_places[place], &noise, narrow, measured, &sums[place][i]);
        }
    }
    free(world);
    free(measured);
    return good;
}
