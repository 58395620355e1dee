#include "course.h"

#include "common/record_json.h"

#include "capacity.h"
#include "judge.h"
#include "session.h"

#include <math.h>
#include <stdio.h>

// When the machine is measured before a block, and for how long: what it reaches then is its
// `machine` (machine.h).
//
// A probe takes a tenth of the time of a block, and 0.1 s at most; below 0.01 s it would show
// nothing, so blocks that are too short for that share one: at most a tenth of the time goes
// to probes, however short the runs are.

static const double share = 0.1; // of a block's time
static const double least_s = 0.01, most_s = 0.1;

// What a block takes by the runs so far; NAN: not known yet.
static double block_s(const struct session *session)
{
    double sum = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct sample *sample = &session->conditions[i].metric[WALL_S];
        sum += sample->count > 0 ? sample->mean : NAN;
    }
    return sum;
}

// How long to measure before a run of that block; 0: not at all.
static double block_probe_due(const struct block_probe *probe, const struct session *session,
                              size_t block)
{
    if (!probe->wanted || block == 0 || block == probe->block)
        return 0;
    const double expected_s = share * block_s(session);
    if (probe->was_made && !(expected_s >= least_s) && share * probe->since_s < least_s)
        return 0;
    return fmin(fmax(expected_s, least_s), most_s); // least_s where it is not known
}

// Notes that it was made, before a run of that block.
static void block_probe_made(struct block_probe *probe, size_t block)
{
    probe->was_made = true;
    probe->block = block;
    probe->since_s = 0;
}

// Notes a run, of block 0 if it is a warm-up or a washout, that took so long (NAN: not known).
static void block_probe_note(struct block_probe *probe, size_t block, double wall_s)
{
    if (block > 0)
        probe->block = block;
    if (wall_s > 0)
        probe->since_s += wall_s;
}

void course_init(struct course *course, struct experiment *experiment)
{
    *course = (struct course){.experiment = experiment};
    course->warm_ups = experiment->settings.warmup * experiment->settings.condition_count;
    session_init(&course->session, &experiment->settings);
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

void course_replay(struct course *course, json_t *record)
{
    char why[256];
    (void)replay_take(&course->replay, &course->session, record, why, sizeof why);
}

void course_begin(struct course *course)
{
    choose(course);
}

bool course_take(struct course *course, json_t *record, char *why, size_t why_size)
{
    json_decref(course->last);
    course->last = json_incref(record);
    if (!replay_take(&course->replay, &course->session, record, why, why_size))
        return false;
    block_probe_note(&course->probe, course->next.block, json_number_at(record, "wall_s"));
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
