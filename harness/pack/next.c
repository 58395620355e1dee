#include "next.h"

#include "plan.h"
#include "rows.h"
#include "search.h"
#include "stages.h"

#include "common/memory.h"
#include "common/pair.h"
#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_LEAST = 3 };

static struct search search_of(const json_t *plan, double left_s)
{
    const size_t programs = plan_programs(plan);
    return (struct search){
        .least = programs > 1 ? programs : 2,
        .most = plan_most(plan),
        .trial_s = json_number_at(json_object_get(plan, "trial"), "makespan_s"),
        .room = (size_t)json_number_at(json_object_get(plan, "cpus"), "room"),
        .left_s = left_s,
        .min_runs = (size_t)plan_setting(plan, "min_runs"),
    };
}

/* As many blocks at least as the time has room for, at most those of --min-runs. */
static size_t min_runs(const struct search *search, const size_t *count, size_t counts,
                       double seconds)
{
    const double fit = floor(search_blocks(search, count, counts, seconds));
    return (size_t)fmin(fmax(fit, BLOCKS_LEAST), (double)search->min_runs);
}

/* "1, 2, 4 copies at once": what a stage measures. */
static void put_text(const size_t *count, size_t counts)
{
    char *text = must(strdup("1"));
    for (size_t i = 0; i < counts; i++) {
        const bool run =
            i > 0 && i + 1 < counts && count[i] == count[i - 1] + 1 && count[i + 1] == count[i] + 1;
        const bool after = i > 1 && count[i] == count[i - 2] + 2;
        char *longer =
            run ? must(strdup(text)) : text_of("%s%s%zu", text, after ? " to " : ", ", count[i]);
        free(text);
        text = longer;
    }
    pair_put("text", text);
    free(text);
}

/* Writes the cell, and says so. */
static bool begin(const json_t *plan, const char *dir, size_t number, const struct search *search,
                  const size_t *count, size_t counts, double seconds)
{
    const double confidence = json_number_at(json_object_get(plan, "search"), "confidence_each");
    char *folder = stage_write(plan, dir, number, count, counts, seconds, confidence,
                               min_runs(search, count, counts, seconds));
    if (folder == NULL)
        return false;
    pair_put("stage", folder);
    put_text(count, counts);
    free(folder);
    return true;
}

static bool begin_first(json_t *plan, const char *dir, double left_s)
{
    size_t count[SEARCH_COUNTS_MOST], stages;
    if (!plan_take_trial(plan, dir))
        return false;
    const struct search search = search_of(plan, left_s);
    const size_t counts = search_first(&search, count, &stages);
    if (stages > STAGES_MOST)
        stages = STAGES_MOST;
    /* Each stage may be wrong; all of them together no more often than is wanted. */
    const double confidence = 1 - (1 - plan_confidence(plan)) / (double)stages;
    json_put(plan, "search",
             must(json_pack("{s:I, s:f, s:b}", "stages", (json_int_t)stages, "confidence_each",
                            confidence, "all", stages == 1)));
    return plan_keep(plan, dir) && begin(plan, dir, 1, &search, count, counts,
                                         stages == 1 ? left_s : search_first_share * left_s);
}

/* Continues a stage that was interrupted: the same numbers of copies, with the limits of now. */
static bool continue_stage(const json_t *plan, const char *dir, const struct stages *stages,
                           double left_s)
{
    const struct stage *stage = &stages->stage[stages->count - 1];
    const struct search search = search_of(plan, left_s);
    size_t count[MAX_CONDITIONS], counts = 0;
    for (size_t i = 1; i < stage->experiment.settings.condition_count; i++)
        count[counts++] = stage_copies(stage, i);
    return begin(plan, dir, stages->count, &search, count, counts, left_s);
}

static size_t points_of(const struct rows *rows, struct search_point *point)
{
    size_t points = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        if (row->condition == 0)
            continue;
        point[points++] = (struct search_point){.copies = row->copies,
                                                .below = row->verdict == ROW_BELOW,
                                                .in_knee = row->in_knee,
                                                .slowdown_low = row->slowdown.low,
                                                .slowdown_high = row->slowdown.high};
    }
    return points;
}

static bool begin_further(const json_t *plan, const char *dir, struct stages *stages, double left_s)
{
    const json_t *kept = json_object_get(plan, "search");
    const size_t most = (size_t)json_number_at(kept, "stages");
    size_t count[SEARCH_COUNTS_MOST], counts = 0;
    struct rows rows;
    if (stages->count >= most)
        return true;
    const double seconds = left_s / (double)(most - stages->count);
    const struct search search = search_of(plan, seconds);
    pack_rows_make(&rows, stages, plan_setting(plan, "at_most"),
                   json_number_at(kept, "confidence_each"));
    struct search_point *point = must(calloc(rows.count + 1, sizeof *point));
    const size_t points = points_of(&rows, point);
    counts = search_more(&search, point, points, count);
    free(point);
    rows_free(&rows);
    return counts == 0 || begin(plan, dir, stages->count + 1, &search, count, counts, seconds);
}

/* Whether the last stage has something left to be measured. */
static bool is_unfinished(const struct stages *stages, bool again)
{
    const struct stage *stage = &stages->stage[stages->count - 1];
    const char *stopped = experiment_stopped(&stage->experiment);
    return !stage->complete || (again && stopped != NULL && strcmp(stopped, "max-time") == 0);
}

bool next_print(const char *dir, double left_s, bool again)
{
    struct stages stages;
    json_t *plan = plan_load(dir);
    bool good = plan != NULL;
    if (!good)
        return false;
    if (!json_has(plan, "search")) {
        good = begin_first(plan, dir, left_s);
    } else {
        good = stages_read(&stages, dir);
        if (good && stages.count > 0 && is_unfinished(&stages, again))
            good = continue_stage(plan, dir, &stages, left_s);
        else if (good && stages.count == 0)
            good = begin_first(plan, dir, left_s);
        else if (good)
            good = begin_further(plan, dir, &stages, left_s);
        stages_free(&stages);
    }
    json_decref(plan);
    return good;
}
