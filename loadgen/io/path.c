#include "io/path.h"

#include "common/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    HUGE_BYTES = 2 << 20,
    STAMP_EVERY_BYTES = 4096 /* the smallest piece that storage is known to deduplicate */
};

const char *const io_sync_names[] = {"direct", "dsync", "data", "none", NULL};

const char *io_access_name(const struct io_plan *plan, char *text, size_t size)
{
    if (plan->read_percent <= 0 || plan->read_percent >= 100)
        snprintf(text, size, "%s", plan->read_percent > 0 ? "read" : "write");
    else
        snprintf(text, size, "mix %g", plan->read_percent);
    return text;
}

static int write_flags(enum io_sync sync)
{
    switch (sync) {
    case IO_SYNC_DIRECT:
        return O_WRONLY | O_DIRECT;
    case IO_SYNC_DSYNC:
        return O_WRONLY | O_DIRECT | O_DSYNC;
    default:
        return O_WRONLY;
    }
}

/* With O_DIRECT if flags have it and the file system does. */
static int open_for(struct io_plan *plan, const struct io_file *file, int flags)
{
    int fd = io_file_reopen(file, flags);

    if (fd >= 0 || errno != EINVAL || (flags & O_DIRECT) == 0)
        return fd;
    plan->drop = true;
    return io_file_reopen(file, flags & ~O_DIRECT);
}

int io_plan_open(struct io_plan *plan, const struct io_file *file, struct io_error *error)
{
    plan->read_fd = plan->write_fd = -1;
    plan->drop = false;
    if (plan->read_percent < 100) {
        plan->write_fd = open_for(plan, file, write_flags(plan->sync));
        if (plan->write_fd < 0)
            return io_error_set(error, IO_FAILED, "cannot open the work file for writing: %s",
                                strerror(errno));
        if (plan->drop && plan->sync == IO_SYNC_DIRECT)
            return io_error_set(error, IO_REFUSED,
                                "--sync direct: the file system of %s has no O_DIRECT: "
                                "give --sync dsync or data, or another --dir",
                                file->folder);
    }
    if (plan->read_percent > 0) {
        plan->read_fd = open_for(plan, file, O_RDONLY | (plan->cached ? 0 : O_DIRECT));
        if (plan->read_fd < 0)
            return io_error_set(error, IO_FAILED, "cannot open the work file for reading: %s",
                                strerror(errno));
        if (plan->cached || plan->drop) /* no read-ahead */
            posix_fadvise(plan->read_fd, 0, 0, plan->random ? POSIX_FADV_RANDOM : 0);
    }
    return 0;
}

void io_plan_close(struct io_plan *plan)
{
    if (plan->read_fd >= 0)
        close(plan->read_fd);
    if (plan->write_fd >= 0)
        close(plan->write_fd);
    plan->read_fd = plan->write_fd = -1;
}

unsigned io_alignment(int fd, unsigned device_block_bytes)
{
#ifdef STATX_DIOALIGN
    struct statx status;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
        (status.stx_mask & STATX_DIOALIGN) != 0 && status.stx_dio_offset_align != 0)
        return status.stx_dio_offset_align;
#else
    (void)fd;
#endif
    return device_block_bytes != 0 ? device_block_bytes : PAGE_BYTES;
}

static uint64_t round_up(uint64_t size, uint64_t to)
{
    return (size + to - 1) / to * to;
}

double io_stream_bytes(const struct io_plan *plan)
{
    /* One huge page at the end may be used by half. */
    return (double)plan->block_bytes * plan->depth + HUGE_BYTES;
}

/* One mapping for all slots. A block within a huge page is one segment for the
 * device, where 256 small pages may be more than it takes at once. */
