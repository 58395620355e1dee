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

struct parts {
    const struct workers_sum *what;
    void *context;
    char *part;
};

static bool run_part(void *context, size_t number)
{
    const struct parts *parts = context;
    return parts->what->job(parts->context, number, parts->part + number * parts->what->size);
}

bool workers_sum(const struct workers_sum *what, size_t jobs, size_t threads, void *context,
                 void *sum)
{
    struct parts parts = {what, context, calloc(jobs, what->size)};
    const bool good = parts.part && workers_run(jobs, threads, run_part, &parts);
    for (size_t i = 0; good && i < jobs; i++)
        what->add(sum, parts.part + i * what->size);
    free(parts.part);
    return good;
}
