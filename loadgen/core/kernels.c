#include "core/kernels.h"

#include "load.h"
#include "ops/widths.h"

#include "common/ports.h"
#include "common/random.h"

#include <sys/mman.h>

// The two pieces of machine code that a ring of code consists of. Sources of the encodings:
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (JMP rel32, LEA,
// RET); Arm Architecture Reference Manual for A-profile (B, ADRP, ADD immediate, RET).

#if defined(__x86_64__)
#define ENCODE_MOST_BYTES 8

static inline void encode_distance(unsigned char *at, const unsigned char *end,
                                   const unsigned char *to)
{
    const int32_t distance = (int32_t)(to - end);
    memcpy(at, &distance, sizeof distance);
}

// jmp to
static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    at[0] = 0xe9;
    encode_distance(at + 1, at + 5, to);
}

// lea to(%rip), %rax; ret
static inline void encode_return(unsigned char *at, const unsigned char *to)
{
    at[0] = 0x48;
    at[1] = 0x8d;
    at[2] = 0x05;
    encode_distance(at + 3, at + 7, to);
    at[7] = 0xc3;
}

#elif defined(__aarch64__)
#define ENCODE_MOST_BYTES 12

static inline void encode_word(unsigned char *at, unsigned index, uint32_t word)
{
    memcpy(at + 4 * (size_t)index, &word, sizeof word);
}

// b to
static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    encode_word(at, 0, 0x14000000u | ((uint32_t)((to - at) / 4) & 0x03ffffffu));
}

// adrp x0, page of to; add x0, x0, its place in the page; ret
static inline void encode_return(unsigned char *at, const unsigned char *to)
{
    const uint32_t pages = (uint32_t)(((intptr_t)to >> 12) - ((intptr_t)at >> 12));
    const uint32_t place = (uint32_t)((uintptr_t)to & 0xfffu);
    encode_word(at, 0, 0x90000000u | (pages & 3u) << 29 | (pages >> 2 & 0x7ffffu) << 5);
    encode_word(at, 1, 0x91000000u | place << 10);
    encode_word(at, 2, 0xd65f03c0u);
}

#else
#define ENCODE_MOST_BYTES 0 // none for this kind of machine

static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    (void)at, (void)to;
}

static inline void encode_return(unsigned char *at, const unsigned char *to)
{
    (void)at, (void)to;
}
#endif

_Static_assert(CODE_LINE_BYTES >= ENCODE_MOST_BYTES, "a line holds its jump");

// The order of the lines: line i is followed by next[i]. Sattolo: as Fisher-Yates, but
// never with itself, so that all are one ring. NULL: no memory.
static uint32_t *make_order(size_t lines, uint64_t seed)
{
    uint32_t *next = malloc(lines * sizeof *next);
    if (!next)
        return NULL;
    for (size_t i = 0; i < lines; i++)
        next[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = random_below(&seed, i);
        const uint32_t swap = next[i];
        next[i] = next[j];
        next[j] = swap;
    }
    return next;
}

// In the order of execution: each line jumps to the next, and the last of each call returns
// where to continue.
static void write_lines(unsigned char *memory, size_t lines, const uint32_t *next)
{
    size_t at = 0;
    for (size_t i = 1; i <= lines; i++) {
        unsigned char *from = memory + at * CODE_LINE_BYTES;
        const unsigned char *to = memory + (size_t)next[at] * CODE_LINE_BYTES;
        if (i % CODE_CALL_LINES == 0)
            encode_return(from, to);
        else
            encode_jump(from, to);
        at = next[at];
    }
}

bool code_possible(void)
{
    return ENCODE_MOST_BYTES > 0;
}

