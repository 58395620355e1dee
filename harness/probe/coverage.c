/* probe coverage: do the intervals hold what they promise? Readings with known truth go through
 * the functions that judge real ones: on made-up machines, drawn around a reference, with loads
 * at random levels and noise as the reference has it. */

#include "harness/probe/assess.h"
#include "harness/probe/baseline.h"
#include "harness/probe/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "common/options.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CLOSE 0.1 /* a level is found when it is this near */

struct choices {
    const char *reference;
    uint64_t trials, seed;
    double error;
};

#define FIELD(member) .offset = offsetof(struct choices, member)

static const struct option_row rows[] = {
    {.name = "reference-file",
     .argument = "FILE",
     .type = OPTION_TEXT,
     FIELD(reference),
     .help = "the reference"},
    {.name = "trials",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(trials),
     .minimum = 1,
     .maximum = 1e6,
     .preset = "700",
     .help = "of each kind, and of the quiet machine"},
    {.name = "error",
     .argument = "E",
     .type = OPTION_FRACTION,
     FIELD(error),
     .maximum = 1,
     .preset = "0.02",
     .help = "standard error of a reading"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(seed),
     .maximum = OPTION_WHOLE_MOST,
     .preset = "1",
     .help = "of chance"},
    {0},
};

/* What came out, of one kind as the load; of KINDS: the quiet machine. */
struct score {
    double trials, covered, close, seen, alarms, levels, level_covered;
};

/* A load of a kind (KINDS: none) at a level, on a machine whose curves differ from those of the
 * reference as much as their variance says. */
static void make_up(const struct baseline *baseline, enum kind kind, double level, double error,
                    gsl_rng *rng, struct reading readings[REPORTERS])
{
    const double common = gsl_ran_ugaussian(rng);
    for (enum reporter r = 0; r < REPORTERS; r++) {
        /* Two of the same kind share so much of their spells as their correlation says. */
        const double shared =
            assess_correlation(r, REPORTER_MEMORY == r ? REPORTER_READ : REPORTER_MEMORY);
        double log_ratio = 0, variance = 0;
        readings[r] = (struct reading){.n = 100, .spread = 10 * error, .error = error};
        if (!isfinite(baseline->quiet[r])) {
            readings[r].reason = "not measured";
            continue;
        }
        if (kind != KINDS)
            log_ratio = invert_curve_at(&baseline->curves, kind, r, level, &variance);
        variance += error * error + (1 - shared) * pow(baseline->between[r], 2) +
                    pow(baseline->error[r], 2);
        log_ratio +=
            gsl_ran_gaussian(rng, sqrt(variance)) + sqrt(shared) * baseline->between[r] * common;
        readings[r].value =
            baseline->quiet[r] * exp(reporters[r].higher_is_better ? -log_ratio : log_ratio);
    }
}

/* What the kernel would count beside it, where the reference knows that. */
static void make_up_activity(const struct baseline *baseline, enum kind kind, double level,
                             gsl_rng *rng, double activity[ACTIVITIES])
{
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        double share = 0, variance = 0;
        activity[a] = NAN;
        if (!isfinite(baseline->most[a]))
            continue;
        if (kind != KINDS)
            share = invert_curve_at(&baseline->curves, kind, REPORTERS + a, level, &variance);
        variance += pow(assess_share_error(baseline, a, share), 2);
        share += gsl_ran_gaussian(rng, sqrt(variance));
        activity[a] = baseline->idle[a] + share * baseline->most[a];
    }
}

static void mark(const struct assessment *assessment, enum kind kind, double level,
                 struct score *score)
{
    score->trials++;
    for (enum kind k = 0; k < KINDS; k++) {
        const struct invert_level *found = &assessment->inversion.level[k];
        const double truth = k == kind ? level : 0;
        if (!found->known)
            continue;
        const bool inside = found->lo <= truth && truth <= found->hi;
        score->levels++;
        score->level_covered += inside;
        score->alarms += k != kind && found->seen;
        if (k != kind)
            continue;
        score->covered += inside;
        score->close += fabs(found->level - level) <= CLOSE;
        score->seen += found->seen;
    }
}

static void print(struct line *line, const char *name, const struct score *score, bool quiet)
{
    line_object(line, name);
    line_real(line, "trials", score->trials);
    if (!quiet) {
        line_real(line, "found_within_10_points", score->close / score->trials);
        line_real(line, "covered", score->covered / score->trials);
        line_real(line, "seen", score->seen / score->trials);
    }
    line_real(line, "all_levels_covered", score->level_covered / score->levels);
    line_real(line, "other_kinds_seen", score->alarms / score->trials);
    line_close(line);
}

static struct score simulate(const struct baseline *baseline, const struct choices *choices,
                             enum kind kind, gsl_rng *rng)
{
    struct score score = {0};
    for (uint64_t i = 0; i < choices->trials; i++) {
        struct reading readings[REPORTERS];
        double activity[ACTIVITIES];
        struct assessment assessment;
        const double level = gsl_rng_uniform(rng);
        make_up(baseline, kind, level, choices->error, rng, readings);
        make_up_activity(baseline, kind, level, rng, activity);
        assess_readings(&assessment, readings, activity, baseline, 0.95);
        if (assessment.has_levels)
            mark(&assessment, kind, level, &score);
    }
    return score;
}

int probe_coverage(int argc, char **argv)
{
    struct choices choices = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &choices}};
    const struct program program = {
        .name = "probe coverage",
        .intro = "Simulates readings with known truth, and prints how often the levels that are "
                 "found are right.",
        .groups = groups,
        .group_count = 1};
    options_free(options_parse(&program, argc, argv, NULL));
    const struct probe_options options = {.reference = choices.reference};
    struct probe_plan plan = {.options = &options, .reasons = json_array()};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    struct line line = {0};
    if (rng == NULL || !baseline_read(&plan, NULL) || !plan.has_baseline)
        return complain("probe coverage: needs a reference: make one with jostle probe "
                        "--reference"),
               EXIT_FAILURE;
    gsl_rng_set(rng, choices.seed);
    line_object(&line, NULL);
    for (enum kind k = 0; k <= KINDS; k++) {
        if (k < KINDS && !plan.baseline.curves.usable[k])
            continue;
        const struct score score = simulate(&plan.baseline, &choices, k, rng);
        print(&line, k == KINDS ? "quiet" : kinds[k].name, &score, k == KINDS);
    }
    const char *text = line_end(&line);
    const bool good = text != NULL && fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    line_free(&line);
    gsl_rng_free(rng);
    json_decref(plan.reasons);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
