#ifndef LOADGEN_IO_PATH_H
#define LOADGEN_IO_PATH_H

/* The data path: which bytes of the work file come next, and one blocking
 * operation on them; and many operations in flight from one thread, by io_uring. */

#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a write has to have reached before it counts. */
enum io_sync {
    IO_SYNC_DIRECT, /* O_DIRECT: the device has it, perhaps in a cache that a power cut empties */
    IO_SYNC_DSYNC,  /* O_DIRECT and O_DSYNC: durable, each write by itself */
    IO_SYNC_DATA,   /* through the page cache, fdatasync() after each write: durable */
    IO_SYNC_NONE,   /* the page cache: the device gets it when the kernel sees fit */
};

/* How the file is used; the same for all workers. */
struct io_plan {
    uint64_t file_bytes;
    uint64_t block_bytes;
    bool random;
    double read_percent; /* of the operations; 0 writes only, 100 reads only */
    enum io_sync sync;
    bool cached;      /* reads through the page cache, on purpose */
    unsigned depth;   /* operations in flight in one stream */
    unsigned streams; /* one for each worker */
    /* set by io_plan_open() */
    int read_fd, write_fd; /* -1 if not needed */
    bool drop;             /* no O_DIRECT here: what was read is dropped from the cache before */
};

/* "write", "read", "mix 70". Returns text. */
const char *io_access_name(const struct io_plan *plan, char *text, size_t size);
/* "direct", "dsync", "data", "none": by enum io_sync, ended by NULL. */
extern const char *const io_sync_names[];

/* Open the file in the ways that the plan needs. A file system without O_DIRECT
 * gets O_DSYNC or dropped reads through the page cache (plan->drop is set); for
 * IO_SYNC_DIRECT that is a refusal. 0, or -1 with the reason. */
int io_plan_open(struct io_plan *plan, const struct io_file *file, struct io_error *error);
void io_plan_close(struct io_plan *plan);

/* The least size that offsets, lengths and (with a least of 4096) addresses of
 * O_DIRECT have to be multiples of: what statx() says (Linux 6.1), else the
 * device's logical block, else 4096. */
unsigned io_alignment(int fd, unsigned device_block_bytes);

struct io_request {
    uint64_t offset_bytes;
    bool read;
};

/* One worker's way through the file. Sequential streams share the file in equal
 * parts, each going round in its own; random ones cover all of it, evenly. */
struct io_stream {
    const struct io_plan *plan;
    uint64_t first, count; /* its part, in blocks */
    uint64_t next;         /* in blocks, from first */
    uint64_t random;       /* state */
    uint64_t stamp;
    unsigned char *buffers; /* plan->depth blocks, block_stride apart */
    uint64_t stride_bytes;
    uint64_t mapped_bytes;
};

/* Memory for the buffers of one stream; a double, for any block and depth. */
double io_stream_bytes(const struct io_plan *plan);

/* Buffers (huge pages where they are large, filled with random data) and the
 * start. 0, or -1 with the reason. */
int io_stream_open(struct io_stream *stream, const struct io_plan *plan, unsigned index,
                   struct io_error *error);
void io_stream_close(struct io_stream *stream);

/* What to do next. For a write, the slot's buffer is made to differ from all
 * that was written before, so that nothing can store it once for two. */
struct io_request io_stream_next(struct io_stream *stream, unsigned slot);

/* Do it, blocking, with slot 0. 0, or errno; a short transfer is EIO. */
int io_stream_do(const struct io_stream *stream, const struct io_request *request);

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
