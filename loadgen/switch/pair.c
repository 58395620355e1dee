#include "switch/pair.h"

#include "load.h"

#include "common/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A bell: one thread sleeps until another one rings. */

const char *const bell_method_names[] = {"futex", "eventfd", "pipe", NULL};

static int futex_open(struct bell *bell)
{
    *bell = (struct bell){.read_fd = -1, .write_fd = -1};
    return 0;
}

static int futex_ring(struct bell *bell)
{
    atomic_store(&bell->rung, 1);
    return syscall(SYS_futex, &bell->rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0 ? -1 : 0;
}

static int futex_wait(struct bell *bell)
{
    while (atomic_exchange(&bell->rung, 0) == 0)
        if (syscall(SYS_futex, &bell->rung, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0 &&
            errno != EAGAIN && errno != EINTR)
            return -1;
    return 0;
}

static int eventfd_open(struct bell *bell)
{
    const int fd = eventfd(0, EFD_CLOEXEC);
    *bell = (struct bell){.read_fd = fd, .write_fd = fd};
    return fd < 0 ? -1 : 0;
}

static int pipe_open(struct bell *bell)
{
    int fds[2];
    *bell = (struct bell){.read_fd = -1, .write_fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return -1;
    bell->read_fd = fds[0];
    bell->write_fd = fds[1];
    return 0;
}

/* An eventfd takes and gives 8 bytes; a pipe as many as it is given. */
static int fd_ring(struct bell *bell)
{
    const uint64_t one = 1;
    return write(bell->write_fd, &one, sizeof one) == (ssize_t)sizeof one ? 0 : -1;
}

static int fd_wait(struct bell *bell)
{
    uint64_t value;
    ssize_t length;
    do
        length = read(bell->read_fd, &value, sizeof value);
    while (length < 0 && errno == EINTR);
    return length == (ssize_t)sizeof value ? 0 : -1;
}

const struct bell_method bell_methods[] = {
    {.open = futex_open, .ring = futex_ring, .wait = futex_wait},
    {.open = eventfd_open, .ring = fd_ring, .wait = fd_wait},
    {.open = pipe_open, .ring = fd_ring, .wait = fd_wait},
};

/* Whatever the method; also when open() failed. */
static void bell_close(struct bell *bell)
{
    if (bell->read_fd >= 0)
        close(bell->read_fd);
    if (bell->write_fd >= 0 && bell->write_fd != bell->read_fd)
        close(bell->write_fd);
    bell->read_fd = bell->write_fd = -1;
}

uint64_t switches_of_thread(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* The partner's thread; it is woken for good when the pair is closed. */
static void *answer(void *argument)
{
    struct pair *pair = argument;
    pthread_setname_np(pthread_self(), "switch/partner");
    int failed = cpus_pin(pair->cpu);
    atomic_store(&pair->partner_id, failed == 0 ? (pid_t)syscall(SYS_gettid) : -errno);
    if (pair->method->ring(&pair->back) != 0 || failed != 0)
        return NULL;
    while (pair->method->wait(&pair->there) == 0 && !atomic_load(&pair->ended)) {
        atomic_store_explicit(&pair->answer_ns, now_ns(), memory_order_relaxed);
        atomic_store_explicit(&pair->partner_switches, switches_of_thread(), memory_order_relaxed);
        if (pair->method->ring(&pair->back) != 0)
            break;
    }
    if (!atomic_load(&pair->ended)) {
        atomic_store(&pair->error, errno);
        (void)pair->method->ring(&pair->back);
    }
    return NULL;
}

int pair_open(struct pair *pair, const struct bell_method *method, int cpu)
{
    memset(pair, 0, sizeof *pair);
    pair->method = method;
    pair->cpu = cpu;
    pair->back.read_fd = pair->back.write_fd = -1;
    if (method->open(&pair->there) != 0 || method->open(&pair->back) != 0)
        return errno;
    const int error = pthread_create(&pair->partner, NULL, answer, pair);
    if (error != 0)
        return error;
    pair->started = true;
    if (method->wait(&pair->back) != 0)
        return errno;
    const pid_t id = atomic_load(&pair->partner_id);
    return id < 0 ? -id : 0;
}

int pair_round(struct pair *pair, struct round_trip *trip)
{
    trip->start_ns = now_ns();
    if (pair->method->ring(&pair->there) != 0 || pair->method->wait(&pair->back) != 0)
        return errno;
    trip->back_ns = now_ns();
    trip->there_ns = atomic_load_explicit(&pair->answer_ns, memory_order_relaxed);
    trip->switches =
        switches_of_thread() + atomic_load_explicit(&pair->partner_switches, memory_order_relaxed);
    return atomic_load(&pair->error);
}

void pair_close(struct pair *pair)
{
    if (pair->started) {
        atomic_store(&pair->ended, true);
        (void)pair->method->ring(&pair->there);
        pthread_join(pair->partner, NULL);
    }
    bell_close(&pair->there);
    bell_close(&pair->back);
    pair->started = false;
}
