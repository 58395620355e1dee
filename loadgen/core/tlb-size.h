#ifndef LOADGEN_CORE_TLB_SIZE_H
#define LOADGEN_CORE_TLB_SIZE_H

#include <stdint.h>

/* Entries for pages of 4 KiB that this CPU has for data. */
struct tlb_size {
    uint32_t first;     /* first level (dTLB) */
    uint32_t second;    /* second level (STLB, L2 dTLB) */
    const char *source; /* "cpuid", or "assumed" where the CPU does not say */
};

struct tlb_size tlb_size(void);

#endif
