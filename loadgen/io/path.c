// The data path: which bytes of the work file come next, and one blocking operation on them.

#include "io/io.h"

#include "common/random.h"

#include <sys/stat.h>

enum {
    PAGE_BYTES = 4096,
    MOST_PAGE_BYTES = 2 << 20,
    STAMP_EVERY_BYTES = 4096 // the smallest piece that storage is known to deduplicate
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

// With O_DIRECT if flags have it and the file system does.
static int open_for(struct io_plan *plan, const struct io_file *file, int flags)
{
    int fd = io_file_reopen(file, flags);
    if (fd >= 0 || errno != EINVAL || (flags & O_DIRECT) == 0)
        return fd;
    plan->drop = true;
    return io_file_reopen(file, flags & ~O_DIRECT);
}

int io_plan_open(struct run *run, struct io_plan *plan, const struct io_file *file)
{
    static const int flags[] = {[IO_SYNC_DIRECT] = O_DIRECT,
                                [IO_SYNC_DSYNC] = O_DIRECT | O_DSYNC,
                                [IO_SYNC_DATA] = 0,
                                [IO_SYNC_NONE] = 0};
    plan->read_fd = plan->write_fd = -1;
    plan->drop = false;
    if (plan->read_percent < 100) {
        plan->write_fd = open_for(plan, file, O_WRONLY | flags[plan->sync]);
        if (plan->write_fd < 0)
            return run_fail(run, "cannot open the work file for writing: %s", strerror(errno));
        if (plan->drop && plan->sync == IO_SYNC_DIRECT)
            return run_refuse(run,
                              "--sync direct: the file system of %s has no O_DIRECT: give --sync "
                              "dsync or data, or another --dir",
                              file->folder);
    }
    if (plan->read_percent > 0) {
        plan->read_fd = open_for(plan, file, O_RDONLY | (plan->cached ? 0 : O_DIRECT));
        if (plan->read_fd < 0)
            return run_fail(run, "cannot open the work file for reading: %s", strerror(errno));
        if (plan->cached || plan->drop) // no read-ahead
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

double io_stream_bytes(const struct io_plan *plan)
{
    // The last page may be used in part.
    return (double)plan->block_bytes * plan->depth + (plan->huge ? MOST_PAGE_BYTES : PAGE_BYTES);
}

// One mapping for all slots, in base pages by default, as the buffers of other programs are: a
// block in a huge page is one segment for the device, where 256 small pages may be more than it
// takes at once.
static int map_buffers(struct run *run, struct io_stream *stream)
{
    const struct io_plan *plan = stream->plan;
    // Whole words, as random_fill() makes them.
    const size_t bytes = (plan->block_bytes * plan->depth + 7) / 8 * 8;
    if (mem_pages_map(&stream->area, bytes, plan->huge ? MEM_PAGES_HUGE : MEM_PAGES_BASE) != 0)
        return run_fail(run,
                        "no memory for %u buffers of %llu bytes (%s): give a smaller --block-size, "
                        "--depth or --threads",
                        plan->depth, (unsigned long long)plan->block_bytes, strerror(errno));
    random_fill(&stream->random, stream->area.memory, bytes / sizeof(uint64_t));
    return 0;
}

int io_stream_open(struct run *run, struct io_stream *stream, const struct io_plan *plan,
                   unsigned index)
{
    uint64_t blocks = plan->file_bytes / plan->block_bytes;
    *stream = (struct io_stream){.plan = plan, .count = blocks};
    stream->random = io_salt();
    stream->stamp = random_next(&stream->random);
    if (!plan->random) {
        stream->first = blocks * index / plan->streams;
        stream->count = blocks * (index + 1) / plan->streams - stream->first;
    }
    return map_buffers(run, stream);
}

void io_stream_close(struct io_stream *stream)
{
    mem_pages_unmap(&stream->area);
}

unsigned char *io_stream_buffer(const struct io_stream *stream, unsigned slot)
{
    return (unsigned char *)stream->area.memory + slot * stream->plan->block_bytes;
}

static void stamp(struct io_stream *stream, unsigned char *buffer)
{
    uint64_t bytes = stream->plan->block_bytes;
    for (uint64_t at = 0; at + sizeof stream->stamp <= bytes; at += STAMP_EVERY_BYTES) {
        stream->stamp++;
        memcpy(buffer + at, &stream->stamp, sizeof stream->stamp);
    }
}

struct io_request io_stream_next(struct io_stream *stream, unsigned slot)
{
    const double percent = stream->plan->read_percent;
    struct io_request request = {.read = percent >= 100};
    uint64_t block;
    if (percent > 0 && percent < 100)
        request.read = (double)(random_next(&stream->random) >> 11) * 0x1p-53 * 100 < percent;
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

int io_transfer(int fd, bool read_it, unsigned char *data, size_t length, uint64_t offset)
{
    ssize_t moved;
    do
        moved = read_it ? pread(fd, data, length, (off_t)offset)
                        : pwrite(fd, data, length, (off_t)offset);
    while (moved < 0 && errno == EINTR);
    if (moved < 0)
        return errno;
    return (size_t)moved == length ? 0 : EIO;
}

int io_stream_do(const struct io_stream *stream, const struct io_request *request)
{
    const struct io_plan *plan = stream->plan;
    io_stream_drop(stream, request);
    const int error =
        io_transfer(request->read ? plan->read_fd : plan->write_fd, request->read,
                    io_stream_buffer(stream, 0), plan->block_bytes, request->offset_bytes);
    if (error == 0 && !request->read && plan->sync == IO_SYNC_DATA &&
        fdatasync(plan->write_fd) != 0)
        return errno;
    return error;
}
