/* A program whose progress can be read from outside: `victim FILE cpu` computes, `victim FILE disk
 * WORKFILE` reads blocks at random places of a file past the page cache. FILE holds how many
 * steps it has done, 8 bytes in the machine's order. */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4096 };

static uint64_t state = 88172645463325252;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

int main(int argc, char **argv)
{
    const int fd = argc < 3 ? -1 : open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0)
        return 2;
    volatile uint64_t *steps = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const bool disk = strcmp(argv[2], "disk") == 0 && argc > 3;
    const int work = disk ? open(argv[3], O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
    struct stat about = {0};
    void *block = aligned_alloc(BLOCK, BLOCK);
    if (steps == MAP_FAILED || block == NULL || (disk && fstat(work, &about) != 0))
        return 2;
    for (uint64_t sum = 0;; *steps += 1 + (sum == 1)) {
        for (int i = 0; i < 20000 && !disk; i++)
            sum += draw();
        const off_t at = disk ? (off_t)(draw() % (uint64_t)(about.st_size / BLOCK)) * BLOCK : 0;
        if (disk && pread(work, block, BLOCK, at) != BLOCK)
            return 1;
    }
}
