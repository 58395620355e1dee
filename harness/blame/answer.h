#ifndef BLAME_ANSWER_H
#define BLAME_ANSWER_H

/* What was found in a window, for people and as a record. */

#include "harness/blame/gate.h"
#include "harness/blame/options.h"

#include <time.h>

struct answer {
    const struct blame_options *options;
    const struct victim *victim;
    const struct sampler *sampler;
    time_t made;
    struct facts facts;
    struct rows rows;
    struct verdict verdict;
    bool ended; /* the victim has */
    int status; /* that a program of ours has ended with */
    bool gated;
    struct gate *gate; /* where there is --at-most */
    enum gate_state state;
    enum gate_fact worst;
};

void answer_make(struct answer *answer);
/* The table: the verdict first. */
void answer_print(const struct answer *answer);
/* A line of a watch. */
void answer_print_line(const struct answer *answer);
/* jostle.blame/1, a line; to be freed. Ends the program where memory runs out. */
char *answer_record(const struct answer *answer);
/* The command line of the experiment that tells for sure, to be freed; NULL: nobody to pause. */
char *answer_experiment(const struct answer *answer);
/* What the figures do not know, one after the other, from 0; false: no more. */
bool answer_note(const struct answer *answer, size_t i, char *text, size_t size);

#endif
