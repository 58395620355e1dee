// A load whose own effect changes from block to block: is that said, and what do intervals cover?
#ifndef SIMULATE_SERIES_H
#define SIMULATE_SERIES_H

#include "plan.h"

bool series_table(const struct plan *plan);

#endif
