// Reads the counters of the kernel that tell what slows this node down.

#include "blame.h"

#include "common/counters.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/processes.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// Sources: Linux Documentation/accounting/psi.rst, admin-guide/cgroup-v2.rst (cpu.stat),
// scheduler/sched-bwc.rst (v1), filesystems/resctrl.rst (mon_data), cpufreq's scaling_cur_freq;
// proc_stat(5), proc_net_dev(5), iostats.rst.

static int64_t throttled_us(const char *folder)
{
    char path[PATH_MAX + 128];
    uint64_t time_ns;
    snprintf(path, sizeof path, "%s/cpu.stat", folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool known = cpus_throttled_ns(fd, &time_ns);
    if (fd >= 0)
        (void)close(fd);
    return known ? (int64_t)time_ns / 1000 : UNKNOWN;
}

// Its own quota, or that of a group around it: the one that holds back most.
static void look_at_group(const char *folder, struct look *look)
{
    char group[PATH_MAX + 64], path[PATH_MAX + 128], text[512];
    int64_t full_us;
    snprintf(group, sizeof group, "%s", folder);
    look->throttled_us = UNKNOWN;
    for (char *slash = group; slash && *group != '\0'; slash = strrchr(group, '/')) {
        if (slash != group)
            *slash = '\0';
        const int64_t found_us = throttled_us(group);
        if (found_us == UNKNOWN)
            break;
        look->throttled_us = found_us > look->throttled_us ? found_us : look->throttled_us;
    }
    snprintf(path, sizeof path, "%s/io.pressure", folder);
    const bool read = *folder != '\0' && file_read(AT_FDCWD, path, text, sizeof text);
    pressure_parse(read ? text : "", &look->group_io_us, &full_us);
}

// The sum, or the mean, of the numbers that begin these files; UNKNOWN: none has one.
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
        if (!file)
            continue;
        if (fscanf(file, "%lld", &number) == 1) {
            sum += (double)number;
            count++;
        }
        fclose(file);
    }
    globfree(&found);
    if (count == 0)
        return UNKNOWN;
    return mean ? sum / count : sum;
}

// Sectors have 512 bytes, whatever the disk's have. Partitions and what lies on other devices (LVM,
// RAID, loops) would be counted twice: only what has a device of its own counts.
static int64_t disk_bytes(void)
{
    char path[PATH_MAX], line[512];
    int64_t sectors = UNKNOWN;
    FILE *file = fopen(machine_path("/proc/diskstats", path), "re");
    while (file && fgets(line, sizeof line, file)) {
        char name[64], inner[128];
        long long read, written;
        if (sscanf(line, "%*d %*d %63s %*d %*d %lld %*d %*d %*d %lld", name, &read, &written) != 3)
            continue;
        snprintf(inner, sizeof inner, "/sys/block/%s/device", name);
        if (access(machine_path(inner, path), F_OK) == 0)
            sectors = (sectors == UNKNOWN ? 0 : sectors) + read + written;
    }
    if (file)
        fclose(file);
    return sectors == UNKNOWN ? UNKNOWN : 512 * sectors;
}

void look_take(struct look *look, const char *folder, pid_t pid)
{
    char path[PATH_MAX];
    counters_read(&look->counters);
    look_at_group(folder, look);
    look->disk_bytes = disk_bytes();
    // The network is the victim's own.
    look->network = network_read(pid > 0 ? process_path(pid, "net/dev", path)
                                         : machine_path("/proc/net/dev", path));
    look->resctrl_bytes =
        (int64_t)over_files("/sys/fs/resctrl/mon_data/mon_L3_*/mbm_total_bytes", false);
    look->time_s = clock_s(CLOCK_MONOTONIC);
    look->own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

// cpufreq's, in kHz; else what /proc/cpuinfo says, which on virtual machines is the nominal one.
static double clock_mhz(void)
{
    char path[PATH_MAX], line[4096];
    double sum = 0, count = 0, mhz;
    const double khz =
        over_files("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq", true);
    if (khz > 0)
        return khz / 1000;
    FILE *file = fopen(machine_path("/proc/cpuinfo", path), "re");
    if (!file)
        return NAN;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) {
            sum += mhz;
            count++;
        }
    }
    fclose(file);
    return count > 0 ? sum / count : NAN;
}

// Growth in units of `unit`, for each second; NAN: not known, or the counter stepped back, as that
// of all disks does when one of them goes away.
static double rate(int64_t before, int64_t after, double unit, double duration_s)
{
    return before == UNKNOWN || after < before ? NAN : (double)(after - before) / unit / duration_s;
}

// Shares of the time; the kernel adds up stalls a little later than they happen.
static double share(int64_t before_us, int64_t after_us, double cpus, double duration_s)
{
    const double found = rate(before_us, after_us, 1e6 * cpus, duration_s);
    return isnan(found) ? NAN : fmin(fmax(found, 0), 1);
}

void facts_between(const struct look *before, const struct look *after, struct facts *facts)
{
    const struct counters *was = &before->counters, *is = &after->counters;
    const double s = after->time_s - before->time_s;
    *facts = (struct facts){
        .duration_s = s,
        .cpus = is->cpus > 0 ? (double)is->cpus : NAN,
        .cpu_some = share(was->cpu_some_us, is->cpu_some_us, 1, s),
        .memory_some = share(was->memory_some_us, is->memory_some_us, 1, s),
        .io_some = share(was->io_some_us, is->io_some_us, 1, s),
        .steal = share(was->steal_us, is->steal_us, is->cpus, s),
        .throttled = rate(before->throttled_us, after->throttled_us, 1e6, s),
        .group_io = share(before->group_io_us, after->group_io_us, 1, s),
        .busy_cpus = rate(was->busy_us, is->busy_us, 1e6, s),
        .own_cpus = (after->own_s - before->own_s) / s,
        .swap_in_per_s = rate(was->swap_in_pages, is->swap_in_pages, 1, s),
        .heat_throttles = rate(was->throttle_count, is->throttle_count, 1, 1),
        .clock_mhz = clock_mhz(),
        .memory_per_s = rate(before->resctrl_bytes, after->resctrl_bytes, 1, s),
        .disk_per_s = rate(before->disk_bytes, after->disk_bytes, 1, s),
        .network_per_s = rate(before->network.bytes, after->network.bytes, 1, s),
        .loopback_per_s = rate(before->network.loopback_bytes, after->network.loopback_bytes, 1, s),
    };
}

// Pressure is a mean over the CPUs that are busy, or have somebody who waits for a disk: of one
// program among n - 1 busy CPUs 1/n.
double disk_most(const struct facts *facts)
{
    const double times = isnan(facts->busy_cpus) ? facts->cpus : 1 + facts->busy_cpus;
    return isnan(facts->io_some) ? 1 : fmin(facts->io_some * fmin(times, facts->cpus), 1);
}
