// loadgen switch: pairs of threads that wake each other: what servers, pipelines and
// lock handovers do to their neighbours. The scheduler works for each wake-up, run
// queues and timers are touched, across two CPUs an interrupt is sent; what the
// neighbour had in the small caches, TLBs and predictors of a shared CPU is replaced.

#define OPTIONS_OF struct switch_settings // see common/options.h

#include "load.h"

#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

// Two threads that wake each other: the one that calls these functions, and a
// partner, which answers each wake-up by one.

struct bell {
    _Alignas(64) _Atomic uint32_t rung; // futex: 1 from the ring until it is heard
    int read_fd, write_fd;              // pipe, eventfd; -1: none
};

// How it is done. All but close() return 0, or -1 with errno.
struct bell_method {
    int (*open)(struct bell *bell); // NULL: it needs nothing
    int (*ring)(struct bell *bell);
    int (*wait)(struct bell *bell);
};

struct pair {
    struct bell there, back;
    const struct bell_method *method;
    pthread_t partner;
    bool started;
    int cpu;                           // of the partner
    _Atomic pid_t partner_id;          // 0: not yet; negative: errno why it cannot run there
    _Atomic int64_t answer_ns;         // when the partner ran, and rang back
    _Atomic uint64_t partner_switches; // that it had made by then
    _Atomic bool ended;
    _Atomic int error; // errno of the partner
};

// Times of one round, CLOCK_MONOTONIC: rang; the partner runs; the caller runs. And how
// often the kernel has switched away from the two threads since their start.
struct round_trip {
    int64_t start_ns, there_ns, back_ns;
    uint64_t switches;
};

// A bell: one thread sleeps until another one rings.

static const char *const bell_method_names[] = {"futex", "eventfd", "pipe", NULL};

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
    bell->read_fd = bell->write_fd = fd;
    return fd < 0 ? -1 : 0;
}

static int pipe_open(struct bell *bell)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return -1;
    bell->read_fd = fds[0];
    bell->write_fd = fds[1];
    return 0;
}

// An eventfd takes and gives 8 bytes; a pipe as many as it is given.
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

// The methods, in the order of the names of --method.
static const struct bell_method bell_methods[] = {
    {.ring = futex_ring, .wait = futex_wait},
    {.open = eventfd_open, .ring = fd_ring, .wait = fd_wait},
    {.open = pipe_open, .ring = fd_ring, .wait = fd_wait},
};

// Whatever the method; also when open() failed.
static void bell_close(struct bell *bell)
{
    if (bell->read_fd >= 0)
        close(bell->read_fd);
    if (bell->write_fd >= 0 && bell->write_fd != bell->read_fd)
        close(bell->write_fd);
    bell->read_fd = bell->write_fd = -1;
}

