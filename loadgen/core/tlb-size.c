#include "core/tlb-size.h"

#include <stdbool.h>

/* Where the CPU does not say: in the middle of what there is (first level 48 of Arm's
 * Neoverse N1 to 96 of Intel's Golden Cove; second level 1280 of Neoverse N1, 1536 of
 * Skylake, 2048 of Golden Cove, 3072 of AMD's Zen 4). A level counts as exceeded at twice
 * as many entries, so these hold for all of them. */
#define ASSUMED_FIRST  96
#define ASSUMED_SECOND 3072

#if defined(__x86_64__)
#include <cpuid.h>

/* AMD64 Architecture Programmer's Manual, volume 3, appendix E.4: Fn8000_0005 EBX[23:16]
 * and Fn8000_0006 EBX[27:16] are the numbers of entries for pages of 4 KiB. */
static bool ask_amd(struct tlb_size *size)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000005, &a, &b, &c, &d) == 0)
        return false;
    size->first = b >> 16 & 0xff;
    if (__get_cpuid(0x80000006, &a, &b, &c, &d) == 0)
        return false;
    size->second = b >> 16 & 0xfff;
    return true;
}

/* Intel's Software Developer's Manual, volume 2A, CPUID, leaf 18H: each subleaf is one TLB,
 * with EBX[0]: has pages of 4 KiB; EBX[31:16] ways; ECX sets; EDX[4:0] 1 data, 3 unified,
 * 4 loads only; EDX[7:5] level. EAX of the first: the last subleaf. */
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
    /* A hypervisor may leave the answers empty. */
    if (ask(&size) && size.first > 0 && size.second > size.first)
        return size;
    return (struct tlb_size){ASSUMED_FIRST, ASSUMED_SECOND, "assumed"};
}
