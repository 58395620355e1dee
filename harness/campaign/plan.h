#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include "common/record_json.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A plan: jostle.campaign/1, as JSON, the cells of it that are wanted, and what the commands print
// of them for the shell.

// Reads a plan. Ends the program with 1 where the file cannot be read. To be released.
json_t *plan_read(const char *path);

// A member that is a number, or otherwise.
double number_of(const json_t *object, const char *name, double otherwise);
// A setting of a cell: {settings: {name: "0.05"}}, as a number.
double setting_of_cell(const json_t *cell, const char *name, double otherwise);
// FOLDER/cells/NAME/FILE; file may be "". Returns path.
const char *cell_path(const char *folder, const char *name, const char *file, char path[PATH_MAX]);

struct choice {
    const char *only;  // a shell pattern of names, or of what sessions share; NULL: all
    const char *cells; // numbers such as 3-7,9; NULL: all
    uint64_t session;  // 0: all
};
// The cells that are chosen, as an array. Ends the program with 2 where none is, or where the
// numbers are none. To be released.
json_t *plan_choose(const json_t *plan, const struct choice *choice);

// How many nodes a job needs for the loads of all cells: at least 1.
long plan_nodes(const json_t *plan);
// Whether a cell has `input`, the file on the stdin of each run.
bool plan_has_input(const json_t *plan);

// A campaign that repeats sessions: every cell is measured several times, each time in a folder of
// its own, in fresh processes, and far from the time before. What differs from session to session
// is then in the figures.
enum { SESSIONS_MOST = 1000 };

// Appends the cells of the sessions 2 to repeat: the whole campaign once, then again. Session 1
// keeps its names, so that a campaign can be repeated when its first session is measured already;
// the others are NAME.session2 and so on, with "of" the first one's name, and with a seed of their
// own where the file gives one. All get "session". With a repeat of 1 nothing is changed.
void sessions_repeat(json_t *cells, unsigned repeat);
// The session of a cell: 1 where it has none.
unsigned session_of(const json_t *cell);

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
// Text with one _ for each character that is none of allowed; NULL: all are.
void print_safe(FILE *stream, const char *text, const char *allowed);
// The exit status: 0 when all that was printed has been written, else 1: exit() says so
// (messages.h).
int print_end(void);

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

/* The folder of a campaign: its plan, its lock. */

/* Makes the folder, and holds it until the program ends: tasks that measure some of its cells share
 * it, whoever measures all of them has it alone. One with files of somebody else's is wrong use.
 * False after a message. */
bool folder_hold(const char *folder, bool shared);

/* Brings the plan, and the file that it was made from, into the folder, and says in
 * what it differs from the one that is there. shared: it must be the one that is
 * there. file: for messages. False after a message. */
bool folder_keep_plan(const char *folder, const json_t *plan, const char *conf_path,
                      const char *file, bool shared);

/* One campaign of several folders: which of their cells to take, and the plan. Copies
 * nothing. */

enum prefer { PREFER_NONE, PREFER_FIRST, PREFER_NEWEST };

struct merged {
    json_t *plan;
    char **take; /* the folders of the cells */
    size_t count;
    size_t again;     /* cells that were found once more */
    size_t conflicts; /* cells that differ, each named in a message */
};

/* Ends the program with 1 where a folder cannot be read. */
void merge(struct merged *merged, const char *const *folders, size_t count, enum prefer prefer);
void merge_free(struct merged *merged);

#endif
