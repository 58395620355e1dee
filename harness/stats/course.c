#include "course.h"

#include "capacity.h"
#include "judge.h"

#include <stdio.h>

bool course_init(struct course *course, struct experiment *experiment)
{
    *course = (struct course){.experiment = experiment};
    course->warm_ups = experiment->warmup * experiment->settings.condition_count;
    return session_init(&course->session, &experiment->settings);
}

// Warm-up runs come first, the conditions in turn, unless nothing is to be measured.
static void choose(struct course *course)
{
    const size_t width = course->experiment->settings.condition_count;
    struct decision *next = &course->next;
    *next = decide(&course->session);
    course->is_warm_up = course->warm_ups > 0 && next->stop == STOP_NOT;
    course->is_washout = !course->is_warm_up && next->washout == WASHOUT_RUN;
    if (course->is_warm_up) {
        next->condition = (width - course->warm_ups % width) % width;
        next->washout = WASHOUT_NONE;
    }
    if (course->is_washout)
        next->condition = 0;
    if (settings_has_capacity(course->session.settings) && next->stop == STOP_NOT)
        next->value = capacity_next(&course->session, next->condition, next->block);
    if (course->is_warm_up || course->is_washout)
        next->block = next->order = 0;
    const bool is_run = next->stop == STOP_NOT && next->washout == WASHOUT_NONE;
    course->probe_s = is_run ? block_probe_due(&course->probe, &course->session, next->block) : 0;
}

bool course_replay(struct course *course, json_t *record)
{
    char why[256];
    return replay_take(&course->replay, &course->session, record, why, sizeof why);
}

void course_begin(struct course *course)
{
    choose(course);
}

bool course_take(struct course *course, json_t *record, char *why, size_t why_size)
{
    json_decref(course->last);
    course->last = json_incref(record);
    snprintf(why, why_size, "no memory for one more run");
    if (!replay_take(&course->replay, &course->session, record, why, why_size) || why[0] != '\0')
        return false;
    block_probe_note(&course->probe, course->next.block, judge_number(record, "wall_s"));
    if (course->is_warm_up)
        course->warm_ups--;
    // It is a run like those of the baseline, and ends the experiment like them.
    if (course->is_washout && !judge_counts(judge_failure(record), judge_exit_code(record),
                                            &course->experiment->settings.ignored))
        course->session.unusable++;
    choose(course);
    return true;
}

void course_probed(struct course *course)
{
    block_probe_made(&course->probe, course->next.block);
    course->probe_s = 0;
}

void course_rest(struct course *course)
{
    session_rest(&course->session);
    choose(course);
}

void course_stop(struct course *course, enum stop_reason reason)
{
    course->session.outside = reason;
    choose(course);
}

void course_free(struct course *course)
{
    json_decref(course->last);
    replay_free(&course->replay);
    session_free(&course->session);
}