static int map_buffers(struct io_stream *stream, struct io_error *error)
{
    const struct io_plan *plan = stream->plan;
    uint64_t bytes = round_up(plan->block_bytes * plan->depth, PAGE_BYTES);
    bool huge = bytes >= HUGE_BYTES / 2;
    void *memory;

    stream->stride_bytes = plan->block_bytes;
    stream->mapped_bytes = huge ? round_up(bytes, HUGE_BYTES) : bytes;
    memory = mmap(NULL, stream->mapped_bytes + (huge ? HUGE_BYTES : 0), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return io_error_set(error, IO_FAILED,
                            "no memory for %u buffers of %llu bytes: give a smaller "
                            "--block-size, --depth or --threads",
                            plan->depth, (unsigned long long)plan->block_bytes);
    stream->buffers = memory;
    if (huge) {
        uint64_t before = round_up((uintptr_t)memory, HUGE_BYTES) - (uintptr_t)memory;

        if (before > 0)
            munmap(memory, before);
        if (before < HUGE_BYTES)
            munmap(stream->buffers + before + stream->mapped_bytes, HUGE_BYTES - before);
        stream->buffers += before;
        madvise(stream->buffers, stream->mapped_bytes, MADV_HUGEPAGE);
    }
    return 0;
}

int io_stream_open(struct io_stream *stream, const struct io_plan *plan, unsigned index,
                   struct io_error *error)
{
    uint64_t blocks = plan->file_bytes / plan->block_bytes;

    *stream = (struct io_stream){.plan = plan, .count = blocks};
    stream->random = io_salt();
    stream->stamp = random_next(&stream->random);
    if (!plan->random) {
        stream->first = blocks * index / plan->streams;
        stream->count = blocks * (index + 1) / plan->streams - stream->first;
    }
    if (stream->count == 0)
        return io_error_set(error, IO_REFUSED,
                            "a file of %llu bytes is too small for %u workers with blocks of "
                            "%llu bytes: give a larger --file-size",
                            (unsigned long long)plan->file_bytes, plan->streams,
                            (unsigned long long)plan->block_bytes);
    if (map_buffers(stream, error) != 0)
        return -1;
    random_fill(&stream->random, (uint64_t *)(void *)stream->buffers,
                stream->mapped_bytes / sizeof(uint64_t));
    return 0;
}

void io_stream_close(struct io_stream *stream)
{
    if (stream->buffers != NULL)
        munmap(stream->buffers, stream->mapped_bytes);
    stream->buffers = NULL;
}

unsigned char *io_stream_buffer(const struct io_stream *stream, unsigned slot)
{
    return stream->buffers + slot * stream->stride_bytes;
}

static void stamp(struct io_stream *stream, unsigned char *buffer)
{
    uint64_t bytes = stream->plan->block_bytes;

    for (uint64_t at = 0; at + sizeof stream->stamp <= bytes; at += STAMP_EVERY_BYTES) {
        stream->stamp++;
        memcpy(buffer + at, &stream->stamp, sizeof stream->stamp);
    }
}

static bool is_read(struct io_stream *stream)
{
    double percent = stream->plan->read_percent;

    if (percent <= 0 || percent >= 100)
        return percent >= 100;
    return (double)(random_next(&stream->random) >> 11) * 0x1p-53 * 100 < percent;
}

struct io_request io_stream_next(struct io_stream *stream, unsigned slot)
{
    struct io_request request = {.read = is_read(stream)};
    uint64_t block;

    if (stream->plan->random) {
        block = random_below(&stream->random, stream->count);
    } else {
        block = stream->next;
        stream->next = block + 1 < stream->count ? block + 1 : 0;
    }
    request.offset_bytes = (stream->first + block) * stream->plan->block_bytes;
    if (!request.read)
        stamp(stream, io_stream_buffer(stream, slot));
    return request;
}

void io_stream_drop(const struct io_stream *stream, const struct io_request *request)
{
    const struct io_plan *plan = stream->plan;

    if (request->read && plan->drop && !plan->cached)
        posix_fadvise(plan->read_fd, (off_t)request->offset_bytes, (off_t)plan->block_bytes,
                      POSIX_FADV_DONTNEED);
}

int io_stream_do(const struct io_stream *stream, const struct io_request *request)
{
    const struct io_plan *plan = stream->plan;
    off_t offset = (off_t)request->offset_bytes;
    ssize_t moved;

    io_stream_drop(stream, request);
    do
        moved = request->read ? pread(plan->read_fd, stream->buffers, plan->block_bytes, offset)
                              : pwrite(plan->write_fd, stream->buffers, plan->block_bytes, offset);
    while (moved < 0 && errno == EINTR);
    if (moved < 0)
        return errno;
    if ((uint64_t)moved != plan->block_bytes)
        return EIO;
    if (!request->read && plan->sync == IO_SYNC_DATA && fdatasync(plan->write_fd) != 0)
        return errno;
    return 0;
}
