#include "switch/pair.h"

#include "common/cpus.h"
#include "load.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t switches_of_thread(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* The partner's thread; it is woken for good when the pair is closed. */
static void *answer(void *argument)
{
    struct pair *pair = argument;
    pthread_setname_np(pthread_self(), "switch/partner");
    int failed = cpus_pin(pair->cpu);
    atomic_store(&pair->partner_id, failed == 0 ? (pid_t)syscall(SYS_gettid) : -errno);
    if (pair->method->ring(&pair->back) != 0 || failed != 0)
        return NULL;
    while (pair->method->wait(&pair->there) == 0 && !atomic_load(&pair->ended)) {
        atomic_store_explicit(&pair->answer_ns, now_ns(), memory_order_relaxed);
        atomic_store_explicit(&pair->partner_switches, switches_of_thread(), memory_order_relaxed);
        if (pair->method->ring(&pair->back) != 0)
            break;
    }
    if (!atomic_load(&pair->ended)) {
        atomic_store(&pair->error, errno);
        (void)pair->method->ring(&pair->back);
    }
    return NULL;
}

int pair_open(struct pair *pair, const struct bell_method *method, int cpu)
{
    memset(pair, 0, sizeof *pair);
    pair->method = method;
    pair->cpu = cpu;
    pair->back.read_fd = pair->back.write_fd = -1;
    if (method->open(&pair->there) != 0 || method->open(&pair->back) != 0)
        return errno;
    const int error = pthread_create(&pair->partner, NULL, answer, pair);
    if (error != 0)
        return error;
    pair->started = true;
    if (method->wait(&pair->back) != 0)
        return errno;
    const pid_t id = atomic_load(&pair->partner_id);
    return id < 0 ? -id : 0;
}

int pair_round(struct pair *pair, struct round_trip *trip)
{
    trip->start_ns = now_ns();
    if (pair->method->ring(&pair->there) != 0 || pair->method->wait(&pair->back) != 0)
        return errno;
    trip->back_ns = now_ns();
    trip->there_ns = atomic_load_explicit(&pair->answer_ns, memory_order_relaxed);
    trip->switches =
        switches_of_thread() + atomic_load_explicit(&pair->partner_switches, memory_order_relaxed);
    return atomic_load(&pair->error);
}

void pair_close(struct pair *pair)
{
    if (pair->started) {
        atomic_store(&pair->ended, true);
        (void)pair->method->ring(&pair->there);
        pthread_join(pair->partner, NULL);
    }
    bell_close(&pair->there);
    bell_close(&pair->back);
    pair->started = false;
}
