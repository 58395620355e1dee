#ifndef STATS_STRAGGLERS_H
#define STATS_STRAGGLERS_H

#include "interval.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Stragglers: single runs that take far longer than their condition does otherwise; how many there
// are, alone and under load, and what they add to a mean. The typical ratio leaves them out.

// Of the runs of one condition.
struct stragglers {
    size_t count, runs;
    double limit;     // a run is one from this value on, or down to it where higher is better; NAN:
                      // none is, or they are of several sessions
    double times;     // how many times the median is worse in the middle one of them; NAN: none
    double low, high; // the share of all runs that they are, see stragglers_share()
};

// Fills in the share's interval, of so many of so many runs: exact (C. J. Clopper and E. S.
// Pearson, Biometrika 26 (1934) 404-413).
void stragglers_share(struct stragglers *of, double confidence);

// About how many runs would have so many that they show how long they are and how often they come;
// 0: there are none, or enough.
size_t stragglers_needed(const struct stragglers *of);

// The probability that of all stragglers so uneven a number is on one side, had the load no part in
// it: exact, two-sided (Q. McNemar, Psychometrika 12 (1947) 153-157). `share`: how likely each is
// to be one of `one`, by the runs of each side. 1 where there are none.
double stragglers_p(size_t one, size_t other, double share);

// What is said of them.
struct seldom {
    struct stragglers own, other; // of the condition, and of its reference
    double p, confidence;
    double typical;       // the ratio without them
    struct interval mean; // of the means; above 1 is worse
    bool is_time, higher_is_better;
    const char *place, *other_place; // "beside half", "alone"
};

// "Besides, 1 run in 10 (...) takes 10 times as long, none alone: on average 2.4 times.", where
// either side has one.
void seldom_print(const struct seldom *seldom, FILE *stream);

#endif
