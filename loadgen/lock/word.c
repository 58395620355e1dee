#include "lock/word.h"

#include "load.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far more than a split lock takes, some us; the kernel's delay is 10 ms. */
#define SLOW_NS 1000000

void word_add(void *memory, uint64_t times)
{
    _Atomic uint64_t *word = memory;
    while (times-- > 0)
        atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

uint64_t word_read(void *memory)
{
    return atomic_load_explicit((_Atomic uint64_t *)memory, memory_order_relaxed);
}

#if defined(__x86_64__)

/* A line has 64 bytes on every x86-64 CPU; half of the word is on either side of its end. */
#define SPLIT_AT (64 - sizeof(uint64_t) / 2)

void word_add_split(void *memory, uint64_t times)
{
    char *at = (char *)memory + SPLIT_AT;
    while (times-- > 0)
        __asm__ volatile("lock addq $1, (%0)" : : "r"(at) : "memory", "cc");
}

uint64_t word_read_split(void *memory)
{
    char *at = (char *)memory + SPLIT_AT;
    uint64_t value = 0;
    __asm__ volatile("lock xaddq %0, (%1)" : "+r"(value) : "r"(at) : "memory", "cc");
    return value;
}

/* In the child. */
static _Noreturn void try_once(void *memory)
{
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGBUS, SIG_DFL);
    const int64_t start_ns = now_ns();
    word_add_split(memory, 1);
    _exit(now_ns() - start_ns > SLOW_NS ? SPLIT_SLOW : SPLIT_WORKS);
}

/* Twice, as a CPU that was taken away for a moment is slow, too. */
enum split_state word_try_split(void)
{
    void *memory = aligned_alloc(LOCK_WORD_BYTES, LOCK_WORD_BYTES);
    enum split_state state = memory == NULL ? SPLIT_UNKNOWN : SPLIT_SLOW;
    for (int i = 0; i < 2 && state == SPLIT_SLOW; i++) {
        int status = 0;
        const pid_t pid = fork();
        if (pid == 0)
            try_once(memory);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            state = SPLIT_UNKNOWN;
        else if (WIFSIGNALED(status))
            state = WTERMSIG(status) == SIGBUS ? SPLIT_FATAL : SPLIT_UNKNOWN;
        else
            state = (enum split_state)WEXITSTATUS(status);
    }
    free(memory);
    return state;
}

#else

void word_add_split(void *memory, uint64_t times)
{
    word_add(memory, times);
}

uint64_t word_read_split(void *memory)
{
    return word_read(memory);
}

enum split_state word_try_split(void)
{
    return SPLIT_NONE;
}

#endif
