// Reads what a service has written to its outputs, and keeps their end alone.
#include "service_log.h"

#include "capture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// What a service writes to one of its outputs: a file without a name on this node's own disk
// (capture.h says why), of which the end is kept, however long the service writes.

off_t service_log_length(const struct service_log *log)
{
    struct stat status;
    return log->fd >= 0 && fstat(log->fd, &status) == 0 ? status.st_size : 0;
}

void service_log_trim(const struct service_log *log)
{
    const off_t length = service_log_length(log);
    if (length <= 2 * CAPTURE_KEPT_BYTES)
        return;
    // A hole keeps the offsets, so that nothing is lost of what is written meanwhile. Where
    // the file system makes none, what there is goes.
    if (fallocate(log->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  length - CAPTURE_KEPT_BYTES) != 0)
        (void)!ftruncate(log->fd, 0);
}

// The last size bytes from an offset on. Returns how many.
static size_t read_end(const struct service_log *log, off_t from, char *text, size_t size)
{
    const off_t length = service_log_length(log);
    if (length < from) // it was emptied
        from = 0;
    if (length - from > (off_t)size)
        from = length - (off_t)size;
    const ssize_t got = length > from ? pread(log->fd, text, (size_t)(length - from), from) : 0;
    return got > 0 ? (size_t)got : 0;
}

void service_log_text(const struct service_log *log, char *text, size_t size)
{
    const size_t length = read_end(log, log->from, text, size - 1);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = '?';
    text[length] = '\0';
}
