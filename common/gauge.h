#ifndef COMMON_GAUGE_H
#define COMMON_GAUGE_H

/* The state of a CPU in a few milliseconds: its clock, and the latencies of its own caches. What
 * a guest on the sibling thread, a lower clock or an emptied cache cost a program shows here,
 * too. By the thread's CPU clock, so that waiting for a CPU is no part of it; each figure is the
 * median of many slices, so that an interrupt is none either. */

#include <stdbool.h>
#include <stddef.h>

enum gauge_figure { GAUGE_ADDS, GAUGE_L1, GAUGE_L2, GAUGE_FIGURES };

/* "adds_ns", "l1_ns", "l2_ns", as in records. */
extern const char *const gauge_names[GAUGE_FIGURES];

/* Nanoseconds of one addition of a dependent chain, and of one dependent load from half of the
 * first and of half of the second data cache. */
struct gauge_reading {
    double ns[GAUGE_FIGURES];
};

/* Zeros: not open. */
struct gauge {
    void *memory[GAUGE_FIGURES]; /* NULL: it needs none */
    size_t size[GAUGE_FIGURES];  /* bytes */
    void **at[GAUGE_FIGURES];    /* of the chases */
};

/* Makes the memory that the chases walk through: below 2 MiB, touched once here, which takes
 * less than a millisecond. No child of this process inherits it, so a program that is started
 * later does not have it in its peak. False with errno. */
bool gauge_open(struct gauge *gauge);

/* Takes the figures on the CPU where the caller is: 5 to 15 ms. The first pass through each
 * cache, which finds it cold, is not timed. False with errno (no clock). */
bool gauge_take(struct gauge *gauge, struct gauge_reading *reading);

/* Safe for one that is not open. */
void gauge_close(struct gauge *gauge);

/* --gauge: whether runs are measured between gauges, and figures adjusted for them. */
enum gauge_mode {
    GAUGE_OFF,
    GAUGE_AUTO, /* measured where runs are long enough; not used */
    GAUGE_ON,   /* measured, and used: the covariate was declared beforehand */
};

/* "off", "auto", "on", NULL. */
extern const char *const gauge_mode_names[];

/* With `auto`, shorter runs are measured without: a gauge may not take more than a small part of
 * the time. Seconds of wall time. */
#define GAUGE_RUN_S 0.2

#endif
