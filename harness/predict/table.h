// All that is predicted for one command line, and as a record.
#ifndef PREDICT_TABLE_H
#define PREDICT_TABLE_H

#include "model.h"
#include "pairs.h"
#include "programs.h"

#include "harness/profile/gate.h"
#include "harness/stats/interval.h"

#include <jansson.h>

// The program that suffers, and its neighbours: one, or all others.
struct table_row {
    size_t victim, aggressor; // indices of programs; aggressor: of a pair
    bool together;            // beside all others of the place
    struct prediction prediction;
    struct gate gate;
    bool shown;                          // it has a number that may be shown
    enum verdict verdict;                // against at_most, where that is given
    const struct pair_measure *measured; // NULL: not measured
    const struct pair_measure *repeat;   // the same once more; NULL: measured once
};

struct table {
    const struct program_list *programs;
    struct table_row *row;
    size_t count;
    double at_most; // 0: none
};

struct table_settings {
    bool with_itself, together, force;
    double at_most;
    const struct pair_list *measured;
};

// Predicts every ordered pair of programs of one place. Ends the program where there is no
// pair, or too many programs.
void table_make(struct table *table, const struct program_list *programs,
                const struct table_settings *settings);

// 0, 3 or 4, as --help has it.
int table_status(const struct table *table);

// `predictions` of a jostle.prediction/1, a new reference.
json_t *table_to_json(const struct table *table);

// `worst` and `check` of it: the index of the prediction with the largest slowdown that is surely
// one, and how far off predictions of measured pairs are; null: there are none. New references.
json_t *table_worst_to_json(const struct table *table);
json_t *table_check_to_json(const struct table *table);

void table_free(struct table *table);

#endif
