#include "io/fill.h"

#include "io/random.h"

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
    WRITERS = 4,           /* enough for one to make data while others wait for the disk */
    PIECE_BYTES = 2 << 20, /* a huge page: one segment for the device */
    ALIGNMENT = 4096
};

struct fill {
    const struct io_file *file;
    int fd;
    _Atomic uint64_t next; /* offset of the piece that nobody has taken */
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

static void write_pieces(struct fill *fill, unsigned char *buffer)
{
    uint64_t size = fill->file->size_bytes, seed;

    while (atomic_load(&fill->error) == 0 && !atomic_load(&fill->interrupted)) {
        uint64_t offset = atomic_fetch_add(&fill->next, PIECE_BYTES);
        uint64_t left = offset < size ? size - offset : 0;
        int error;

        if (left == 0)
            return;
        /* From the offset and the clock: no two pieces, nor two files, alike. */
        seed = offset ^ ((uint64_t)time(NULL) << 40) ^ ((uint64_t)getpid() << 20);
        io_random_fill(&seed, (uint64_t *)(void *)buffer, PIECE_BYTES / sizeof(uint64_t));
        error = write_all(fill->fd, buffer, left < PIECE_BYTES ? left : PIECE_BYTES, (off_t)offset);
        if (error != 0)
            atomic_store(&fill->error, error);
    }
}

static void *writer(void *argument)
{
    struct fill *fill = argument;
    void *buffer = NULL;

    if (posix_memalign(&buffer, PIECE_BYTES, PIECE_BYTES) != 0) {
        atomic_store(&fill->error, ENOMEM);
        return NULL;
    }
    madvise(buffer, PIECE_BYTES, MADV_HUGEPAGE);
    write_pieces(fill, buffer);
    free(buffer);
    return NULL;
}

/* Watch for an interruption until the writers are through. */
static void watch(struct fill *fill)
{
    const struct timespec moment = {.tv_nsec = 20000000};

    while (atomic_load(&fill->next) < fill->file->size_bytes && atomic_load(&fill->error) == 0 &&
           !atomic_load(&fill->interrupted)) {
        if (fill->file->interrupted != NULL && fill->file->interrupted(fill->file->context))
            atomic_store(&fill->interrupted, true);
        nanosleep(&moment, NULL);
    }
}

static void run_writers(struct fill *fill)
{
    pthread_t threads[WRITERS];
    sigset_t all, before;
    int started = 0;

    sigfillset(&all); /* signals belong to whoever called */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < WRITERS && pthread_create(&threads[started], NULL, writer, fill) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started == 0)
        atomic_store(&fill->error, EAGAIN);
    else
        watch(fill);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

int io_fill(const struct io_file *file, struct io_error *error)
{
    struct fill fill = {.file = file};
    int direct = -1;

    if (file->size_bytes % ALIGNMENT == 0)
        direct = io_file_reopen(file, O_WRONLY | O_DIRECT);
    fill.fd = direct >= 0 ? direct : file->fd;
    run_writers(&fill);
    if (fill.error == EINVAL && direct >= 0) { /* it promised O_DIRECT and does not do it */
        fill.fd = file->fd;
        fill.error = 0;
        fill.next = 0;
        run_writers(&fill);
    }
    if (direct >= 0)
        close(direct);
    if (fill.error == 0 && !fill.interrupted && fdatasync(file->fd) != 0)
        fill.error = errno;
    if (fill.error == ENOSPC || fill.error == EDQUOT)
        return io_error_set(error, IO_FAILED,
                            "%s became full while the work file was written (%s): give a smaller "
                            "--file-size or another --dir",
                            file->folder, strerror(fill.error));
    if (fill.error != 0)
        return io_error_set(error, IO_FAILED,
                            "cannot write the work file in %s (%s): choose "
                            "another folder with --dir",
                            file->folder, strerror(fill.error));
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}
