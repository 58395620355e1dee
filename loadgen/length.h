#ifndef LOADGEN_LENGTH_H
#define LOADGEN_LENGTH_H

/* How long a load lasts that nobody ends. Under a harness the end of stdin ends it; started
 * by hand it would be forgotten sooner or later, on a machine that others use, too. */

#include <stdint.h>

struct run;

#define LENGTH_BY_HAND_NS (INT64_C(3600) * 1000000000)
#define LENGTH_BY_HAND    "1h"      /* the same */
#define LENGTH_ENDLESS    "forever" /* for --duration */

/* After the options are known, and checked: without --control and --duration the duration
 * becomes LENGTH_BY_HAND_NS. Says so to people, as the first line of all. */
void length_choose(struct run *run);

#endif
