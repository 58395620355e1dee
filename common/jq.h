// Metrics that are expressions of jq. The program jq evaluates them, as a process of its own:
// whatever it takes or leaks does not stay, and one that fails is a failed metric.
#ifndef COMMON_JQ_H
#define COMMON_JQ_H

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

// One value that an expression gave.
enum jq_kind {
    JQ_NUMBER,     // text is the number
    JQ_NOTHING,    // null: what is not there is null to jq
    JQ_NOT_FINITE, // text is empty
    JQ_OTHER,      // of another type: text is JSON, its beginning
    JQ_ERROR,      // evaluating failed: text is jq's message, in quotes
};

struct jq_value {
    size_t metric; // index into the expressions
    enum jq_kind kind;
    const char *text; // until take() returns
};

struct jq_query {
    const char *const *expression;
    size_t count;
    void (*take)(void *user, const struct jq_value *value); // in the order of the input
    void *user;
};

// Evaluates the expressions on each JSON value of the file `input`, from its start, with one
// process. False with why in error: "no JSON: ..." or what else kept jq from reading it all;
// what take() was given is then of no use. It is ended after 60 s of CPU time.
bool jq_evaluate(const struct jq_query *query, int input, char *error, size_t size);

// Whether jq understands the expression of a metric; false with one line in error, also
// where jq is not installed.
bool metric_jq_check(const struct metric *metric, char *error, size_t size);

#endif
