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
/* What a step in that pass makes of the values of one element of each array. */
void mem_step_apply(const struct mem_step *step, uint64_t pass, double value[MEM_ARRAYS]);
/* Moves so many counted bytes, or up to a MEM_BLOCK more, and returns how many they were. */
uint64_t mem_sweep_run(const struct mem_course *course, struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS], uint64_t bytes);

#endif
