// Many operations in flight from one thread, by io_uring, where this build and this kernel have it.

#include "io/io.h"

#ifndef WITHOUT_liburing

#include <liburing.h>

// In user_data: which slot, and which half of write-then-fdatasync.
#define SYNC_BIT (1ull << 32)

enum { READ_FILE, WRITE_FILE }; // of the registered files

// So many go to the kernel at a time. One by one costs CPU time; all that there
// is room for leaves the device idle meanwhile (measured: 10 % fewer).
#define SUBMIT_AT_ONCE 4

struct io_ring {
    struct io_uring uring;
    struct io_stream *stream;
    bool fixed_buffers, fixed_files;
    unsigned depth, free_count;
    unsigned *free_slots;
    struct io_done slots[];
};

// The kernel's cheapest way first; older ones know fewer flags.
static int open_uring(struct io_uring *uring, unsigned entries)
{
    static const unsigned flags[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                     IORING_SETUP_COOP_TASKRUN, 0};
    int result = -EINVAL;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0] && result == -EINVAL; i++)
        result = io_uring_queue_init(entries, uring, flags[i]);
    return -result;
}

const char *io_ring_lack(void)
{
    struct io_uring uring;
    int error = open_uring(&uring, 4);
    if (error == 0)
        io_uring_queue_exit(&uring);
    return error == 0 ? NULL : strerror(error);
}

// Both registrations only save work for the kernel: without them (a low
// RLIMIT_MEMLOCK on older kernels) it works too.
static void register_all(struct io_ring *ring)
{
    const struct io_plan *plan = ring->stream->plan;
    int files[] = {[READ_FILE] = plan->read_fd, [WRITE_FILE] = plan->write_fd};
    struct iovec *vectors = calloc(ring->depth, sizeof *vectors);
    ring->fixed_files = io_uring_register_files(&ring->uring, files, 2) == 0;
    if (!vectors)
        return;
    for (unsigned i = 0; i < ring->depth; i++) {
        vectors[i].iov_base = io_stream_buffer(ring->stream, i);
        vectors[i].iov_len = plan->block_bytes;
    }
    ring->fixed_buffers = io_uring_register_buffers(&ring->uring, vectors, ring->depth) == 0;
    free(vectors);
}

struct io_ring *io_ring_open(struct run *run, struct io_stream *stream)
{
    unsigned depth = stream->plan->depth;
    struct io_ring *ring = calloc(1, sizeof *ring + depth * sizeof ring->slots[0]);
    unsigned *free_slots = calloc(depth, sizeof *free_slots);
    const bool memory = ring && free_slots;
    // A write may bring an fdatasync.
    const int failed = memory ? open_uring(&ring->uring, 2 * depth) : ENOMEM;
    if (failed != 0) {
        free(ring);
        free(free_slots);
        if (!memory)
            run_fail(run, "out of memory for a depth of %u: give a smaller --depth", depth);
        else
            run_fail(run, "cannot make an io_uring of depth %u (%s): give a smaller --depth", depth,
                     strerror(failed));
        return NULL;
    }
    ring->stream = stream;
    ring->depth = ring->free_count = depth;
    ring->free_slots = free_slots;
    for (unsigned i = 0; i < depth; i++)
        free_slots[i] = depth - 1 - i;
    register_all(ring);
    return ring;
}

void io_ring_close(struct io_ring *ring)
{
    // The kernel tears a ring down later; the file and the buffers are given back
    // now, so that the file system can be unmounted at once.
    if (ring->fixed_files)
        io_uring_unregister_files(&ring->uring);
    if (ring->fixed_buffers)
        io_uring_unregister_buffers(&ring->uring);
    io_uring_queue_exit(&ring->uring);
    free(ring->free_slots);
    free(ring);
}

unsigned io_ring_in_flight(const struct io_ring *ring)
{
    return ring->depth - ring->free_count;
}

bool io_ring_has_room(const struct io_ring *ring)
{
    return ring->free_count > 0;
}

