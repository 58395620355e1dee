#ifndef LOADGEN_IO_FILE_H
#define LOADGEN_IO_FILE_H

/* of memory, while a file is written */

#include <stdbool.h>
#include <stdint.h>

/* What went wrong in one of the disk load's modules, for the one place that
 * prints it. */

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

/* The work file: allocated, written once with incompressible data, gone at the
 * end in every case, unless it is to be kept. */

struct io_file {
    const char *folder;
    uint64_t size_bytes;
    bool sparse;   /* in: of that size, but without data; never kept, never a kept one */
    double spare;  /* in: fraction of the free space to leave at least, if that is more than
                      what is left in any case */
    bool force;    /* in: take what is left to others, too */
    bool keep;     /* in: leave it for the next start; out: it will be left */
    bool reused;   /* out: it was there already, and fits */
    bool busy;     /* out: the kept file is in use by another load, this is another one */
    int fd;        /* out: opened for reading and writing, through the page cache */
    double fill_s; /* out: seconds that writing it took; 0 if reused */
    /* in: asked many times a second while the file is written; true: enough. */
    bool (*interrupted)(void *context);
    void *context;
};

/* Whether a file of file->size_bytes could be made: a folder that can be
 * written, free space. Creates nothing. 0, or -1 with the reason. */
int io_file_check(const struct io_file *file, struct io_error *error);

/* Make it, or take the kept one of the same size and user. Only a kept file has
 * a name, and only once it is complete. 0, also after an interruption; or -1,
 * and then nothing is left behind. */
int io_file_open(struct io_file *file, struct io_error *error);

/* Another descriptor of the same file (it need not have a name), for instance
 * with O_DIRECT. Returns it, or -1 with errno. */
int io_file_reopen(const struct io_file *file, int flags);

/* The part of the file's size that the file system holds data for: 1, or less where
 * there are holes (or where it compresses); NAN when it cannot be asked. */
double io_file_allocated(const struct io_file *file);

void io_file_close(struct io_file *file);

/* A number that no other process has, whenever it was started: a seed for data that
 * are to be like no others. */
uint64_t io_salt(void);

#define IO_FILL_BYTES (8.0 * 1048576) /* of memory, while a file is written */

#endif
