#include "meter.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/memory_kills.h"
#include "common/text.h"
#include "common/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB 1024

// Of one process, in bytes.
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
    record_seconds(line, name, known, after_ns > before_ns ? after_ns - before_ns : 0, 6);
}

void service_totals_write(struct line *line, const struct service_totals *before,
                          const struct service_totals *after, int64_t elapsed_ns)
{
    line_seconds(line, "elapsed_s", elapsed_ns, 6);
    const bool grouped = before->from_group && after->from_group;
    add_grown(line, "cpu_s", true, before->cpu_ns, after->cpu_ns);
    add_grown(line, "user_s", grouped, before->user_ns, after->user_ns);
    add_grown(line, "system_s", grouped, before->system_ns, after->system_ns);
    record_count(line, "memory_bytes", after->memory_bytes > 0, after->memory_bytes);
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

// What a service writes to one of its outputs: a file without a name on this node's own disk
// (meter.h says why at its captures), of which the end is kept, however long the service writes.

// Its length; 0 also where that is not known.
static off_t length_of(const struct service_log *log)
{
    struct stat status;
    return log->fd >= 0 && fstat(log->fd, &status) == 0 ? status.st_size : 0;
}

void service_log_trim(const struct service_log *log)
{
    const off_t length = length_of(log);
    if (length <= 2 * CAPTURE_KEPT_BYTES)
        return;
    // A hole keeps the offsets, so that nothing is lost of what is written meanwhile. Where
    // the file system makes none, what there is goes.
    if (fallocate(log->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  length - CAPTURE_KEPT_BYTES) != 0)
        (void)!ftruncate(log->fd, 0);
}

// The last size bytes from an offset on. Returns how many.
static size_t read_end(const struct service_log *log, off_t from, char *text, size_t size)
{
    const off_t length = length_of(log);
    if (length < from) // it was emptied
        from = 0;
    if (length - from > (off_t)size)
        from = length - (off_t)size;
    const ssize_t got = length > from ? pread(log->fd, text, (size_t)(length - from), from) : 0;
    return got > 0 ? (size_t)got : 0;
}

void service_log_text(const struct service_log *log, char *text, size_t size)
{
    const size_t length = read_end(log, log->from, text, size - 1);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = '?';
    text[length] = '\0';
}

#define STOP_NS (SERVICE_STOP_S * NS_PER_S)
// How long what the server has started may outlive it.
#define LINGER_NS     (200 * NS_PER_MS)
#define KILL_AGAIN_MS 10
#define KILL_ROUNDS   1000
#define EXIT_NO_EXEC  127

// Does everything between fork and exec. Returns what failed, with errno.
static const char *prepare(const struct service_process *process, pid_t supervisor)
{
    struct cpu_list cpus;
    const int nothing = open("/dev/null", O_RDONLY);
    // One that signals its process group does not mean us.
    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor)
        return "following its supervisor";
    if (!group_enter(&process->group))
        return "entering the control group";
    if (process->settings->cpus &&
        (cpus_parse(process->settings->cpus, &cpus) != 0 || cpus_pin_list(&cpus) != 0))
        return "--service-cpus";
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(process->out.fd, STDOUT_FILENO) < 0 || dup2(process->errors.fd, STDERR_FILENO) < 0)
        return "redirecting";
    return NULL;
}

// What fails is told on report_fd, which an exec closes.
static _Noreturn void become_server(const struct service_process *process, pid_t supervisor,
                                    int report_fd)
{
    char text[512], why[384];
    const char *failed = prepare(process, supervisor);
    if (!failed) {
        signals_give_back(process->signals);
        // A shell's background job has these ignored, which would be the server's, too.
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGQUIT, SIG_DFL);
        char **words = process->settings->target[process->command].words;
        execvp(words[0], words);
        failed = words[0];
        (void)child_why(failed, errno, why, sizeof why);
    } else {
        (void)snprintf(why, sizeof why, "%s", strerror(errno));
    }
    const int length = snprintf(text, sizeof text, "%.120s: %s", failed, why);
    const ssize_t written = write(report_fd, text, (size_t)length);
    _exit(written < 0 ? EXIT_FAILURE : EXIT_NO_EXEC);
}

// What has failed before or at the exec; "" for nothing.
static void read_report(int fd, char *error, size_t size)
{
    ssize_t length;
    while ((length = read(fd, error, size - 1)) < 0 && errno == EINTR)
        ;
    error[length > 0 ? length : 0] = '\0';
}

// Anew for each start, as nothing may be started in one whose members were killed.
static void make_group(struct service_process *process)
{
    group_remove(&process->group);
    if (!group_make(&process->group))
        group_give_up(&process->group);
}

// Born in the group, where that can be.
static pid_t fork_server(struct service_process *process)
{
    const pid_t pid = group_fork(&process->group);
    if (pid >= 0 || process->group.kind != GROUP_V2)
        return pid;
    group_give_up(&process->group);
    return fork();
}

bool service_process_start(struct service_process *process, char *text, size_t size)
{
    const pid_t supervisor = getpid();
    char error[256] = "";
    int report[2];
    make_group(process);
    process->out.from = length_of(&process->out);
    process->errors.from = length_of(&process->errors);
    process->ended = process->daemon = process->is_empty = process->probe_succeeded = false;
    process->probe = 0;
    process->memory_kills = memory_kills_read();
    process->main = pipe2(report, O_CLOEXEC) == 0 ? fork_server(process) : -1;
    if (process->main == 0)
        become_server(process, supervisor, report[1]);
    if (process->main < 0) {
        snprintf(text, size, "it cannot be started: %s", strerror(errno));
        return false; // and we end
    }
    (void)close(report[1]);
    read_report(report[0], error, sizeof error);
    (void)close(report[0]);
    if (error[0] != '\0')
        snprintf(text, size, "it cannot be started: %s", error);
    return error[0] == '\0';
}

