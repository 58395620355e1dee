#include "harness/probe/baseline.h"

#include "harness/pressure/reference.h"

#include "common/messages.h"
#include "common/trust.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool add_reason(struct probe_plan *plan, const char *text)
{
    return json_array_append_new(plan->reasons, json_string(text)) == 0 ||
           complain("out of memory: free some");
}

/* A reason for each kind that has no curve here. */
static bool add_kinds(struct probe_plan *plan, const struct reference *reference)
{
    bool good = true;
    for (enum kind k = 0; good && k < KINDS; k++) {
        char text[320];
        if (reference->kind_reason[k][0] == '\0')
            continue;
        snprintf(text, sizeof text, "%s: no level: %s", kinds[k].name, reference->kind_reason[k]);
        good = add_reason(plan, text);
    }
    return good;
}

/* A standard deviation of a few runs may be too small by chance: as much larger as Student's t is
 * beyond the normal distribution where a load is called seen. Without any, that of a window has
 * to do. */
static double spells_of(const struct reference_quiet *quiet)
{
    if (!isfinite(quiet->between) || quiet->runs < 2)
        return quiet->spread;
    const double df = isfinite(quiet->freedom) ? quiet->freedom : (double)quiet->runs - 1;
    return quiet->between * gsl_cdf_tdist_Pinv(0.99, df) / gsl_cdf_ugaussian_Pinv(0.99);
}

/* The most that a load of one kind adds; 0: nothing is known. */
static double most_of(const struct invert_curves *curves, size_t sign)
{
    double most = 0;
    for (enum kind k = 0; k < KINDS; k++)
        for (size_t p = 0; curves->usable[k] && p < curves->points; p++)
            most = fmax(most, curves->value[k][p][sign]); /* passes NAN over */
    return most;
}

/* Curves in shares of the most, or without figures, where they say nothing about this place. */
static void fill_activity(struct baseline *baseline, const struct reference *reference,
                          enum activity a)
{
    struct invert_curves *curves = &baseline->curves;
    const struct reference_activity *quiet = &reference->activity[a];
    const double most = most_of(curves, REPORTERS + a);
    const bool known = isfinite(quiet->value) && most > 0 && activity_holds(a, reference->place);
    baseline->idle[a] = quiet->value;
    baseline->idle_spread[a] = isfinite(quiet->between) ? quiet->between : 0;
    baseline->most[a] = known ? most : NAN;
    for (enum kind k = 0; k < KINDS; k++)
        for (size_t p = 0; p < curves->points; p++) {
            curves->value[k][p][REPORTERS + a] /= baseline->most[a];
            curves->variance[k][p][REPORTERS + a] /= baseline->most[a] * baseline->most[a];
        }
}

static void fill(struct baseline *baseline, const struct reference *reference)
{
    for (enum reporter r = 0; r < REPORTERS; r++) {
        const struct reference_quiet *quiet = &reference->quiet[r];
        baseline->quiet[r] = quiet->reason[0] == '\0' ? quiet->value : NAN;
        baseline->between[r] = spells_of(quiet);
        baseline->window[r] = quiet->spread;
        baseline->error[r] = isfinite(quiet->error) ? quiet->error : baseline->between[r];
        if (!isfinite(baseline->between[r]))
            baseline->quiet[r] = NAN;
    }
    baseline->curves = reference->curves;
    for (enum activity a = 0; a < ACTIVITIES; a++)
        fill_activity(baseline, reference, a);
}

static bool use(struct probe_plan *plan, const struct reference *reference,
                const json_t *environment)
{
    char why[1024] = "", text[PATH_MAX + 1100];
    const char *place = probe_places[plan->options->place];
    const enum reference_fitness fitness =
        environment == NULL
            ? REFERENCE_FIT
            : reference_judge(reference, environment, place, time(NULL), why, sizeof why);
    if (fitness != REFERENCE_FIT) {
        snprintf(text, sizeof text, "%s (%s)", why, plan->reference);
        if (!add_reason(plan, text))
            return false;
    }
    if (fitness == REFERENCE_UNFIT) {
        plan->reference[0] = '\0';
        return true;
    }
    fill(&plan->baseline, reference);
    plan->has_baseline = true;
    snprintf(plan->reference_made, sizeof plan->reference_made, "%s", reference->made);
    if (strcmp(place, "machine") != 0)
        snprintf(plan->cpus, sizeof plan->cpus, "%s", reference->target_cpus);
    return add_kinds(plan, reference);
}

static bool add_missing(struct probe_plan *plan)
{
    char text[256];
    const int place = plan->options->place;
    snprintf(text, sizeof text,
             "there is no reference, so there are no levels: make one on a quiet machine with "
             "jostle probe --reference%s%s",
             place == 0 ? "" : " --place ", place == 0 ? "" : probe_places[place]);
    return add_reason(plan, text);
}

bool baseline_read(struct probe_plan *plan, const json_t *environment)
{
    const struct probe_options *options = plan->options;
    struct reference reference;
    char path[PATH_MAX], why[512];
    if (options->reference != NULL)
        snprintf(path, sizeof path, "%s", options->reference);
    else if (!reference_path(probe_places[options->place], path) || access(path, F_OK) != 0)
        return add_missing(plan);
    if (options->reference == NULL && !trust_path(path)) {
        trust_complain(path, "reference");
        return add_missing(plan);
    }
    if (!reference_read(path, &reference, why, sizeof why)) {
        if (options->reference != NULL)
            usage_error("--reference-file %s: %s", path, why);
        return complain("the reference %s: %s", path, why);
    }
    snprintf(plan->reference, sizeof plan->reference, "%s", path);
    return use(plan, &reference, environment);
}
