// Memory for a worker, and which pages the kernel really gave for it.
#ifndef LOADGEN_CORE_PAGES_H
#define LOADGEN_CORE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum mem_page_kind {
    MEM_PAGES_USUAL, // as the system has it
    MEM_PAGES_BASE,  // the smallest, also where it makes all memory huge
    MEM_PAGES_HUGE   // reserved ones if there are, else transparent ones
};

// Pages that the workers were given, added up when they begin.
struct mem_pages {
    _Atomic uint64_t mapped_bytes; // resident, of all kinds
    _Atomic uint64_t thp_bytes;    // of them in transparent huge pages
    _Atomic uint64_t hugetlb_bytes;
    _Atomic uint64_t page_bytes; // of a hugetlb or base page
    _Atomic uint64_t nodes;      // bit N: node N has some of it
};

struct mem_area {
    void *memory; // at a multiple of 2 MiB
    void *base;   // for munmap()
    size_t base_bytes;
};

// bytes of untouched memory, in pages of that kind as far as there are. 0, or -1 with errno.
int mem_pages_map(struct mem_area *area, size_t bytes, enum mem_page_kind kind);
void mem_pages_unmap(struct mem_area *area);
// Adds what the kernel gave for touched memory, by /proc/self/smaps.
void mem_pages_count(struct mem_pages *pages, const void *memory);
// Adds it from a text such as that file.
void mem_pages_read(struct mem_pages *pages, FILE *smaps, const void *memory);
// Reserved huge pages that are free: MemAvailable does not include them.
uint64_t mem_pages_reserved_bytes(void);
// Refuses --huge (exit 2) where the system has no huge pages at all.
void mem_pages_check_huge(void);
// "thp", "hugetlb", "base" or, where only a part is huge, "mixed".
const char *mem_pages_name(const struct mem_pages *pages);

#define MEM_PAGES_HUGE_HELP                                                                        \
    "ask for huge pages: reserved ones if there are, else transparent ones (default: "

#endif
