#ifndef LOADGEN_CORE_ENCODE_H
#define LOADGEN_CORE_ENCODE_H

/* The two pieces of machine code that a ring of code consists of. Sources of the encodings:
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (JMP rel32, LEA,
 * RET); Arm Architecture Reference Manual for A-profile (B, ADRP, ADD immediate, RET). */

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define ENCODE_MOST_BYTES 8

static inline void encode_distance(unsigned char *at, const unsigned char *end,
                                   const unsigned char *to)
{
    const int32_t distance = (int32_t)(to - end);
    memcpy(at, &distance, sizeof distance);
}

/* jmp to */
static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    at[0] = 0xe9;
    encode_distance(at + 1, at + 5, to);
}

/* lea to(%rip), %rax; ret */
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

/* b to */
static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    encode_word(at, 0, 0x14000000u | ((uint32_t)((to - at) / 4) & 0x03ffffffu));
}

/* adrp x0, page of to; add x0, x0, its place in the page; ret */
static inline void encode_return(unsigned char *at, const unsigned char *to)
{
    const uint32_t pages = (uint32_t)(((intptr_t)to >> 12) - ((intptr_t)at >> 12));
    const uint32_t place = (uint32_t)((uintptr_t)to & 0xfffu);
    encode_word(at, 0, 0x90000000u | (pages & 3u) << 29 | (pages >> 2 & 0x7ffffu) << 5);
    encode_word(at, 1, 0x91000000u | place << 10);
    encode_word(at, 2, 0xd65f03c0u);
}

#else
#define ENCODE_MOST_BYTES 0 /* none for this kind of machine */

static inline void encode_jump(unsigned char *at, const unsigned char *to)
{
    (void)at, (void)to;
}

static inline void encode_return(unsigned char *at, const unsigned char *to)
{
    (void)at, (void)to;
}
#endif

#endif
