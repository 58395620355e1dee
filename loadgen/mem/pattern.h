#ifndef LOADGEN_MEM_PATTERN_H
#define LOADGEN_MEM_PATTERN_H

/* What --kernel, --read, --write, --block-size, --sequential and --random mean together. */

#include "load.h"
#include "mem/access.h"
#include "mem/kernels.h"

struct mem_pattern {
    enum mem_kernel kernel;
    enum mem_access access; /* ACCESS_NONE: blocks are moved */
};

/* Ends the program with exit status 2 where they exclude each other. */
struct mem_pattern mem_pattern_of(const struct run *run);

#endif
