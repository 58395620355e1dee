#ifndef LOADGEN_MEM_SWEEP_H
#define LOADGEN_MEM_SWEEP_H

/* Where a worker's kernel is, and where it continues: through its arrays from one end to
 * the other, block by block, or block by block at random places. */

#include "mem/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEM_ARRAYS = 3, MEM_STEPS = 4 };

/* One kernel over the arrays: array[to] = f(array[from], array[also]). */
struct mem_step {
    enum mem_kernel kernel;
    mem_run *run;
    unsigned to, from, also;
    uint64_t element_bytes; /* counted for an element of the result */
    double scalar[2];       /* in even and in odd passes */
};

/* What all workers do. */
struct mem_course {
    struct mem_step step[MEM_STEPS];
    unsigned steps;
    uint64_t elements; /* of an array; a multiple of block */
    uint64_t block;    /* elements in one place; a multiple of MEM_BLOCK */
    bool random;       /* only with one step */
};

/* Where one worker is. Elements before `at` have been through step `step` of pass `pass`,
 * those from there on have not yet. Of a random course only read is right. */
struct mem_sweep {
    uint64_t at, left; /* left: of the block */
    uint64_t pass;
    unsigned step;
    uint64_t random; /* state of the generator */
    uint64_t read;   /* elements that MEM_READ has read, and their sum */
    double sum;
};

/* The steps of a kernel, by the functions of this table (of mem_table). */
void mem_course_steps(struct mem_course *course, enum mem_kernel kernel, mem_run *const *table);
/* The values that each array has at the beginning. */
void mem_course_begin(const struct mem_course *course, double value[MEM_ARRAYS]);
/* Moves so many counted bytes, or up to a MEM_BLOCK more, and returns how many they were. */
uint64_t mem_sweep_run(const struct mem_course *course, struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS], uint64_t bytes);

/* Blocks of one byte: single accesses, each of which waits for the one before, so that
 * their time is a latency. */

enum mem_access {
    ACCESS_NONE,         /* whole blocks are moved: see sweep.h */
    ACCESS_LOAD_RANDOM,  /* chase_run(): the address is what the load before has read */
    ACCESS_LOAD_NEXT,    /* the same, and it is the next byte */
    ACCESS_STORE_RANDOM, /* a store into a random line, visible to all before the next */
    ACCESS_STORE_NEXT,   /* the same, and it is the next byte */
};

/* What is measured, in words; NULL of ACCESS_NONE. */
extern const char *const mem_access_names[];

/* Puts memory out of all caches, where a program can (x86-64, aarch64). What filling it has left
 * there, a quarter of a footprint of four L3s, would be found by the loads of the first tenths of a
 * second, and never again. */
void mem_access_flush(const char *memory, size_t bytes);
/* `count` dependent loads of one byte each from *at on through memory of `bytes` zeros, round
 * and round. */
void mem_access_load_next(const char *memory, size_t bytes, size_t *at, size_t count);
/* `count` stores of one byte, each followed by a full fence: it is complete when its line
 * is in this CPU's cache, exclusively, and the store buffer is empty. */
void mem_access_store_next(char *memory, size_t bytes, size_t *at, size_t count);
void mem_access_store_random(char *memory, size_t bytes, uint64_t *random, size_t count);

/* STREAM's validity check (J. D. McCalpin, stream.c, checkSTREAMresults()): after n passes
 * the arrays have the values that n passes over one element of each have, to an average
 * relative error of 1e-13 for doubles; of read the sum has. */

#define MEM_VALID_ERROR 1e-13

/* The largest of the arrays' average relative errors. Of a random course an element may
 * have the values before or after. */
double mem_valid_error(const struct mem_course *course, const struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS]);

#endif
