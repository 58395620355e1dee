// What the files of loadgen io share; each section says of which file it is.
#ifndef LOADGEN_IO_IO_H
#define LOADGEN_IO_IO_H

// See load.h. Who includes this for another load has named its own before.
#ifndef OPTIONS_OF
#define OPTIONS_OF struct io_settings
#endif

#include "core/pages.h"
#include "load.h"

#include "common/device.h"

// What returns an int returns 0, or -1 after run_fail() or run_refuse() (load.h).

// ---- file.c ----

// The work file: allocated, written once with incompressible data, gone at the
// end in every case, unless it is to be kept.

struct io_file {
    const char *folder;
    uint64_t size_bytes;
    bool sparse;  // in: of that size, but without data; never kept, never a kept one
    double spare; // in: fraction of the free space to leave at least, if that is more than
                  // what is left in any case
    bool force;   // in: take what is left to others, too
    bool keep;    // in: leave it for the next start; out: it will be left
    bool reused;  // out: it was there already, and fits
    bool busy;    // out: the kept file is in use by another load, this is another one
    int fd;       // out: opened for reading and writing, through the page cache
};

// Whether a file of file->size_bytes could be made: a folder that can be
// written, free space. Creates nothing.
int io_file_check(struct run *run, const struct io_file *file);

// Make it, or take the kept one of the same size and user. Only a kept file has
// a name, and only once it is complete. Signals wait while it is written, which polls for them;
// afterwards they are delivered, and end the load in the usual way: 0 also then. After -1 nothing
// is left behind.
int io_file_open(struct run *run, struct io_file *file);

// An empty one, without a name unless it is to be kept. Its descriptor, or -1 with errno.
int io_file_create(struct io_file *file);

// Another descriptor of the same file (it need not have a name), for instance
// with O_DIRECT. Returns it, or -1 with errno.
int io_file_reopen(const struct io_file *file, int flags);

// The part of the file's size that the file system holds data for: 1, or less where
// there are holes (or where it compresses); NAN when it cannot be asked.
double io_file_allocated(const struct io_file *file);

void io_file_close(struct io_file *file);

// Refuses what is no folder that may be written to.
int io_folder_check(struct run *run, const char *folder);

// ---- space.c ----

#define IO_GIB (1024.0 * 1024.0 * 1024.0)

// Refuses a file for which there is no space, beside the `held` bytes of a file that it replaces.
int io_space_check(struct run *run, const struct io_file *file, uint64_t held);

// ---- fill.c ----

// Several threads write large pieces, and make them durable; direct_fd: the same file past the page
// cache, or -1. 0, also when a signal stopped it; or -1 with the reason.
int io_fill(struct run *run, const struct io_file *file, int direct_fd);
// Whether a signal is pending that ends the load; also of a harness that is gone (watch_start()).
bool io_fill_interrupted(void);

// A number that no other process has, whenever it was started: a seed for data that
// are to be like no others.
uint64_t io_salt(void);

#define IO_FILL_BYTES (8.0 * 1048576) // of memory, while a file is written

// ---- path.c ----

// What a write has to have reached before it counts.
enum io_sync {
    IO_SYNC_DIRECT, // O_DIRECT: the device has it, perhaps in a cache that a power cut empties
    IO_SYNC_DSYNC,  // O_DIRECT and O_DSYNC: durable, each write by itself
    IO_SYNC_DATA,   // through the page cache, fdatasync() after each write: durable
    IO_SYNC_NONE,   // the page cache: the device gets it when the kernel sees fit
};

// How the file is used; the same for all workers.
struct io_plan {
    uint64_t file_bytes;
    uint64_t block_bytes;
    bool random;
    double read_percent; // of the operations; 0 writes only, 100 reads only
    enum io_sync sync;
    bool cached;      // reads through the page cache, on purpose
    bool huge;        // buffers in huge pages
    unsigned depth;   // operations in flight in one stream
    unsigned streams; // one for each worker
    // set by io_plan_open()
    int read_fd, write_fd; // -1 if not needed
    bool drop;             // no O_DIRECT here: what was read is dropped from the cache before
};

// "write", "read", "mix 70". Returns text.
const char *io_access_name(const struct io_plan *plan, char *text, size_t size);
// "direct", "dsync", "data", "none": by enum io_sync, ended by NULL.
extern const char *const io_sync_names[];

// Open the file in the ways that the plan needs. A file system without O_DIRECT
// gets O_DSYNC or dropped reads through the page cache (plan->drop is set); for
// IO_SYNC_DIRECT that is a refusal.
int io_plan_open(struct run *run, struct io_plan *plan, const struct io_file *file);
void io_plan_close(struct io_plan *plan);

// The least size that offsets, lengths and (with a least of 4096) addresses of
// O_DIRECT have to be multiples of: what statx() says (Linux 6.1), else the
// device's logical block, else 4096.
unsigned io_alignment(int fd, unsigned device_block_bytes);

struct io_request {
    uint64_t offset_bytes;
    bool read;
};

// One worker's way through the file. Sequential streams share the file in equal
// parts, each going round in its own; random ones cover all of it, evenly.
struct io_stream {
    const struct io_plan *plan;
    uint64_t first, count; // its part, in blocks
    uint64_t next;         // in blocks, from first
    uint64_t random;       // state
    uint64_t stamp;
    struct mem_area area; // plan->depth buffers of a block each
};

