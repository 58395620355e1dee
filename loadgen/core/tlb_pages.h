// Pages for the TLB: many to be read in turns, and how many entries it has for them.
#ifndef LOADGEN_CORE_TLB_PAGES_H
#define LOADGEN_CORE_TLB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Many pages, of which one line each is read in turns. They are one to four pages in memory,
// mapped many times: the TLB needs an entry for each mapping, while the data caches see the
// few lines behind them. Neighbours in address space are not neighbours in memory, so that
// no TLB can hold several of them in one entry (as AMD's do).

// vm.max_map_count is 65530 unless somebody changed it, and each page is a mapping.
#define TLB_MOST_PAGES 60000
// Touches that do not wait for each other: they hide how long an address takes to compute.
#define TLB_WAYS 4

struct tlb_pages {
    char *memory; // NULL: none
    size_t pages;
    unsigned page_shift; // 1 << page_shift bytes of each
    unsigned shift;      // 1 << shift pages in memory
    size_t step;         // from a page to the next
    size_t at;
    uint64_t sum; // keeps what was read alive
};

// Maps so many pages, and touches each once. 0, or -1 with errno.
int tlb_pages_map(struct tlb_pages *pages, size_t count);
void tlb_pages_unmap(struct tlb_pages *pages);
// Lines of the data caches that so many pages share.
size_t tlb_pages_lines(size_t count);
// Reads one line of so many pages, a multiple of TLB_WAYS, from where it was: of a struct
// tlb_pages.
void tlb_pages_touch(void *walked, uint64_t touches);

// Entries for pages of 4 KiB that this CPU has for data.
struct tlb_size {
    uint32_t first;     // first level (dTLB)
    uint32_t second;    // second level (STLB, L2 dTLB)
    const char *source; // "cpuid", or "assumed" where the CPU does not say
};

struct tlb_size tlb_size(void);

#endif
