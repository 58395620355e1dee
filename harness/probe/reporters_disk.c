/* The disk: 4 KiB past the page cache, read at random, and written so that it is durable. */

#include "harness/probe/reporter_kernel.h"

#include "common/random.h"
#include "harness/pressure/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define FILE_BYTES  ((size_t)16 << 20)
#define FILL_BYTES  ((size_t)1 << 20)

struct disk_state {
    int file;
    uint64_t random;
    void *block;
};

/* A file without a name: nothing is left of it, however we end. */
static int open_file(const char *folder)
{
    char name[PATH_MAX];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    if (snprintf(name, sizeof name, "%s/.jostle-probe.XXXXXX", folder) >= (int)sizeof name)
        return -1;
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    return file;
}

/* With random data, which no file system or disk can make smaller, and on the disk. */
static bool fill_file(int file, uint64_t seed)
{
    uint64_t *data = malloc(FILL_BYTES);
    bool good = data != NULL;
    for (size_t done = 0; good && done < FILE_BYTES; done += FILL_BYTES) {
        random_fill(&seed, data, FILL_BYTES / sizeof *data);
        good = pwrite(file, data, FILL_BYTES, (off_t)done) == (ssize_t)FILL_BYTES;
    }
    free(data);
    return good && fdatasync(file) == 0;
}

static bool past_cache(int file)
{
    const int flags = fcntl(file, F_GETFL);
    return flags >= 0 && fcntl(file, F_SETFL, flags | O_DIRECT) == 0;
}

static void close_disk(void *untyped)
{
    struct disk_state *state = untyped;
    if (state->file >= 0)
        close(state->file);
    free(state->block);
    free(state);
}

static bool prepare(struct disk_state *state, const struct kernel_setting *setting, char *reason,
                    size_t size)
{
    const char *folder = kind_io_folder(setting->directory), *failed = NULL;
    if (kind_impossible(KIND_IO, folder, reason, size))
        return false;
    state->random = setting->seed;
    state->block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    state->file = open_file(folder);
    if (state->block == NULL || state->file < 0)
        failed = "cannot be written";
    else if (!fill_file(state->file, setting->seed))
        failed = "has no room for 16 MiB";
    else if (!past_cache(state->file))
        failed = "has no direct access (O_DIRECT)";
    if (failed == NULL)
        random_fill(&state->random, state->block, BLOCK_BYTES / sizeof(uint64_t));
    else
        snprintf(reason, size, "%s %s: %s", folder, failed, strerror(errno));
    return failed == NULL;
}

static void *open_disk(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct disk_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->file = -1;
    if (prepare(state, setting, reason, size))
        return state;
    close_disk(state);
    return NULL;
}

/* Wall time of each operation; NAN: one failed. */
static double window_disk(struct disk_state *state, int64_t window_ns, bool write)
{
    const struct iovec block = {state->block, BLOCK_BYTES};
    const int64_t begin_ns = kernel_wall_ns();
    int64_t used_ns;
    double done = 0;
    do {
        const off_t at =
            (off_t)(random_below(&state->random, FILE_BYTES / BLOCK_BYTES) * BLOCK_BYTES);
        const ssize_t moved = write ? pwritev2(state->file, &block, 1, at, RWF_DSYNC)
                                    : preadv(state->file, &block, 1, at);
        if (moved != BLOCK_BYTES)
            return NAN;
        done++;
        used_ns = kernel_wall_ns() - begin_ns;
    } while (used_ns < window_ns);
    return (double)used_ns / done;
}

static double window_disk_read(void *state, int64_t window_ns)
{
    return window_disk(state, window_ns, false);
}

static double window_disk_write(void *state, int64_t window_ns)
{
    return window_disk(state, window_ns, true);
}

const struct reporter_kernel kernel_disk_read = {open_disk, window_disk_read, close_disk};
const struct reporter_kernel kernel_disk_write = {open_disk, window_disk_write, close_disk};
