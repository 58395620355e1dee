/* What the cells of the disk share. */
#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "common/device.h"
#include "part.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

#define NAME_SIZE 32

/* The column "through", which tells direct and cached rows apart. */
#define THROUGH_DIRECT "direct"
#define THROUGH_CACHE  "page cache"

/* The disk, and what is asked of it. */
struct disk {
    struct matrix *matrix;
    const struct choice *choice;
    struct device device;
    struct link_speed link;
    char none[512];    /* why nothing can be measured; "" */
    char no_peak[256]; /* why the peak is not known; "" */
};

/* The phases of Bonnie, a row each from the runs of one cell: past the page cache (no
 * characters then), or through it. */
void bonnie_add(const struct disk *disk, bool is_direct);

#endif