// Memory for the buffers of one stream; a double, for any block and depth.
double io_stream_bytes(const struct io_plan *plan);

// Buffers, filled with random data, and the start.
int io_stream_open(struct run *run, struct io_stream *stream, const struct io_plan *plan,
                   unsigned index);
void io_stream_close(struct io_stream *stream);

// What to do next. For a write, the slot's buffer is made to differ from all
// that was written before, so that nothing can store it once for two.
struct io_request io_stream_next(struct io_stream *stream, unsigned slot);

// The buffer of one of the plan->depth slots.
unsigned char *io_stream_buffer(const struct io_stream *stream, unsigned slot);
// Before a read: drops it from the page cache, if the plan has to.
void io_stream_drop(const struct io_stream *stream, const struct io_request *request);

// A transfer of all or nothing, blocking. 0, or errno.
int io_transfer(int fd, bool read_it, unsigned char *data, size_t length, uint64_t offset);
// Do it, blocking, with slot 0. 0, or errno; a short transfer is EIO.
int io_stream_do(const struct io_stream *stream, const struct io_request *request);

// ---- ring.c ----

struct io_ring;

// An operation, in flight or done.
struct io_done {
    struct io_request request;
    int64_t due_ns, start_ns; // as given to io_ring_start()
    int error;                // 0 or errno
    unsigned waiting;         // completions still to come
};

// Why this process cannot use io_uring at all: a build without liburing, a kernel without it,
// seccomp, kernel.io_uring_disabled. NULL: it can.
const char *io_ring_lack(void);

// Weak: a build without liburing has none of these, and then they are not called.
#define IO_RING __attribute__((weak))
// In the thread that will use it. NULL after run_fail().
IO_RING struct io_ring *io_ring_open(struct run *run, struct io_stream *stream);
// Nothing may be in flight.
IO_RING void io_ring_close(struct io_ring *ring);

// Operations in flight, and whether there is room for one more.
IO_RING unsigned io_ring_in_flight(const struct io_ring *ring);
IO_RING bool io_ring_has_room(const struct io_ring *ring);

// Queue the stream's next operation; it starts with the next io_ring_wait().
IO_RING void io_ring_start(struct io_ring *ring, int64_t due_ns, int64_t start_ns);

// Start what is queued, and wait until one is done or timeout_ns is over (0: do
// not wait; negative: without end). 0, or errno.
IO_RING int io_ring_wait(struct io_ring *ring, int64_t timeout_ns);

// Take one that is done; false if there is none.
IO_RING bool io_ring_take(struct io_ring *ring, struct io_done *done);

// ---- options.c ----

// The options of loadgen io: what they mean together, and which are refused.

extern const struct option_row io_options[];

// The folder of a work file: what --dir gave, else (NULL) $TMPDIR, else /var/tmp.
const char *io_folder(const char *given);
// load.h's check: makes run->state with the folder, its device and the plan, and
// refuses (exit 2) what cannot be. Creates nothing on the disk that has a name.
void io_check(struct run *run);

// ---- the options as given, and the state of a run ----

#define IO_DEFAULT_FILE_BYTES (8ull << 30)
#define IO_LEAST_FILE_BYTES   ((double)(64u << 20)) // by default
#define IO_WRITTEN_S          60.0                  // of a rate
#define IO_SEQUENTIAL_BLOCK   (1ull << 20)
#define IO_RANDOM_BLOCK       512ull
#define IO_PHASES_BLOCK       8192ull // as Bonnie++
#define IO_SEEKERS            5       // as Bonnie++ 2.00

struct io_settings {
    bool sequential, random, read, write;
    double read_percent; // --mix
    uint64_t block_bytes;
    uint64_t depth;
    int sync; // enum io_sync
    const char *folder;
    uint64_t file_bytes;
    bool phases;
    uint64_t char_bytes, seeks; // of --phases
    bool keep, cached, sparse, huge, allow_memory, show_device;
};

struct io_state {
    struct io_plan plan;
    struct io_file file;
    struct device device;
    bool open;              // it has begun to be made ready
    const char *engine;     // "pwrite", "io_uring", "threads"
    struct mem_pages pages; // of the first worker's buffers
    unsigned warned;        // verdicts that a mark has warned of: 1 << verdict
};

static inline struct io_state *io_state_of(const struct run *run)
{
    return run->state;
}

// ---- claims.c ----

// The load's cumulative counters.
enum io_counter {
    IO_CLAIMED_READ, // by the workers
    IO_CLAIMED_WRITTEN,
    IO_DEVICE_READ,
    IO_DEVICE_WRITTEN,
    IO_SELF_READ,
    IO_SELF_WRITTEN
};

// load.h's count, fields and notes.
void io_count(struct run *run, double counters[LOAD_COUNTERS]);
void io_fields(struct run *run, const struct snapshot *window, struct line *line);
void io_notes(struct run *run, const char *event, const struct snapshot *window);

// ---- phases.c ----

// --phases: what Bonnie reports, in its order, one after the other. load.h's instead: measures all
// phases on a file of its own, that has no name; reports an event `phase` for each and a `summary`.
// Returns the exit code.
int io_phases(struct run *run);

#endif
