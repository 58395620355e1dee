#include "scores_json.h"

#include "common/record_json.h"

json_t *candidate_to_json(const struct candidate *candidate)
{
    return json_pack("{s:s, s:b}", "variant", candidate->variant->name, "learned",
                     candidate->fitted);
}

static json_t *trivials_json(const struct dataset *data, const struct tests *tests)
{
    json_t *object = json_object();
    for (enum trivial i = 0; i < TRIVIALS; i++) {
        const struct predictor predictor = {PREDICTOR_TRIVIAL, i};
        json_object_set_new(object, trivial_name(i),
                            number_to_json(scores_errors(data, tests, predictor).mean));
    }
    return object;
}

// Each candidate as if it had been chosen beforehand, and how often it was chosen.
static json_t *models_json(const struct dataset *data, const struct tests *tests)
{
    struct candidate candidate[CANDIDATES];
    const size_t candidates = choose_candidates(candidate);
    json_t *list = json_array();
    for (size_t i = 0; i < candidates; i++) {
        const struct errors errors =
            scores_errors(data, tests, (struct predictor){PREDICTOR_CANDIDATE, i});
        json_t *one = candidate_to_json(&candidate[i]);
        json_int_t chosen = 0;
        for (size_t k = 0; k < tests->count; k++)
            chosen += tests->test[k].choice == i ? 1 : 0;
        json_object_set_new(one, "error", number_to_json(errors.mean));
        json_object_set_new(one, "rank", number_to_json(errors.rank));
        json_object_set_new(one, "chosen", json_integer(chosen));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *safety_json(const struct dataset *data, const struct tests *tests)
{
    struct safety safety[LIMITS];
    json_t *list = json_array();
    scores_safety(data, tests, safety);
    for (size_t i = 0; i < LIMITS; i++)
        json_array_append_new(list, json_pack("{s:f, s:I, s:I, s:I, s:I}", "limit",
                                              scores_limits[i], "said", (json_int_t)safety[i].said,
                                              "wrong", (json_int_t)safety[i].wrong, "said_surely",
                                              (json_int_t)safety[i].said_surely, "wrong_surely",
                                              (json_int_t)safety[i].wrong_surely));
    return list;
}

json_t *scores_to_json(const struct dataset *data, const struct tests *tests)
{
    const struct predictor chosen = {.kind = PREDICTOR_CHOSEN};
    const struct errors errors = scores_errors(data, tests, chosen);
    const struct skill skill = scores_skill(data, tests, chosen);
    const struct cover cover = scores_cover(data, tests);
    if (tests->count == 0)
        return json_null();
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:s}, s:{s:I, s:o, s:o}, s:o, s:o, s:o}", "tests",
        (json_int_t)errors.n, "error", number_to_json(errors.mean), "p90",
        number_to_json(errors.p90), "worst", number_to_json(errors.worst), "rank",
        number_to_json(errors.rank), "skill", "value", number_to_json(skill.value), "sd",
        number_to_json(skill.sd), "best_trivial", trivial_name(skill.best), "intervals", "tests",
        (json_int_t)cover.n, "coverage", number_to_json(cover.share), "width",
        number_to_json(cover.width), "safety", safety_json(data, tests), "trivial",
        trivials_json(data, tests), "models", models_json(data, tests));
}

json_t *ceiling_to_json(const struct ceiling *ceiling)
{
    if (ceiling->pairs == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o, s:b}", "pairs", (json_int_t)ceiling->pairs,
                     "error", number_to_json(ceiling->error), "rank", number_to_json(ceiling->rank),
                     "predicted", number_to_json(ceiling->predicted), "below", ceiling->below,
                     "nearer", number_to_json(ceiling->toward), "leak", ceiling->drawn);
}
