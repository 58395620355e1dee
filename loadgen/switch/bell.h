/* A bell: one thread sleeps until another one rings. */
#ifndef LOADGEN_SWITCH_BELL_H
#define LOADGEN_SWITCH_BELL_H

#include <stdatomic.h>
#include <stdint.h>

struct bell {
    _Alignas(64) _Atomic uint32_t rung; /* futex: 1 from the ring until it is heard */
    int read_fd, write_fd;              /* pipe, eventfd; -1: none */
};

/* How it is done. All but close() return 0, or -1 with errno. */
struct bell_method {
    int (*open)(struct bell *bell);
    int (*ring)(struct bell *bell);
    int (*wait)(struct bell *bell);
};

/* By --method; the names in the same order, ended by NULL. */
extern const struct bell_method bell_methods[];
extern const char *const bell_method_names[];

/* Whatever the method; also when open() failed. */
void bell_close(struct bell *bell);

#endif
