// Samples all processes: what each of them ran, waited and moved since the last look.

#include "blame.h"

#include "common/cpus.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/processes.h"
#include "common/schedstat.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK_S (PROCESS_TICK_US / 1e6)
// From then on what a process used between the last look and its end is given to it.
#define LONG_S 1.0

double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// What it moved since the last look; only of processes that we may look into. With what its
// children that have ended had moved.
static void read_disk(struct who *who, bool first)
{
    char path[PATH_MAX], text[512];
    uint64_t read = 0, written = 0;
    if (who->kernel ||
        !file_read(AT_FDCWD, process_path(who->pid, "io", path), text, sizeof text) ||
        !file_number(text, "\nread_bytes: ", &read) ||
        !file_number(text, "\nwrite_bytes: ", &written))
        return;
    const uint64_t bytes = read + written;
    if (who->io_seen || !first)
        who->did.bytes += (double)(bytes - (who->io_seen ? who->io_bytes : 0));
    who->io_bytes = bytes;
    who->io_seen = true;
}

static void introduce(struct scan *scan, struct who *who)
{
    const struct who *parent = who_find(&scan->whos, who->parent);
    who->own = who->pid == getpid();
    who->victim = !who->own && victim_has(scan->victim, who, parent);
    if (who->victim && scan->victim->folder[0] == '\0') {
        who_ask(who);
        victim_find_folder(scan->victim, who);
    }
}

static void look_at(struct scan *scan, const struct process *process, double boot_s)
{
    const bool first = scan->whos.scan == 1;
    bool added;
    struct who *who = who_of(&scan->whos, process, &added);
    // Who is seen later than at the first look was born after it.
    long long ticks = first ? process->ticks : 0, waited = first ? process->waited : 0;
    if (who->scanned) {
        ticks = who->ticks;
        waited = who->waited;
    }
    if (added)
        introduce(scan, who);
    who->did.cpu_s += (double)(process->ticks - ticks) * TICK_S;
    who->children_s += (double)(process->waited - waited) * TICK_S;
    who->hot = process->ticks > ticks || process->state == 'R' || process->state == 'D';
    who->cpu = process->cpu;
    who->age_s = fmax(boot_s - (double)process->started * TICK_S, 0);
    who->ticks = process->ticks;
    who->waited = process->waited;
    who->scan = scan->whos.scan;
    if (first || who->hot || process->waited > waited || !who->scanned)
        read_disk(who, first);
    if ((who->hot || process->waited > waited) && !who->own)
        who_ask(who);
    who->scanned = true;
    if (who->pid == scan->victim->pid && process->state == 'Z')
        scan->ended = true;
}

// What has a row of its own, or was used before we looked, is not the family's.
static void take_off(struct scan *scan, const struct who *who)
{
    struct who *parent = who_parent(&scan->whos, who);
    if (!parent || !who->scanned)
        return;
    parent->children_s -= (double)(who->ticks + who->waited) * TICK_S;
    if (who->io_seen && parent->io_seen)
        parent->did.bytes -= (double)who->io_bytes;
}

// And what it used after that look is its own, as far as its parent was told so.
static void give_rest(struct scan *scan, struct who *who, double elapsed_s)
{
    struct who *parent = who_parent(&scan->whos, who);
    if (!parent || !who->scanned || !who->hot || who->age_s < LONG_S)
        return;
    const double rest_s = fmin(fmax(parent->children_s, 0), elapsed_s);
    who->did.cpu_s += rest_s;
    parent->children_s -= rest_s;
}

static bool has_just_ended(const struct scan *scan, const struct who *who)
{
    return !who->ended && who->scan != scan->whos.scan &&
           (who->scanned || who->scan + 1 < scan->whos.scan);
}

