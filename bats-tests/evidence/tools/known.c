// known: spends its time as it is told, and says how. A target whose CPU time and
// whose waiting are known by construction, to judge what is said of them.
//
//   known [--threads N] [--file FILE] [spin=MS|sleep=MS|read=MS|fault=MS]...
//
// Each thread does the parts in their order:
//   spin   computes until it has used MS of CPU time
//   sleep  waits for a timer
//   read   reads pages of FILE, taken at random, until it has waited MS for the disk
//   fault  the same by touching the pages of a mapping
// FILE is on a disk and not in the page cache (dd if=FILE iflag=nocache count=0), and
// large enough that few pages are taken twice.
//
// Prints the means over the threads, in seconds, as the threads' own clocks saw
// them: CPU time, waiting for a CPU, waiting for the disk, sleeping. Waiting for a
// CPU is the wall time of spinning less its CPU time, and for the other parts the
// run delay that the kernel counted.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S  1000000000LL
#define NS_PER_MS 1000000LL
enum { MOST_THREADS = 64, MOST_PARTS = 64, PAGE = 4096 };

enum kind { SPIN, SLEEP, READ, FAULT, KINDS };
static const char *const kinds[KINDS] = {"spin", "sleep", "read", "fault"};

struct part {
    enum kind kind;
    int64_t ns;
};

struct plan {
    struct part part[MOST_PARTS];
    int parts, threads;
    const char *file;
};

struct worker {
    const struct plan *plan;
    pthread_t thread;
    int fd;
    char *map;
    uint64_t pages, random;
    int64_t cpu_ns, delay_ns, disk_ns, asleep_ns;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "known: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

// The calling thread's time in the run queue so far; 0 where the kernel has none.
static int64_t run_delay(void)
{
    char text[128];
    long long run = 0, delay = 0;
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return sscanf(text, "%lld %lld", &run, &delay) == 2 ? delay : 0;
}

static void spin(int64_t ns)
{
    const int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
    volatile double value = 1;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            value = value * 1.0000001 + 1e-9;
}

static void nap(int64_t ns)
{
    struct timespec left = {ns / NS_PER_S, ns % NS_PER_S};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

// A page taken at random: of a file that is not in the page cache, and of which few
// pages are taken, it has to come from the disk.
static void touch(struct worker *worker, bool by_mapping)
{
    char byte;
    worker->random = worker->random * 6364136223846793005ULL + 1442695040888963407ULL;
    const off_t at = (off_t)((worker->random >> 33) % worker->pages) * PAGE;
    if (by_mapping)
        byte = *(volatile char *)(worker->map + at);
    else if (pread(worker->fd, &byte, 1, at) != 1)
        fail("pread");
    (void)byte;
}

// Until so much time was neither CPU time nor in the run queue.
static void wait_for_disk(struct worker *worker, int64_t ns, bool by_mapping)
{
    const int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    const int64_t delay = run_delay();
    do {
        if (now(CLOCK_MONOTONIC) - wall > 100 * ns + NS_PER_S) {
            errno = ENODATA; // nothing to wait for
            fail(worker->plan->file);
        }
        touch(worker, by_mapping);
    } while (now(CLOCK_MONOTONIC) - wall - (now(CLOCK_THREAD_CPUTIME_ID) - cpu) -
                 (run_delay() - delay) <
             ns);
}

static void open_file(struct worker *worker)
{
    struct stat status;
    worker->fd = open(worker->plan->file, O_RDONLY | O_CLOEXEC);
    if (worker->fd < 0 || fstat(worker->fd, &status) != 0 || status.st_size < PAGE)
        fail(worker->plan->file);
    worker->pages = (uint64_t)status.st_size / PAGE;
    worker->map = mmap(NULL, worker->pages * PAGE, PROT_READ, MAP_SHARED, worker->fd, 0);
    if (worker->map == MAP_FAILED || madvise(worker->map, worker->pages * PAGE, MADV_RANDOM) != 0 ||
        posix_fadvise(worker->fd, 0, 0, POSIX_FADV_RANDOM) != 0)
        fail(worker->plan->file);
}

static void do_part(struct worker *worker, const struct part *part)
{
    const int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    const int64_t delay = run_delay();
    if (part->kind == SPIN)
        spin(part->ns);
    else if (part->kind == SLEEP)
        nap(part->ns);
    else
        wait_for_disk(worker, part->ns, part->kind == FAULT);
    const int64_t off_ns = now(CLOCK_MONOTONIC) - wall - (now(CLOCK_THREAD_CPUTIME_ID) - cpu);
    const int64_t queued_ns = part->kind == SPIN ? off_ns : run_delay() - delay;
    worker->delay_ns += queued_ns;
    if (part->kind == SLEEP)
        worker->asleep_ns += off_ns - queued_ns;
    else
        worker->disk_ns += off_ns - queued_ns;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    if (worker->plan->file)
        open_file(worker);
    for (int i = 0; i < worker->plan->parts; i++)
        do_part(worker, &worker->plan->part[i]);
    worker->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static struct plan read_plan(char **argument)
{
    struct plan plan = {.threads = 1};
    for (; *argument; argument++) {
        const char *value = strchr(*argument, '=');
        enum kind kind = KINDS;
        for (enum kind k = 0; value && k < KINDS; k++)
            if (strncmp(*argument, kinds[k], (size_t)(value - *argument)) == 0)
                kind = k;
        if (strcmp(*argument, "--threads") == 0 && argument[1])
            plan.threads = atoi(*++argument);
        else if (strcmp(*argument, "--file") == 0 && argument[1])
            plan.file = *++argument;
        else if (kind < KINDS && plan.parts < MOST_PARTS)
            plan.part[plan.parts++] =
                (struct part){kind, (int64_t)(strtod(value + 1, NULL) * NS_PER_MS)};
        else
            plan.threads = 0;
    }
    for (int i = 0; i < plan.parts; i++)
        if (plan.part[i].kind >= READ && !plan.file)
            plan.threads = 0;
    return plan;
}

int main(int argc, char **argv)
{
    static struct worker workers[MOST_THREADS];
    const struct plan plan = read_plan(argv + (argc > 0));
    double cpu_ns = 0, delay_ns = 0, disk_ns = 0, asleep_ns = 0;
    if (plan.threads < 1 || plan.threads > MOST_THREADS) {
        fputs("usage: known [--threads N] [--file FILE] [spin|sleep|read|fault=MS]...\n", stderr);
        return 2;
    }
    // The first worker is the main thread.
    for (int i = plan.threads - 1; i >= 0; i--) {
        workers[i].plan = &plan;
        workers[i].random = (uint64_t)now(CLOCK_MONOTONIC) + (uint64_t)i;
        if (i > 0 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            fail("pthread_create");
    }
    work(&workers[0]);
    for (int i = 0; i < plan.threads; i++) {
        if (i > 0)
            pthread_join(workers[i].thread, NULL);
        cpu_ns += (double)workers[i].cpu_ns / plan.threads;
        delay_ns += (double)workers[i].delay_ns / plan.threads;
        disk_ns += (double)workers[i].disk_ns / plan.threads;
        asleep_ns += (double)workers[i].asleep_ns / plan.threads;
    }
    printf("%.9f %.9f %.9f %.9f\n", cpu_ns / NS_PER_S, delay_ns / NS_PER_S, disk_ns / NS_PER_S,
           asleep_ns / NS_PER_S);
    return 0;
}
