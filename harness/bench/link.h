#ifndef BENCH_LINK_H
#define BENCH_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* The link that a packet to an address takes, as the kernel has it. */

/* The speed of the interface on the route to an address in numbers, in bits a second, and
 * where that is known from, in `why`; NAN with the reason in `why` ("not known here: ..."). */
double link_speed(const char *address, char *why, size_t size);

/* Prints the first address of a host, in numbers. False: it has none, or stdout cannot be written.
 */
bool link_print_address(const char *name);

/* The theoretical bandwidth of the memory by what the firmware says of the DIMMs (SMBIOS,
 * "DMI"): transfers a second x width x channels. */

/* Of a table as /sys/firmware/dmi/tables/DMI has it, in B/s, and text names the source of each
 * factor. NAN where one of them is not there, or makes no sense, and text is the reason. */
double dmi_peak(const unsigned char *table, size_t size, char *text, size_t text_size);
/* The same of this machine (below JOSTLE_KERNEL_ROOT where that is set); reading the table needs
 * root. Of a virtual machine nothing is believed. */
double dmi_machine_peak(char *text, size_t text_size);

#endif
