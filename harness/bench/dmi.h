/* The theoretical bandwidth of the memory by what the firmware says of the DIMMs (SMBIOS,
 * "DMI"): transfers a second x width x channels. */
#ifndef BENCH_DMI_H
#define BENCH_DMI_H

#include <stddef.h>

/* Of a table as /sys/firmware/dmi/tables/DMI has it, in B/s, and text names the source of each
 * factor. NAN where one of them is not there, or makes no sense, and text is the reason. */
double dmi_peak(const unsigned char *table, size_t size, char *text, size_t text_size);
/* The same of this machine (below JOSTLE_KERNEL_ROOT where that is set); reading the table needs
 * root. Of a virtual machine nothing is believed. */
double dmi_machine_peak(char *text, size_t text_size);

#endif
