// What the readers of pairs share.
#ifndef PREDICT_PAIRS_ADD_H
#define PREDICT_PAIRS_ADD_H

#include "pairs.h"

// Takes the pair over; of one that is there already it becomes the repeat. False after a message.
bool pair_list_add(struct pair_list *pairs, struct pair_truth *pair);

// Frees what a pair has that was never added.
void pair_list_drop(struct pair_truth *pair);

#endif
