#include "record/wakeups.h"

#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

struct watcher {
    _Alignas(64) struct wakeups *wakeups;
    int cpu;
    int64_t first_ns;
    pthread_t thread;
    bool started;
    struct histogram latency, before;
};

struct wakeups {
    int64_t interval_ns;
    _Atomic bool ended;
    unsigned count;
    struct watcher *watchers;
};

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {time_ns / 1000000000, time_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    const struct wakeups *wakeups = watcher->wakeups;
    int64_t due_ns = watcher->first_ns;
    pthread_setname_np(pthread_self(), "record/wakeup");
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* as exact as the hardware's, not 50 us later */
    if (cpus_pin(watcher->cpu) != 0)
        return NULL;
    while (!atomic_load_explicit(&wakeups->ended, memory_order_relaxed)) {
        sleep_until(due_ns);
        const int64_t late_ns = now_ns() - due_ns;
        histogram_record(&watcher->latency, late_ns);
        due_ns += (late_ns / wakeups->interval_ns + 1) * wakeups->interval_ns;
    }
    return NULL;
}

/* Not all CPUs at the same time: their interrupts would be one. */
static int start_all(struct wakeups *wakeups, const struct cpu_list *cpus)
{
    const int64_t start_ns = now_ns() + wakeups->interval_ns;
    for (unsigned i = 0; i < wakeups->count; i++) {
        struct watcher *watcher = &wakeups->watchers[i];
        watcher->wakeups = wakeups;
        watcher->cpu = cpus->cpu[i];
        watcher->first_ns = start_ns + wakeups->interval_ns * i / wakeups->count;
        errno = pthread_create(&watcher->thread, NULL, watch, watcher);
        if (errno != 0)
            return -1;
        watcher->started = true;
    }
    return 0;
}

struct wakeups *wakeups_start(const struct cpu_list *cpus, int64_t interval_ns)
{
    struct wakeups *wakeups = calloc(1, sizeof *wakeups);
    if (wakeups == NULL)
        return NULL;
    wakeups->interval_ns = interval_ns;
    wakeups->count = cpus->count;
    wakeups->watchers = aligned_alloc(64, cpus->count * sizeof(struct watcher));
    if (wakeups->watchers == NULL) {
        free(wakeups);
        return NULL;
    }
    memset(wakeups->watchers, 0, cpus->count * sizeof(struct watcher));
    if (start_all(wakeups, cpus) == 0)
        return wakeups;
    const int error = errno;
    wakeups_stop(wakeups);
    wakeups_free(wakeups);
    errno = error;
    return NULL;
}

void wakeups_stop(struct wakeups *wakeups)
{
    if (wakeups == NULL)
        return;
    atomic_store(&wakeups->ended, true);
    for (unsigned i = 0; i < wakeups->count; i++)
        if (wakeups->watchers[i].started)
            pthread_join(wakeups->watchers[i].thread, NULL);
    for (unsigned i = 0; i < wakeups->count; i++)
        wakeups->watchers[i].started = false;
}

void wakeups_free(struct wakeups *wakeups)
{
    if (wakeups != NULL)
        free(wakeups->watchers);
    free(wakeups);
}

static struct watcher *watcher_of(const struct wakeups *wakeups, unsigned cpu)
{
    for (unsigned i = 0; wakeups != NULL && i < wakeups->count; i++)
        if (wakeups->watchers[i].cpu == (int)cpu)
            return &wakeups->watchers[i];
    return NULL;
}

bool wakeups_whole(const struct wakeups *wakeups, unsigned cpu, struct histogram *histogram)
{
    const struct watcher *watcher = watcher_of(wakeups, cpu);
    memset(histogram, 0, sizeof *histogram);
    if (watcher != NULL)
        histogram_add(histogram, &watcher->latency);
    return watcher != NULL;
}

bool wakeups_next(struct wakeups *wakeups, unsigned cpu, struct histogram *histogram)
{
    struct watcher *watcher = watcher_of(wakeups, cpu);
    if (!wakeups_whole(wakeups, cpu, histogram))
        return false;
    const struct histogram now = *histogram;
    histogram_subtract(histogram, &watcher->before);
    watcher->before = now;
    return true;
}
