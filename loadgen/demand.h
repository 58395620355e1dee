// How much is asked of a load by when: the integral of its rate over the time that it runs. A
// change of the rate, a pause and a schedule only bend it: nothing that is due gets lost.
#ifndef LOADGEN_DEMAND_H
#define LOADGEN_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A rate that changes with time, in a straight line in each stage; it begins anew at its end.
struct stage {
    double length_ns;        // 0: a jump
    double from, to;         // base units a second
    double start_ns, before; // of the whole; base units before it
};

struct schedule {
    size_t count;
    struct stage *stage;
    double length_ns, total; // base units in all
    double highest;          // base units a second
};

// Base units that a schedule asks for in its first after_ns.
double schedule_units(const struct schedule *schedule, double after_ns);
// The inverse: the first time at which it has asked for so many; INFINITY: never.
double schedule_when(const struct schedule *schedule, double units);
// Base units a second after_ns from its beginning.
double schedule_rate(const struct schedule *schedule, double after_ns);
// Fills in what follows from lengths and rates.
void schedule_sum(struct schedule *schedule);

// The demand from one change of it to the next. Times are those of the load: nanoseconds in which
// it was not paused.
struct piece {
    int64_t from_ns;
    double operations;               // asked for up to then
    double quantum;                  // base units of each from then on
    double rate;                     // base units a second; INFINITY: no limit
    const struct schedule *schedule; // in place of rate; NULL: none
    int64_t origin_ns;               // when that began
};

// So many are known: what a worker may still owe is younger.
enum { DEMAND_PIECES = 64 };

struct demand {
    struct piece piece[DEMAND_PIECES]; // a ring
    uint64_t changes;                  // there have been so many
};

// From now_ns on it is that of the piece, of which from_ns and operations are set here.
void demand_change(struct demand *demand, int64_t now_ns, struct piece piece);
// Operations asked for up to then, a part of one as well. Without a limit none are.
double demand_operations(const struct demand *demand, int64_t at_ns);
// The inverse: INT64_MAX: never, as it is now.
int64_t demand_when(const struct demand *demand, double operations);
// Base units of the operation that is due when so many have been asked for.
double demand_quantum(const struct demand *demand, double operations);

// Which of the operations are a worker's: all workers of a load share one demand.
struct pacer {
    double next;     // it is due when so many operations have been asked for
    double stride;   // from one to the next: the number of workers
    uint64_t random; // state of the generator; 0: they come evenly
};

// How operations arrive: evenly, each worker every stride-th one, or at random (exponential gaps,
// a Poisson process).
enum arrivals { ARRIVALS_EVEN, ARRIVALS_POISSON };

void pacer_begin(struct pacer *pacer, enum arrivals arrivals, unsigned worker, unsigned workers);
void pacer_take(struct pacer *pacer);
// Takes all that were due when so many had been asked for; returns how many.
uint64_t pacer_take_until(struct pacer *pacer, double operations);

#endif
