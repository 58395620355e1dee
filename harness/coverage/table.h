// The table: for every population and setting, does the promise hold?
#ifndef COVERAGE_TABLE_H
#define COVERAGE_TABLE_H

#include "experiment.h"

enum { COLUMNS = 3 }; // MEAN, SLOWDOWN, SAME
enum column { MEAN, SLOWDOWN, SAME };

struct row {
    const struct population *population;
    const char *setting;
    struct cell cell[COLUMNS];
    struct tally tally[COLUMNS];
};

void table_header(void);
void table_row(const struct row *row);

// How often each flag was raised, and what the rows say about outliers.
void table_flags(const struct row *rows, size_t count);

// Says on stderr which bound a row breaks by more than Monte-Carlo noise
// allows. True if it breaks none.
bool table_check(const struct row *row);

// Of a gate at `at_most`: wrong verdicts, verdicts, runs.
void table_gate_header(double at_most);
void table_gate_row(const struct cell *cell, const struct tally *tally);

#endif
