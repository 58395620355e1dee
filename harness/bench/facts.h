// What the machine and the command line say of a part, for the files of its cells (matrix/):
// variables {NAME: a text, or a number}, and axes {NAME: [variables, ...]}.

#ifndef BENCH_FACTS_H
#define BENCH_FACTS_H

#include "bench.h"

void facts_put(json_t *variables, const char *name, double value);
// Puts no variable where the text is NULL.
void facts_put_text(json_t *variables, const char *name, const char *text);
// A peak that is stated, or what is known of it: `peak`, unless it is NAN, and `peak_source`.
void facts_put_peak(json_t *variables, double peak, const char *source);
// What may be taken of the machine's memory: `most`, and all that there is: `memory`.
void facts_of_room(json_t *variables);

// An axis without cases, in axes; and a case with one variable.
json_t *axis_new(json_t *axes, const char *name);
void axis_add(json_t *axis, const char *name, double value);

// Each of these adds what its part has to know.
void facts_of_cpu(json_t *variables, json_t *axes, const struct bench_request *request);
void facts_of_memory(json_t *variables, json_t *axes, const struct bench_request *request);
void facts_of_disk(json_t *variables, json_t *axes, const struct bench_request *request);
void facts_of_network(json_t *variables, json_t *axes, const struct bench_request *request);

// The peak of that name that the user states, in its unit, and its source in text; NAN: none, and
// text stays.
double peak_stated(const struct bench_request *request, const char *name, char *text, size_t size);
// NAME and NAME_source, where that peak is stated.
void facts_put_stated(json_t *variables, const char *name, const struct bench_request *request,
                      const char *peak);

#endif
