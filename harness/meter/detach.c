#include "detach.h"

#include "common/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_children(void)
{
    siginfo_t ignored;
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// wait_for: until the process has ended, with our exit code as the result.
static int wait_for(pid_t pid, const struct signals *signals)
{
    for (;;) {
        int status;
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        const int signal_number = sigwaitinfo(&signals->awaited, NULL);
        if (signal_number > 0 && signal_number != SIGCHLD)
            (void)kill(pid, signal_number);
    }
}

bool detach(const struct signals *signals, bool with_parent, pid_t *parent, int *code)
{
    if (!has_children())
        return false;
    const pid_t front = getpid();
    // The front dies with the caller, and the meter behind it with the front.
    if (with_parent && (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != *parent)) {
        complain("--with-parent: the caller is gone");
        return true;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        *parent = front;
        return false;
    }
    if (pid > 0)
        *code = wait_for(pid, signals);
    else
        complain("cannot fork: %s: too many processes?", strerror(errno));
    return true;
}
