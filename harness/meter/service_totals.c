// Reads what a service's processes have used and waited for.
#include "service_totals.h"

#include "fields.h"
#include "stalls.h"

#include "common/file.h"
#include "common/group.h"
#include "common/json.h"
#include "common/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB 1024

// The memory of one process, in bytes.
struct memory {
    uint64_t own;    // at its peak
    uint64_t shared; // with others or with a file, now
};

// A line of /proc/PID/status; 0 where it is not there.
static uint64_t status_bytes(const char *text, const char *key)
{
    uint64_t kib;
    const char *at = strstr(text, key);
    if (!at)
        return 0;
    at += strlen(key);
    at += strspn(at, " \t");
    return file_number(at, "", &kib) ? kib * KIB : 0;
}

static struct memory memory_of(pid_t pid)
{
    char path[64], text[4096];
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    if (!file_read(AT_FDCWD, path, text, sizeof text))
        return (struct memory){0};
    const uint64_t peak = status_bytes(text, "\nVmHWM:");
    const uint64_t shared = status_bytes(text, "\nRssFile:") + status_bytes(text, "\nRssShmem:");
    return (struct memory){.own = peak > shared ? peak - shared : 0, .shared = shared};
}

// Begins the peak of a process anew (proc(5), clear_refs). Where we may not, or the kernel cannot,
// its peak remains that since its start.
static void begin_peak(pid_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/clear_refs", (long)pid);
    (void)file_write(AT_FDCWD, path, "5");
}

static void add_delay(struct service_totals *totals, pid_t thread, int64_t delay_ns)
{
    // Grown in steps of powers of two.
    if ((totals->delay_count & (totals->delay_count + 1)) == 0) {
        struct thread_delay *larger =
            reallocarray(totals->delays, 2 * (totals->delay_count + 1), sizeof *totals->delays);
        if (!larger)
            return; // one thread less in a lower bound
        totals->delays = larger;
    }
    totals->delays[totals->delay_count++] =
        (struct thread_delay){.thread = thread, .delay_ns = delay_ns};
}

// The delays of all threads of a process.
static void read_delays(struct service_totals *totals, pid_t pid)
{
    char path[300], text[96];
    int64_t run_ns, delay_ns;
    (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        (void)snprintf(path, sizeof path, "%.255s/schedstat", entry->d_name);
        if (file_read(dirfd(folder), path, text, sizeof text) &&
            sscanf(text, "%" SCNd64 " %" SCNd64, &run_ns, &delay_ns) == 2)
            add_delay(totals, (pid_t)strtol(entry->d_name, NULL, 10), delay_ns);
    }
    (void)closedir(folder);
}

static int by_thread(const void *a, const void *b)
{
    const struct thread_delay *first = a, *second = b;
    return (first->thread > second->thread) - (first->thread < second->thread);
}

// What each process has to be asked for.
static void read_processes(struct service_totals *totals, const struct group *group)
{
    uint64_t most_shared = 0;
    // The tree is found among all processes of the machine, which takes longer.
    pid_t *pids = group->kind == GROUP_NONE ? tree_list(&totals->processes)
                                            : group_list(group, &totals->processes);
    for (size_t i = 0; i < totals->processes; i++) {
        const struct memory memory = memory_of(pids[i]);
        totals->memory_bytes += memory.own;
        most_shared = memory.shared > most_shared ? memory.shared : most_shared;
        const pid_t session = getsid(pids[i]); // -1: it has gone
        totals->own_session = totals->own_session || (session >= 0 && session != getsid(0));
        begin_peak(pids[i]);
        read_delays(totals, pids[i]);
    }
    totals->memory_bytes += most_shared;
    free(pids);
    if (totals->delay_count > 0)
        qsort(totals->delays, totals->delay_count, sizeof *totals->delays, by_thread);
}

void service_totals_read(struct service_totals *totals, const struct group *group,
                         const struct stall_files *files)
{
    struct group_usage usage;
    struct thread_delay *delays = totals->delays;
    free(delays);
    *totals = (struct service_totals){0};
    group_read(group, &usage);
    totals->from_group = usage.has_cpu;
    totals->user_ns = usage.user_ns;
    totals->system_ns = usage.system_ns;
    totals->cpu_ns = usage.has_cpu ? usage.user_ns + usage.system_ns : tree_cpu_ns();
    totals->has_stalls = stalls_read(files, totals->stall_us);
    read_processes(totals, group);
}

// The growth of the thread whose delay grew most; -1: no thread is in both.
static int64_t longest_delay_ns(const struct service_totals *before,
                                const struct service_totals *after)
{
    int64_t longest_ns = -1;
    for (size_t i = 0; i < after->delay_count; i++) {
        const struct thread_delay *old =
            before->delay_count == 0
                ? NULL
                : bsearch(&after->delays[i], before->delays, before->delay_count,
                          sizeof *before->delays, by_thread);
        // One that is new has waited since the mark, at most.
        const int64_t grown_ns = after->delays[i].delay_ns - (!old ? 0 : old->delay_ns);
        longest_ns = grown_ns > longest_ns ? grown_ns : longest_ns;
    }
    return longest_ns;
}

// 0 where the kernel's division into user and system went back a little.
static void add_grown(struct line *line, const char *name, bool known, int64_t before_ns,
                      int64_t after_ns)
{
    field_seconds(line, name, known, after_ns > before_ns ? after_ns - before_ns : 0, 6);
}

void service_totals_write(struct line *line, const struct service_totals *before,
                          const struct service_totals *after, int64_t elapsed_ns)
{
    line_seconds(line, "elapsed_s", elapsed_ns, 6);
    const bool grouped = before->from_group && after->from_group;
    add_grown(line, "cpu_s", true, before->cpu_ns, after->cpu_ns);
    add_grown(line, "user_s", grouped, before->user_ns, after->user_ns);
    add_grown(line, "system_s", grouped, before->system_ns, after->system_ns);
    field_count(line, "memory_bytes", after->memory_bytes > 0, after->memory_bytes);
    line_count(line, "processes", after->processes);
    line_bool(line, "own_session", after->own_session);
    if (stalls_write(line, before->has_stalls && after->has_stalls ? before->stall_us : NULL,
                     after->stall_us, longest_delay_ns(before, after), elapsed_ns, 0))
        line_close(line);
}

void service_totals_free(struct service_totals *totals)
{
    free(totals->delays);
    *totals = (struct service_totals){0};
}
