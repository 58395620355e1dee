#ifndef PLACEMENT_SHOW_H
#define PLACEMENT_SHOW_H

/* The answer, for programs and for people. */

#include "choices.h"
#include "place.h"

struct answer {
    const struct machine *machine;
    const struct placement *placement;
    const struct choices *choices;
};

/* jostle.topology/1 on stdout. Both: false after a message. A load that loadgen
 * refuses ends the program with its exit status. */
bool show_json(const struct answer *answer);
/* lstopo's drawing, where target and load sit in it, and what each load would use. */
bool show_text(const struct answer *answer);

#endif
