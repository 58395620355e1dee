#include "io/fill.h"

#include "common/random.h"
#include "salt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    WRITERS = 4,          /* enough for one to make data while others wait for the disk */
    PIECE_BYTES = 2 << 20 /* a huge page: one segment for the device */
};

/* One round of writing, shared by its threads. */
struct round {
    const struct io_fill *fill;
    int fd;
    uint64_t salt;
    _Atomic uint64_t next; /* offset of the next piece to write */
    _Atomic int error;     /* errno of the first failure */
    _Atomic bool interrupted;
};

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
    uint64_t size = round->fill->bytes, seed;

    while (atomic_load(&round->error) == 0 && !atomic_load(&round->interrupted)) {
        uint64_t offset = atomic_fetch_add(&round->next, PIECE_BYTES);
        uint64_t left = offset < size ? size - offset : 0;
        int error;

        if (left == 0)
            return;
        /* No two pieces, nor two files, alike; the generator counts from its seed on, so
         * that of each piece is far from the others. */
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

/* Watch for an interruption until the writers are through. */
static void watch(struct round *round)
{
    const struct timespec moment = {.tv_nsec = 20000000};

    while (atomic_load(&round->next) < round->fill->bytes && atomic_load(&round->error) == 0 &&
           !atomic_load(&round->interrupted)) {
        if (round->fill->interrupted != NULL && round->fill->interrupted(round->fill->context))
            atomic_store(&round->interrupted, true);
        nanosleep(&moment, NULL);
    }
}

static void run_writers(struct round *round)
{
    pthread_t threads[WRITERS];
    sigset_t all, before;
    int started = 0;

    sigfillset(&all); /* signals are the caller's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < WRITERS && pthread_create(&threads[started], NULL, writer, round) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started == 0)
        atomic_store(&round->error, EAGAIN);
    else
        watch(round);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

static int report(const struct io_fill *fill, int reason, struct io_error *error)
{
    if (reason == ENOSPC || reason == EDQUOT)
        return io_error_set(error, IO_FAILED,
                            "%s became full while the work file was written (%s): give a smaller "
                            "--file-size or another --dir",
                            fill->folder, strerror(reason));
    return io_error_set(error, IO_FAILED,
                        "cannot write the work file in %s (%s): choose another folder with --dir",
                        fill->folder, strerror(reason));
}

int io_fill(const struct io_fill *fill, struct io_error *error)
{
    struct round round = {
        .fill = fill, .fd = fill->direct_fd >= 0 ? fill->direct_fd : fill->fd, .salt = salt()};

    run_writers(&round);
    if (round.error == EINVAL && round.fd != fill->fd) { /* O_DIRECT is accepted, but fails */
        round = (struct round){.fill = fill, .fd = fill->fd, .salt = salt()};
        run_writers(&round);
    }
    if (round.error == 0 && !round.interrupted && fdatasync(fill->fd) != 0)
        round.error = errno;
    if (round.error != 0)
        return report(fill, round.error, error);
    posix_fadvise(fill->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}
