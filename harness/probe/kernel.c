/* Sources: Linux Documentation/accounting/psi.rst, admin-guide/cgroup-v2.rst (cpu.stat),
 * scheduler/sched-bwc.rst (v1), filesystems/resctrl.rst (mon_data), cpufreq's scaling_cur_freq;
 * proc_stat(5), proc_pid_stat(5). */

#include "kernel.h"

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/linked.h"

#include <glob.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct kernel_look {
    double time_s;
    double own_s; /* CPU time of this process */
    struct counters counters;
    int64_t periods, throttled, throttled_us; /* of our own control group */
    int64_t resctrl_bytes;
    bool has_processes;
    struct processes processes;
};

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A number of a file of lines "NAME VALUE"; UNKNOWN: it is not there. */
static int64_t stat_number(const char *path, const char *name)
{
    char line[128];
    int64_t value = UNKNOWN;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UNKNOWN;
    while (value == UNKNOWN && fgets(line, sizeof line, file) != NULL) {
        char found[64];
        long long number;
        if (sscanf(line, "%63s %lld", found, &number) == 2 && strcmp(found, name) == 0)
            value = number;
    }
    fclose(file);
    return value;
}

/* v2 has microseconds, v1 nanoseconds. */
static void look_at_quota(struct kernel_look *look)
{
    char folder[CGROUP_PATH], path[CGROUP_PATH + 16];
    look->periods = look->throttled = look->throttled_us = UNKNOWN;
    if (cgroup_own("", folder)) {
        snprintf(path, sizeof path, "%s/cpu.stat", folder);
        look->periods = stat_number(path, "nr_periods");
        look->throttled = stat_number(path, "nr_throttled");
        look->throttled_us = stat_number(path, "throttled_usec");
    }
    if (look->periods != UNKNOWN || !cgroup_own("cpu", folder))
        return;
    snprintf(path, sizeof path, "%s/cpu.stat", folder);
    const int64_t time_ns = stat_number(path, "throttled_time");
    look->periods = stat_number(path, "nr_periods");
    look->throttled = stat_number(path, "nr_throttled");
    look->throttled_us = time_ns == UNKNOWN ? UNKNOWN : time_ns / 1000;
}

/* The sum, or the mean, of the numbers that begin these files; UNKNOWN: none has one. */
static double over_files(const char *pattern, bool mean)
{
    char path[PATH_MAX];
    glob_t found;
    double sum = 0, count = 0;
    if (glob(machine_path(pattern, path), GLOB_NOSORT, NULL, &found) != 0)
        return UNKNOWN;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        long long number;
        FILE *file = fopen(found.gl_pathv[i], "re");
        if (file == NULL)
            continue;
        if (fscanf(file, "%lld", &number) == 1) {
            sum += (double)number;
            count++;
        }
        fclose(file);
    }
    globfree(&found);
    return count == 0 ? UNKNOWN : mean ? sum / count : sum;
}

struct kernel_look *kernel_look(bool processes)
{
    struct kernel_look *look = calloc(1, sizeof *look);
    if (look == NULL)
        return NULL;
    counters_read(&look->counters);
    look_at_quota(look);
    look->resctrl_bytes =
        (int64_t)over_files("/sys/fs/resctrl/mon_data/mon_L3_*/mbm_total_bytes", false);
    look->has_processes = processes;
    if (processes)
        processes_read(&look->processes);
    look->time_s = clock_s(CLOCK_MONOTONIC);
    look->own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    return look;
}

void kernel_look_free(struct kernel_look *look)
{
    if (look != NULL)
        processes_free(&look->processes);
    free(look);
}

double kernel_run_queue(void)
{
    char value[64];
    if (!machine_field("/proc/stat", "procs_running", " ", value, sizeof value))
        return NAN;
    return fmax(strtod(value, NULL) - 1, 0);
}

