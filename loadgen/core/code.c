#include "core/code.h"

#include "common/random.h"
#include "core/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

_Static_assert(CODE_LINE_BYTES >= ENCODE_MOST_BYTES, "a line holds its jump");

/* The order of the lines: line i is followed by next[i]. Sattolo: as Fisher-Yates, but
 * never with itself, so that all are one ring. NULL: no memory. */
static uint32_t *make_order(size_t lines, uint64_t seed)
{
    uint32_t *next = malloc(lines * sizeof *next);
    if (next == NULL)
        return NULL;
    for (size_t i = 0; i < lines; i++)
        next[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = random_below(&seed, i);
        const uint32_t swap = next[i];
        next[i] = next[j];
        next[j] = swap;
    }
    return next;
}

/* In the order of execution: each line jumps to the next, and the last of each call returns
 * where to continue. */
static void write_lines(unsigned char *memory, size_t lines, const uint32_t *next)
{
    size_t at = 0;
    for (size_t i = 1; i <= lines; i++) {
        unsigned char *from = memory + at * CODE_LINE_BYTES;
        const unsigned char *to = memory + (size_t)next[at] * CODE_LINE_BYTES;
        if (i % CODE_CALL_LINES == 0)
            encode_return(from, to);
        else
            encode_jump(from, to);
        at = next[at];
    }
}

bool code_possible(void)
{
    return ENCODE_MOST_BYTES > 0;
}

int code_make(struct code *code, size_t bytes, uint64_t seed)
{
    const size_t lines = bytes / CODE_LINE_BYTES;
    uint32_t *next = make_order(lines, seed);
    *code = (struct code){0};
    if (next == NULL)
        return -1;
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        free(next);
        return -1;
    }
    write_lines(memory, lines, next);
    free(next);
    __builtin___clear_cache((char *)memory, (char *)memory + bytes);
    *code = (struct code){.memory = memory, .bytes = bytes, .at = memory};
    if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0)
        return 0;
    const int error = errno;
    code_free(code);
    errno = error;
    return -1;
}

void code_free(struct code *code)
{
    if (code->memory != NULL)
        munmap(code->memory, code->bytes);
    *code = (struct code){0};
}

void code_run(struct code *code, uint64_t lines)
{
    typedef void *call(void);
    for (uint64_t done = 0; done < lines; done += CODE_CALL_LINES)
        code->at = ((call *)code->at)();
}
