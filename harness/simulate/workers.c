#include "workers.h"

#include <pthread.h>
#include <stdlib.h>

struct work {
    bool (*job)(void *context, size_t number);
    void *context;
    size_t jobs;
    pthread_mutex_t mutex; // guards next and failed
    size_t next;
    bool failed;
};

static void *work_on(void *argument)
{
    struct work *work = argument;
    pthread_mutex_lock(&work->mutex);
    while (!work->failed && work->next < work->jobs) {
        size_t number = work->next++;
        pthread_mutex_unlock(&work->mutex);
        bool good = work->job(work->context, number);
        pthread_mutex_lock(&work->mutex);
        work->failed = work->failed || !good;
    }
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

bool workers_run(size_t jobs, size_t threads, bool (*job)(void *context, size_t number),
                 void *context)
{
    struct work work = {job, context, jobs, PTHREAD_MUTEX_INITIALIZER, 0, false};
    pthread_t *thread = calloc(threads, sizeof *thread);
    size_t started = 0;
    while (thread && started < threads &&
           pthread_create(&thread[started], NULL, work_on, &work) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    return started > 0 && !work.failed;
}
