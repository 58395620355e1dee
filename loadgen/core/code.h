// A ring of instructions that executes more code than a cache of instructions holds.
#ifndef LOADGEN_CORE_CODE_H
#define LOADGEN_CORE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One jump in each cache line: executing it fetches every line of its
// memory once a round, in random order, so that no prefetcher of next lines can help.
// The memory is written first and executed afterwards, never both (W^X).

#define CODE_LINE_BYTES 64
// A call executes so many lines and returns; a ring is a whole number of them: one page.
#define CODE_CALL_LINES 64
#define CODE_CALL_BYTES (CODE_CALL_LINES * CODE_LINE_BYTES)
// A branch of AArch64 reaches 128 MiB; more has nothing to do with an instruction cache.
#define CODE_MOST_BYTES ((uint64_t)64 << 20)

struct code {
    unsigned char *memory; // NULL: none
    size_t bytes;
    void *at; // where the next call begins
};

// Whether this build can make code for its kind of machine.
bool code_possible(void);
// bytes: a multiple of CODE_CALL_BYTES. 0, or -1 with errno: EACCES or EPERM where the kernel
// refuses to make memory executable that was written (SELinux, PR_SET_MDWE).
int code_make(struct code *code, size_t bytes, uint64_t seed);
void code_free(struct code *code);
// Executes so many lines, a multiple of CODE_CALL_LINES, from where it was: of a struct code.
void code_run(void *way, uint64_t lines);

#endif