/* cpufreq's, in kHz; else what /proc/cpuinfo says, which on virtual machines is the nominal one. */
static double clock_mhz(void)
{
    char path[PATH_MAX], line[4096];
    double sum = 0, count = 0, mhz;
    const double khz =
        over_files("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq", true);
    if (khz > 0)
        return khz / 1000;
    FILE *file = fopen(machine_path("/proc/cpuinfo", path), "re");
    if (file == NULL)
        return NAN;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) {
            sum += mhz;
            count++;
        }
    }
    fclose(file);
    return count > 0 ? sum / count : NAN;
}

/* Growth in units of `unit`, for each second; NAN: not known. */
static double rate(int64_t before, int64_t after, double unit, double duration_s)
{
    return before == UNKNOWN || after == UNKNOWN ? NAN
                                                 : (double)(after - before) / unit / duration_s;
}

/* Of the time; the kernel adds up stalls a little later than they happen. */
static double share(int64_t before_us, int64_t after_us, double cpus, double duration_s)
{
    const double found = rate(before_us, after_us, 1e6 * cpus, duration_s);
    return isnan(found) ? NAN : fmin(fmax(found, 0), 1);
}

static void name_user(uid_t user, char *name, size_t size)
{
    linked_names();
    const struct passwd *entry = getpwuid(user);
    if (entry != NULL)
        snprintf(name, size, "%s", entry->pw_name);
    else
        snprintf(name, size, "%lu", (unsigned long)user);
}

/* A row of users while they are summed up. */
struct sum {
    uid_t user;
    bool ours;           /* of our session */
    long long alive;     /* ticks of those that live */
    long long all;       /* with those of children that have ended */
    long long most;      /* of one process, with its children */
    const char *command; /* of that */
};

struct sums {
    size_t count;
    struct sum *sum;
};

static double cpus_of(const struct sum *sum, double duration_s)
{
    /* Children that nobody waits for take what they had used before with them. */
    const long long ticks = sum->all > sum->alive ? sum->all : sum->alive;
    return (double)ticks * PROCESS_TICK_US / 1e6 / duration_s;
}

static int by_use(const void *a, const void *b)
{
    const double one = cpus_of(a, 1), other = cpus_of(b, 1);
    return (one < other) - (one > other);
}

static struct sum *sum_of(struct sums *sums, const struct process *process, pid_t session)
{
    const bool ours = process->session == session;
    for (size_t i = 0; i < sums->count; i++)
        if (sums->sum[i].user == process->user && sums->sum[i].ours == ours)
            return &sums->sum[i];
    sums->sum[sums->count] = (struct sum){.user = process->user, .ours = ours};
    return &sums->sum[sums->count++];
}

/* What a process that lives has used since the look before: its own time, and that of its children
 * which have ended meanwhile. A child that was there before brings all of its time to its parent
 * when it ends, so that has to be taken off: take_off(). */
static void add(struct sums *sums, const struct processes *before, const struct process *process,
                pid_t session)
{
    const struct process *was = processes_same(before, process);
    const long long own = process->ticks - (was == NULL ? 0 : was->ticks);
    const long long all = own + process->waited - (was == NULL ? 0 : was->waited);
    struct sum *sum = sum_of(sums, process, session);
    sum->alive += own;
    sum->all += all;
    if (sum->command == NULL || all > sum->most) {
        sum->most = all;
        sum->command = process->name;
    }
}

static void take_off(struct sums *sums, const struct processes *after,
                     const struct process *process, pid_t session)
{
    if (processes_same(after, process) == NULL)
        sum_of(sums, process, session)->all -= process->ticks + process->waited;
}

static void share_out(const struct sums *sums, struct kernel_facts *facts)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct sum *sum = &sums->sum[i];
        const double cpus = cpus_of(sum, facts->duration_s);
        if (sum->ours)
            facts->session_cpus += cpus;
        else
            facts->foreign_cpus += cpus;
        if (sum->ours || cpus <= 0 || facts->user_count == KERNEL_USERS)
            continue;
        struct kernel_user *user = &facts->user[facts->user_count++];
        name_user(sum->user, user->name, sizeof user->name);
        snprintf(user->command, sizeof user->command, "%s", sum->command);
        user->cpus = cpus;
        user->command_cpus =
            fmin((double)sum->most * PROCESS_TICK_US / 1e6 / facts->duration_s, cpus);
    }
}

