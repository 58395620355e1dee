#ifndef LOADGEN_MEM_OPTIONS_H
#define LOADGEN_MEM_OPTIONS_H

/* The options of loadgen mem, and what follows from them: where each array is, and
 * what one paced operation does. */

#include "load.h"
#include "mem/kernels.h"
#include "mem/mem-state.h"

extern const struct option_row mem_options[];
extern const char *const mem_simd_choices[]; /* of --simd */
/* Rows that the tables of loadgen mem and loadgen cache share. */
#define MEM_SHARED_OPTIONS                                                                         \
    {.name = "huge",                                                                               \
     .measured = true,                                                                             \
     .type = OPTION_FLAG,                                                                          \
     .offset = offsetof(struct mem_settings, huge),                                                \
     .help =                                                                                       \
         "ask for huge pages: reserved ones if there are, else transparent ones (default: as the " \
         "system has it)"},                                                                        \
        {.name = "node",                                                                           \
         .measured = true,                                                                         \
         .argument = "N",                                                                          \
         .type = OPTION_INTEGER,                                                                   \
         .offset = offsetof(struct mem_settings, node),                                            \
         .minimum = -1,                                                                            \
         .maximum = 1024,                                                                          \
         .preset = "-1",                                                                           \
         .help = "memory of this NUMA node; -1: each worker's own"},                               \
    {                                                                                              \
        .name = "simd", .measured = true, .argument = "NAME", .type = OPTION_CHOICE,               \
        .offset = offsetof(struct mem_settings, simd), .preset = "auto",                           \
        .choices = mem_simd_choices,                                                               \
        .help = "avx512, avx2, sse2 (x86-64), sve, neon (aarch64) or portable; auto: the widest, " \
                "beyond L3 avx2 at most"                                                           \
    }

/* load.h's check. */
void mem_check(struct run *run);
/* Makes run->state, and checks the machine, --simd, --node; then the caller gives the
 * footprint of all workers together, and the rest of the plan follows, or exit 2. */
void mem_open(struct run *run, enum mem_kernel kernel, enum mem_access access);
void mem_set_footprint(struct run *run, double footprint_bytes);

#endif