int code_make(struct code *code, size_t bytes, uint64_t seed)
{
    const size_t lines = bytes / CODE_LINE_BYTES;
    uint32_t *next = make_order(lines, seed);
    *code = (struct code){0};
    if (!next)
        return -1;
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        free(next);
        return -1;
    }
    write_lines(memory, lines, next);
    free(next);
    __builtin___clear_cache((char *)memory, (char *)memory + bytes);
    *code = (struct code){.memory = memory, .bytes = bytes, .at = memory};
    if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0)
        return 0;
    const int error = errno;
    code_free(code);
    errno = error;
    return -1;
}

void code_free(struct code *code)
{
    if (code->memory)
        munmap(code->memory, code->bytes);
    *code = (struct code){0};
}

void code_run(void *way, uint64_t lines)
{
    typedef void *call(void);
    struct code *code = way;
    for (uint64_t done = 0; done < lines; done += CODE_CALL_LINES)
        code->at = ((call *)code->at)();
}

// The empty asm makes each value opaque after each step, so that none can be folded, left
// out or vectorised.
#if defined(__x86_64__)
#define FP_REGISTER "+x"
#elif defined(__aarch64__)
#define FP_REGISTER "+w"
#else
#define FP_REGISTER "+m"
#endif
#define OPAQUE(REGISTER, value) __asm__ volatile("" : REGISTER(value))

#define TURNS  512
#define UNROLL 8
// As many values as the longest latency, 5 cycles, times 2 ports leaves none idle.
#define VALUES 10
#define EACH(DO, ...)                                                                              \
    DO(0, __VA_ARGS__)                                                                             \
    DO(1, __VA_ARGS__)                                                                             \
    DO(2, __VA_ARGS__)                                                                             \
    DO(3, __VA_ARGS__)                                                                             \
    DO(4, __VA_ARGS__)                                                                             \
    DO(5, __VA_ARGS__)                                                                             \
    DO(6, __VA_ARGS__)                                                                             \
    DO(7, __VA_ARGS__)                                                                             \
    DO(8, __VA_ARGS__)                                                                             \
    DO(9, __VA_ARGS__)
#define BLOCK (TURNS * UNROLL * VALUES)

const char *const port_kind_names[] = {"int",    "int-mul", "fp",  "fp-add",
                                       "fp-mul", "shuffle", "all", NULL};

typedef float lanes __attribute__((vector_size(16)));
typedef int32_t places __attribute__((vector_size(16)));

#define ADD(x, a)      ((x) + (a))
#define MULTIPLY(x, a) ((x) * (a))
#define ROTATE(x, a)   __builtin_shuffle(x, (places){1, 2, 3, 0})

#define BEGIN(k, TYPE)                                                                             \
    TYPE x##k = a;                                                                                 \
    (void)x##k;
