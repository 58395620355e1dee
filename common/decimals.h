#ifndef COMMON_DECIMALS_H
#define COMMON_DECIMALS_H

/* How many decimals a number with an interval is printed with. */

/* So many, and up to 6 where fewer would let an interval that leaves a number out, such as 1 of a
 * ratio, look as if it had it: 1.0004 [1.0002, 1.0006], not 1.000 [1.000, 1.001]. */
int decimals_apart(int decimals, double low, double high, double number);

#endif
