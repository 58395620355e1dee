// Fills a work file once, with data that cannot be made smaller, as fast as the disk can.

#include "io/io.h"

#include "common/random.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>

uint64_t io_salt(void)
{
    uint64_t number;
    struct timespec now;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    // Early after the boot, or before Linux 3.17.
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^
           ((uint64_t)getpid() * 0x9E3779B97F4A7C15u);
}

enum {
    WRITERS = 4,          // enough for one to make data while others wait for the disk
    PIECE_BYTES = 2 << 20 // a huge page: one segment for the device
};

// One round of writing, shared by its threads.
struct round {
    const struct io_file *file;
    int fd;
    uint64_t salt;
    _Atomic uint64_t next; // offset of the next piece to write
    _Atomic int error;     // errno of the first failure
    _Atomic bool interrupted;
};

bool io_fill_interrupted(void)
{
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (sigismember(&pending, ending_signals[i]) == 1)
            return true;
    return false;
}

static int write_all(int fd, const unsigned char *data, size_t length, off_t offset)
{
    while (length > 0) {
        ssize_t written = pwrite(fd, data, length, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written == 0 ? ENOSPC : errno;
        data += written;
        length -= (size_t)written;
        offset += written;
    }
    return 0;
}

static void write_pieces(struct round *round, unsigned char *buffer)
{
    uint64_t size = round->file->size_bytes, seed;
    while (atomic_load(&round->error) == 0 && !atomic_load(&round->interrupted)) {
        uint64_t offset = atomic_fetch_add(&round->next, PIECE_BYTES);
        uint64_t left = offset < size ? size - offset : 0;
        int error;
        if (left == 0)
            return;
        // No two pieces, nor two files, alike; the generator counts from its seed on, so
        // that of each piece is far from the others.
        seed = round->salt + offset;
        seed = random_next(&seed);
        random_fill(&seed, (uint64_t *)(void *)buffer, PIECE_BYTES / sizeof(uint64_t));
        error =
            write_all(round->fd, buffer, left < PIECE_BYTES ? left : PIECE_BYTES, (off_t)offset);
        if (error != 0)
            atomic_store(&round->error, error);
    }
}

static void *writer(void *argument)
{
    struct round *round = argument;
    void *buffer = NULL;
    if (posix_memalign(&buffer, PIECE_BYTES, PIECE_BYTES) != 0) {
        atomic_store(&round->error, ENOMEM);
        return NULL;
    }
    madvise(buffer, PIECE_BYTES, MADV_HUGEPAGE);
    write_pieces(round, buffer);
    free(buffer);
    return NULL;
}

// Also watches for an interruption until the writers are through.
static void run_writers(struct round *round)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    pthread_t threads[WRITERS];
    int started = 0;
    while (started < WRITERS && thread_start(&threads[started], writer, round) == 0)
        started++;
    if (started == 0)
        atomic_store(&round->error, EAGAIN);
    while (atomic_load(&round->next) < round->file->size_bytes && atomic_load(&round->error) == 0 &&
           !atomic_load(&round->interrupted)) {
        if (io_fill_interrupted())
            atomic_store(&round->interrupted, true);
        nanosleep(&moment, NULL);
    }
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

int io_fill(struct run *run, const struct io_file *file, int direct_fd)
{
    struct round round = {
        .file = file, .fd = direct_fd >= 0 ? direct_fd : file->fd, .salt = io_salt()};
    run_writers(&round);
    if (round.error == EINVAL && direct_fd >= 0) { // O_DIRECT is accepted, but fails
        round = (struct round){.file = file, .fd = file->fd, .salt = io_salt()};
        run_writers(&round);
    }
    if (round.error == 0 && !round.interrupted && fdatasync(file->fd) != 0)
        round.error = errno;
    if (round.error == ENOSPC || round.error == EDQUOT)
        return run_fail(run,
                        "%s became full while the work file was written (%s): give a smaller "
                        "--file-size or another --dir",
                        file->folder, strerror(round.error));
    if (round.error != 0)
        return run_fail(run,
                        "cannot write the work file in %s (%s): choose another folder with --dir",
                        file->folder, strerror(round.error));
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}
