#include "evaluate.h"

#include "findings.h"
#include "scores_json.h"
#include "shared.h"
#include "study.h"

#include "common/date.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double confidence = 0.9; // of the intervals

enum { FEW_PROGRAMS = 8 };
static const double reproduced = 0.8; // rank correlation of repeats from which models can be ranked

// Everything that is judged at a place.
struct evaluation {
    const struct study *study;
    struct study_place place;
    struct dataset seen; // without what is set aside
    json_t *findings;
};

static void find(struct evaluation *evaluation, json_t *finding)
{
    json_array_append_new(evaluation->findings, finding);
}

static bool keep_seen(struct evaluation *evaluation)
{
    const struct dataset *all = &evaluation->place.data;
    struct dataset *seen = &evaluation->seen;
    *seen = *all;
    seen->item = NULL;
    seen->count = seen->capacity = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!evaluation->place.held[i] && !dataset_add(seen, &all->item[i]))
            return false;
    return true;
}

static bool seen_program(const struct dataset *data, size_t program)
{
    for (size_t i = 0; i < data->count; i++)
        if (data->item[i].a == program || data->item[i].b == program)
            return true;
    return false;
}

// Those of the tests whose victim passes the gate. False: no memory.
static bool keep_gated(const struct dataset *data, const struct tests *tests, struct tests *gated)
{
    *gated = (struct tests){.test = calloc(tests->count + 1, sizeof *gated->test)};
    for (size_t i = 0; gated->test && i < tests->count; i++)
        if (data->item[tests->test[i].item].gated)
            gated->test[gated->count++] = tests->test[i];
    return gated->test != NULL;
}

// What the figure to publish shows.
static void find_in_scores(struct evaluation *evaluation, const struct tests *tests)
{
    const struct predictor chosen = {.kind = PREDICTOR_CHOSEN};
    const struct skill skill = scores_skill(&evaluation->seen, tests, chosen);
    const struct cover cover = scores_cover(&evaluation->seen, tests);
    if (skill.value <= 0)
        find(evaluation, finding_json(FINDING_NO_SKILL,
                                      "no skill on unseen programs: %.2f, the best trivial "
                                      "predictor is `%s`",
                                      skill.value, trivial_name(skill.best)));
    if (cover.n > 0 && cover.share < confidence - 0.05)
        find(evaluation, finding_json(FINDING_COVERAGE, "90 %% intervals hold %.0f %% of the pairs",
                                      100 * cover.share));
}

// An error below the noise of the truth, or one that is nearer to the measurement that was
// trained on, comes from runs that both have seen.
static void find_in_ceiling(struct evaluation *evaluation, enum scheme scheme,
                            const struct ceiling *ceiling)
{
    if (ceiling->below)
        find(evaluation,
             finding_json(FINDING_BELOW_NOISE,
                          "%s left out: an error of %.2f points, below the noise ceiling of %.2f",
                          scheme_name(scheme), ceiling->predicted, ceiling->error));
    if (ceiling->drawn)
        find(evaluation,
             finding_json(FINDING_DRAWN,
                          "%s left out: predictions are %.2f points nearer to the first "
                          "measurement of a pair than to the second",
                          scheme_name(scheme), ceiling->toward));
    if (scheme != SCHEME_PROGRAM)
        return;
    if (!ceiling->below && ceiling->predicted < ceiling->error)
        find(evaluation,
             finding_json(FINDING_NEAR_NOISE,
                          "an error of %.2f points for pairs measured twice is below the noise "
                          "ceiling of %.2f",
                          ceiling->predicted, ceiling->error));
    if (ceiling->pairs == 0)
        find(evaluation, finding_json(FINDING_NO_REPEATS, "no pair was measured twice"));
    else if (ceiling->rank < reproduced)
        find(evaluation, finding_json(FINDING_NOT_TOLD,
                                      "the truth does not reproduce: rank correlation of %zu pairs "
                                      "measured twice %.2f, below %.1f",
                                      ceiling->pairs, ceiling->rank, reproduced));
}

