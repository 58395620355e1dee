#include "exec/start.h"

#include "common/headroom.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* After fork: becomes the command, or reports errno through the pipe. */
static _Noreturn void become(const struct guard_command *command, pid_t parent, int report_fd)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) /* it died before that was in force */
        _exit(127);
    headroom_volunteer(); /* if memory runs out, the load has to go, and not what it disturbs */
    /* stdin and stdout are the control plane's. What a program prints in each lap would bury
     * what the others say. */
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(command->discard ? null : STDERR_FILENO, STDOUT_FILENO) >= 0 &&
        group_enter(command->group) && cpus_pin_list(command->cpus) == 0)
        execvp(command->words[0], command->words);
    const int error = errno;
    if (write(report_fd, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

int start_command(const struct guard_command *command, pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = group_fork(command->group);
    if (*pid == 0)
        become(command, parent, report[1]);
    if (*pid < 0)
        error = errno;
    close(report[1]);
    if (*pid > 0 && read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* the pipe was closed by a good exec */
    close(report[0]);
    return error;
}
