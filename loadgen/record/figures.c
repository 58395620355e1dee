// Makes one row of columns of what the tree, the group, the counters and the network say.

#include "figures.h"

#include "common/file.h"
#include "common/machine.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int decimals;
} columns[FIGURES] = {
    [FIGURE_CPU] = {"cpu", 5},
    [FIGURE_CPU_WAIT] = {"cpu_wait", 5},
    [FIGURE_RUNNABLE] = {"runnable", 5},
    [FIGURE_BLOCKED] = {"blocked", 3},
    [FIGURE_THROTTLED] = {"throttled", 5},
    [FIGURE_READS] = {"reads_per_s", 1},
    [FIGURE_WRITES] = {"writes_per_s", 1},
    [FIGURE_READ_BYTES] = {"read_bytes_per_s", 0},
    [FIGURE_WRITE_BYTES] = {"write_bytes_per_s", 0},
    [FIGURE_DISK_READS] = {"disk_reads_per_s", 1},
    [FIGURE_DISK_WRITES] = {"disk_writes_per_s", 1},
    [FIGURE_DISK_READ_BYTES] = {"disk_read_bytes_per_s", 0},
    [FIGURE_DISK_WRITE_BYTES] = {"disk_write_bytes_per_s", 0},
    [FIGURE_SYNCS] = {"syncs_per_s", 1},
    [FIGURE_RECEIVED_BYTES] = {"received_bytes_per_s", 0},
    [FIGURE_SENT_BYTES] = {"sent_bytes_per_s", 0},
    [FIGURE_RECEIVED_PACKETS] = {"received_packets_per_s", 1},
    [FIGURE_SENT_PACKETS] = {"sent_packets_per_s", 1},
    [FIGURE_SWITCHES] = {"switches_per_s", 1},
    [FIGURE_VOLUNTARY] = {"voluntary_switches_per_s", 1},
    [FIGURE_INVOLUNTARY] = {"involuntary_switches_per_s", 1},
    [FIGURE_MINOR] = {"minor_faults_per_s", 1},
    [FIGURE_MAJOR] = {"major_faults_per_s", 1},
    [FIGURE_FORKS] = {"forks_per_s", 2},
    [FIGURE_CYCLES] = {"cycles_per_s", 0},
    [FIGURE_INSTRUCTIONS] = {"instructions_per_s", 0},
    [FIGURE_CACHE_MISSES] = {"cache_misses_per_s", 0},
    [FIGURE_MEMORY_TRAFFIC] = {"machine_memory_bytes_per_s", 0},
    [FIGURE_CPU_PRESSURE] = {"cpu_pressure", 5},
    [FIGURE_IO_PRESSURE] = {"io_pressure", 5},
    [FIGURE_MEMORY_PRESSURE] = {"memory_pressure", 5},
    [FIGURE_GROWTH] = {"growth_bytes_per_s", 0},
    [FIGURE_PROCESSES] = {"processes", 1},
    [FIGURE_THREADS] = {"threads", 1},
    [FIGURE_RESIDENT] = {"resident_bytes", 0},
    [FIGURE_PRIVATE] = {"private_bytes", 0},
    [FIGURE_SHARED] = {"shared_bytes", 0},
    [FIGURE_MEMORY] = {"memory_bytes", 0},
};

static void take_tree(const struct tree *tree, double now[FIGURES])
{
    now[FIGURE_CPU] = tree->count[TREE_CPU_NS] / 1e9;
    if (tree->has_wait) {
        now[FIGURE_CPU_WAIT] = tree->wait_ns / 1e9;
        now[FIGURE_VOLUNTARY] = tree->voluntary;
        now[FIGURE_INVOLUNTARY] = tree->involuntary;
    }
    now[FIGURE_BLOCKED] = tree->blocked_ns / 1e9;
    if (tree->has_io) {
        now[FIGURE_READS] = tree->count[TREE_READ_CALLS];
        now[FIGURE_WRITES] = tree->count[TREE_WRITE_CALLS];
        now[FIGURE_READ_BYTES] = tree->count[TREE_READ_BYTES];
        now[FIGURE_WRITE_BYTES] = tree->count[TREE_WRITE_BYTES];
    }
    now[FIGURE_MINOR] = tree->count[TREE_MINOR];
    now[FIGURE_MAJOR] = tree->count[TREE_MAJOR];
    now[FIGURE_FORKS] = tree->births;
    now[FIGURE_PROCESSES] = (double)tree->living;
    now[FIGURE_THREADS] = (double)tree->threads.count;
    now[FIGURE_GROWTH] = now[FIGURE_RESIDENT] = tree->resident_bytes;
    now[FIGURE_PRIVATE] = tree->private_bytes;
    now[FIGURE_SHARED] = tree->resident_bytes - tree->private_bytes;
}

