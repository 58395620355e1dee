#include "fair.h"
#include "model.h"

#include "common/cpus.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Levels of all others on one program; low and high bound `value`.
struct level {
    double value, low, high;
    bool saturated;
    bool at_least; // one of them is only known from below
};

// How many CPUs a program of this profile has in common with its neighbours; 0: none.
static size_t shared_cpus(const struct program_profile *profile)
{
    struct cpu_list list = {0};
    if (strcmp(profile->place, "core") == 0)
        return 1;
    if (strcmp(profile->place, "machine") != 0 || cpus_parse(profile->target_cpus, &list) != 0)
        return 0;
    return list.count;
}

static struct fair_program demand_of(const struct program_profile *profile)
{
    return (struct fair_program){profile->alone.cpus_used, profile->alone.threads,
                                 profile->alone.burst_s};
}

// CPUs that the load kept busy; where it was not recorded, as many as its threads want: all those
// of the place for a load that computes, none for disk and network.
static double load_cpus_of(const char *kind, const struct sensitivity_point *point, size_t capacity)
{
    if (isfinite(point->load_cpus))
        return point->load_cpus;
    const bool waits = strcmp(kind, "io") == 0 || strcmp(kind, "net") == 0;
    return waits ? 0 : point->level * (double)capacity;
}

// log(slowdown) by a kind at a level with the CPU time that the load took from the victim taken
// out, point by point, and linear between them; it never falls with the level.
static double cost_beside_share(const struct program_profile *victim,
                                const struct sensitivity_curve *curve, double level)
{
    const size_t capacity = shared_cpus(victim);
    double below = 0, cost = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct sensitivity_point *point = &curve->point[i];
        if (!isfinite(point->fit))
            continue;
        const double load = load_cpus_of(curve->kind, point, capacity);
        const double fair = fair_slowdown_by_load(demand_of(victim), load, capacity);
        const double next = fmax(log(point->fit) - log(fair), cost);
        if (!isfinite(fair))
            return NAN;
        if (level <= point->level)
            return cost + (next - cost) * (level - below) / (point->level - below);
        below = point->level;
        cost = next;
    }
    return cost;
}

// log(slowdown) by a kind at a level, apart from the share of CPUs that is in `analytic`; *sd is
// its standard error. Of the load `cpu` nothing is left then.
static enum sensitivity_answer cost_at(const struct program_profile *victim, const char *kind,
                                       double level, double *cost, double *sd)
{
    const bool shares = shared_cpus(victim) > 0;
    *cost = *sd = 0;
    if (shares && strcmp(kind, "cpu") == 0)
        return SENSITIVITY_KNOWN;
    const enum sensitivity_answer answer =
        sensitivity_at(&victim->sensitivity, kind, level, cost, sd);
    if (answer == SENSITIVITY_KNOWN && shares)
        *cost = cost_beside_share(victim, sensitivity_find(&victim->sensitivity, kind), level);
    return answer;
}

// Of one kind of all programs but the victim; relief[i]: by how much program i is slowed, and
// so presses less. value NAN: one of them is not known.
static struct level level_on(size_t victim, const char *kind,
                             const struct program_profile *const *program, size_t count,
                             const double relief[])
{
    struct level level = {0};
    for (size_t i = 0; i < count; i++) {
        if (i == victim)
            continue;
        const struct profile_level *one = profile_level_of(program[i], kind);
        level.value += one ? one->level / relief[i] : NAN;
        level.low += one ? one->low / relief[i] : NAN;
        level.high += one ? one->high / relief[i] : NAN;
        // From 0 on it cannot be told, and counts as what was calibrated at most.
        level.at_least = level.at_least || (one && one->open && one->low > 0);
    }
    // More than all of what the machine has cannot be taken, however many want it.
    level.saturated = count > 2 && level.value > 1;
    level.value = level.value > 1 ? 1 : level.value;
    level.low = level.low > 1 ? 1 : level.low;
    level.high = level.high > 1 ? 1 : level.high;
    return level;
}

// Slowdown of the victim by all kinds, CPU time apart.
static double slowed_by_kinds(size_t victim, const struct program_profile *const *program,
                              size_t count, const double relief[])
{
    const struct sensitivity *sensitivity = &program[victim]->sensitivity;
    double all = 0;
    for (size_t k = 0; k < sensitivity->count; k++) {
        const char *kind = sensitivity->curve[k].kind;
        const struct level level = level_on(victim, kind, program, count, relief);
        double cost, sd;
        if (isfinite(level.value) &&
            cost_at(program[victim], kind, level.value, &cost, &sd) == SENSITIVITY_KNOWN &&
            isfinite(cost))
            all += cost;
    }
    return exp(all);
}

// The fixed point: each presses less for being slowed by the others. Damped, so that steep
// curves do not swing.
static void find_relief(const struct program_profile *const *program, size_t count, double relief[])
{
    for (size_t i = 0; i < count; i++)
        relief[i] = 1;
    double change = 1;
    for (unsigned step = 0; step < 200 && change > 1e-9; step++) {
        double next[PREDICT_PROGRAMS];
        change = 0;
        for (size_t i = 0; i < count; i++)
            next[i] = sqrt(relief[i] * slowed_by_kinds(i, program, count, relief));
        for (size_t i = 0; i < count; i++) {
            change = fmax(change, fabs(next[i] - relief[i]));
            relief[i] = next[i];
        }
    }
}

static bool refuse(struct pair_features *features, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct pair_features *features, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(features->why, sizeof features->why, format, list);
    va_end(list);
    features->known = false;
    return false;
}

