// Empties the pipe that is the target's stdout while the target runs, by a thread.
#include "drain.h"

#include "capture.h"
#include "open_files.h"

#include "common/clock.h"
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The pipe that the target's stdout is: a thread of meter empties it while the target runs, as
// whoever reads a pipe does, so that the target waits for nobody as long as there is a CPU for
// both. Not a file: to write to one takes the target several times as long, and a target may
// do something else where its stdout is no pipe.
//
// What comes is put into memory, and beyond DRAIN_MEMORY_BYTES into a capture's file where it is to
// be searched; else it begins again from the front. Both take as long, so a time does not depend on
// whether a figure is looked for.

// Moves what there is from memory to a file, which gets its number.
static bool to_file(struct drain *drain)
{
    int fd = capture_open();
    // Behind it there may be more of the run before.
    const bool moved = fd >= 0 && ftruncate(drain->kept_fd, drain->length) == 0 &&
                       capture_copy(drain->kept_fd, 0, fd) &&
                       dup3(fd, drain->kept_fd, O_CLOEXEC) == drain->kept_fd;
    fd_close(&fd);
    drain->in_file = moved;
    return moved;
}

// The next bytes that the target wrote.
static bool keep(struct drain *drain, const char *text, size_t length)
{
    if (!drain->in_file && drain->length + (int64_t)length > DRAIN_MEMORY_BYTES) {
        if (!drain->keeps)
            drain->length = 0;
        else if (!to_file(drain))
            return false;
    }
    if (drain->in_file ? !file_write_all(drain->kept_fd, text, length)
                       : pwrite(drain->kept_fd, text, length, drain->length) != (ssize_t)length)
        return false;
    drain->length += (int64_t)length;
    return true;
}

// What is in the pipe now. False at its end.
static bool take_all(struct drain *drain, char *text)
{
    ssize_t length;
    while ((length = read(drain->pipe_fd, text, CAPTURE_PART_BYTES)) > 0)
        // What cannot be kept is taken all the same: the target must not wait for ever.
        if (drain->error == 0 && !keep(drain, text, (size_t)length))
            drain->error = errno != 0 ? errno : EIO;
    return length < 0 && (errno == EAGAIN || errno == EINTR);
}

static void *run(void *user)
{
    struct drain *drain = user;
    char text[CAPTURE_PART_BYTES];
    struct pollfd files[] = {{.fd = drain->pipe_fd, .events = POLLIN},
                             {.fd = drain->ending_fd, .events = POLLIN}};
    struct rusage usage;
    do
        (void)poll(files, 2, -1);
    while (take_all(drain, text) && files[1].revents == 0);
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        drain->cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
    return NULL;
}

// Forgets the run before. Memory that it took serves this one.
static bool empty(struct drain *drain)
{
    if (drain->in_file)
        drain_free(drain);
    if (drain->kept_fd < 0)
        drain->kept_fd = file_above_stderr(memfd_create("meter-stdout", MFD_CLOEXEC));
    drain->length = drain->cpu_ns = 0;
    drain->error = 0;
    return drain->kept_fd >= 0;
}

bool drain_begin(struct drain *drain, int *to_fd)
{
    int ends[2] = {-1, -1};
    *to_fd = -1;
    if (!empty(drain) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    drain->pipe_fd = ends[0];
    *to_fd = ends[1];
    drain->ending_fd = eventfd(0, EFD_CLOEXEC);
    drain->running = drain->ending_fd >= 0 && fcntl(drain->pipe_fd, F_SETFL, O_NONBLOCK) == 0 &&
                     (errno = pthread_create(&drain->thread, NULL, run, drain)) == 0;
    if (drain->running)
        return true;
    const int error = errno;
    fd_close(&drain->pipe_fd);
    fd_close(to_fd);
    fd_close(&drain->ending_fd);
    errno = error;
    return false;
}

void drain_end(struct drain *drain)
{
    const uint64_t once = 1;
    if (!drain->running)
        return;
    (void)!write(drain->ending_fd, &once, sizeof once);
    (void)pthread_join(drain->thread, NULL);
    (void)close(drain->pipe_fd);
    (void)close(drain->ending_fd);
    drain->running = false;
    // Of the run before there may be more.
    if (!drain->in_file && ftruncate(drain->kept_fd, drain->length) != 0 && drain->error == 0)
        drain->error = errno;
}

void drain_free(struct drain *drain)
{
    fd_close(&drain->kept_fd);
    drain->in_file = false;
}