static json_t *scheme_json(struct evaluation *evaluation, enum scheme scheme)
{
    struct tests tests, gated = {0};
    json_t *json = NULL;
    if (folds_run(&evaluation->seen, scheme, confidence, &tests) &&
        keep_gated(&evaluation->seen, &tests, &gated)) {
        const struct ceiling ceiling = scores_ceiling(&evaluation->seen, &tests);
        find_in_ceiling(evaluation, scheme, &ceiling);
        if (scheme == SCHEME_PROGRAM)
            find_in_scores(evaluation, &tests);
        json = json_pack("{s:s, s:b, s:o, s:o, s:o}", "left_out", scheme_name(scheme), "published",
                         scheme == SCHEME_PROGRAM, "all", scores_to_json(&evaluation->seen, &tests),
                         "gated", scores_to_json(&evaluation->seen, &gated), "ceiling",
                         ceiling_to_json(&ceiling));
    }
    tests_free(&tests);
    tests_free(&gated);
    return json;
}

static json_t *schemes_json(struct evaluation *evaluation)
{
    json_t *list = json_array();
    for (enum scheme scheme = 0; scheme < SCHEMES; scheme++) {
        json_t *one = scheme_json(evaluation, scheme);
        if (!one) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *names_json(const struct evaluation *evaluation, bool held)
{
    const struct dataset *data = &evaluation->place.data;
    json_t *list = json_array();
    for (size_t i = 0; i < data->programs; i++)
        if (study_held(evaluation->study, data->name[i]) == held)
            json_array_append_new(list, json_string(data->name[i]));
    return list;
}

static json_t *none_json(const struct study_place *place)
{
    json_t *list = json_array();
    for (size_t i = 0; i < place->none_count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o}", "a", place->none[i].a, "b",
                                        place->none[i].b, "why", text_to_json(place->none[i].why)));
    return list;
}

static void find_in_study(struct evaluation *evaluation, const struct shared *shared)
{
    const struct dataset *seen = &evaluation->seen;
    size_t programs = 0;
    for (size_t i = 0; i < seen->programs; i++)
        programs += seen_program(seen, i) ? 1 : 0;
    if (shared->pairs > 0)
        find(evaluation,
             finding_json(FINDING_SHARED_RUNS,
                          "%zu runs of %zu pairs are runs of a profile, too: such as %s beside %s, "
                          "and the profile of %s",
                          shared->runs, shared->pairs, shared->pair_a, shared->pair_b,
                          shared->profile));
    if (shared->unchecked > 0)
        find(evaluation,
             finding_json(FINDING_UNCHECKED, "%zu profiles have no experiments that can be read",
                          shared->unchecked));
    if (programs < FEW_PROGRAMS)
        find(evaluation, finding_json(FINDING_FEW_PROGRAMS,
                                      "%zu programs are few for figures on unseen ones", programs));
    if (evaluation->place.none_count > 0)
        find(evaluation,
             finding_json(FINDING_NO_NUMBER, "%zu pairs get no number, such as %s beside %s: %s",
                          evaluation->place.none_count, evaluation->place.none[0].a,
                          evaluation->place.none[0].b, evaluation->place.none[0].why));
}

// The programs that were set aside, by what all others teach.
static json_t *opened_json(const struct evaluation *evaluation)
{
    const struct dataset *data = &evaluation->place.data;
    bool *train = calloc(data->count + 1, sizeof *train);
    struct tests tests = {0}, gated = {0};
    json_t *json = NULL;
    for (size_t i = 0; train && i < data->count; i++)
        train[i] = !evaluation->place.held[i];
    if (train && folds_test(data, train, evaluation->place.held, confidence, &tests) &&
        keep_gated(data, &tests, &gated)) {
        const struct ceiling ceiling = scores_ceiling(data, &tests);
        json = json_pack("{s:o, s:o, s:o}", "all", scores_to_json(data, &tests), "gated",
                         scores_to_json(data, &gated), "ceiling", ceiling_to_json(&ceiling));
    }
    tests_free(&tests);
    tests_free(&gated);
    free(train);
    return json;
}