// What the group knows better than a sum over its processes: also of those that have ended.
static void take_group(const struct group_counts *counts, double now[FIGURES])
{
    if (!isnan(counts->cpu_ns))
        now[FIGURE_CPU] = counts->cpu_ns / 1e9;
    now[FIGURE_THROTTLED] = counts->throttled_ns / 1e9;
    now[FIGURE_MEMORY] = counts->memory_bytes;
    for (size_t i = 0; i < counts->disk_count; i++) {
        const struct group_disk *disk = &counts->disk[i];
        const double add[] = {disk->reads, disk->writes, disk->read_bytes, disk->write_bytes};
        for (size_t k = 0; k < sizeof add / sizeof *add; k++)
            now[FIGURE_DISK_READS + k] = (i == 0 ? 0 : now[FIGURE_DISK_READS + k]) + add[k];
    }
    for (size_t i = 0; i < GROUP_PRESSURES; i++)
        now[FIGURE_CPU_PRESSURE + i] = counts->waited_us[i] / 1e6;
}

static void take_events(const struct events *events, double now[FIGURES])
{
    const double forks = events_read(events, EVENT_FORKS);
    now[FIGURE_SWITCHES] = events_read(events, EVENT_SWITCHES);
    if (!isnan(forks))
        now[FIGURE_FORKS] = forks;
    now[FIGURE_SYNCS] = events_read(events, EVENT_FSYNC) + events_read(events, EVENT_FDATASYNC);
    now[FIGURE_CYCLES] = events_read(events, EVENT_CYCLES);
    now[FIGURE_INSTRUCTIONS] = events_read(events, EVENT_INSTRUCTIONS);
    now[FIGURE_CACHE_MISSES] = events_read(events, EVENT_CACHE_MISSES);
}

// All interfaces of the process's network namespace but the loopback one.
static void take_network(pid_t pid, double now[FIGURES])
{
    char path[PATH_MAX], text[16384];
    if (pid == 0 || !file_read(AT_FDCWD, process_path(pid, "net/dev", path), text, sizeof text))
        return;
    char *rest = text;
    double sum[4] = {0};
    for (char *row; (row = strsep(&rest, "\n")) != NULL;) {
        char *colon = strchr(row, ':');
        double in, in_packets, out, out_packets;
        if (!colon || strncmp(row + strspn(row, " "), "lo:", 3) == 0 ||
            sscanf(colon + 1, "%lf %lf %*f %*f %*f %*f %*f %*f %lf %lf", &in, &in_packets, &out,
                   &out_packets) != 4)
            continue;
        sum[0] += in, sum[1] += out, sum[2] += in_packets, sum[3] += out_packets;
    }
    memcpy(&now[FIGURE_RECEIVED_BYTES], sum, sizeof sum);
}

// Of the whole machine (Linux Documentation/filesystems/resctrl.rst); NAN: not counted here.
static double memory_traffic(void)
{
    char pattern[PATH_MAX], text[64];
    glob_t found = {0};
    double sum = NAN;
    uint64_t bytes;
    machine_path("/sys/fs/resctrl/mon_data/mon_L3_*/mbm_total_bytes", pattern);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (file_read(AT_FDCWD, found.gl_pathv[i], text, sizeof text) &&
                file_number(text, "", &bytes))
                sum = (isnan(sum) ? 0 : sum) + (double)bytes;
    globfree(&found);
    return sum;
}

void figures_take(struct sources *sources, double now[FIGURES])
{
    for (size_t i = 0; i < FIGURES; i++)
        now[i] = NAN;
    take_tree(&sources->tree, now);
    if (sources->has_group)
        take_group(&sources->counts, now);
    take_events(&sources->events, now);
    take_network(sources->network, now);
    now[FIGURE_MEMORY_TRAFFIC] = memory_traffic();
    now[FIGURE_RUNNABLE] = now[FIGURE_CPU] + now[FIGURE_CPU_WAIT];
}

void figures_between(const double before[FIGURES], const double after[FIGURES], double seconds,
                     double span[FIGURES])
{
    for (size_t i = 0; i < FIGURES; i++) {
        span[i] = i < FIGURES_COUNTED ? (after[i] - before[i]) / seconds : after[i];
        // A child is in its parent's count a moment later than it has gone.
        if (i < FIGURES_COUNTED && i != FIGURE_GROWTH && span[i] < 0)
            span[i] = 0;
    }
}

void figures_put(struct line *line, const double values[FIGURES])
{
    for (size_t i = 0; i < FIGURES; i++)
        if (!isnan(values[i]))
            line_fixed(line, columns[i].name, values[i], columns[i].decimals);
}
