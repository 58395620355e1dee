#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct work {
    void (*job)(void *context, size_t number);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *work_on(void *argument)
{
    struct work *work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->job(work->context, i);
    return NULL;
}

void workers_each(size_t count, void (*job)(void *context, size_t number), void *context)
{
    enum { MOST = 4 };
    struct work work = {.job = job, .context = context, .count = count};
    pthread_t thread[MOST];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0;
    while (started + 1 < MOST && started + 1 < (size_t)(cpus < 1 ? 1 : cpus) && started + 1 < count)
        if (pthread_create(&thread[started], NULL, work_on, &work) != 0)
            break;
        else
            started++;
    work_on(&work);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}