static json_t *place_json(struct evaluation *evaluation, bool opened)
{
    struct shared shared;
    const struct study_place *place = &evaluation->place;
    size_t gated = 0;
    if (!shared_runs(evaluation->study, place->place, &shared) || !keep_seen(evaluation))
        return NULL;
    for (size_t i = 0; i < evaluation->seen.count; i++)
        gated += evaluation->seen.item[i].gated ? 1 : 0;
    find_in_study(evaluation, &shared);
    json_t *schemes = schemes_json(evaluation);
    json_t *holdout = opened ? opened_json(evaluation) : json_null();
    if (!schemes || !holdout)
        return NULL;
    return json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:O}", "place", place->place,
                     "programs", names_json(evaluation, false), "set_aside",
                     names_json(evaluation, true), "pairs", (json_int_t)evaluation->seen.count,
                     "pairs_gated", (json_int_t)gated, "pairs_set_aside",
                     (json_int_t)place->set_aside, "no_number", none_json(place), "schemes",
                     schemes, "holdout", holdout, "findings", evaluation->findings);
}

static json_t *evaluate_place(const struct study *study, const char *place, bool opened)
{
    struct evaluation evaluation = {.study = study, .findings = json_array()};
    json_t *json =
        study_place(study, place, &evaluation.place) ? place_json(&evaluation, opened) : NULL;
    dataset_free(&evaluation.seen);
    study_place_free(&evaluation.place);
    json_decref(evaluation.findings);
    return json;
}

// Notes that the programs were opened, and gives all times of that, this one included.
static json_t *opened_times(const char *folder, bool open, const char *time)
{
    char *path, *line = NULL;
    size_t size = 0;
    json_t *times = json_array();
    if (asprintf(&path, "%s/holdout.opened", folder) < 0)
        return times;
    FILE *file = open ? fopen(path, "a+") : file_open_record(path);
    if (open && (!file || fprintf(file, "%s\n", time) < 0 || fflush(file) != 0)) {
        complain("%s: cannot be written: %s: that the programs were opened has to be kept", path,
                 strerror(errno));
        json_decref(times);
        times = NULL;
    }
    if (file && times)
        rewind(file);
    while (file && times && getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        json_array_append_new(times, text_to_json(line));
    }
    if (file)
        fclose(file);
    free(line);
    free(path);
    return times;
}

static json_t *evaluate_study(const struct study *study, const char *folder, bool opened)
{
    size_t count;
    char made[DATE_SIZE];
    const char **place = study_places(study, &count);
    json_t *places = json_array();
    bool good = place != NULL;
    for (size_t i = 0; good && i < count; i++) {
        json_t *one = evaluate_place(study, place[i], opened);
        good = one && json_array_append_new(places, one) == 0;
    }
    free(place);
    (void)date_utc(time(NULL), made);
    json_t *times = good ? opened_times(folder, opened, made) : NULL;
    if (!good || !times) {
        json_decref(places);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:f, s:o, s:o}", "schema", SCHEMA_PREDICTION_EVALUATION,
                     "made", made, "jostle", JOSTLE_VERSION, "confidence", confidence,
                     "holdout_opened", times, "places", places);
}

json_t *evaluate_folder(const char *folder, bool open_holdout)
{
    struct study study;
    json_t *record = NULL;
    const bool good = study_read(&study, folder);
    if (good && open_holdout && study.holdouts == 0)
        complain("%s/holdout: names no program: there is nothing to open", folder);
    else if (good && !(record = evaluate_study(&study, folder, open_holdout)))
        complain("%s: cannot be evaluated: free memory, or use a folder that can be written",
                 folder);
    study_free(&study);
    return record;
}
