// In what two experiments differ, by their experiment.json.
#ifndef COMPARE_DIFFERENCES_H
#define COMPARE_DIFFERENCES_H

#include <jansson.h>

// A new reference to the `differences` of a jostle.comparison/1: command_or_load,
// settings, environment, only_a, only_b.
json_t *differences_of(const json_t *a, const json_t *b);

// A new array of the names of the conditions that both have, but `aa`.
json_t *differences_common(const json_t *a, const json_t *b);

// What makes them no repetition of one experiment: "command: A x, B y; ...", to
// be freed; NULL where nothing does.
char *differences_grave(const json_t *differences);

#endif