/* Whose processes used the CPUs. Those of our session (this terminal, this job) are summed up by
 * themselves: they are our own doing. */
static void find_users(const struct kernel_look *before, const struct kernel_look *after,
                       struct kernel_facts *facts)
{
    const struct processes *was = &before->processes, *is = &after->processes;
    const pid_t session = getsid(0), own = getpid();
    struct sums sums = {.sum = calloc(was->count + is->count + 1, sizeof *sums.sum)};
    if (sums.sum == NULL || !before->has_processes || is->count == 0) {
        free(sums.sum);
        facts->foreign_cpus = facts->session_cpus = NAN;
        return;
    }
    for (size_t i = 0; i < is->count; i++)
        if (is->process[i].pid != own)
            add(&sums, was, &is->process[i], session);
    for (size_t i = 0; i < was->count; i++)
        if (was->process[i].pid != own)
            take_off(&sums, is, &was->process[i], session);
    qsort(sums.sum, sums.count, sizeof *sums.sum, by_use);
    share_out(&sums, facts);
    free(sums.sum);
}

void kernel_between(const struct kernel_look *before, const struct kernel_look *after,
                    double run_queue, struct kernel_facts *facts)
{
    const struct counters *was = &before->counters, *is = &after->counters;
    const double s = after->time_s - before->time_s;
    const double periods = rate(before->periods, after->periods, 1, s);
    *facts = (struct kernel_facts){
        .duration_s = s,
        .cpus = is->cpus > 0 ? (double)is->cpus : NAN,
        .quota_cpus = cpus_quota(),
        .cpu_some = share(was->cpu_some_us, is->cpu_some_us, 1, s),
        .memory_some = share(was->memory_some_us, is->memory_some_us, 1, s),
        .memory_full = share(was->memory_full_us, is->memory_full_us, 1, s),
        .io_some = share(was->io_some_us, is->io_some_us, 1, s),
        .own_io = NAN,
        .steal = share(was->steal_us, is->steal_us, is->cpus, s),
        .throttled = periods > 0 ? rate(before->throttled, after->throttled, 1, s) / periods
                                 : periods, /* no quota, no periods: none */
        .throttled_s = rate(before->throttled_us, after->throttled_us, 1e6, s),
        .run_queue = run_queue,
        .load_average = is->load_average[0],
        .busy_cpus = rate(was->busy_us, is->busy_us, 1e6, s),
        .own_cpus = (after->own_s - before->own_s) / s,
        .swap_in_per_s = rate(was->swap_in_pages, is->swap_in_pages, 1, s),
        .swap_out_per_s = rate(was->swap_out_pages, is->swap_out_pages, 1, s),
        .heat_throttles = rate(was->throttle_count, is->throttle_count, 1, 1),
        .clock_mhz = clock_mhz(),
        .resctrl_gb_s = rate(before->resctrl_bytes, after->resctrl_bytes, 1e9, s),
    };
    if (after->has_processes)
        find_users(before, after, facts);
    else
        facts->foreign_cpus = facts->session_cpus = NAN;
}

double kernel_others_io(const struct kernel_facts *facts)
{
    return isfinite(facts->own_io) && isfinite(facts->io_some)
               ? fmax(facts->io_some - facts->own_io, 0)
               : facts->io_some;
}

void kernel_copy_users(const struct kernel_facts *from, struct kernel_facts *to)
{
    memcpy(to->user, from->user, sizeof to->user);
    to->user_count = from->user_count;
    to->foreign_cpus = from->foreign_cpus;
    to->session_cpus = from->session_cpus;
}
