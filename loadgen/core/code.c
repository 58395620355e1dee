// A ring of machine code, made for this kind of machine: one jump in each line, in random order.

#include "core/code.h"

#include "load.h"

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
