/* jostle probe --watch: a little of every reporter, for as long as it is let. */

#include "harness/probe/now.h"
#include "harness/probe/series.h"

#include "common/messages.h"
#include "common/save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of the time since the watch began, what it may use of one CPU, all in all: windows are taken from
 * what records and looks at the kernel have left of it. */
#define SHARE 0.008
/* A line is the mean of so many windows of each reporter, the newest ones. */
#define KEPT 8
/* Windows of a reporter for a line, at most. */
#define MOST 3
/* Looking at all processes takes ms where there are thousands. */
#define LOOK_NS 10000000000
/* Until the first line. */
#define FIRST_NS 1000000000

struct newest {
    double logarithm[KEPT];
    size_t count; /* ever */
};

struct watch {
    const struct probe_plan *plan;
    struct reporter_set *set;
    struct newest newest[REPORTERS];
    enum reporter next;
    struct kernel_look *before, *processes_before;
    struct kernel_facts users; /* of the last look at processes */
    int64_t looked_ns, begin_ns, begin_own_ns;
    struct activity_meter meter; /* since the line before */
    double run_queue, disk_wait_s;
    int json_fd, table_fd; /* -1: none */
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* CPU time of this process so far. */
static int64_t own_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* A window of one reporter. The first one after a pause finds cold caches and a slow clock, which
 * the reference did not: it is taken and forgotten. */
static void take(struct watch *watch, enum reporter reporter)
{
    struct newest *newest = &watch->newest[reporter];
    (void)reporters_window(watch->set, reporter);
    const double value = reporters_window(watch->set, reporter);
    if (isfinite(value) && value > 0)
        newest->logarithm[newest->count++ % KEPT] = log(value);
}

/* CPU time that may be used until the next line is due. */
static int64_t left_ns(const struct watch *watch)
{
    const int64_t wall_ns = now_ns() - watch->begin_ns + watch->plan->options->interval_ns;
    return (int64_t)(SHARE * (double)wall_ns) - (own_ns() - watch->begin_own_ns);
}

/* In turns, each reporter a few times at most, as long as there is time left. */
static void take_some(struct watch *watch)
{
    for (size_t taken = 0; taken < MOST * REPORTERS && left_ns(watch) > 0; taken++) {
        take(watch, watch->next);
        watch->next = (watch->next + 1) % REPORTERS;
    }
    reporters_clear(watch->set);
}

/* The newest windows, oldest first. False: out of memory. */
static bool read_newest(const struct newest *newest, struct reading *reading)
{
    struct series series = {0};
    struct series_summary summary;
    const size_t count = newest->count < KEPT ? newest->count : KEPT;
    bool good = true;
    for (size_t i = newest->count - count; i < newest->count; i++)
        good = good && series_add(&series, newest->logarithm[i % KEPT]);
    good = good && series_summarise(&series, &summary);
    if (good) {
        reading->n = count;
        reading->value = exp(summary.mean);
        reading->median = exp(summary.median);
        reading->spread = summary.spread;
        reading->correlation = summary.correlation;
        reading->error = summary.error;
    }
    series_free(&series);
    return good;
}

static bool read_all(const struct watch *watch, struct reading readings[REPORTERS])
{
    bool good = true;
    plan_read(watch->plan, watch->set, readings);
    for (enum reporter r = 0; r < REPORTERS; r++)
        good = good && (!watch->plan->wanted[r] || readings[r].reason != NULL ||
                        read_newest(&watch->newest[r], &readings[r]));
    return good;
}

/* The kernel since the last line; who uses the CPUs since the last look at that. False: out of
 * memory. */
static bool look(struct watch *watch, struct kernel_facts *facts)
{
    const bool processes = now_ns() - watch->looked_ns >= LOOK_NS;
    struct kernel_look *now = kernel_look(processes);
    if (now == NULL)
        return false;
    kernel_between(watch->before, now, watch->run_queue, facts);
    const double disk_wait_s = reporters_disk_wait_s(watch->set);
    facts->own_io = (disk_wait_s - watch->disk_wait_s) / facts->duration_s;
    watch->disk_wait_s = disk_wait_s;
    if (processes) {
        kernel_between(watch->processes_before, now, watch->run_queue, &watch->users);
        watch->looked_ns = now_ns();
    }
    kernel_copy_users(&watch->users, facts);
    if (watch->before != watch->processes_before)
        kernel_look_free(watch->before);
    if (processes) {
        kernel_look_free(watch->processes_before);
        watch->processes_before = now;
    }
    watch->before = now;
    return true;
}

/* Writes all of it at once, so that no two watches of one file mix their lines. A reader that has
 * had enough (| head -1) is no failure: *fd is -1 then. */
static bool write_to(int *fd, const char *text, size_t length)
{
    if (*fd < 0 || save_append(*fd, text, length))
        return true;
    if (errno != EPIPE)
        return false;
    (void)close(*fd);
    *fd = -1;
    return true;
}

/* One line to whoever takes it. */
static bool write_line(struct watch *watch, const json_t *record)
{
    char *text = record == NULL ? NULL : json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (text == NULL)
        return complain("out of memory: free some");
    const size_t length = strlen(text);
    text[length] = '\n';
    bool written = write_to(&watch->json_fd, text, length + 1);
    if (!written)
        save_complain(watch->plan->options->json);
    if (!write_to(&watch->table_fd, text, length + 1))
        written = complain("the table cannot be printed: %s: use --json FILE", strerror(errno));
    free(text);
    return written;
}

/* Nobody reads what a watch writes any more. */
static bool is_alone(const struct watch *watch)
{
    return watch->json_fd < 0 && watch->table_fd < 0;
}

static bool step(struct watch *watch)
{
    struct reading readings[REPORTERS];
    struct kernel_facts facts;
    double activity[ACTIVITIES];
    json_t *record = NULL;
    watch->run_queue = kernel_run_queue();
    take_some(watch);
    if (!read_all(watch, readings) || !look(watch, &facts))
        return complain("out of memory: free some");
    activity_read(&watch->meter, activity);
    (void)plan_assess(watch->plan, readings, activity, &facts, facts.duration_s, &record);
    const bool good = write_line(watch, record);
    json_decref(record);
    return good;
}

/* Until the time has come, or a signal: false. */
static bool wait_until(const sigset_t *signals, int64_t due_ns)
{
    for (int64_t left_ns; (left_ns = due_ns - now_ns()) > 0;) {
        const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
        if (sigtimedwait(signals, NULL, &left) >= 0)
            return false;
    }
    return true;
}

static int open_output(const char *path, int flags)
{
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        complain("%s: %s: name a file that can be written", path, strerror(errno));
    return fd;
}

static bool open_outputs(struct watch *watch)
{
    const struct probe_options *options = watch->plan->options;
    watch->json_fd = watch->table_fd = -1;
    if (options->json != NULL &&
        (watch->json_fd = open_output(options->json, O_CREAT | O_APPEND)) < 0)
        return false;
    if (options->table != NULL && !options->quiet && watch->json_fd != STDOUT_FILENO)
        watch->table_fd = open_output(options->table, 0);
    return true;
}

/* A line each interval, on a clock of its own, until a signal, or until nobody reads them. */
static bool stay(struct watch *watch, const sigset_t *signals)
{
    const int64_t interval_ns = watch->plan->options->interval_ns;
    int64_t due_ns = now_ns() + FIRST_NS;
    for (enum reporter r = 0; r < REPORTERS; r++) /* the first line has something to show */
        take(watch, r);
    watch->begin_ns = now_ns();
    watch->begin_own_ns = own_ns();
    while (wait_until(signals, due_ns)) {
        if (!step(watch))
            return false;
        if (is_alone(watch))
            break;
        due_ns += interval_ns;
        if (due_ns < now_ns())
            due_ns = now_ns();
    }
    return true;
}

int watch_run(const struct probe_plan *plan)
{
    struct watch watch = {.plan = plan};
    sigset_t signals;
    bool good = open_outputs(&watch) && plan_pin(plan) && (watch.set = plan_open(plan)) != NULL;
    /* A signal ends the watch between two lines. */
    good = good && sigemptyset(&signals) == 0 && sigaddset(&signals, SIGINT) == 0 &&
           sigaddset(&signals, SIGTERM) == 0 && sigaddset(&signals, SIGHUP) == 0 &&
           sigaddset(&signals, SIGQUIT) == 0 && sigprocmask(SIG_BLOCK, &signals, NULL) == 0 &&
           signal(SIGPIPE, SIG_IGN) != SIG_ERR;
    if (good) {
        watch.before = watch.processes_before = kernel_look(true);
        watch.looked_ns = now_ns();
        activity_open(&watch.meter, plan->options->directory, watch.set);
        good = (watch.before != NULL || complain("out of memory: free some")) &&
               stay(&watch, &signals);
    }
    if (watch.before != watch.processes_before)
        kernel_look_free(watch.before);
    kernel_look_free(watch.processes_before);
    if (watch.set != NULL)
        reporters_close(watch.set);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
