// What studies share, which put one answer together from several experiments.

#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

// What studies share, which put one answer together from several experiments (bench, pack, profile,
// predict --check): their plan, which experiment comes next, the runs of one, and their figures.

#include "harness/stats/session.h"

// ---- the plan

struct study {
    const char *name;          // the command: "pack"
    const char *file, *schema; // of its plan, in the folder of its records
};

// A record in FOLDER, a new reference. NULL after a message.
json_t *study_record(const struct study *study, const char *folder, const char *file,
                     const char *schema);
// Its plan there.
json_t *study_plan(const struct study *study, const char *folder);
// Writes it there; *made: whether the folder was made for it. False after a message.
bool study_keep(const struct study *study, const json_t *plan, const char *folder, bool *made);

// A text of the command line for a plan, of which its experiments are made; NULL: null. Ends the
// program with wrong use where a record cannot hold it: another text would be measured.
json_t *study_text(const char *text);

// The plan that --resume continues there; NULL: a new one begins. A new reference. Ends the program
// with wrong use where the folder has anything else, or `same` says that the two measure different
// things.
json_t *study_resumed(const struct study *study, const json_t *plan, const char *folder,
                      bool resume, bool (*same)(const json_t *old, const json_t *plan));

// ---- what is measured next, as the shell reads it (lib/study.bash): pairs of name and value, each
// ended by NUL, of which pair_put() writes some:
//
//     say TEXT                     something for people, such as how long it takes
//     problem TEXT                 it cannot be done, with exit status 2
//     step NAME, word WORD..., end an experiment, as a command line of jostle
//
// Without a step there is nothing left to be measured.

// Begins the step NAME by a command of jostle, with its records in FOLDER/NAME, which it continues.
void study_step(const char *command, const char *folder, const char *name);
void study_word(const char *word);
void study_words(const json_t *words);
// NAME VALUE; nothing where it is NULL.
void study_option(const char *name, const char *value);
// The same for a number, by a format.
void study_number(const char *name, const char *format, double value);
void study_step_end(void);

// Whether the experiment FOLDER/NAME has ended by itself.
bool study_is_done(const char *folder, const char *name);
// Its result.json, a new reference; NULL after a message.
json_t *study_result(const char *folder, const char *name);

// ---- the runs of an experiment

struct measured {
    char *folder;   // of its records; taken over
    json_t *status; // jostle.status/1; NULL: none
    bool has_runs;  // what follows was read
    struct experiment experiment;
    struct session session;
    json_t *summary; // of stats, with its warnings
};

// Reads the runs of an experiment of which the folder is set, where it has some. False after a
// message: records that cannot be read. To be freed in any case.
bool measured_read(struct measured *measured);
void measured_free(struct measured *measured);
// Whether it has a result.
bool measured_is_done(const struct measured *measured);

// Reads the runs of FOLDER/NAME alone, without what stats warns of. False after a message, also
// where there are none. To be freed in any case.
bool measured_open(struct measured *measured, const char *folder, const char *name);

// A metric of the used runs of a condition, in the order of measurement; to be freed.
double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count);

// The same by block (0 to measured->session.blocks - 1), NAN where the condition has no usable run
// there; to be freed.
double *measured_by_block(const struct measured *measured, size_t condition, size_t metric);

// Seconds from a run's end to the next one's start, on average: what is spent around a run; 0:
// fewer than two runs.
double measured_overhead_s(const struct measured *measured);

// The index of a figure; MAX_METRICS: it was not measured.
size_t measured_metric(const struct measured *measured, const char *name);
// How many values there are; condition -1: none.
size_t measured_count(const struct measured *measured, int condition, size_t metric);
// Without bounds from fewer than two runs.
struct interval measured_figure(struct measured *measured, int condition, size_t metric);
// Returns the metric of the run of a condition in a block, from 0 on; NAN: no run there counts.
double measured_value(const struct measured *measured, size_t block, size_t condition,
                      size_t metric);

// {NAME: center, ci} of an interval, a new reference.
json_t *figure_json(const char *name, struct interval interval);

// A member of a record for people: "18.4 ± 0.5 GB/s", "18.4 [17.0, 21.2] GB/s", "18.4 GB/s" where
// no interval is known; "93.2 %" of a unit "fraction".
json_t *study_figure_text(const json_t *object, const char *unit);
// "1.021 [1.010, 1.032]" of the ratio that the member NAME is, "1.021 ± ?", "-"; to be freed.
char *study_ratio_text(const json_t *object, const char *name);

#endif
