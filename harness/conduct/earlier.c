// What an earlier session of the experiment left: which of its runs count, and which are made
// again.

#include "conduct.h"

#include "harness/stats/json.h"

#include "common/memory.h"
#include "common/messages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What a line of runs.jsonl says of whether its run is to be made again.
struct earlier_run {
    double block;  // NAN: it has none
    int condition; // -1: none that is known
    int exit_code;
    enum failure failure;
    bool is_of_host;
};

struct earlier {
    struct conduct *conduct;
    struct earlier_run *run;
    size_t count, capacity;
    struct replay replay;
};

static void take_line(void *to, json_t *record)
{
    struct earlier *earlier = to;
    const struct experiment *experiment = &earlier->conduct->experiment;
    const char *host = json_text_at(record, "host");
    if (!host)
        host = json_text_at(json_object_get(experiment->json, "environment"), "host");
    earlier->run = grown(earlier->run, earlier->count, &earlier->capacity, sizeof *earlier->run);
    earlier->run[earlier->count++] = (struct earlier_run){
        .block = json_number_at(record, "block"),
        .condition =
            settings_condition(&experiment->settings, json_text_or_empty(record, "condition")),
        .exit_code = judge_exit_code(record),
        .failure = judge_failure(record),
        .is_of_host = !host || strcmp(host, earlier->conduct->host) == 0,
    };
    replay_line(&earlier->replay, record);
}

// Whether each line's run must be made again: one of a block that another host began, as pairs are
// made of runs on one machine, and the run whose failure ended the experiment. *count: how many.
// To be freed.
static bool *resume_unusable(const struct earlier *earlier, size_t *count)
{
    const struct settings *settings = &earlier->conduct->experiment.settings;
    const size_t width = settings->condition_count;
    const uint64_t all = width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    double blocks = 0;
    for (size_t i = 0; i < earlier->count; i++)
        if (earlier->run[i].block > blocks && earlier->run[i].block <= MAX_RUNS_LIMIT)
            blocks = earlier->run[i].block;
    // The conditions of the runs by block, a bit each.
    OWNED uint64_t *seen = must(calloc((size_t)blocks + 1, sizeof *seen));
    for (size_t i = 0; i < earlier->count; i++) {
        const struct earlier_run *run = &earlier->run[i];
        if (run->condition >= 0 && run->block > 0 && run->block <= blocks)
            seen[(size_t)run->block] |= (uint64_t)1 << run->condition;
    }
    bool *unusable = must(calloc(earlier->count + 1, sizeof *unusable));
    *count = 0;
    for (size_t i = 0; i < earlier->count; i++) {
        const struct earlier_run *run = &earlier->run[i];
        if (!(run->block > 0) || run->block > blocks)
            continue;
        const bool is_open = seen[(size_t)run->block] != all;
        // What did not keep the objective in time is an answer.
        const bool is_answer = failure_is_answer(run->failure, settings_has_capacity(settings));
        unusable[i] =
            !(is_answer || failure_counts(run->failure, run->exit_code, &settings->ignored)) ||
            (is_open && !run->is_of_host);
        *count += unusable[i];
    }
    return unusable;
}

// Sets aside what cannot be used, and then takes all of the file anew.
bool earlier_take_over(struct conduct *conduct, size_t *set_aside)
{
    struct folder *folder = &conduct->folder;
    struct earlier earlier = {.conduct = conduct, .replay = {.session = &conduct->course.session}};
    bool good = folder_repair(folder) && records_each(folder->runs, take_line, &earlier, false);
    replay_complain(&earlier.replay, folder->runs);
    OWNED bool *unusable = good ? resume_unusable(&earlier, set_aside) : NULL;
    if (good && *set_aside > 0) {
        complain("%zu run%s in %s set aside, to be made again: failed, or begun in a block on "
                 "another host",
                 *set_aside, *set_aside == 1 ? "" : "s", folder->path);
        course_free(&conduct->course);
        course_init(&conduct->course, &conduct->experiment);
        good = folder_set_aside(folder, unusable) &&
               replay_records(&conduct->course.session, folder->runs, true);
    }
    conduct->earlier = conduct->folder.lines = conduct->course.session.count;
    free(earlier.run);
    return good;
}
