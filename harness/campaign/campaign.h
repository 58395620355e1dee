// What campaign is made of: its files, plans, cells, their states, and its commands.

#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "common/messages.h"
#include "common/options.h"
#include "common/record_json.h"
#include "common/sha256.h"
#include "harness/study/config.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- sections.c
// Is the key one that this kind of section has of its own (command, spec, case)?
bool section_reserves(const char *kind, const char *key);
// Is the entry a setting of how to measure?
bool section_sets(const struct section *section, const struct entry *entry);
// For a key that such a section does not have.
struct hint section_hint(const char *kind, const char *key);

// Every choice of the section's parameters: [{name: value}], with `case` rows and
// the lists of values crossed. Ends the program where they make no sense. To be
// released.
json_t *section_choices(const struct config *config, const struct section *section);

// The words of an entry's value, as a shell splits them; to be freed.
char **entry_words(const struct config *config, const struct entry *entry, size_t *count);

// ---- placeholders.c

// The parameters {name: value} with what the `let` lines of the section make of them; to be
// released. Ends the program where one makes no sense.
json_t *section_values(const struct config *config, const struct section *section,
                       const json_t *parameters);
// Whether a `skip` line of the section holds for these values: there is no cell of them then.
bool section_skips(const struct config *config, const struct section *section,
                   const json_t *values);

// Refuses placeholders that nothing fills in, and parameters that are used nowhere.
// builtin: {name: text}.
void section_check_placeholders(const struct config *config, const struct section *section,
                                const json_t *parameters, const json_t *builtin);

enum fill {
    FILL_PLAIN, // values as they are
    FILL_QUOTED // values quoted for a shell, where they need it
};
// A text of the entry with its placeholders filled in, to be freed: {NAME} of values or builtin,
// {name: text}, and {EXPRESSION} of numbers and names of values. {{ and }} are braces, and so is a
// brace that begins no placeholder. Ends the program where an expression has no value.
char *entry_fill(const struct config *config, const struct entry *entry, const char *text,
                 const json_t *values, const json_t *builtin, enum fill fill);

// A campaign file becomes a plan: jostle.campaign/1, the list of its cells.

struct campaign;
// --set, --instances and --workloads of the call count. Ends the program with 2 where the file is
// wrong. To be released.
json_t *expand(const struct config *config, const struct campaign *campaign);

// A plan: jostle.campaign/1, as JSON, the cells of it that are wanted, and what the commands print
// of them for the shell.

// Reads a plan. Ends the program with 1 where the file cannot be read. To be released.
json_t *plan_read(const char *path);
// Writes one. False with errno.
bool campaign_plan_write(const json_t *plan, const char *path);

// A member that is a number, or otherwise.
double number_of(const json_t *object, const char *name, double otherwise);
// A setting of a cell: {settings: {name: "0.05"}}, as a number.
double setting_of_cell(const json_t *cell, const char *name, double otherwise);
// FOLDER/cells/NAME/FILE; file may be "". Returns path.
const char *cell_path(const char *folder, const char *name, const char *file, char path[PATH_MAX]);

// The cells that the call chooses: by --only, a shell pattern of names or of what sessions share,
// by --cells, numbers such as 3-7,9, and by --session. Ends the program with 2 where none is, or
// where the numbers are none. To be released.
json_t *plan_choose(const struct campaign *campaign);

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
// The text with one _ for each character that is none of allowed (NULL: all are), to be freed.
char *safe_text(const char *text, const char *allowed);
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

// The estimate is by the best that is known: what an earlier session needed for a part of the very
// cell; the mean of done cells of the same target with the same parameters, or of the same target;
// a single run of the target; else there is none.

// Times of what is done, by name: {name: [sum of seconds, how many]}.
struct means {
    json_t *by_label, *by_target, *all;
};
void means_of(const struct states *states, struct means *means);
void means_free(struct means *means);
// Adds a cell that took so long.
void means_add(struct means *means, const json_t *cell, double seconds);
// Returns the mean of the cells of the same target, else of all.
double mean_of_target(const struct means *means, const json_t *cell);

// Seconds that the rest of a cell takes, as far as it was measured; NAN: unknown.
double rest_of_cell(const json_t *status);

// jostle.plan/1 of the states' cells. probes: {label: seconds of one run}. To be released.
json_t *remaining_plan(const json_t *plan, const struct states *states, const json_t *probes);

// How many runs of each condition a cell may have; INFINITY: its time ends it.
double most_runs_of_cell(const json_t *cell);

// The folder of a campaign: its plan, its lock.

// Makes the folder, and holds it until the program ends: tasks that measure some of its cells share
// it, whoever measures all of them has it alone. One with files of somebody else's is wrong use.
// False after a message.
bool folder_hold(const char *folder, bool shared);

// A call of the program: its options, one table for all commands, and what it is about.

enum prefer { PREFER_NONE, PREFER_FIRST, PREFER_NEWEST };

struct campaign {
    const char *file, *instances, *workloads; // of expand
    struct option_list set;
    const char *only, *cells; // which cells
    bool retry_failed;
    const char *conf, *plan_path, *take; // files to read or write
    const char *probes, *queue, *fates, *output;
    const char *scratch, *stderr_path; // of run
    bool shared, quiet;
    uint64_t session;                   // which cells, too; 0: not given
    uint64_t nodes, cells_per_task;     // of tasks; 0: not given
    bool names, actions, lost, compact; // what to print
    int prefer;                         // of merge; enum prefer

    char **operand;
    size_t operands;
    const char *folder;   // of the campaign
    json_t *plan;         // jostle.campaign/1
    json_t *chosen;       // its cells that are wanted
    struct states states; // of these
};

// Each returns the exit status.
int command_expand(struct campaign *campaign);
int command_describe(struct campaign *campaign);
int command_plan(struct campaign *campaign);
int command_tasks(struct campaign *campaign);
int command_probes(struct campaign *campaign);
int command_calibrations(struct campaign *campaign);
int command_keep(struct campaign *campaign);
int command_run(struct campaign *campaign);
int command_status(struct campaign *campaign);
int command_merge(struct campaign *campaign);

// jostle.plan/1 of the cells that are wanted; *failed: a target that was probed did. To be
// released.
json_t *remaining_of(const struct campaign *campaign, bool *failed);
// Puts the words of what the shell has to start.
void put_step_words(const json_t *words);

// Brings the plan into the folder, which is held, where the call says from which file it was made.
// False after a message.
bool folder_keep_plan(const struct campaign *campaign);

#endif
