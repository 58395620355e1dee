#include "resume.h"

#include "judge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The records' conditions by block, a bit each.
static uint64_t *conditions_by_block(const struct settings *settings, const json_t *records,
                                     size_t blocks)
{
    uint64_t *seen = calloc(blocks + 1, sizeof *seen);
    for (size_t i = 0; seen && i < json_array_size(records); i++) {
        const json_t *record = json_array_get(json_array_get(records, i), 1);
        const char *name = json_string_value(json_object_get(record, "condition"));
        const int condition = name ? settings_condition(settings, name) : -1;
        const double block = judge_number(record, "block");
        if (condition >= 0 && block > 0 && block <= (double)blocks)
            seen[(size_t)block] |= (uint64_t)1 << condition;
    }
    return seen;
}

static size_t last_block(const json_t *records)
{
    double last = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const double block = judge_number(json_array_get(json_array_get(records, i), 1), "block");
        if (block > last && block <= MAX_RUNS_LIMIT)
            last = block;
    }
    return (size_t)last;
}

static bool is_of_host(const struct experiment *experiment, const json_t *record, const char *host)
{
    const char *its = json_string_value(json_object_get(record, "host"));
    if (!its)
        its = json_string_value(
            json_object_get(json_object_get(experiment->json, "environment"), "host"));
    return !its || strcmp(its, host) == 0;
}

json_t *resume_unusable(const struct experiment *experiment, const json_t *records,
                        const char *host)
{
    const struct settings *settings = &experiment->settings;
    const size_t blocks = last_block(records), width = settings->condition_count;
    const uint64_t all = width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    uint64_t *seen = conditions_by_block(settings, records, blocks);
    json_t *numbers = seen ? json_array() : NULL;
    for (size_t i = 0; numbers && i < json_array_size(records); i++) {
        json_t *number = json_array_get(json_array_get(records, i), 0);
        const json_t *record = json_array_get(json_array_get(records, i), 1);
        const double block = judge_number(record, "block");
        if (!(block > 0) || block > (double)blocks)
            continue;
        const bool is_open = seen[(size_t)block] != all;
        const enum failure failure = judge_failure(record);
        // What did not keep the objective in time is an answer.
        const bool is_answer = settings_has_capacity(settings) && failure == FAILURE_TIMED_OUT;
        if (!(is_answer || judge_counts(failure, judge_exit_code(record), &settings->ignored)) ||
            (is_open && !is_of_host(experiment, record, host)))
            json_array_append(numbers, number);
    }
    free(seen);
    return numbers;
}

bool resume_note(struct experiment *experiment, size_t runs, size_t set_aside)
{
    json_t *resumed = json_object_get(experiment->json, "resumed");
    json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    // A complete experiment is left as it is; its last entry has its numbers.
    if (!json_is_object(last) || json_object_get(experiment->json, "after"))
        return false;
    return json_object_set_new(last, "runs", json_integer((json_int_t)runs)) == 0 &&
           json_object_set_new(last, "set_aside", json_integer((json_int_t)set_aside)) == 0;
}
