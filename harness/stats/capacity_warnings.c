// Warns of what is to be known about a search for the capacity.
#include "capacity.h"
#include "effect.h"
#include "messages.h"
#include "not_converged.h"
#include "session.h"

#include "harness/record/objective.h"

#include <math.h>

// What is to be known about a search for the capacity.

// Of the runs at a rate that is surely kept, more than those that a threshold allows for.
static const double stray_share = 0.1;
enum { STRAY_LEAST = 2 };

static void add_range(const struct session *session, size_t condition,
                      const struct capacity *capacity, json_t *list)
{
    const struct vary *vary = &session->settings->vary;
    const bool below = capacity->bound == CAPACITY_BELOW;
    char text[VARY_TEXT_SIZE];
    struct message message = message_about(session->settings, FLAG_RANGE, condition, MAX_METRICS);
    message_detail(&message, "kept", "%s %s %s", below ? "not kept even at" : "kept even at",
                   vary->name, vary_text(below ? vary->low : vary->high, text));
    message_detail(&message, "bound", "%s", below ? "below that" : "at least that");
    message_detail(&message, "sure", "%s",
                   capacity->is_sure ? "" : ", by the runs so far, which are too few to be sure");
    message_detail(&message, "end", "%s", below ? "lower LOW" : "raise HIGH");
    message_add(list, &message);
}

static void add_open(const struct session *session, size_t condition,
                     const struct capacity *capacity, json_t *list)
{
    struct message message =
        not_converged(session, condition, MAX_METRICS, capacity->error, capacity->runs);
    message.matters = true;
    not_converged_remedy(&message, NAN);
    message_add(list, &message);
}

// Runs that missed the objectives where nearly all should keep them: the rate is not what
// made them miss.
static void add_strays(const struct session *session, size_t condition,
                       const struct capacity *capacity, json_t *list)
{
    struct message message =
        message_about(session->settings, FLAG_STRAY_RUNS, condition, MAX_METRICS);
    const double clear = log(capacity->low) - (log(capacity->high) - log(capacity->low));
    EACH_USED (run, session, condition) {
        if (!(run->x < clear))
            continue;
        message.of_runs++;
        if (run->y > 0)
            message_run(&message, run->order);
    }
    const size_t missed = json_array_size(message.runs);
    if (missed >= STRAY_LEAST && (double)missed > stray_share * (double)message.of_runs)
        message_add(list, &message);
    else
        json_decref(message.runs);
}

// Appends the warnings of each condition's search to an array.
void capacity_warnings(struct session *session, json_t *list)
{
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct capacity capacity = capacity_of(session, i);
        if (capacity.timed_out > 0) {
            struct message message =
                message_about(session->settings, FLAG_TIME_OUT_MISSED, i, MAX_METRICS);
            message_detail(&message, "few", "%zu", capacity.timed_out);
            message.of_runs = capacity.runs;
            message_add(list, &message);
        }
        if (capacity.bound != CAPACITY_INSIDE && capacity.runs > 0)
            add_range(session, i, &capacity, list);
        else if (!(capacity.error <= session->settings->error))
            add_open(session, i, &capacity, list);
        if (capacity.bound == CAPACITY_INSIDE && capacity.runs > 0)
            add_strays(session, i, &capacity, list);
    }
}
