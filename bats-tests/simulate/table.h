// The table: for every population and setting, does the promise hold?
#ifndef SIMULATE_TABLE_H
#define SIMULATE_TABLE_H

#include "plan.h"

// The mean of one condition, a slowdown, that of equal conditions, and the first two of
// medians.
enum column { MEAN, SLOWDOWN, SAME, MEDIAN, MEDIANS, COLUMNS };

struct row {
    const struct population *population;
    const struct setting *setting;
    struct cell cell[COLUMNS];
    struct tally tally[COLUMNS];
};

void table_header(void);

// Announces that the rows that follow are of populations on which nothing was tuned.
void table_held_out(void);

void table_row(const struct row *row);

// How often each flag was raised, and what becomes of the means measured together with a load.
void table_more(const struct row *rows, size_t count);

// Says on stderr which bound a row breaks by more than Monte-Carlo noise
// allows. True if it breaks none.
bool table_check(const struct row *row);

#endif