static void bury(struct scan *scan, double elapsed_s)
{
    struct who *who;
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;)
        if (has_just_ended(scan, who))
            who->ended = true; // all of them, before anybody's parent is looked for
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;)
        if (who->ended && who->scan != 0)
            take_off(scan, who);
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;) {
        if (!who->ended || who->scan == 0)
            continue;
        give_rest(scan, who, elapsed_s);
        who_fold(&scan->whos, who);
        who->scan = 0; // once
        if (who->pid == scan->victim->pid && who->scanned)
            scan->ended = true;
    }
}

// Where numbers began anew, a child comes before its parent.
static void spread_victims(struct scan *scan)
{
    bool more = scan->victim->kind == VICTIM_PID || scan->victim->kind == VICTIM_PROGRAM;
    while (more) {
        more = false;
        for (struct who *who = NULL; (who = who_next(&scan->whos, who)) != NULL;) {
            const struct who *parent =
                who->victim || who->own ? NULL : who_find(&scan->whos, who->parent);
            if (parent && parent->victim)
                more = who->victim = true;
        }
    }
}

void scan_take(struct scan *scan)
{
    const double now_s = clock_s(CLOCK_MONOTONIC), boot_s = clock_s(CLOCK_BOOTTIME);
    scan->whos.scan++;
    processes_read(&scan->now);
    for (size_t i = 0; i < scan->now.count; i++)
        look_at(scan, &scan->now.process[i], boot_s);
    spread_victims(scan);
    if (scan->whos.scan > 1)
        bury(scan, now_s - scan->last_s);
    scan->last_s = now_s;
}

void scan_free(struct scan *scan)
{
    processes_free(&scan->now);
    whos_forget(&scan->whos, WHO_ALL);
}

// So many of the newest processes are looked at in a sample: short ones are in no scan.
#define NEWEST 24

static int open_of(pid_t pid, pid_t tid, const char *name)
{
    char inner[64], path[PATH_MAX];
    snprintf(inner, sizeof inner, "task/%d/%s", (int)tid, name);
    return open(process_path(pid, inner, path), O_RDONLY | O_CLOEXEC);
}

static struct task *task_of(struct sampler *sampler, const struct who *who, pid_t tid)
{
    for (size_t i = 0; i < sampler->count; i++)
        if (sampler->task[i].tid == tid && sampler->task[i].who == who)
            return &sampler->task[i];
    return NULL;
}

static void close_task(struct sampler *sampler, size_t i)
{
    struct task *task = &sampler->task[i];
    (void)close(task->stat_fd);
    if (task->sched_fd >= 0)
        (void)close(task->sched_fd);
    *task = sampler->task[--sampler->count];
}

// What a thread that was there before us did before does not count.
static void add_thread(struct sampler *sampler, struct who *who, pid_t tid, bool before)
{
    struct task *task = task_of(sampler, who, tid);
    if (who->victim)
        (void)cpus_of_thread(tid, sampler->allowed);
    if (task) {
        task->scan = sampler->scan->whos.scan;
        return;
    }
    if (sampler->count == SAMPLE_TASKS) {
        sampler->left_out++;
        return;
    }
    task = &sampler->task[sampler->count];
    *task = (struct task){.who = who,
                          .tid = tid,
                          .stat_fd = open_of(who->pid, tid, "stat"),
                          .sched_fd = who->victim ? open_of(who->pid, tid, "schedstat") : -1,
                          .scan = sampler->scan->whos.scan,
                          .cpu = -1};
    if (task->stat_fd < 0) {
        if (task->sched_fd >= 0)
            (void)close(task->sched_fd);
        return;
    }
    if (before)
        (void)schedstat_read(task->sched_fd, &task->counted);
    sampler->count++;
}

static void add_threads(struct sampler *sampler, struct who *who, bool before)
{
    char path[PATH_MAX];
    DIR *folder = opendir(process_path(who->pid, "task", path));
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            add_thread(sampler, who, (pid_t)strtol(entry->d_name, NULL, 10), before);
    closedir(folder);
}

