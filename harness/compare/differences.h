// In what two experiments differ, by their experiment.json.
#ifndef COMPARE_DIFFERENCES_H
#define COMPARE_DIFFERENCES_H

#include <jansson.h>

// A new reference to the `differences` of a jostle.comparison/1: what differs in command,
// loads, settings, program, files that the command names, variables and environment; what one of
// them does not record, so that it may differ; what of the environment was compared; and conditions
// of one alone.
json_t *differences_of(const json_t *a, const json_t *b);

// A new array of the names of the conditions that both have, but `aa`.
json_t *differences_common(const json_t *a, const json_t *b);

// Adds to what differs in command and loads the definition of a metric, where it does.
void differences_add_metric(json_t *differences, const json_t *a, const json_t *b,
                            const char *name);

// What makes them no repetition of one experiment: "command: A x, B y; ...", to
// be freed; NULL where nothing does.
char *differences_grave(const json_t *differences);

#endif
