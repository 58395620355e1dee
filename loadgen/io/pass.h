/* One pass over a file for each phase of --phases. */
#ifndef LOADGEN_IO_PASS_H
#define LOADGEN_IO_PASS_H

#include "io/io-state.h"

/* The file, and what all phases share. */
struct io_bench {
    struct run *run;
    const struct io_settings *set;
    int fd;        /* through the page cache */
    int direct_fd; /* --sync direct: of the block phases; else the same */
    unsigned char *buffer;
    uint64_t file_bytes, char_bytes, block_bytes;
    uint64_t random;
};

/* What one phase did. Times by CLOCK_MONOTONIC. */
struct io_outcome {
    uint64_t bytes;      /* of the file, each counted once, as Bonnie does */
    uint64_t moved;      /* read and written, each counted */
    uint64_t operations; /* bytes, blocks or seeks */
    int64_t slowest_ns;  /* of an operation */
    int64_t elapsed_ns, cpu_ns;
    double reached_ratio; /* NAN: no counters */
};

/* From the beginning of the file to its end. 0, or errno. */
typedef int io_pass(struct io_bench *bench, struct io_outcome *outcome);
io_pass io_pass_char_write, io_pass_block_write, io_pass_rewrite, io_pass_char_read,
    io_pass_block_read, io_pass_seeks;

/* Memory for one block, aligned for O_DIRECT, with random data; for free(). NULL: out of
 * memory. */
unsigned char *io_pass_buffer(uint64_t bytes);

#endif
