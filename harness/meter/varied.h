#ifndef METER_VARIED_H
#define METER_VARIED_H

#include "settings.h"

// A target whose words have a value in the place of {NAME}, anew for each run.
struct varied {
    struct target target;
    char *block; // what its words are in
};

// varied_take: makes it of a target, a name (--vary) and a value. False if memory ran out.
bool varied_take(struct varied *varied, const struct target *target, const char *name,
                 const char *value);

void varied_free(struct varied *varied);

#endif
