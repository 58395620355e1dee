#include "machine_table.h"

#include "machine_world.h"
#include "workers.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARE = 250 /* of the experiments */ };

struct sums {
    struct world_sums cell[WORLD_PLACES][WORLD_NOISES];
};

static bool one_world(void *context, size_t number, void *part)
{
    const struct plan *plan = context;
    struct sums *sums = part;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return false;
    gsl_rng_set(rng, plan->seed + 15485863 * (number + 1));
    const bool good = world_run(rng, plan->narrow, plan->quick, sums->cell);
    gsl_rng_free(rng);
    return good;
}

static void add_cell(struct world_sums *sum, const struct world_sums *part)
{
    sum->worlds += part->worlds;
    sum->pairs += part->pairs;
    sum->refused += part->refused;
    sum->gated += part->gated;
    for (size_t i = 0; i < WORLD_PREDICTORS; i++)
        sum->error[i] += part->error[i];
    sum->chosen.n += part->chosen.n;
    sum->chosen.p90 += part->chosen.p90;
    sum->chosen.worst = fmax(sum->chosen.worst, part->chosen.worst);
    sum->chosen.rank += part->chosen.rank;
    sum->skill += part->skill;
    struct cover *to[] = {&sum->measured, &sum->truth};
    const struct cover *from[] = {&part->measured, &part->truth};
    for (size_t i = 0; i < 2; i++) {
        to[i]->n += from[i]->n;
        to[i]->share += from[i]->share;
        to[i]->width += from[i]->width;
    }
    for (size_t i = 0; i < LIMITS; i++) {
        sum->safety[i].said += part->safety[i].said;
        sum->safety[i].wrong += part->safety[i].wrong;
        sum->safety[i].said_surely += part->safety[i].said_surely;
        sum->safety[i].wrong_surely += part->safety[i].wrong_surely;
    }
    sum->ceiling += part->ceiling;
    sum->ceiling_rank += part->ceiling_rank;
    sum->leaks += part->leaks;
    sum->points += part->points;
    sum->points_covered += part->points_covered;
    sum->levels += part->levels;
    sum->levels_covered += part->levels_covered;
    sum->level_width += part->level_width;
}

static void add(void *sum, const void *part)
{
    struct sums *to = sum;
    const struct sums *from = part;
    for (size_t place = 0; place < WORLD_PLACES; place++)
        for (size_t i = 0; i < WORLD_NOISES; i++)
            add_cell(&to->cell[place][i], &from->cell[place][i]);
}

static double percent(size_t part, size_t all)
{
    return all > 0 ? 100 * (double)part / (double)all : NAN;
}

// In the short form there is one noise.
static bool has_row(const struct world_sums *cell)
{
    return cell->worlds > 0;
}

static void row_name(size_t place, size_t noise)
{
    printf("%-5s %5.1f |", world_places[place], 100 * world_noises[noise]);
}

static void errors_table(const struct sums *sums)
{
    struct candidate candidate[CANDIDATES];
    const size_t candidates = choose_candidates(candidate);
    printf("Mean absolute error in points, against the truth, for programs that were not seen "
           "(* weights learned)\n%-11s |",
           "place noise");
    for (enum trivial i = 0; i < TRIVIALS; i++)
        printf(" %*s", i < TRIVIAL_VICTIM ? 6 : 14, trivial_name(i));
    for (size_t i = 0; i < candidates; i++)
        printf(" %9s%c", candidate[i].variant->name, candidate[i].fitted ? '*' : ' ');
    puts(" |   chosen");
    for (size_t place = 0; place < WORLD_PLACES; place++)
        for (size_t i = 0; i < WORLD_NOISES; i++) {
            const struct world_sums *cell = &sums->cell[place][i];
            if (!has_row(cell))
                continue;
            row_name(place, i);
            for (size_t k = 0; k < TRIVIALS + candidates; k++)
                printf(" %*.2f",
                       k < TRIVIAL_VICTIM ? 6
                       : k < TRIVIALS     ? 14
                                          : 10,
                       cell->error[k] / (double)cell->worlds);
            printf(" | %8.2f\n", cell->error[WORLD_PREDICTORS - 1] / (double)cell->worlds);
        }
}

