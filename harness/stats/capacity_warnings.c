#include "capacity_warnings.h"

#include "capacity.h"
#include "messages.h"

#include <math.h>

// Of the runs at a rate that is surely kept, more than those that a threshold allows for.
static const double stray_share = 0.1;
enum { STRAY_LEAST = 2 };

static struct message about(const struct session *session, enum flag flag, size_t condition)
{
    return (struct message){
        .flag = flag, .condition = session->settings->conditions[condition], .runs = json_array()};
}

static void finish(json_t *list, struct message *message)
{
    json_array_append_new(list, message_finish(message, false));
}

static void add_range(const struct session *session, size_t condition,
                      const struct capacity *capacity, json_t *list)
{
    const struct vary *vary = &session->settings->vary;
    const bool below = capacity->bound == CAPACITY_BELOW;
    char text[VARY_TEXT_SIZE];
    struct message message = about(session, FLAG_RANGE, condition);
    message_detail(&message, "kept", "%s %s %s", below ? "not kept even at" : "kept even at",
                   vary->name, vary_text(below ? vary->low : vary->high, text));
    message_detail(&message, "bound", "%s", below ? "below that" : "at least that");
    message_detail(&message, "sure", "%s",
                   capacity->is_sure ? "" : ", by the runs so far, which are too few to be sure");
    message_detail(&message, "end", "%s", below ? "lower LOW" : "raise HIGH");
    finish(list, &message);
}

static void add_open(const struct session *session, size_t condition,
                     const struct capacity *capacity, json_t *list)
{
    struct message message = about(session, FLAG_NOT_CONVERGED, condition);
    if (isfinite(capacity->error)) {
        message_detail(&message, "error", "%.3g %%", 100 * capacity->error);
        message_detail(&message, "limit", ", more than the %.3g %% that --error allows",
                       100 * session->settings->error);
    } else {
        message_detail(&message, "error", "not known");
    }
    message_detail(&message, "runs", "%zu run%s", capacity->runs, capacity->runs == 1 ? "" : "s");
    finish(list, &message);
}

static void add_timed_out(const struct session *session, size_t condition,
                          const struct capacity *capacity, json_t *list)
{
    struct message message = about(session, FLAG_TIME_OUT_MISSED, condition);
    message_detail(&message, "few", "%zu", capacity->timed_out);
    message_detail(&message, "all", "%zu", capacity->runs);
    finish(list, &message);
}

// Runs that missed the objectives where nearly all should keep them: the rate is not what
// made them miss.
static void add_strays(const struct session *session, size_t condition,
                       const struct capacity *capacity, json_t *list)
{
    struct message message = about(session, FLAG_STRAY_RUNS, condition);
    const double clear = log(capacity->low) - (log(capacity->high) - log(capacity->low));
    size_t all = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (run->condition != (int)condition || !session_uses(session, run) || !(run->x < clear))
            continue;
        all++;
        if (run->y > 0)
            json_array_append_new(message.runs, json_integer((json_int_t)run->order));
    }
    const size_t missed = json_array_size(message.runs);
    if (missed < STRAY_LEAST || (double)missed <= stray_share * (double)all) {
        json_decref(message.runs);
        return;
    }
    message_detail(&message, "few", "%zu", missed);
    message_detail(&message, "all", "%zu", all);
    finish(list, &message);
}

void capacity_warnings(struct session *session, json_t *list)
{
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct capacity capacity = capacity_of(session, i);
        if (capacity.timed_out > 0)
            add_timed_out(session, i, &capacity, list);
        if (capacity.bound != CAPACITY_INSIDE && capacity.runs > 0)
            add_range(session, i, &capacity, list);
        else if (!(capacity.error <= session->settings->error))
            add_open(session, i, &capacity, list);
        if (capacity.bound == CAPACITY_INSIDE && capacity.runs > 0)
            add_strays(session, i, &capacity, list);
    }
}
