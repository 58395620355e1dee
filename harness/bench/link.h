/* The link that a packet to an address takes, as the kernel has it. */
#ifndef BENCH_LINK_H
#define BENCH_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* The speed of the interface on the route to an address in numbers, in bits a second, and
 * where that is known from, in `why`; NAN with the reason in `why` ("not known here: ..."). */
double link_speed(const char *address, char *why, size_t size);

/* Prints the first address of a host, in numbers. False: it has none, or stdout cannot be written.
 */
bool link_print_address(const char *name);

#endif
