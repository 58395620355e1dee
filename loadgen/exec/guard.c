#include "exec/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The lowest descriptors of the guard: none of the control plane's, nor a lock of
 * whoever started us, may stay open in it. */
enum { PIPE_FD = STDERR_FILENO + 1, FOLDER_FD, FIRST_UNUSED_FD };

/* To descriptors above those first, for they may be among them. False with errno. */
static bool keep_two(int pipe_fd, int folder_fd)
{
    const int null = open("/dev/null", O_RDWR);
    const int pipe_copy = fcntl(pipe_fd, F_DUPFD, FIRST_UNUSED_FD);
    const int folder_copy = fcntl(folder_fd, F_DUPFD, FIRST_UNUSED_FD);
    const bool kept = null >= 0 && pipe_copy >= 0 && folder_copy >= 0 &&
                      dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                      dup2(null, STDERR_FILENO) >= 0 && dup2(pipe_copy, PIPE_FD) >= 0 &&
                      dup2(folder_copy, FOLDER_FD) >= 0;
    closefrom(FIRST_UNUSED_FD); /* also before Linux 5.9, which has no close_range() */
    return kept;
}

static void wait_for_end(void)
{
    char byte;
    ssize_t got;
    do
        got = read(PIPE_FD, &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
}

static _Noreturn void guard(struct group *group, int pipe_fd)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "loadgen-guard");
    if (setsid() < 0 || chdir("/") != 0 || !keep_two(pipe_fd, group->folder_fd))
        _exit(1);
    group->folder_fd = FOLDER_FD;
    wait_for_end();
    group_kill(group);
    group_remove(group);
    _exit(0);
}

int guard_start(struct group *group)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const pid_t between = fork();
    if (between == 0) {
        close(ends[1]);
        const pid_t guardian = fork();
        if (guardian == 0)
            guard(group, ends[0]);
        _exit(guardian < 0);
    }
    int status = -1;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    if (status == 0)
        return ends[1];
    close(ends[1]);
    return -1;
}
