/* Writes a file once, with incompressible data, as fast as the disk can. */
#ifndef LOADGEN_IO_FILL_H
#define LOADGEN_IO_FILL_H

#include "io/error.h"

#include <stdbool.h>
#include <stdint.h>

#define IO_FILL_BYTES (8.0 * 1048576) /* of memory, while it writes */

struct io_fill {
    int fd;             /* of the file, through the page cache */
    int direct_fd;      /* the same with O_DIRECT; -1: there is none */
    uint64_t bytes;     /* to write, from the file's start */
    const char *folder; /* for messages */
    /* Called many times a second; true: stop. NULL: never. */
    bool (*interrupted)(void *context);
    void *context;
};

/* Several threads write large pieces, past the page cache where the file system
 * allows it, and make them durable. 0, also when interrupted() stopped it; or -1
 * with the reason. */
int io_fill(const struct io_fill *fill, struct io_error *error);

#endif