// How often the kernel has switched away from the calling thread since its start.
static uint64_t switches_of_thread(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

// The partner's thread; it is woken for good when the pair is closed.
static void *answer(void *argument)
{
    struct pair *pair = argument;
    pthread_setname_np(pthread_self(), "switch/partner");
    int failed = cpus_pin(pair->cpu);
    atomic_store(&pair->partner_id, failed == 0 ? (pid_t)syscall(SYS_gettid) : -errno);
    if (pair->method->ring(&pair->back) != 0 || failed != 0)
        return NULL;
    while (pair->method->wait(&pair->there) == 0 && !atomic_load(&pair->ended)) {
        atomic_store_explicit(&pair->answer_ns, clock_ns(), memory_order_relaxed);
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

// Starts the partner on a CPU; returns when it has an id. 0, or an errno; pair_close()
// in any case.
static int pair_open(struct pair *pair, const struct bell_method *method, int cpu)
{
    pair->method = method;
    pair->cpu = cpu;
    pair->there = pair->back = (struct bell){.read_fd = -1, .write_fd = -1};
    if (method->open && (method->open(&pair->there) != 0 || method->open(&pair->back) != 0))
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

// Wakes the partner and sleeps until it wakes the caller. 0, or an errno.
static int pair_round(struct pair *pair, struct round_trip *trip)
{
    trip->start_ns = clock_ns();
    if (pair->method->ring(&pair->there) != 0 || pair->method->wait(&pair->back) != 0)
        return errno;
    trip->back_ns = clock_ns();
    trip->there_ns = atomic_load_explicit(&pair->answer_ns, memory_order_relaxed);
    trip->switches =
        switches_of_thread() + atomic_load_explicit(&pair->partner_switches, memory_order_relaxed);
    return atomic_load(&pair->error);
}

static void pair_close(struct pair *pair)
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

struct switch_settings {
    int method; // index into bell_methods
    bool across;
};

static const struct option_row options[] = {
    {ROW("method", "HOW", OPTION_CHOICE, method), .preset = "futex", .choices = bell_method_names,
     .help = "what the two threads of a pair wait for each other by", .measured = true},
    {ROW("across", NULL, OPTION_FLAG, across),
     .help = "the two threads of a pair are on two CPUs (default: on the same one)",
     .measured = true},
    {0},
};

// What the kernel has counted of all threads of all pairs.
enum counter { VOLUNTARY, INVOLUNTARY };

// ---- places ----

static int cpu_at(const struct run *run, unsigned place)
{
    return run->cpus.cpu[place % run->cpus.count];
}

static int worker_cpu(const struct run *run, unsigned worker)
{
    return cpu_at(run, settings_of(run)->across ? 2 * worker : worker);
}

static int companion_cpu(const struct run *run, unsigned worker)
{
    return cpu_at(run, settings_of(run)->across ? 2 * worker + 1 : worker);
}

static void check(struct run *run)
{
    if (!settings_of(run)->across)
        return;
    if (run->cpus.count < 2)
        usage_error("--across: one CPU is allowed here: give two with --cpus, or leave it out");
    if (!options_given(run->options, "threads"))
        run->threads = run->threads < 2 ? 1 : run->threads / 2;
}

// ---- workers ----

static int begin(struct worker *worker)
{
    const struct run *run = worker->run;
    const int error = pair_open(worker->state, &bell_methods[settings_of(run)->method],
                                companion_cpu(run, worker->index));
    if (error != 0)
        return worker_fail(worker, "cannot start the second thread of a pair: %s: see ulimit -%c",
                           strerror(error), error == EMFILE ? 'n' : 'u');
    return 0;
}

static void end(struct worker *worker)
{
    pair_close(worker->state);
}

// A round is a switch to the partner and one back, and one more for the sleep before it;
// another one where the partner was preempted by the thread that it woke. So as many are
// taken from the rate, and claimed, as the kernel has counted. An operation is a wake-up by
// a thread, its service time the latency of that.
static void work(struct worker *worker)
{
    struct pair *pair = worker->state;
    struct round_trip trip = {0};
    uint64_t taken = 0, claimed = 0;
    const uint64_t before = switches_of_thread() + atomic_load(&pair->partner_switches);
    int64_t due_ns;
    while (worker_wait_due(worker, &due_ns)) {
        const int error = pair_round(pair, &trip);
        if (error != 0) {
            worker_fail(worker, "a thread cannot wake another: %s: try another --method",
                        strerror(error));
            worker_sleep_until(worker, INT64_MAX);
            return;
        }
        const uint64_t made = trip.switches - before;
        worker_done(worker, due_ns, trip.start_ns, trip.there_ns, (double)(made - claimed));
        worker_done(worker, due_ns, trip.there_ns, trip.back_ns, 0);
        claimed = made;
        // Takes the next ones now, whenever they are due: a round is not divisible.
        for (taken++; taken < made; taken++)
            if (!worker_take_due(worker, 0, &due_ns) && due_ns != INT64_MAX)
                (void)worker_take_due(worker, due_ns, &due_ns);
    }
}

// ---- what the kernel counts ----

// All threads but this one are of pairs. The process's own counts are read at once: to ask for each
// of a thousand busy threads takes many seconds.
static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct rusage all, own;
    (void)run;
    if (getrusage(RUSAGE_SELF, &all) != 0 || getrusage(RUSAGE_THREAD, &own) != 0)
        return;
    counters[VOLUNTARY] = (double)(all.ru_nvcsw - own.ru_nvcsw);
    counters[INVOLUNTARY] = (double)(all.ru_nivcsw - own.ru_nivcsw);
}

// Counted by the kernel / claimed; NAN: nothing is claimed.
static double kernel_ratio(const struct snapshot *window)
{
    return per_unit(window->counters[VOLUNTARY] + window->counters[INVOLUNTARY], window);
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    (void)run;
    line_fixed(line, "voluntary_switches", window->counters[VOLUNTARY], 0);
    line_fixed(line, "involuntary_switches", window->counters[INVOLUNTARY], 0);
    line_fixed(line, "kernel_ratio", kernel_ratio(window), 6);
    line_fixed(line, "wakeup_p50_ns", latency_ns(&window->service, 0.5), 0);
    line_fixed(line, "wakeup_p90_ns", latency_ns(&window->service, 0.9), 0);
    line_fixed(line, "wakeup_p99_ns", latency_ns(&window->service, 0.99), 0);
    line_fixed(line, "wakeup_max_ns", latency_ns(&window->service, 1), 0);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    if (strcmp(event, "summary") == 0 && window->amount > 0)
        report_print(&run->report,
                     "  the kernel counted %.0f voluntary and %.0f involuntary switches of its "
                     "threads: %.3f for each one claimed; service is the latency of a wake-up\n",
                     window->counters[VOLUNTARY], window->counters[INVOLUNTARY],
                     kernel_ratio(window));
}

static void describe(struct run *run, struct line *line)
{
    line_text(line, "method", bell_method_names[settings_of(run)->method]);
    line_bool(line, "across", settings_of(run)->across);
    line_count(line, "pairs", run->threads);
}

static const struct load switch_load = {
    .name = "switch",
    .summary = "switches between threads that wake each other, at a rate",
    .details = "Each worker is a pair of threads. The rate of --limit is in context switches a "
               "second, as the kernel counts them for these threads: one to the partner, one back, "
               "and one for the sleep until the next are due. An operation is a wake-up; its "
               "service time is the latency until the thread that was woken runs.",
    LOAD_OPTIONS(options),
    .worker_size = sizeof(struct pair),
    .unit = UNIT_OPS,
    .calibrations = (const char *const[]){"--threads 1", NULL},
    .timed = true,
    .pinned = true,
    .check = check,
    .begin = begin,
    .work = work,
    .end = end,
    .describe = describe,
    .fields = fields,
    .notes = notes,
    .count = count,
    .worker_cpu = worker_cpu,
    .companion_cpu = companion_cpu,
};
LOADGEN_REGISTER(switch_load);
