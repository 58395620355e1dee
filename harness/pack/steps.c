// The experiments of a pack in their order: one copy by itself, then one stage after another.

#include "search.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/stats/json.h"

#include <string.h>

// One copy by itself, once: whether it works at all, how long it takes, and how much memory it
// needs.
static void step_trial(const json_t *plan, const char *dir)
{
    const json_t *settings = json_object_get(plan, "settings");
    json_auto_t *words = launcher_words(plan, 0);
    OWNED char *list = pack_metric_list(plan);
    char *rest = list, seconds[32];
    study_step("run", dir, STAGE_TRIAL);
    study_word("--quiet");
    study_option("--runs", "1");
    study_option("--shell", "none");
    study_option("--timeout", plan_trial_time(plan, seconds));
    for (size_t i = 0; i < PASSED_HOOKS; i++) {
        OWNED char *option = text_of("--%s", passed_settings[i]);
        study_option(option, json_text_at(settings, passed_settings[i]));
    }
    for (char *one = strsep(&rest, "\n"); one; one = strsep(&rest, "\n"))
        study_option("--metric", one);
    study_word("--");
    study_words(words);
    study_step_end();
}

static struct search search_of(const json_t *plan, double left_s)
{
    const size_t programs = plan_programs(plan);
    return (struct search){
        .least = programs > 1 ? programs : 2,
        .most = plan_most(plan),
        .trial_s = json_number_at(json_object_get(plan, "trial"), "makespan_s"),
        .room = json_number_at(json_object_get(plan, "cpus"), "room"),
        .left_s = left_s,
    };
}

// "1, 2, 4 to 8": what a stage measures.
static char *counts_text(const struct counts *counts)
{
    const size_t *count = counts->item;
    char *text = text_of("1");
    for (size_t i = 0; i < counts->count; i++) {
        const bool run = i > 0 && i + 1 < counts->count && count[i] == count[i - 1] + 1 &&
                         count[i + 1] == count[i] + 1;
        const bool after = i > 1 && count[i] == count[i - 2] + 2;
        if (!run)
            text = text_added(text, "%s%zu", after ? " to " : ", ", count[i]);
    }
    return text;
}

// Writes the cell, and has it measured.
static bool begin_stage(const json_t *plan, const struct pack_request *request, size_t number,
                        const struct search *search, const struct counts *counts, double seconds)
{
    OWNED char *cell = stage_write(plan, request->next, number, search, counts, seconds);
    if (!cell)
        return false;
    OWNED char *list = counts_text(counts), *name = text_of("stages/%zu", number),
               *text = text_of("stage %zu: %s copies at once, at most %.0f s left", number, list,
                               request->left_s);
    pair_put("say", text);
    study_step("slowdown", request->next, name);
    study_word("--quiet");
    if (request->verbose)
        study_word("--verbose");
    study_option("--cell", cell);
    study_step_end();
    return true;
}

static bool begin_first(json_t *plan, const struct pack_request *request)
{
    size_t stages;
    const double left_s = request->left_s, most_s = plan_setting(plan, "max_time_s");
    if (!plan_take_trial(plan, request->next))
        return false;
    if (!(left_s > 0))
        return complain("one copy alone took %.0f s, and --max-time is %.0f s: give twenty times "
                        "what one takes (records: %s)",
                        most_s - left_s, most_s, request->next);
    const struct search search = search_of(plan, left_s);
    const struct counts counts = first_counts(&search, plan_setting(plan, "min_runs"), &stages);
    if (stages > STAGES_MOST)
        stages = STAGES_MOST;
    // Each stage may be wrong; all of them together no more often than is wanted.
    const double confidence = 1 - (1 - plan_confidence(plan)) / (double)stages;
    json_put(plan, "search",
             must(json_pack("{s:I, s:f, s:b}", "stages", (json_int_t)stages, "confidence_each",
                            confidence, "all", stages == 1)));
    return study_keep(&pack_study, plan, request->next, NULL) &&
           begin_stage(plan, request, 1, &search, &counts,
                       stages == 1 ? left_s : FIRST_SHARE * left_s);
}

// Continues a stage that was interrupted: the same numbers of copies, with the limits of now.
static bool continue_stage(const json_t *plan, const struct pack_request *request,
                           const struct stages *stages)
{
    const struct measured *stage = &stages->stage[stages->count - 1];
    const struct search search = search_of(plan, request->left_s);
    struct counts counts = {0};
    for (size_t i = 1; i < stage->experiment.settings.condition_count; i++)
        counts.item[counts.count++] = stage_copies(stage, i);
    return begin_stage(plan, request, stages->count, &search, &counts, request->left_s);
}

static bool begin_further(const json_t *plan, const struct pack_request *request,
                          struct stages *stages)
{
    const json_t *kept = json_object_get(plan, "search");
    const size_t most = (size_t)json_number_at(kept, "stages");
    struct rows rows;
    if (stages->count >= most)
        return true;
    const double seconds = request->left_s / (double)(most - stages->count);
    const struct search search = search_of(plan, seconds);
    pack_rows_make(&rows, stages, plan_setting(plan, "at_most"),
                   json_number_at(kept, "confidence_each"));
    const struct counts counts = more_counts(&search, &rows);
    rows_free(&rows);
    return counts.count == 0 ||
           begin_stage(plan, request, stages->count + 1, &search, &counts, seconds);
}

static bool next_stage(json_t *plan, const struct pack_request *request)
{
    struct stages stages;
    bool good = stages_read(&stages, request->next);
    if (good && stages.count == 0) {
        good = begin_first(plan, request);
    } else if (good && request->left_s > 0) {
        const struct measured *last = &stages.stage[stages.count - 1];
        const char *stopped = experiment_stopped(&last->experiment);
        const bool unfinished = !measured_is_done(last) ||
                                (request->again && stopped && strcmp(stopped, "max-time") == 0);
        good = unfinished ? continue_stage(plan, request, &stages)
                          : begin_further(plan, request, &stages);
    }
    stages_free(&stages);
    return good;
}

bool next_print(const struct pack_request *request)
{
    json_t *plan = study_plan(&pack_study, request->next);
    bool good = plan != NULL;
    if (good && !json_has(plan, "search") && !study_is_done(request->next, STAGE_TRIAL))
        step_trial(plan, request->next);
    else if (good)
        good = next_stage(plan, request);
    json_decref(plan);
    return good;
}
