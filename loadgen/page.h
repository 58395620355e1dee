#ifndef LOADGEN_PAGE_H
#define LOADGEN_PAGE_H

#include <stddef.h>
#include <unistd.h>

/* Bytes of a page of this system: 4 KiB, on some aarch64 and ppc64le 64 KiB. */
static inline size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

#endif
