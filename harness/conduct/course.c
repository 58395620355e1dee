// The course of one experiment: which run is next, by what the runs so far have shown.

#include "course.h"

#include "harness/stats/capacity.h"
#include "harness/stats/json.h"

#include "common/record_json.h"

#include <math.h>

// When the machine is measured before a block, and for how long: what it reaches then is its
// `machine`.
//
// A probe takes a tenth of the time of a block, and 0.1 s at most; below 0.01 s it would show
// nothing, so blocks that are too short for that share one: at most a tenth of the time goes
// to probes, however short the runs are. How long a block takes is known after the first one: an
// experiment of a few milliseconds has no probe at all.

static const double share = 0.1; // of a block's time
static const double least_s = 0.01, most_s = 0.1;
static const double shortest_run_s =
    0.005; // beside shorter runs a probe is most of what it disturbs

// How long to measure before a run of that block; 0: not at all.
static double block_probe_due(const struct block_probe *probe, const struct session *session,
                              size_t block)
{
    double block_s = 0;    // by the runs so far; NAN: not known yet
    bool are_short = true; // the runs of each condition
    if (!probe->wanted || block == 0 || block == probe->block)
        return 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct sample *sample = &session->conditions[i].metric[WALL_S];
        block_s += sample->count > 0 ? sample->mean : NAN;
        are_short = are_short && sample->mean < shortest_run_s;
    }
    if (are_short)
        return 0;
    const double expected_s = share * block_s;
    if (!(expected_s >= least_s) && share * probe->since_s < least_s)
        return 0;
    return fmin(fmax(expected_s, least_s), most_s); // least_s where it is not known
}

void course_init(struct course *course, struct experiment *experiment)
{
    *course = (struct course){.experiment = experiment};
    course->warm_ups = experiment->settings.warmup * experiment->settings.condition_count;
    session_init(&course->session, &experiment->settings);
    course->session.experiment = experiment;
}

// Whether the service is to be started anew for that block, or has had too few unmeasured runs
// since. One that is kept is warmed by --warmup, too; where there is one for each run, each
// measured run needs them again.
static bool needs_start(struct course *course, size_t block)
{
    const struct settings *settings = &course->experiment->settings;
    if (settings->service_warmup == 0)
        return false;
    if (course->started == 0 || (settings->each_block && course->started != block)) {
        course->started = block;
        course->start_runs = settings->each_block || settings->each_run ? 0 : settings->warmup;
    }
    return course->start_runs < settings->service_warmup;
}

// Warm-up runs come first, the conditions in turn, unless nothing is to be measured. Washout runs
// are those of the service that there was.
void course_choose(struct course *course)
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
    course->is_start = !course->is_warm_up && next->stop == STOP_NOT &&
                       next->washout == WASHOUT_NONE && needs_start(course, next->block);
    // A server for this run alone has the settings of its condition.
    if (course->is_washout || (course->is_start && !course->experiment->settings.each_run))
        next->condition = 0;
    if (settings_has_capacity(course->session.settings) && next->stop == STOP_NOT)
        next->value = capacity_next(&course->session, next->condition, next->block);
    if (course->is_warm_up || course->is_washout || course->is_start)
        next->block = next->order = 0;
    const bool is_run = next->stop == STOP_NOT && next->washout == WASHOUT_NONE;
    course->probe_s = is_run ? block_probe_due(&course->probe, &course->session, next->block) : 0;
}

bool course_take(struct course *course, json_t *record, char *why, size_t why_size)
{
    json_decref(course->last);
    course->last = json_incref(record);
    if (!replay_take(&course->session, record, why, why_size))
        return false;
    if (course->next.block > 0) // it is neither a warm-up nor a washout
        course->probe.block = course->next.block;
    course->probe.since_s += fmax(json_number_at(record, "wall_s"), 0); // 0 where it is not known
    if (course->is_warm_up)
        course->warm_ups--;
    if (course->is_start)
        course->start_runs++;
    else if (course->experiment->settings.each_run)
        course->start_runs = 0;
    // It is a run like those of the baseline, and ends the experiment like them.
    if ((course->is_washout || course->is_start) &&
        !judge_counts(record, &course->experiment->settings.ignored))
        course->session.unusable++;
    course_choose(course);
    return true;
}

void course_probed(struct course *course)
{
    course->probe.block = course->next.block;
    course->probe.since_s = 0;
    course->probe_s = 0;
}

void course_free(struct course *course)
{
    json_decref(course->last);
    session_free(&course->session);
}
