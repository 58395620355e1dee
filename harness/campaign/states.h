#ifndef CAMPAIGN_STATES_H
#define CAMPAIGN_STATES_H

#include "plan.h"

// How far the cells of a campaign are, by the status.json of each.

struct state {
    const json_t *cell; // of the plan
    const char *cell_name;
    json_t *status; // jostle.status/1; NULL: none, or a damaged one
    // waiting (nothing yet), changed (measured by another definition), limits (the same
    // experiment, but with other limits), or as in status.json
    const char *name;
    bool todo; // is it to be measured now?
};

struct states {
    struct state *list;
    size_t count;
};

// Reads the status of all cells (an array of a plan's) in a campaign's folder, which need not
// exist. retry: cells whose target failed are to be measured again.
struct states states_read(const char *folder, const json_t *cells, bool retry);
void states_free(struct states *states);

bool state_is(const struct state *state, const char *name);

// ---- who is measured now: for `jostle status`, `jostle watch` and the campaign itself

// What a scheduler says of the jobs that wait or run.
struct queue {
    bool answers;   // false: there is no scheduler, or it does not answer
    json_t *states; // {id of a task or a job: its state}
    json_t *tasks;  // {job: {state: number of its tasks}}
    json_t *fates;  // {id: how it ended}; of those that are not in the queue
};

// Lines ID<TAB>JOB<TAB>STATE, and lines ID<TAB>FATE; NULL: there is no such file. Ends the program
// with 1 where one cannot be read.
void queue_read(struct queue *queue, const char *queue_path, const char *fates_path);
void queue_free(struct queue *queue);

// Does a process hold the records of a cell, as the one that measures them does?
bool cell_is_held(const char *folder, const char *cell);

// Whole seconds since a cell's status was written; NAN: it was not. now_s: since the epoch.
double cell_age_s(const json_t *status, double now_s);

// A cell says that it is being measured: true when it is. Else reason says how that is known.
bool cell_is_measured(const char *folder, const struct state *state, const struct queue *queue,
                      double now_s, char *reason, size_t size);

// ---- how long cells will take

// By the best that is known: what an earlier session needed for a part of the very cell; the mean
// of done cells of the same target with the same parameters, or of the same target; a single run
// of the target; else nothing.

// Mean times of what is done.
struct means {
    json_t *by_label, *by_target; // {label: seconds}
    double all;                   // seconds; NAN: nothing is done
};
void means_of(const struct states *states, struct means *means);
void means_free(struct means *means);

// Seconds that the rest of a cell takes, as far as it was measured; NAN: unknown.
double rest_of_cell(const json_t *status);

// jostle.plan/1 of the states' cells. probes: {label: seconds of one run}. To be released.
json_t *remaining_plan(const json_t *plan, const struct states *states, const json_t *probes);

enum { DEFAULT_MAX_RUNS = 30, DEFAULT_MIN_RUNS = 15 };

#endif
