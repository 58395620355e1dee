// What threads of a load need: a sleep until a time, memory in cache lines of its own, and a start
// without signals.

#include "load.h"

#include <signal.h>

#define LINE_BYTES 128 // two cache lines: some CPUs fetch them in pairs

void sleep_until_ns(int64_t time_ns)
{
    const struct timespec at = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

void *zeroed_lines(size_t count, size_t size)
{
    const size_t bytes = (count * size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    void *memory = aligned_alloc(LINE_BYTES, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

int thread_start(pthread_t *thread, void *(*body)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
