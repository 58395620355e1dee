#ifndef BENCH_FACTS_H
#define BENCH_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What the memory part needs to know of the machine: its last-level caches, and from which CPUs
 * and NUMA nodes which memory can be measured. */

enum { MOST_NODES = 64 };

struct node {
    unsigned number;
    bool has_memory;
    int cpu;         /* its first CPU that may be used; -1: none */
    unsigned others; /* its CPUs that may be used, but for those of that one's core */
    char list[1024]; /* of them: "1-3,8" */
};

struct nodes {
    uint64_t l1_bytes, l2_bytes; /* of the first CPU that may be used; 0: not known */
    uint64_t l3_bytes;           /* all that the CPUs that may be used reach; 0: not known */
    unsigned count;              /* 0: the topology is not known */
    struct node node[MOST_NODES];
};

/* By hwloc, whose environment variables (HWLOC_SYNTHETIC) make another machine of it. */
void nodes_read(struct nodes *nodes);

#endif