void sampler_open(struct sampler *sampler, struct scan *scan)
{
    char path[PATH_MAX];
    struct schedstat own = {0};
    *sampler = (struct sampler){
        .scan = scan, .preempted_s = NAN, .allowed = must(calloc(1, sizeof *sampler->allowed))};
    sampler->loadavg_fd = open(machine_path("/proc/loadavg", path), O_RDONLY | O_CLOEXEC);
    const int fd = open(machine_path("/proc/self/schedstat", path), O_RDONLY | O_CLOEXEC);
    sampler->schedstat = schedstat_read(fd, &own) && own.run_ns > 0;
    if (fd >= 0)
        (void)close(fd);
}

void sampler_choose(struct sampler *sampler)
{
    struct whos *whos = &sampler->scan->whos;
    const bool before = whos->scan == 1;
    struct who *who;
    for (who = NULL; (who = who_next(whos, who)) != NULL;)
        if (who->victim && !who->ended)
            add_threads(sampler, who, before);
    for (who = NULL; (who = who_next(whos, who)) != NULL;)
        if (who->hot && !who->victim && !who->own && !who->ended)
            add_threads(sampler, who, before);
    for (size_t i = sampler->count; i-- > 0;) {
        if (sampler->task[i].scan != whos->scan) {
            sampler->gone += sampler->task[i].who->victim;
            close_task(sampler, i);
        }
    }
    whos_forget(whos, WHO_FOLDED); // nobody looks at them any more
}

// A process that no scan has seen: it, and those between it and who is known.
static struct who *meet(struct sampler *sampler, const struct process *process, unsigned depth)
{
    struct whos *whos = &sampler->scan->whos;
    struct process parent;
    bool added;
    if (depth < 8 && !who_find(whos, process->parent) && process_read(process->parent, &parent))
        (void)meet(sampler, &parent, depth + 1);
    struct who *who = who_of(whos, process, &added);
    if (added) {
        who->scan = whos->scan;
        introduce(sampler->scan, who);
    }
    return who;
}

void sampler_add(struct sampler *sampler, pid_t pid)
{
    struct process process;
    if (!process_read(pid, &process))
        return;
    struct who *who = meet(sampler, &process, 0);
    add_thread(sampler, who, pid, false);
}

// One thread's state into the sums of those who only run and wait.
static void count_other(const struct sampler *sampler, struct who *who, char state, int cpu)
{
    if (who->victim || who->own)
        return;
    if (state == 'R') {
        who->did.runnable++;
        if (cpu >= 0 && cpu < SAMPLE_CPUS)
            who->did.beside += sampler->victims_on[cpu];
    } else if (state == 'D') {
        who->did.at_disk++;
    }
}

// The numbers of processes rise until they begin anew.
static size_t read_newest(struct sampler *sampler, struct process newest[NEWEST])
{
    char text[128];
    const char *slash;
    size_t count = 0;
    if (!file_read_open(sampler->loadavg_fd, text, sizeof text) ||
        (slash = strchr(text, '/')) == NULL)
        return 0;
    const char *blank = slash;
    while (blank > text && blank[-1] != ' ')
        blank--;
    const double running = strtod(blank, NULL) - 1;
    sampler->running += running > 0 ? running : 0;
    sampler->running_squares += running > 0 ? running * running : 0;
    blank = strchr(slash, ' ');
    const pid_t last = !blank ? 0 : (pid_t)strtol(blank, NULL, 10);
    // The processes of the sample before count, too, as long as no scan has seen them.
    for (pid_t pid = last; pid > last - NEWEST && pid > 0; pid--) {
        const struct who *known = who_find(&sampler->scan->whos, pid);
        // With more than one thread it is a thread, whose number that is, too.
        const bool looked_at = known && task_of(sampler, known, pid);
        if (!looked_at && (!known || known->ended || !known->scanned) &&
            process_read(pid, &newest[count]) && newest[count].threads <= 1)
            count++;
    }
    return count;
}

// What the victim's threads do in one sample: whether any of them does.
struct doing {
    bool active, at_disk, stopped;
};