#define MOVE(k, REGISTER, NEXT)                                                                    \
    x##k = NEXT(x##k, a);                                                                          \
    OPAQUE(REGISTER, x##k);
// A copy: what has an address may end up in memory.
#define CHECK(k, TYPE)                                                                             \
    {                                                                                              \
        const TYPE found = x##k;                                                                   \
        right = right && memcmp(&found, &first, sizeof first) == 0;                                \
    }

// NEXT is of a value and a constant, a, that the compiler does not know. All values begin
// alike and have the same done to them: they end alike, or the CPU was wrong.
#define KERNEL(NAME, TYPE, REGISTER, FIRST, NEXT)                                                  \
    static bool NAME(unsigned blocks, unsigned spoil)                                              \
    {                                                                                              \
        TYPE a = FIRST;                                                                            \
        bool right = spoil == 0;                                                                   \
        OPAQUE(REGISTER, a);                                                                       \
        EACH(BEGIN, TYPE)                                                                          \
        for (unsigned turn = 0; turn < blocks * TURNS; turn++) {                                   \
            _Pragma("GCC unroll 8") for (unsigned i = 0; i < UNROLL; i++)                          \
            {                                                                                      \
                EACH(MOVE, REGISTER, NEXT)                                                         \
            }                                                                                      \
        }                                                                                          \
        const TYPE first = x0;                                                                     \
        EACH(CHECK, TYPE)                                                                          \
        return right;                                                                              \
    }

KERNEL(run_int_mul, uint64_t, "+r", 0x9e3779b97f4a7c15, MULTIPLY)
KERNEL(run_fp_add, double, FP_REGISTER, 1, ADD)
KERNEL(run_fp_mul, double, FP_REGISTER, 1, MULTIPLY)
KERNEL(run_shuffle, lanes, FP_REGISTER, ((lanes){1, 2, 3, 4}), ROTATE)

// 4 additions of whole numbers, a multiplication and an addition of doubles a step: as many
// as a core starts in a cycle.
#define ALL_STEPS 4
#define ALL_BLOCK (TURNS * UNROLL * ALL_STEPS * 6)
#define STEP(k)                                                                                    \
    MOVE_NAMED(n0, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n1, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n2, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n3, "+r", ADD, one)                                                                 \
    MOVE_NAMED(sum##k, FP_REGISTER, ADD, unit)                                                     \
    MOVE_NAMED(product##k, FP_REGISTER, MULTIPLY, unit)
#define MOVE_NAMED(name, REGISTER, NEXT, a)                                                        \
    name = NEXT(name, a);                                                                          \
    OPAQUE(REGISTER, name);

static bool run_all(unsigned blocks, unsigned spoil)
{
    uint64_t one = 1, n0 = 0, n1 = 0, n2 = 0, n3 = 0;
    double unit = 1, sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    double product0 = 1, product1 = 1, product2 = 1, product3 = 1;
    OPAQUE("+r", one);
    OPAQUE(FP_REGISTER, unit);
    for (unsigned turn = 0; turn < blocks * TURNS; turn++) {
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < UNROLL; i++)
        {
            STEP(0)
            STEP(1)
            STEP(2)
            STEP(3)
        }
    }
    const uint64_t steps = (uint64_t)blocks * TURNS * UNROLL * ALL_STEPS + spoil;
    return n0 == steps && n1 == steps && n2 == steps && n3 == steps &&
           sum0 + sum1 + sum2 + sum3 == (double)steps &&
           product0 * product1 * product2 * product3 == 1;
}

// ---- loadgen ops's ----

// One instruction in each lane for a step, two where there is no FMA.
static struct port_kernel of_ops(enum ops_type type)
{
    char reason[256];
    const struct ops_kernel kernel = ops_kernel_of(SIMD_SCALAR, type);
    const struct ports *ports = ports_find(reason, sizeof reason);
    const enum step step = ports_step(SIMD_SCALAR, type == OPS_DOUBLE);
    const double steps = !ports ? 0 : ports_steps(ports, SIMD_SCALAR, step);
    const double each = step == STEP_MULTIPLY_ADD ? 2 : 1;
    return (struct port_kernel){.run = kernel.run,
                                .instructions =
                                    kernel.block / kernel.lanes / kernel.operations * each,
                                .blocks = 8,
                                .per_cycle = steps > 0 ? steps * each : NAN};
}

struct port_kernel port_kernel_of(enum port_kind kind)
{
    static const struct port_kernel own[PORT_KINDS] = {
        [PORT_INT_MUL] = {run_int_mul, BLOCK, 4, NAN},
        [PORT_FP_ADD] = {run_fp_add, BLOCK, 4, NAN},
        [PORT_FP_MUL] = {run_fp_mul, BLOCK, 4, NAN},
        [PORT_SHUFFLE] = {run_shuffle, BLOCK, 4, NAN},
        [PORT_ALL] = {run_all, ALL_BLOCK, 4, NAN},
    };
    if (kind == PORT_INT)
        return of_ops(OPS_INT64);
    return kind == PORT_FP ? of_ops(OPS_DOUBLE) : own[kind];
}

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

// Of all pages with the same remainder, which are the same one in memory, each has the next
// line.
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
