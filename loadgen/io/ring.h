/* Many operations in flight from one thread, by io_uring. */
#ifndef LOADGEN_IO_RING_H
#define LOADGEN_IO_RING_H

#include "io/path.h"

struct io_ring;

struct io_done {
    struct io_request request;
    int64_t due_ns, start_ns; /* as given to io_ring_start() */
    int error;                /* 0 or errno */
};

/* Why this process cannot use io_uring at all: a build without liburing, a kernel without it,
 * seccomp, kernel.io_uring_disabled. NULL: it can. */
const char *io_ring_lack(void);

/* In the thread that will use it. NULL: the reason is in error. */
struct io_ring *io_ring_open(struct io_stream *stream, struct io_error *error);
/* Nothing may be in flight. NULL is fine. */
void io_ring_close(struct io_ring *ring);

/* Operations in flight, and whether there is room for one more. */
unsigned io_ring_in_flight(const struct io_ring *ring);
bool io_ring_has_room(const struct io_ring *ring);

/* Queue the stream's next operation; it starts with the next io_ring_wait(). */
void io_ring_start(struct io_ring *ring, int64_t due_ns, int64_t start_ns);

/* Start what is queued, and wait until one is done or timeout_ns is over (0: do
 * not wait; negative: without end). 0, or errno. */
int io_ring_wait(struct io_ring *ring, int64_t timeout_ns);

/* Take one that is done; false if there is none. */
bool io_ring_take(struct io_ring *ring, struct io_done *done);

#endif
