#include "io/pass.h"

#include "common/random.h"
#include "salt.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REWRITE_EVERY = 10 }; /* of the seeks (Bonnie++ 2.00: UpdateSeek) */

/* ---- one operation ---- */

/* A transfer of all or nothing. 0, or errno. */
static int transfer(int fd, bool read_it, unsigned char *data, size_t length, uint64_t offset)
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

/* An operation that began at *at_ns is done; the next one begins now. */
static void count(struct io_outcome *outcome, int64_t *at_ns)
{
    const int64_t end_ns = now_ns();

    outcome->operations++;
    if (end_ns - *at_ns > outcome->slowest_ns)
        outcome->slowest_ns = end_ns - *at_ns;
    *at_ns = end_ns;
}

/* No block like the one before, so that nothing can store it once for two. */
static void change(struct io_bench *bench)
{
    const uint64_t stamp = random_next(&bench->random);

    memcpy(bench->buffer, &stamp,
           bench->block_bytes < sizeof stamp ? bench->block_bytes : sizeof stamp);
}

/* ---- phases ---- */

static int pass_chars(struct io_bench *bench, struct io_outcome *outcome, bool read_it)
{
    unsigned char *buffer = bench->buffer;
    int64_t at_ns = now_ns();
    int error = 0;

    for (uint64_t at = 0; at < bench->char_bytes && error == 0; at++) {
        /* The file's position moves along, as Bonnie's does. */
        unsigned char *place = buffer + at % bench->block_bytes;
        const ssize_t moved = read_it ? read(bench->fd, place, 1) : write(bench->fd, place, 1);

        error = moved == 1 ? 0 : moved < 0 ? errno : EIO;
        count(outcome, &at_ns);
    }
    outcome->bytes = outcome->moved = outcome->operations;
    return error;
}

int io_pass_char_write(struct io_bench *bench, struct io_outcome *outcome)
{
    return pass_chars(bench, outcome, false);
}

int io_pass_char_read(struct io_bench *bench, struct io_outcome *outcome)
{
    if (lseek(bench->fd, 0, SEEK_SET) != 0)
        return errno;
    return pass_chars(bench, outcome, true);
}

/* All blocks of the file, read, written, or one after the other. */
static int pass_blocks(struct io_bench *bench, struct io_outcome *outcome, bool read_it,
                       bool write_it)
{
    const uint64_t block = bench->block_bytes, blocks = bench->file_bytes / block;
    int64_t at_ns = now_ns();
    int error = 0;

    for (uint64_t i = 0; i < blocks && error == 0; i++) {
        if (read_it)
            error = transfer(bench->direct_fd, true, bench->buffer, block, i * block);
        if (write_it && error == 0) {
            change(bench);
            error = transfer(bench->direct_fd, false, bench->buffer, block, i * block);
        }
        count(outcome, &at_ns);
    }
    outcome->bytes = outcome->operations * block;
    outcome->moved = outcome->bytes * ((uint64_t)read_it + (uint64_t)write_it);
    return error;
}

int io_pass_block_write(struct io_bench *bench, struct io_outcome *outcome)
{
    return pass_blocks(bench, outcome, false, true);
}

int io_pass_rewrite(struct io_bench *bench, struct io_outcome *outcome)
{
    return pass_blocks(bench, outcome, true, true);
}

int io_pass_block_read(struct io_bench *bench, struct io_outcome *outcome)
{
    return pass_blocks(bench, outcome, true, false);
}

/* ---- seeks ---- */

struct seeker {
    pthread_t thread;
    struct io_bench bench; /* with a buffer and random numbers of its own */
    struct io_outcome outcome;
    uint64_t seeks;
    int error;
};

unsigned char *io_pass_buffer(uint64_t bytes)
{
    const uint64_t whole = (bytes + 4095) / 4096 * 4096;
    uint64_t random = salt();
    void *memory = NULL;

    if (posix_memalign(&memory, 4096, whole) != 0)
        return NULL;
    random_fill(&random, memory, whole / sizeof(uint64_t));
    return memory;
}

static void *seeker_main(void *argument)
{
    struct seeker *seeker = argument;
    struct io_bench *bench = &seeker->bench;
    const uint64_t block = bench->block_bytes, blocks = bench->file_bytes / block;
    int64_t at_ns = now_ns();

    for (uint64_t i = 0; i < seeker->seeks && seeker->error == 0; i++) {
        const uint64_t offset = random_below(&bench->random, blocks) * block;

        seeker->error = transfer(bench->direct_fd, true, bench->buffer, block, offset);
        seeker->outcome.moved += block;
        if (i % REWRITE_EVERY == 0 && seeker->error == 0) {
            change(bench);
            seeker->error = transfer(bench->direct_fd, false, bench->buffer, block, offset);
            seeker->outcome.moved += block;
        }
        count(&seeker->outcome, &at_ns);
    }
    return NULL;
}

static void join_seekers(struct seeker *seekers, unsigned started, struct io_outcome *outcome,
                         int *error)
{
    for (unsigned i = 0; i < started; i++) {
        const struct io_outcome *part = &seekers[i].outcome;

        pthread_join(seekers[i].thread, NULL);
        outcome->operations += part->operations;
        outcome->moved += part->moved;
        outcome->slowest_ns =
            part->slowest_ns > outcome->slowest_ns ? part->slowest_ns : outcome->slowest_ns;
        if (*error == 0)
            *error = seekers[i].error;
    }
    outcome->bytes = outcome->moved;
}

int io_pass_seeks(struct io_bench *bench, struct io_outcome *outcome)
{
    const unsigned threads = bench->run->threads;
    struct seeker *seekers = calloc(threads, sizeof *seekers);
    unsigned started = 0;
    int error = seekers == NULL ? ENOMEM : 0;

    for (; started < threads && error == 0; started++) {
        struct seeker *seeker = &seekers[started];

        seeker->bench = *bench;
        seeker->bench.random = random_next(&bench->random);
        seeker->bench.buffer = io_pass_buffer(bench->block_bytes);
        seeker->seeks =
            bench->set->seeks * (started + 1) / threads - bench->set->seeks * started / threads;
        error = seeker->bench.buffer == NULL
                    ? ENOMEM
                    : pthread_create(&seeker->thread, NULL, seeker_main, seeker);
        if (error != 0)
            break;
    }
    join_seekers(seekers, started, outcome, &error);
    for (unsigned i = 0; seekers != NULL && i < threads; i++)
        free(seekers[i].bench.buffer);
    free(seekers);
    return error;
}
