// Many pages in few lines of memory, of which one line each is read in turns, and the size of the
// TLB.

#include "core/tlb_pages.h"

#include "load.h"

#include <sys/mman.h>

#define LINE_BYTES 64
#define PAGE_LINES 64 // of each page in memory, that are read
// Up to so many pages each has a line of its own (16 KiB in all): AMD's L1 data caches find a
// line by its virtual address first, and one that was last read by another costs as much as
// a miss. More pages share the 64 lines of one: what they wait for is the TLB.
#define OWN_LINES 256

// Pages are visited at golden steps: each once a round, no two neighbours within a few
// touches, and nothing to be read that says where to go next.
#define GOLDEN 0.6180339887

static size_t common_divisor(size_t a, size_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

// Fills the reserved addresses with the pages in memory, again and again, backwards: what two
// neighbours map does not continue.
static int lay_pages(const struct tlb_pages *pages, int fd)
{
    const size_t in_memory = (size_t)1 << pages->shift;
    const size_t page_bytes = (size_t)1 << pages->page_shift;
    for (size_t i = 0; i < pages->pages; i++) {
        const off_t at = (off_t)((in_memory - 1 - i % in_memory) << pages->page_shift);
        if (mmap(pages->memory + (i << pages->page_shift), page_bytes, PROT_READ,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, at) == MAP_FAILED)
            return -1;
    }
    return 0;
}

static int fail(struct tlb_pages *pages, int fd)
{
    const int error = errno;
    if (fd >= 0)
        close(fd);
    tlb_pages_unmap(pages);
    errno = error;
    return -1;
}

int tlb_pages_map(struct tlb_pages *pages, size_t count)
{
    const size_t page = page_bytes();
    const unsigned page_shift = (unsigned)__builtin_ctzl(page);
    size_t step = (size_t)((double)count * GOLDEN);
    while (step == 0 || common_divisor(step, count) != 1)
        step++;
    *pages = (struct tlb_pages){.pages = count,
                                .page_shift = page_shift,
                                .shift = count <= OWN_LINES ? 2 : 0,
                                .step = step};
    const int fd = memfd_create("tlb", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(page << pages->shift)) != 0)
        return fail(pages, fd);
    pages->memory =
        mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages->memory == MAP_FAILED) {
        pages->memory = NULL;
        return fail(pages, fd);
    }
    if (lay_pages(pages, fd) != 0)
        return fail(pages, fd);
    close(fd);
    tlb_pages_touch(pages, (count + TLB_WAYS - 1) / TLB_WAYS * TLB_WAYS);
    return 0;
}

void tlb_pages_unmap(struct tlb_pages *pages)
{
    if (pages->memory)
        munmap(pages->memory, pages->pages << pages->page_shift);
    *pages = (struct tlb_pages){0};
}

// All pages with the same remainder are the same one in memory, and each of them has the next line
// of it.
size_t tlb_pages_lines(size_t count)
{
    return count <= OWN_LINES ? count : PAGE_LINES;
}

// After so many steps of one page each.
static size_t after(size_t at, size_t steps, size_t step, size_t count)
{
    return (at + steps * step) % count;
}

// Several ways in turns, each so many pages on: no address waits for the one before.
void tlb_pages_touch(void *walked, uint64_t touches)
{
    struct tlb_pages *pages = walked;
    const char *memory = pages->memory;
    const size_t count = pages->pages, step = after(0, TLB_WAYS, pages->step, count);
    const unsigned shift = pages->shift, page_shift = pages->page_shift;
    uint64_t sum[TLB_WAYS] = {0};
    size_t at[TLB_WAYS];
    for (size_t way = 0; way < TLB_WAYS; way++)
        at[way] = after(pages->at, way, pages->step, count);
    for (uint64_t i = 0; i < touches; i += TLB_WAYS) {
#pragma GCC unroll 4
        for (size_t way = 0; way < TLB_WAYS; way++) {
            const size_t line = (at[way] >> shift) % PAGE_LINES;
            const char *from = memory + (at[way] << page_shift) + line * LINE_BYTES;
            const size_t next = at[way] + step;
            sum[way] += *(const volatile uint64_t *)(const void *)from;
            at[way] = next >= count ? next - count : next;
        }
    }
    pages->at = at[0];
    pages->sum += sum[0] + sum[1] + sum[2] + sum[3];
}

// Where the CPU does not say: in the middle of what there is (first level 48 of Arm's
// Neoverse N1 to 96 of Intel's Golden Cove; second level 1280 of Neoverse N1, 1536 of
// Skylake, 2048 of Golden Cove, 3072 of AMD's Zen 4). A level counts as exceeded at twice
// as many entries, so these hold for all of them.
#define ASSUMED_FIRST  96
#define ASSUMED_SECOND 3072

#if defined(__x86_64__)
#include <cpuid.h>

// AMD64 Architecture Programmer's Manual, volume 3, appendix E.4: Fn8000_0005 EBX[23:16]
// and Fn8000_0006 EBX[27:16] are the numbers of entries for pages of 4 KiB; with Fn8000_0021
// EAX[14] (Zen 5) the latter in units of 32. A hypervisor may hide that bit: since family 10h no
// second level had fewer than 512.
static bool ask_amd(struct tlb_size *size)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000005, &a, &b, &c, &d) == 0)
        return false;
    size->first = b >> 16 & 0xff;
    if (__get_cpuid(0x80000006, &a, &b, &c, &d) == 0)
        return false;
    size->second = b >> 16 & 0xfff;
    const bool in_units = __get_cpuid(0x80000021, &a, &b, &c, &d) != 0 && (a & 1u << 14) != 0;
    if (in_units || size->second < 512)
        size->second *= 32;
    return true;
}

// Intel's Software Developer's Manual, volume 2A, CPUID, leaf 18H: each subleaf is one TLB,
// with EBX[0]: has pages of 4 KiB; EBX[31:16] ways; ECX sets; EDX[4:0] 1 data, 3 unified,
// 4 loads only; EDX[7:5] level. EAX of the first: the last subleaf.
static bool ask_intel(struct tlb_size *size)
{
    unsigned last, a, b, c, d;
    if (__get_cpuid_count(0x18, 0, &last, &b, &c, &d) == 0)
        return false;
    for (unsigned i = 0; i <= last && i < 64; i++) {
        if (__get_cpuid_count(0x18, i, &a, &b, &c, &d) == 0)
            return false;
        const unsigned type = d & 0x1f, level = d >> 5 & 7, entries = (b >> 16) * c;
        if ((b & 1) == 0 || (type != 1 && type != 3 && type != 4))
            continue;
        if (level == 1 && entries > size->first)
            size->first = entries;
        if (level == 2 && entries > size->second)
            size->second = entries;
    }
    return true;
}

static bool ask(struct tlb_size *size)
{
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd"))
        return ask_amd(size);
    return __builtin_cpu_is("intel") && ask_intel(size);
}
#else
static bool ask(struct tlb_size *size)
{
    (void)size;
    return false;
}
#endif

struct tlb_size tlb_size(void)
{
    struct tlb_size size = {.source = "cpuid"};
    // A hypervisor may leave the answers empty.
    if (ask(&size) && size.first > 0 && size.second > size.first)
        return size;
    return (struct tlb_size){ASSUMED_FIRST, ASSUMED_SECOND, "assumed"};
}
