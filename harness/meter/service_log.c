#include "service_log.h"

#include "capture.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_SIZE 4096

bool service_log_open(struct service_log *log)
{
    *log = (struct service_log){.fd = capture_open()};
    return log->fd >= 0;
}

// length_of: 0 also where the file has no length that is known.
static off_t length_of(const struct service_log *log)
{
    struct stat status;
    return log->fd >= 0 && fstat(log->fd, &status) == 0 ? status.st_size : 0;
}

void service_log_begin(struct service_log *log)
{
    log->from = length_of(log);
}

void service_log_trim(const struct service_log *log)
{
    const off_t length = length_of(log);
    if (length <= 2 * CAPTURE_KEPT_BYTES)
        return;
    // A hole keeps the offsets, so that nothing is lost of what is written meanwhile. Where
    // the file system makes none, what there is goes.
    if (fallocate(log->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  length - CAPTURE_KEPT_BYTES) != 0)
        (void)!ftruncate(log->fd, 0);
}

// read_end: the last size bytes from an offset on. Returns how many.
static size_t read_end(const struct service_log *log, off_t from, char *text, size_t size)
{
    const off_t length = length_of(log);
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

void service_log_last_line(const struct service_log *log, char *text, size_t size)
{
    char tail[TAIL_SIZE];
    service_log_text(log, tail, sizeof tail);
    size_t end = strlen(tail);
    while (end > 0 && isspace((unsigned char)tail[end - 1]))
        end--;
    tail[end] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(text, size, "%s", line == NULL ? tail : line + 1);
    for (char *at = text; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
}

void service_log_close(struct service_log *log)
{
    if (log->fd >= 0)
        (void)close(log->fd);
    log->fd = -1;
}
