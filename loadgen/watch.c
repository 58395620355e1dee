// Ends a load whose harness has gone away while it is still being prepared, and nobody reads its
// stdin.

#include "frame.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

struct watch {
    pthread_t thread;
    int stop_fd;
};

// Lines that were written before the writer went away are obeyed later, to the last one.
static void *wait_for_end(void *argument)
{
    const struct watch *watch = argument;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLRDHUP},
                              {.fd = watch->stop_fd, .events = POLLIN}};
    int left = 0;
    while (polled[0].revents == 0 && polled[1].revents == 0)
        (void)poll(polled, 2, -1);
    if (polled[1].revents == 0 && (polled[0].revents & (POLLHUP | POLLRDHUP)) != 0 &&
        ioctl(STDIN_FILENO, FIONREAD, &left) == 0 && left == 0)
        kill(getpid(), SIGTERM);
    return NULL;
}

struct watch *watch_start(pid_t parent)
{
    struct watch *watch = malloc(sizeof *watch);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) // it died before that was in force
        kill(getpid(), SIGTERM);
    if (!watch)
        return NULL;
    watch->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (watch->stop_fd >= 0 && thread_start(&watch->thread, wait_for_end, watch) == 0)
        return watch;
    if (watch->stop_fd >= 0)
        close(watch->stop_fd);
    free(watch);
    return NULL;
}

void watch_stop(struct watch *watch)
{
    if (!watch)
        return;
    (void)eventfd_write(watch->stop_fd, 1);
    pthread_join(watch->thread, NULL);
    close(watch->stop_fd);
    free(watch);
}