// What keeps it from being run is told on report_fd, which an exec closes.
static _Noreturn void become_probe(const struct service_process *process, char **words,
                                   int report_fd)
{
    char why[sizeof process->probe_why];
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        dup2(nothing, STDERR_FILENO) < 0)
        _exit(EXIT_NO_EXEC);
    signals_give_back(process->signals);
    execvp(words[0], words);
    (void)child_why(words[0], errno, why, sizeof why);
    (void)!write(report_fd, why, strlen(why));
    _exit(EXIT_NO_EXEC);
}

void service_process_probe(struct service_process *process, const char *command)
{
    const char *why;
    size_t count;
    int report[2];
    if (process->probe != 0)
        return;
    char **words = words_split(command, &count, &why);
    const bool begun = words && count > 0 && pipe2(report, O_CLOEXEC) == 0;
    const pid_t pid = !begun ? -1 : fork();
    if (pid == 0)
        become_probe(process, words, report[1]);
    process->probe = pid > 0 ? pid : 0;
    if (begun) {
        (void)close(report[1]);
        read_report(report[0], process->probe_why, sizeof process->probe_why);
        (void)close(report[0]);
    }
    free(words);
}

// Reaps all that has ended.
static void take_ended(struct service_process *process)
{
    pid_t pid;
    int status;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == process->main) {
            process->ended = true;
            process->status = status;
        } else if (pid == process->probe) {
            process->probe = 0;
            process->probe_succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
    }
    process->is_empty = pid < 0 && errno == ECHILD;
}

void service_process_wait(struct service_process *process, int timeout_ms, bool commands)
{
    struct pollfd files[] = {
        {.fd = process->signals->fd, .events = POLLIN},
        {.fd = process->leave ? -1 : STDIN_FILENO, .events = commands ? POLLIN : 0}};
    int number;
    (void)poll(files, 2, timeout_ms); // interrupted, or failed: the caller looks again
    while ((number = signals_next(process->signals, NULL)) > 0)
        process->leave = process->leave || (number != SIGCHLD && number != SIGCONT);
    // What was written before the other end hung up is still to be read.
    if ((files[1].revents & (POLLHUP | POLLERR)) != 0 && (files[1].revents & POLLIN) == 0)
        process->leave = true;
    take_ended(process);
}

bool service_process_gone(struct service_process *process)
{
    // A command that has ended well and has left processes: a daemon, whenever it did so. A command
    // of --ready may be the one that is left.
    const bool left = process->ended && process->status == 0 && !process->is_empty;
    process->daemon = process->daemon || (left && process->probe == 0);
    return process->is_empty || (process->ended && !left && !process->daemon);
}

bool service_process_kill(struct service_process *process)
{
    for (int round = 0; round < KILL_ROUNDS && !process->is_empty; round++) {
        group_kill(&process->group);
        (void)tree_signal(SIGKILL);
        service_process_wait(process, KILL_AGAIN_MS, false);
    }
    return process->is_empty;
}

// Waits for the end of all processes, for so long at most. With `head`, until the one that was
// started has ended and the others have had a moment.
static void wait_for_end(struct service_process *process, int64_t time_ns, bool head)
{
    int64_t deadline_ns = clock_ns() + time_ns;
    bool lingers = false;
    for (int64_t left_ns; !process->is_empty && (left_ns = deadline_ns - clock_ns()) > 0;) {
        service_process_wait(process, (int)(left_ns / NS_PER_MS) + 1, false);
        if (head && process->ended && !process->daemon && !lingers) {
            lingers = true;
            deadline_ns = clock_ns() + LINGER_NS;
        }
    }
}

bool service_process_end(struct service_process *process)
{
    const int stop_signal = process->settings->stop_signal;
    take_ended(process);
    // To its head alone: a server of several processes ends the others itself.
    (void)tree_signal_children(stop_signal);
    (void)tree_signal_children(SIGCONT); // a stopped one would not notice
    wait_for_end(process, STOP_NS, true);
    if (process->ended && !process->is_empty) { // a shell has ended, and its server has not
        (void)tree_signal(stop_signal);
        wait_for_end(process, STOP_NS, false);
    }
    process->killed = !process->is_empty;
    return service_process_kill(process);
}

void service_process_last_line(const struct service_process *process, char *line, size_t size)
{
    file_last_line(process->errors.fd, process->errors.from, line, size);
    if (line[0] == '\0')
        file_last_line(process->out.fd, process->out.from, line, size);
}

const char *service_process_how(const struct service_process *process, const char *when, char *text,
                                size_t size)
{
    char line[300], how[128] = "ended";
    const int status = process->status;
    service_process_last_line(process, line, sizeof line);
    if (process->ended && WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by signal %d (%.40s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (process->ended && !process->daemon)
        snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
    if (process->ended && memory_may_have_killed(status, process->memory_kills))
        snprintf(how, sizeof how, "was killed, " MEMORY_KILLED);
    snprintf(text, size, "%s%s%s%s", how, when, line[0] == '\0' ? "" : ": ", line);
    return text;
}