// Bounds of a cost from those of its two parts, the level and the curve (variance estimates
// recovery: G. Y. Zou and A. Donner, Statist. Med. 27 (2008) 1693-1702).
static void bound(struct predict_kind *kind, const struct program_profile *victim,
                  const struct level *level, double cost, double sd)
{
    const double z = gsl_cdf_ugaussian_Pinv(0.5 + victim->confidence / 2);
    double low, high, ignored;
    (void)cost_at(victim, kind->name, level->low, &low, &ignored);
    const bool is_open =
        cost_at(victim, kind->name, level->high, &high, &ignored) != SENSITIVITY_KNOWN ||
        level->at_least;
    sd = isfinite(sd) ? sd : 0;
    kind->low = fmax(exp(cost - hypot(cost - low, z * sd)) - 1, 0);
    kind->high = is_open ? INFINITY : exp(cost + hypot(high - cost, z * sd)) - 1;
}

// The cost of one kind. False: outside of what was calibrated.
static bool fill_kind(struct pair_features *features, const struct program_profile *victim,
                      const char *name, const struct level *level)
{
    struct predict_kind *kind = &features->kind[features->kinds++];
    double cost, sd;
    *kind = (struct predict_kind){.level = level->value,
                                  .effect = NAN,
                                  .low = 0,
                                  .high = INFINITY,
                                  .saturated = level->saturated};
    (void)snprintf(kind->name, sizeof kind->name, "%s", name);
    if (!isfinite(level->value)) {
        const struct level any = {.high = 1};
        bound(kind, victim, &any, 0, 0);
        return true;
    }
    if (cost_at(victim, name, level->value, &cost, &sd) != SENSITIVITY_KNOWN || !isfinite(cost))
        return refuse(features,
                      "outside of what was calibrated: what %s costs %s was not measured up to "
                      "the level of %.0f %%",
                      name, victim->name, 100 * level->value);
    kind->effect = exp(cost) - 1;
    bound(kind, victim, level, cost, sd);
    return true;
}

// Kinds that a neighbour surely presses with, and whose cost was not measured.
static bool check_neighbour(struct pair_features *features, const struct program_profile *victim,
                            const struct program_profile *other)
{
    if (other->levels == 0)
        return refuse(features,
                      "the pressure of %s has no levels: profile it where there is a reference "
                      "(jostle probe --reference)",
                      other->name);
    for (size_t i = 0; i < other->levels; i++) {
        const struct profile_level *level = &other->level[i];
        if (level->beyond)
            return refuse(features,
                          "outside of what was calibrated: %s presses with more than %s at 100 %%",
                          other->name, level->kind);
        if (level->seen && sensitivity_find(&victim->sensitivity, level->kind) == NULL &&
            (shared_cpus(victim) == 0 || strcmp(level->kind, "cpu") != 0))
            return refuse(features,
                          "outside of what was calibrated: %s presses with %s, whose cost for %s "
                          "was not measured",
                          other->name, level->kind, victim->name);
    }
    return true;
}

static void fill_means(struct pair_features *features, const struct program_profile *victim)
{
    double effects = 0, levels = 0;
    size_t effect_count = 0, level_count = 0;
    for (size_t k = 0; k < features->kinds; k++) {
        const struct sensitivity_curve *curve = &victim->sensitivity.curve[k];
        double cost, sd;
        if (curve->count > 0 &&
            cost_at(victim, curve->kind, curve->point[curve->count - 1].level, &cost, &sd) ==
                SENSITIVITY_KNOWN &&
            isfinite(cost)) {
            effects += exp(cost) - 1;
            effect_count++;
        }
        if (isfinite(features->kind[k].level)) {
            levels += features->kind[k].level;
            level_count++;
        }
    }
    features->sensitivity = effect_count > 0 ? effects / (double)effect_count : 0;
    features->pressure = level_count > 0 ? levels / (double)level_count : 0;
}

static double share_of(size_t victim, const struct program_profile *const *program, size_t count)
{
    struct fair_program demand[PREDICT_PROGRAMS] = {demand_of(program[victim])};
    size_t used = 1;
    for (size_t i = 0; i < count; i++)
        if (i != victim)
            demand[used++] = demand_of(program[i]);
    return fair_slowdown(demand, used, shared_cpus(program[victim]));
}

static bool fill(struct pair_features *features, size_t victim,
                 const struct program_profile *const *program, size_t count, const double relief[])
{
    const struct program_profile *self = program[victim];
    *features = (struct pair_features){.known = true};
    features->analytic = share_of(victim, program, count);
    if (!isfinite(features->analytic))
        return refuse(features, "the CPU time of %s alone, or of a neighbour, is not known",
                      self->name);
    if (self->sensitivity.count == 0)
        return refuse(features, "the profile of %s has no sensitivity: profile it again",
                      self->name);
    for (size_t i = 0; i < count; i++)
        if (i != victim && !check_neighbour(features, self, program[i]))
            return false;
    for (size_t k = 0; k < self->sensitivity.count; k++) {
        const char *kind = self->sensitivity.curve[k].kind;
        const struct level level = level_on(victim, kind, program, count, relief);
        if (!fill_kind(features, self, kind, &level))
            return false;
    }
    fill_means(features, self);
    return true;
}

void predict_features_together(const struct program_profile *const *program, size_t count,
                               struct pair_features *features)
{
    double relief[PREDICT_PROGRAMS];
    find_relief(program, count, relief);
    for (size_t i = 0; i < count; i++)
        (void)fill(&features[i], i, program, count, relief);
}

bool predict_features(const struct program_profile *a, const struct program_profile *b,
                      struct pair_features *features)
{
    const struct program_profile *const both[] = {a, b};
    double relief[2];
    find_relief(both, 2, relief);
    return fill(features, 0, both, 2, relief);
}
