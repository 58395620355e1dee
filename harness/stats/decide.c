#include "decide.h"

#include "capacity.h"
#include "carry_over.h"
#include "forecast.h"
#include "gate.h"
#include "metrics.h"
#include "schedule.h"

#include <math.h>

// A single condition whose runs may be dependent continues a little, until it
// shows whether they are: with 12 runs it does not.
static const double suspect = 0.25; // probability
enum { SUSPECT_RUNS = 20, UNSTEADY_BLOCKS = 30 };

double decide_error(struct session *session)
{
    const struct settings *settings = session->settings;
    const size_t count = settings->condition_count;
    double worst = 0;
    if (session_blocks(session) < 2)
        return NAN;
    if (settings_has_capacity(settings))
        return capacity_error(session);
    for (size_t i = 0; i < count; i++)
        if (count == 1 || settings_compares(settings, i, settings_decides_by(settings)))
            worst = fmax(worst, metric_worst_error(session, i));
    return worst;
}

static bool looks_dependent(const struct session *session)
{
    if (session->settings->condition_count > 1 || session_blocks(session) >= SUSPECT_RUNS)
        return false;
    for (size_t m = 0; m < session->settings->metrics.count; m++) {
        if (!session->settings->metrics.item[m].decides || metric_is_negligible(session, 0, m))
            continue;
        if (metric_dependence(session, m) > suspect)
            return true;
    }
    return false;
}

// An effect that may change within the experiment is looked at until it shows: for up to twice the
// minimum of blocks, and no longer than so many.
static bool looks_unsteady(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const size_t blocks = session_blocks(session);
    if (blocks >= UNSTEADY_BLOCKS || blocks >= 2 * settings->min_runs)
        return false;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && settings->metrics.item[m].decides &&
                !metric_is_negligible(session, i, m) && metric_is_suspect(session, i, against, m))
                return true;
    return false;
}

static enum stop_reason stop_search(const struct session *session, double worst)
{
    const size_t blocks = session_blocks(session);
    if (blocks >= session->settings->min_runs && worst <= session->settings->error)
        return STOP_ERROR;
    return blocks >= session->settings->max_runs ? STOP_MAX_RUNS : session->outside;
}

static enum stop_reason stop_at(struct session *session, double worst)
{
    const struct settings *settings = session->settings;
    size_t blocks = session_blocks(session);
    if (session->unusable > 0)
        return STOP_FAILURE;
    if (settings_has_capacity(settings))
        return stop_search(session, worst);
    if (blocks >= settings->min_runs) {
        bool capped = blocks >= settings->max_runs;
        if (settings_has_gate(settings) && gate_is_decided(session) &&
            (capped || !looks_unsteady(session)))
            return STOP_DECIDED;
        // With a limit to decide on, a small error alone is no reason to stop.
        if (!settings_has_gate(settings) && worst <= settings->error &&
            (capped || !(looks_dependent(session) || looks_unsteady(session) ||
                         carry_over_is_suspect(session))))
            return STOP_ERROR;
        if (capped)
            return STOP_MAX_RUNS;
    }
    return session->outside;
}

static bool is_between_blocks(const struct session *session)
{
    return session->count == session->complete * session->settings->condition_count;
}

// The same, but a carry-over that shows is a reason to continue with more washout.
static enum stop_reason stop_now(struct session *session, double worst, size_t *washed)
{
    const enum stop_reason stop = stop_at(session, worst);
    const struct washout *washout = &session->settings->washout;
    *washed = washout->automatic ? session->washed : washout->runs;
    if (!washout->automatic || stop == STOP_FAILURE || session->outside != STOP_NOT ||
        !is_between_blocks(session))
        return stop;
    *washed = carry_over_washout(session, stop != STOP_NOT);
    return *washed == session->washed ? stop : STOP_NOT;
}

enum stop_reason decide_stop(struct session *session)
{
    size_t ignored;
    return stop_now(session, decide_error(session), &ignored);
}

static bool is_missing(const struct session *session, size_t block, size_t condition)
{
    size_t width = session->settings->condition_count;
    return block > session->blocks || session->table[(block - 1) * width + condition] < 0;
}

static void place(const struct session *session, struct decision *decision)
{
    size_t width = session->settings->condition_count, order[MAX_CONDITIONS];
    for (size_t block = session->open + 1;; block++) {
        schedule_block(session->settings->seed, block, order, width, session->settings->variants);
        for (size_t i = 0; i < width; i++)
            if (is_missing(session, block, order[i])) {
                decision->condition = order[i];
                decision->block = block;
                decision->order = session->last_order + 1;
                return;
            }
    }
}

// What has to come between the last run and that one.
static void separate(const struct session *session, struct decision *decision)
{
    const struct settings *settings = session->settings;
    if (!settings_is_loaded(settings, session->previous) ||
        session->previous == (int)decision->condition)
        return;
    if (session->washouts < decision->washed)
        decision->washout = WASHOUT_RUN;
    else if (settings->washout.pause_s > 0 && !session->rested)
        decision->washout = WASHOUT_PAUSE;
}

struct decision decide(struct session *session)
{
    struct decision decision = {.worst_error = decide_error(session), .value = NAN};
    decision.stop = stop_now(session, decision.worst_error, &decision.washed);
    // To stop inside a block would favour the condition that came last.
    if (!is_between_blocks(session) && decision.stop != STOP_FAILURE &&
        session->outside == STOP_NOT)
        decision.stop = STOP_NOT;
    if (decision.stop == STOP_NOT) {
        place(session, &decision);
        separate(session, &decision);
        decision.more = settings_has_capacity(session->settings)
                            ? capacity_forecast(session, decision.worst_error)
                            : forecast_runs(session, decision.worst_error);
        if (decision.more >= 0 && session->forecast_runs == 0) {
            session->forecast_after = session->count;
            session->forecast_runs = session->count + (size_t)decision.more;
        }
    }
    return decision;
}
