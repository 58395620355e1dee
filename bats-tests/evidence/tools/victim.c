/* A program whose progress can be read from outside: `victim FILE HOW [WORKFILE | THREADS]`. FILE
 * holds how many steps it has done, 8 bytes in the machine's order. HOW:
 *
 *   cpu      computes, each thread for itself
 *   barrier  each thread computes a step, and waits for all the others to have done so
 *   lock     each thread computes its steps with the only lock held
 *   disk     reads blocks at random places of WORKFILE past the page cache
 *   vfork    waits for a child of vfork that sleeps: in state D, and for no disk */

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4096, DRAWS = 20000 };

struct work {
    const char *how;
    uint64_t *steps; // shared with who looks on
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

// A step; the sum is only there to be needed.
static void step(struct work *work, uint64_t *state)
{
    uint64_t sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += draw(state);
    __atomic_fetch_add(work->steps, 1 + (sum == 1), __ATOMIC_RELAXED);
}

static void *compute(void *with)
{
    struct work *work = with;
    uint64_t state = 88172645463325252;
    for (;;) {
        if (strcmp(work->how, "lock") == 0) {
            pthread_mutex_lock(&work->lock);
            step(work, &state);
            pthread_mutex_unlock(&work->lock);
        } else {
            step(work, &state);
            if (strcmp(work->how, "barrier") == 0)
                pthread_barrier_wait(&work->barrier);
        }
    }
    return NULL;
}

static int read_blocks(struct work *work, const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    struct stat about = {0};
    void *block = aligned_alloc(BLOCK, BLOCK);
    uint64_t state = 88172645463325252;
    if (fd < 0 || block == NULL || fstat(fd, &about) != 0)
        return 2;
    for (;; ++*work->steps) {
        const off_t at = (off_t)(draw(&state) % (uint64_t)(about.st_size / BLOCK)) * BLOCK;
        if (pread(fd, block, BLOCK, at) != BLOCK)
            return 1;
    }
}

static int wait_for_child(void)
{
    const pid_t child = vfork();
    if (child == 0) {
        sleep(600);
        _exit(0);
    }
    return child < 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
    const int fd = argc < 3 ? -1 : open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0)
        return 2;
    static struct work work = {.lock = PTHREAD_MUTEX_INITIALIZER};
    work.how = argv[2];
    work.steps = mmap(NULL, sizeof *work.steps, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (work.steps == MAP_FAILED)
        return 2;
    if (strcmp(work.how, "disk") == 0 && argc > 3)
        return read_blocks(&work, argv[3]);
    if (strcmp(work.how, "vfork") == 0)
        return wait_for_child();
    const int threads = argc > 3 ? atoi(argv[3]) : 1;
    pthread_barrier_init(&work.barrier, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, compute, &work) != 0)
            return 2;
    }
    compute(&work);
}
