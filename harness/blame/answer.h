#ifndef BLAME_ANSWER_H
#define BLAME_ANSWER_H

#include "gate.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// The options of `jostle blame`.

struct blame_options {
    uint64_t pid;
    const char *cgroup, *job, *json;
    int64_t duration_ns, interval_ns; // duration 0: until the program ends
    double at_most;                   // --at-most, 0 to 1; NAN: not given
    bool watch, quiet;
    char **program; // ended by NULL; NULL: none
};

// What was found in a window, for people and as a record.

struct answer {
    const struct blame_options *options;
    const struct victim *victim;
    const struct sampler *sampler;
    time_t made;
    struct facts facts;
    struct rows rows;
    struct verdict verdict;
    bool ended; // the victim has
    int status; // that a program of ours has ended with
    bool gated;
    struct gate *gate; // where there is --at-most
    enum gate_state state;
    enum gate_fact worst;
};

void answer_make(struct answer *answer);
// The table: the verdict first.
void answer_print(const struct answer *answer);
// A line of a watch.
void answer_print_line(const struct answer *answer);
// jostle.blame/1, a line; to be freed. Ends the program where memory runs out.
char *answer_record(const struct answer *answer);

#endif
