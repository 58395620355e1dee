// Starts, watches and ends the server's processes.
#include "service_process.h"

#include "signals.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/memory_kills.h"
#include "common/text.h"
#include "common/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
    if (process->asked->cpus &&
        (cpus_parse(process->asked->cpus, &cpus) != 0 || cpus_pin_list(&cpus) != 0))
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
        char **words = process->asked->target[process->command].words;
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
    process->out.from = service_log_length(&process->out);
    process->errors.from = service_log_length(&process->errors);
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
    const int stop_signal = process->asked->stop_signal;
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