static void count_victim(struct sampler *sampler, struct who *who, char state, int cpu,
                         struct doing *doing)
{
    doing->at_disk = doing->at_disk || state == 'D';
    doing->stopped = doing->stopped || state == 'T' || state == 't';
    if (state != 'R')
        return;
    doing->active = true;
    sampler->runnable++;
    who->did.runnable++;
    if (cpu < 0 || cpu >= SAMPLE_CPUS)
        return;
    sampler->occupied += sampler->victims_on[cpu] == 0;
    sampler->beside += sampler->victims_on[cpu]++; // pairs: in the end each is counted once
}

// Since the last time.
static void add_schedstat(struct sampler *sampler, struct task *task)
{
    struct schedstat now;
    const struct schedstat *was = &task->counted;
    if (!schedstat_read(task->sched_fd, &now))
        return;
    sampler->run_ns += now.run_ns > was->run_ns ? now.run_ns - was->run_ns : 0;
    sampler->wait_ns += now.delay_ns > was->delay_ns ? now.delay_ns - was->delay_ns : 0;
    task->counted = now;
}

static void read_tasks(struct sampler *sampler)
{
    for (size_t i = sampler->count; i-- > 0;) {
        struct task *task = &sampler->task[i];
        struct process process;
        char text[1024];
        if (!file_read_open(task->stat_fd, text, sizeof text) || !process_parse(text, &process)) {
            sampler->gone += task->who->victim;
            sampler->ended = sampler->ended || task->tid == sampler->scan->victim->pid;
            close_task(sampler, i);
            continue;
        }
        if (process.state == 'Z' && task->tid == sampler->scan->victim->pid)
            sampler->ended = true;
        task->state = process.state;
        task->cpu = process.cpu;
        if (task->who->victim)
            add_schedstat(sampler, task);
    }
}

void sampler_take(struct sampler *sampler)
{
    struct process newest[NEWEST];
    struct who *new_who[NEWEST];
    struct doing doing = {0};
    unsigned threads = 0;
    memset(sampler->victims_on, 0, sizeof sampler->victims_on);
    read_tasks(sampler);
    const size_t count = read_newest(sampler, newest);
    for (size_t i = 0; i < count; i++)
        new_who[i] = meet(sampler, &newest[i], 0);
    for (size_t i = 0; i < sampler->count; i++) {
        const struct task *task = &sampler->task[i];
        if (task->who->victim) {
            count_victim(sampler, task->who, task->state, task->cpu, &doing);
            threads++;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (new_who[i]->victim)
            count_victim(sampler, new_who[i], newest[i].state, newest[i].cpu, &doing);
    for (size_t i = 0; i < sampler->count; i++)
        count_other(sampler, sampler->task[i].who, sampler->task[i].state, sampler->task[i].cpu);
    for (size_t i = 0; i < count; i++)
        count_other(sampler, new_who[i], newest[i].state, newest[i].cpu);
    sampler->samples++;
    sampler->active += doing.active;
    sampler->at_disk += doing.at_disk && !doing.active;
    sampler->stopped += doing.stopped && !doing.at_disk && !doing.active;
    sampler->threads = threads > sampler->threads ? threads : sampler->threads;
}

void sampler_next_window(struct sampler *sampler)
{
    sampler->samples = sampler->active = sampler->at_disk = sampler->stopped = 0;
    sampler->occupied = 0;
    sampler->allowed->count = 0;
    sampler->runnable = sampler->beside = sampler->running = sampler->running_squares = 0;
    sampler->run_ns = sampler->wait_ns = 0;
    sampler->threads = sampler->gone = sampler->left_out = 0;
    sampler->preempted_s = NAN;
}

void sampler_close(struct sampler *sampler)
{
    while (sampler->count > 0)
        close_task(sampler, sampler->count - 1);
    if (sampler->loadavg_fd >= 0)
        (void)close(sampler->loadavg_fd);
    free(sampler->allowed);
    sampler->allowed = NULL;
}
