#include "harness/blame/child.h"

#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 2048

void child_block(struct child *child, const sigset_t *signals)
{
    sigprocmask(SIG_BLOCK, signals, &child->mask);
    signal(SIGCHLD, SIG_DFL); /* ignored, no child would be a zombie */
    if (getrlimit(RLIMIT_NOFILE, &child->files) != 0)
        return;
    struct rlimit more = child->files;
    if (more.rlim_cur >= FILES)
        return;
    more.rlim_cur = more.rlim_max < FILES ? more.rlim_max : FILES;
    (void)setrlimit(RLIMIT_NOFILE, &more);
}

static void become(const struct child *child, char **program, bool to_stderr, int error_fd)
{
    sigprocmask(SIG_SETMASK, &child->mask, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &child->files);
    if (!to_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execvp(program[0], program);
    const int error = errno;
    (void)!write(error_fd, &error, sizeof error);
    _exit(127);
}

void child_start(struct child *child, char **program, bool to_stderr)
{
    int ends[2], error;
    /* What outlives its parent is still the program's. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (pipe2(ends, O_CLOEXEC) != 0 || (child->pid = fork()) < 0)
        usage_error("%s cannot be started: %s", program[0], strerror(errno));
    if (child->pid == 0)
        become(child, program, to_stderr, ends[1]);
    (void)close(ends[1]);
    if (read(ends[0], &error, sizeof error) == sizeof error)
        usage_error("%s cannot be run: %s: check its name", program[0], strerror(error));
    (void)close(ends[0]);
}

bool child_has_ended(struct child *child)
{
    for (;;) {
        siginfo_t found = {0};
        if (waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) != 0 || found.si_pid == 0)
            break;
        if (found.si_pid == child->pid) {
            child->status = found.si_status + (found.si_code == CLD_EXITED ? 0 : 128);
            return true;
        }
        (void)waitpid(found.si_pid, NULL, 0);
    }
    return false;
}

void child_wait(struct child *child, int signal)
{
    if (child->pid <= 0)
        return;
    if (signal != 0)
        (void)kill(child->pid, signal);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    child->pid = 0;
}
