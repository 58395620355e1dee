// Keeps what is started out of reach of the terminal, and still in the session that shares the
// CPUs.
#include "common/arrangement.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Sources: sched(7) on autogroup; Linux kernel/sched/autogroup.c (setsid() makes a group, fork()
// keeps it, cgroups come first); ioctl_tty(2) on TIOCNOTTY.

void arrangement_apart(void)
{
    const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    (void)setpgid(0, 0);
    if (terminal < 0) // there is none
        return;
    (void)ioctl(terminal, TIOCNOTTY);
    (void)close(terminal);
}
