#include "core/tlb-pages.h"

#include "page.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_BYTES 64
#define PAGE_LINES 64 /* of each page in memory, that are read */
/* Up to so many pages each has a line of its own (16 KiB in all): AMD's L1 data caches find a
 * line by its virtual address first, and one that was last read by another costs as much as
 * a miss. More pages share the 64 lines of one: what they wait for is the TLB. */
#define OWN_LINES 256

/* Pages are visited at golden steps: each once a round, no two neighbours within a few
 * touches, and nothing to be read that says where to go next. */
#define GOLDEN 0.6180339887
#define WAYS   4 /* hide how long an address takes to compute */

static size_t common_divisor(size_t a, size_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static size_t step_of(size_t count)
{
    size_t step = (size_t)((double)count * GOLDEN);
    while (step == 0 || common_divisor(step, count) != 1)
        step++;
    return step;
}

/* Fills the reserved addresses with the pages in memory, again and again, backwards: what two
 * neighbours map does not continue. */
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
    *pages = (struct tlb_pages){.pages = count,
                                .page_shift = page_shift,
                                .shift = count <= OWN_LINES ? 2 : 0,
                                .step = step_of(count)};
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
    tlb_pages_touch(pages, (count + WAYS - 1) / WAYS * WAYS);
    return 0;
}

void tlb_pages_unmap(struct tlb_pages *pages)
{
    if (pages->memory != NULL)
        munmap(pages->memory, pages->pages << pages->page_shift);
    *pages = (struct tlb_pages){0};
}

/* Of all pages with the same remainder, which are the same one in memory, each has the next
 * line. */
size_t tlb_pages_lines(size_t count)
{
    return count <= OWN_LINES ? count : PAGE_LINES;
}

/* After so many steps of one page each. */
static size_t after(size_t at, size_t steps, size_t step, size_t count)
{
    return (at + steps * step) % count;
}

/* Several ways in turns, each so many pages on: no address waits for the one before. */
void tlb_pages_touch(struct tlb_pages *pages, uint64_t touches)
{
    const char *memory = pages->memory;
    const size_t count = pages->pages, step = after(0, WAYS, pages->step, count);
    const unsigned shift = pages->shift, page_shift = pages->page_shift;
    uint64_t sum[WAYS] = {0};
    size_t at[WAYS];
    for (size_t way = 0; way < WAYS; way++)
        at[way] = after(pages->at, way, pages->step, count);
    for (uint64_t i = 0; i < touches; i += WAYS) {
#pragma GCC unroll 4
        for (size_t way = 0; way < WAYS; way++) {
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