static void chosen_row(const struct world_sums *cell)
{
    const double worlds = (double)cell->worlds;
    printf(" %6.2f %6.2f %6.1f %6.2f %6.2f |%7.1f %7.1f %7.1f |",
           cell->error[WORLD_PREDICTORS - 1] / worlds, cell->chosen.p90 / worlds,
           cell->chosen.worst, cell->chosen.rank / worlds, cell->skill / worlds,
           100 * cell->measured.share / (double)cell->measured.n,
           100 * cell->truth.share / (double)cell->truth.n,
           cell->measured.width / (double)cell->measured.n);
    for (size_t i = 0; i < LIMITS; i++)
        printf(" %5.1f %5.1f |", percent(cell->safety[i].wrong, cell->chosen.n),
               percent(cell->safety[i].wrong_surely, cell->chosen.n));
    printf(" %7.2f %6.2f %5zu |%6.1f %6.1f\n", cell->ceiling / worlds, cell->ceiling_rank / worlds,
           cell->leaks, percent(cell->gated, cell->pairs), percent(cell->refused, cell->pairs));
}

static void chosen_table(const struct sums *sums)
{
    puts("\nThe chosen model: error, its 90 % quantile, the worst, in points; rank correlation and "
         "skill (over the\nbest trivial predictor) against the truth; how many of its 90 % "
         "intervals hold what was measured, and the\ntruth, and their mean width in points; how "
         "many of all pairs are above 1.05, 1.10, 1.20 and said not to\nbe: by the prediction, by "
         "its interval; the noise ceiling in points, rank correlation of repeats, leaks\nseen "
         "(there is none); pairs that pass the gate, and that get no number (percent)");
    printf("%-11s | %6s %6s %6s %6s %6s |%7s %7s %7s | %11s | %11s | %11s | %7s %6s %5s |%6s %6s\n",
           "place noise", "error", "p90", "worst", "rank", "skill", "holds", "truth", "width",
           "unsafe 1.05", "1.10", "1.20", "ceiling", "rank", "leaks", "gate", "none");
    for (size_t place = 0; place < WORLD_PLACES; place++)
        for (size_t i = 0; i < WORLD_NOISES; i++) {
            if (!has_row(&sums->cell[place][i]))
                continue;
            row_name(place, i);
            chosen_row(&sums->cell[place][i]);
        }
}

static void profiles_table(const struct sums *sums)
{
    puts(
        "\nProfiles: how many 95 % intervals hold the truth: of a slowdown by a load; of the level "
        "of each kind\n(neighbours that are loads), and the mean width of those in points");
    printf("%-11s | %11s %8s %8s\n", "place noise", "sensitivity", "levels", "width");
    for (size_t place = 0; place < WORLD_PLACES; place++)
        for (size_t i = 0; i < WORLD_NOISES; i++) {
            const struct world_sums *cell = &sums->cell[place][i];
            if (!has_row(cell))
                continue;
            row_name(place, i);
            printf(" %11.1f %8.1f %8.1f\n", percent(cell->points_covered, cell->points),
                   percent(cell->levels_covered, cell->levels),
                   100 * cell->level_width / (double)cell->levels);
        }
}

// Where the noise is small, a model is better than the best trivial predictor, and 90 % intervals
// hold about that.
static bool check(const struct sums *sums)
{
    bool good = true;
    for (size_t place = 0; place < WORLD_PLACES; place++) {
        const struct world_sums *cell = &sums->cell[place][WORLD_NOISE_LOW];
        if (!has_row(cell))
            continue;
        const double skill = cell->skill / (double)cell->worlds;
        const double holds = cell->measured.share / (double)cell->measured.n;
        if (!(skill > 0)) {
            fprintf(stderr, "broken: %s: predictions have a skill of %.2f\n", world_places[place],
                    skill);
            good = false;
        }
        if (!(holds > 0.8)) {
            fprintf(stderr, "broken: %s: 90 %% intervals of predictions hold %.1f %%\n",
                    world_places[place], 100 * holds);
            good = false;
        }
    }
    return good;
}

bool machine_table(const struct plan *plan)
{
    struct sums *sums = calloc(1, sizeof *sums);
    const struct workers_sum what = {.job = one_world, .add = add, .size = sizeof *sums};
    const size_t worlds = plan->quick ? 1 : (plan->experiments + SHARE - 1) / SHARE;
    printf("\nA machine made of equations, %zu times %d programs drawn at random; noise: standard "
           "deviation of a run, in percent\n",
           worlds, WORLD_PROGRAMS);
    bool good = sums && workers_sum(&what, worlds, plan->threads, (void *)plan, sums);
    if (good) {
        errors_table(sums);
        chosen_table(sums);
        profiles_table(sums);
        good = !plan->quick || check(sums);
    }
    free(sums);
    return good;
}