static void set_file(const struct io_ring *ring, struct io_uring_sqe *sqe, bool read)
{
    const struct io_plan *plan = ring->stream->plan;
    if (ring->fixed_files) {
        sqe->fd = read ? READ_FILE : WRITE_FILE;
        sqe->flags |= IOSQE_FIXED_FILE;
    } else {
        sqe->fd = read ? plan->read_fd : plan->write_fd;
    }
}

void io_ring_start(struct io_ring *ring, int64_t due_ns, int64_t start_ns)
{
    unsigned index = ring->free_slots[--ring->free_count];
    struct io_done *slot = &ring->slots[index];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
    *slot = (struct io_done){.request = io_stream_next(ring->stream, index),
                             .due_ns = due_ns,
                             .start_ns = start_ns,
                             .waiting = 1};
    io_stream_drop(ring->stream, &slot->request);
    const struct io_request *request = &slot->request;
    unsigned char *buffer = io_stream_buffer(ring->stream, index);
    unsigned length = (unsigned)ring->stream->plan->block_bytes;
    if (!ring->fixed_buffers && request->read)
        io_uring_prep_read(sqe, -1, buffer, length, request->offset_bytes);
    else if (!ring->fixed_buffers)
        io_uring_prep_write(sqe, -1, buffer, length, request->offset_bytes);
    else if (request->read)
        io_uring_prep_read_fixed(sqe, -1, buffer, length, request->offset_bytes, (int)index);
    else
        io_uring_prep_write_fixed(sqe, -1, buffer, length, request->offset_bytes, (int)index);
    set_file(ring, sqe, request->read);
    io_uring_sqe_set_data64(sqe, index);
    if (!request->read && ring->stream->plan->sync == IO_SYNC_DATA) {
        sqe->flags |= IOSQE_IO_LINK;
        // An fdatasync of its own, after the slot's write.
        struct io_uring_sqe *sync = io_uring_get_sqe(&ring->uring);
        io_uring_prep_fsync(sync, -1, IORING_FSYNC_DATASYNC);
        set_file(ring, sync, false);
        io_uring_sqe_set_data64(sync, index | SYNC_BIT);
        slot->waiting = 2;
    }
    // What is not accepted now is submitted by io_ring_wait(), which returns errors.
    if (io_uring_sq_ready(&ring->uring) >= SUBMIT_AT_ONCE)
        io_uring_submit(&ring->uring);
}

int io_ring_wait(struct io_ring *ring, int64_t timeout_ns)
{
    struct __kernel_timespec timeout = {.tv_sec = timeout_ns / 1000000000,
                                        .tv_nsec = timeout_ns % 1000000000};
    struct io_uring_cqe *cqe;
    int result;
    if (timeout_ns == 0)
        result = io_uring_submit_and_get_events(&ring->uring);
    else if (timeout_ns < 0)
        result = io_uring_submit_and_wait(&ring->uring, 1);
    else
        result = io_uring_submit_and_wait_timeout(&ring->uring, &cqe, 1, &timeout, NULL);
    return result >= 0 || result == -ETIME || result == -EINTR || result == -EAGAIN ||
                   result == -EBUSY
               ? 0
               : -result;
}

bool io_ring_take(struct io_ring *ring, struct io_done *done)
{
    struct io_uring_cqe *cqe;
    while (io_uring_peek_cqe(&ring->uring, &cqe) == 0) {
        const uint64_t data = io_uring_cqe_get_data64(cqe);
        const unsigned index = (unsigned)(data & ~SYNC_BIT);
        struct io_done *slot = &ring->slots[index];
        if (cqe->res < 0 && slot->error == 0)
            slot->error = -cqe->res;
        else if ((data & SYNC_BIT) == 0 && cqe->res >= 0 &&
                 (uint64_t)cqe->res != ring->stream->plan->block_bytes)
            slot->error = EIO;
        io_uring_cqe_seen(&ring->uring, cqe);
        if (--slot->waiting > 0)
            continue; // its slot has not all that it waits for
        *done = *slot;
        ring->free_slots[ring->free_count++] = index;
        return true;
    }
    return false;
}

#else

const char *io_ring_lack(void)
{
    return "built without liburing";
}

#endif
