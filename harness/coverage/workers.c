#include "workers.h"

#include <pthread.h>
#include <stdlib.h>

enum { CHUNK = 500 };

struct work {
    const struct cell *cells;
    struct tally *tallies;
    size_t count, experiments, chunks; // chunks: of each cell
    unsigned long seed;
    pthread_mutex_t mutex; // guards next, failed and the tallies
    size_t next;
    bool failed;
};

static void *work_on(void *argument)
{
    struct work *work = argument;
    pthread_mutex_lock(&work->mutex);
    while (!work->failed && work->next < work->count * work->chunks) {
        size_t job = work->next++, cell = job / work->chunks, first = job % work->chunks * CHUNK;
        size_t left = work->experiments - first;
        struct tally tally = {0};
        pthread_mutex_unlock(&work->mutex);
        // Each chunk has its own seed, so it is the same whichever thread takes it.
        bool good = experiment_many(&work->cells[cell], work->seed + 1000003 * (job + 1),
                                    left < CHUNK ? left : CHUNK, &tally);
        pthread_mutex_lock(&work->mutex);
        tally_add(&work->tallies[cell], &tally);
        work->failed = work->failed || !good;
    }
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

bool workers_run(const struct cell *cells, struct tally *tallies, size_t count, size_t experiments,
                 unsigned long seed, size_t threads)
{
    struct work work = {cells,
                        tallies,
                        count,
                        experiments,
                        (experiments + CHUNK - 1) / CHUNK,
                        seed,
                        PTHREAD_MUTEX_INITIALIZER,
                        0,
                        false};
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
