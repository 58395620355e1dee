// Memory in pages of a kind, and which pages the kernel really gave for it.

#include "core/pages.h"

#include "common/machine.h"
#include "common/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_BYTES ((size_t)2 << 20) // a huge page of x86-64 and of most others
#define ENABLED    "/sys/kernel/mm/transparent_hugepage/enabled"

static int64_t reserved_pages(void)
{
    return machine_number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
}

void mem_pages_check_huge(void)
{
    char text[128];
    if (reserved_pages() <= 0 &&
        (!machine_line(text, sizeof text, ENABLED) || strstr(text, "[never]")))
        usage_error("--huge: transparent huge pages are off (" ENABLED
                    " says never) and none of 2 MiB are reserved (vm.nr_hugepages): allow some, "
                    "or leave it out");
}

uint64_t mem_pages_reserved_bytes(void)
{
    const int64_t pages = reserved_pages();
    return pages > 0 ? (uint64_t)pages * HUGE_BYTES : 0;
}

int mem_pages_map(struct mem_area *area, size_t bytes, enum mem_page_kind kind)
{
    const size_t whole = (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    const size_t outer = whole + 2 * HUGE_BYTES;
    // Reserved huge pages are ours once they are mapped: it cannot fail later. Their size is said,
    // as the usual one is 512 MiB where pages have 64 KiB (aarch64).
    void *reserved = MAP_FAILED;
    if (kind == MEM_PAGES_HUGE && reserved_pages() > 0)
        reserved = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, -1, 0);
    if (reserved != MAP_FAILED) {
        *area = (struct mem_area){reserved, reserved, whole};
        return 0;
    }
    // The pages before and after stay inaccessible: else the kernel would merge this
    // mapping with a neighbour, and smaps could not separate them.
    char *base = mmap(NULL, outer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return -1;
    *area =
        (struct mem_area){base + HUGE_BYTES - ((uintptr_t)base & (HUGE_BYTES - 1)), base, outer};
    if (mprotect(area->memory, whole, PROT_READ | PROT_WRITE) != 0) {
        const int error = errno;
        mem_pages_unmap(area);
        errno = error;
        return -1;
    }
    // A kernel without huge pages knows neither, and has what the second asks for.
    if (kind != MEM_PAGES_USUAL)
        (void)madvise(area->memory, whole,
                      kind == MEM_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return 0;
}

void mem_pages_unmap(struct mem_area *area)
{
    if (area->base)
        munmap(area->base, area->base_bytes);
    *area = (struct mem_area){0};
}

// One line of a mapping's part of smaps. Its Rss leaves hugetlb pages out.
static void take_line(struct mem_pages *pages, const char *text)
{
    uint64_t kib;
    if (sscanf(text, "Rss: %" SCNu64, &kib) == 1)
        atomic_fetch_add(&pages->mapped_bytes, kib << 10);
    else if (sscanf(text, "AnonHugePages: %" SCNu64, &kib) == 1)
        atomic_fetch_add(&pages->thp_bytes, kib << 10);
    else if (sscanf(text, "Private_Hugetlb: %" SCNu64, &kib) == 1) {
        atomic_fetch_add(&pages->hugetlb_bytes, kib << 10);
        atomic_fetch_add(&pages->mapped_bytes, kib << 10);
    } else if (sscanf(text, "KernelPageSize: %" SCNu64, &kib) == 1)
        atomic_store(&pages->page_bytes, kib << 10);
}

void mem_pages_read(struct mem_pages *pages, FILE *smaps, const void *memory)
{
    char text[1024];
    bool inside = false;
    while (fgets(text, sizeof text, smaps)) {
        uintptr_t from, to;
        if (sscanf(text, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            inside = (uintptr_t)memory >= from && (uintptr_t)memory < to;
        else if (inside)
            take_line(pages, text);
    }
}

void mem_pages_count(struct mem_pages *pages, const void *memory)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return;
    mem_pages_read(pages, file, memory);
    fclose(file);
}

// Workers that come when the reserved pages are gone get others.
const char *mem_pages_name(const struct mem_pages *pages)
{
    const double most = 0.95 * (double)atomic_load(&pages->mapped_bytes);
    const double thp = (double)atomic_load(&pages->thp_bytes);
    const double hugetlb = (double)atomic_load(&pages->hugetlb_bytes);
    if (thp + hugetlb <= 0)
        return "base";
    return hugetlb >= most ? "hugetlb" : thp >= most ? "thp" : "mixed";
}
