#ifndef LOADGEN_CORE_KERNELS_H
#define LOADGEN_CORE_KERNELS_H

// What loads that disturb what shares their core have alike.
#define CORE_LOAD                                                                                  \
    .unit = UNIT_OPS, .threads = 1, .calibrations = (const char *const[]){"", NULL}, .pinned = true

// A ring of instructions, one jump in each cache line: executing it fetches every line of its
// memory once a round, in random order, so that no prefetcher of next lines can help.
// The memory is written first and executed afterwards, never both (W^X).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_LINE_BYTES 64
// A call executes so many lines and returns; a ring is a whole number of them: one page.
#define CODE_CALL_LINES 64
#define CODE_CALL_BYTES (CODE_CALL_LINES * CODE_LINE_BYTES)
// A branch of AArch64 reaches 128 MiB; more has nothing to do with an instruction cache.
#define CODE_MOST_BYTES ((uint64_t)64 << 20)

struct code {
    unsigned char *memory; // NULL: none
    size_t bytes;
    void *at; // where the next call begins
};

// Whether this build can make code for its kind of machine.
bool code_possible(void);
// bytes: a multiple of CODE_CALL_BYTES. 0, or -1 with errno: EACCES or EPERM where the kernel
// refuses to make memory executable that was written (SELinux, PR_SET_MDWE).
int code_make(struct code *code, size_t bytes, uint64_t seed);
void code_free(struct code *code);
// Executes so many lines, a multiple of CODE_CALL_LINES, from where it was: of a struct code.
void code_run(void *way, uint64_t lines);

// Instructions for some of a core's execution ports, on registers alone; after the Rulers of
// Y. Zhang et al., "SMiTe: precise QoS prediction on real-system SMT processors" (MICRO 2014):
// FP_MUL, FP_ADD, FP_SHF, INT_ADD. Additions of whole numbers, and FMA, are loadgen ops's. All
// without vectors (the shuffle has 16 bytes): a port is taken by any width, and wide ones
// lower the clock of some CPUs, which would be another load.

enum port_kind {
    PORT_INT,     // additions of whole numbers: every integer port
    PORT_INT_MUL, // multiplications of whole numbers: one port in most cores
    PORT_FP,      // FMA of doubles: the ports of multiplication
    PORT_FP_ADD,
    PORT_FP_MUL,
    PORT_SHUFFLE, // permutations of a vector: one or two ports
    PORT_ALL,     // 4 additions of whole numbers to 1 addition and 1 multiplication of doubles
    PORT_KINDS
};

extern const char *const port_kind_names[]; // by enum port_kind, ended by NULL

struct port_kernel {
    // So many blocks. False: a result was wrong.
    bool (*run)(unsigned blocks, unsigned spoil);
    double instructions; // of one block
    unsigned blocks;     // of one operation of the load: 20 to 100 us
    double per_cycle;    // that the core can start; NAN: not known
};

struct port_kernel port_kernel_of(enum port_kind kind);

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
