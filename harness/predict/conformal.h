// Intervals from residuals of programs that a model had not seen (conformal prediction): how far
// off it was for those left out is how far off it will be for the next one. Residuals of one
// program resemble each other, so programs count, not pairs: each has the same weight however
// many pairs it is in (two-layer exchangeability: R. Dunn, L. Wasserman, A. Ramdas, J. Am. Stat.
// Assoc. 118 (2023) 2491-2502). With few programs the plain quantile of theirs covers too little,
// and the correction that always suffices (Y. Lee, R. F. Barber, R. Willett, 2023: 1 / (K + 1) at
// infinity) too much; so the tails are chosen such that programs left out in turn are covered.
#ifndef PREDICT_CONFORMAL_H
#define PREDICT_CONFORMAL_H

#include <stdbool.h>
#include <stddef.h>

struct residual {
    size_t program; // that was left out
    double value;   // truth - prediction, on whatever scale
};

struct conformal {
    double low, high; // to be added to a prediction
    double tail;      // of the residuals, on each side
    double covered;   // share of the programs' residuals that those of the others cover
};

enum { CONFORMAL_PROGRAMS = 4 }; // the fewest

// level: 0.9 for 90 %. False where there are fewer programs than CONFORMAL_PROGRAMS or memory ran
// out. Where even the extremes cover less than the level, `covered` says so.
bool conformal_fit(const struct residual *residuals, size_t count, double level,
                   struct conformal *conformal);

#endif
