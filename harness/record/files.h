// The files of an experiment's folder, by their names.
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include <jansson.h>
#include <stdbool.h>

#define EXPERIMENT_FILE "experiment.json" // jostle.experiment/1: what was asked, and where
#define RUNS_FILE       "runs.jsonl"      // jostle.run/1: a line for each run
#define RESULT_FILE     "result.json"     // jostle.result/1: what follows from both

// FOLDER/NAME, to be freed.
char *record_path(const char *folder, const char *name);

// Whether a folder has such a file, of whatever kind; and whether it is of an experiment that has
// runs, both files of which can be read.
bool record_is_in(const char *folder, const char *name);
bool experiment_has_runs(const char *folder);

// The experiment of a folder as JSON, a new reference. NULL: there is none that can be read; of
// experiment_known(), none of this schema.
json_t *experiment_json(const char *folder);
json_t *experiment_known(const char *folder);

#endif
