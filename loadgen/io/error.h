/* What went wrong in one of the disk load's modules, for the one place that
 * prints it. */
#ifndef LOADGEN_IO_ERROR_H
#define LOADGEN_IO_ERROR_H

enum {
    IO_FAILED = 1, /* the system failed: exit status 1 */
    IO_REFUSED = 2 /* the request cannot be met: exit status 2 */
};

struct io_error {
    int status;        /* IO_FAILED or IO_REFUSED */
    char message[640]; /* one line: what was wrong: what to do */
};

/* Keep a status and a message (printf's rules). Always returns -1, so that a
 * function can `return io_error_set(...)`. */
int io_error_set(struct io_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
