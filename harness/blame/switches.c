// Has the kernel tell of each switch of tasks, so that waiting has a culprit.

#include "blame.h"

#include "common/memory.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// More would cost the node more than looking may. Two are one switch.
#define MOST_RECORDS_PER_S 60000.0

enum { MOST_CPUS = 64, WAITING = 64 };
// Bytes of a ring, powers of two: a busy node fills 64 KiB from one look to the next. All of them
// together, and what is tried where the kernel refuses so many (perf_event_mlock_kb).
enum { RING_MOST = 1 << 20, RING_LEAST = 1 << 16, RINGS_MOST = 16 << 20 };

// What the kernel writes, with what we ask for behind it (sample_id_all).
struct record {
    struct perf_event_header header;
    uint32_t other_pid, other_tid; // of a switch: who comes, or has gone
    uint32_t pid, tid;
    uint64_t time_ns;
    uint32_t cpu, reserved;
};

struct fork {
    struct perf_event_header header;
    uint32_t pid, parent, tid, parent_tid;
    uint64_t time_ns;
    struct {
        uint32_t pid, tid;
        uint64_t time_ns;
        uint32_t cpu, reserved;
    } id;
};

// There was no room for records.
struct lost {
    struct perf_event_header header;
    uint64_t id, lost;
    uint32_t pid, tid;
    uint64_t time_ns;
    uint32_t cpu, reserved;
};

union any {
    struct perf_event_header header;
    struct lost lost;
    struct record record;
    struct fork fork;
};

struct ring {
    int fd;
    struct perf_event_mmap_page *page;
    size_t size;       // bytes of its records
    uint64_t since_ns; // when who runs there began; 0: not known
    pid_t running;
    union any next;   // the oldest record that was not taken; size 0: none
    unsigned waiting; // victims whose CPU it was taken from, and who have not run since
};

struct switches {
    size_t count;
    struct ring ring[MOST_CPUS];
    struct waiting {
        pid_t tid; // 0: free
        size_t ring;
    } waiting[WAITING];
    double records;
    double preempted_s, unseen_s;
    bool in_container; // the kernel shows whoever is outside as pid 0, as it does idle CPUs
};

static int open_cpu(int cpu)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .context_switch = 1,
        .task = 1, // forks: whose child a short process is
    };
    return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

// Maps a ring of that many bytes, or of fewer where the kernel refuses so many.
static bool ring_map(struct ring *ring, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (ring->size = size; ring->size >= RING_LEAST; ring->size /= 2) {
        ring->page = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
        if (ring->page != MAP_FAILED)
            return true;
    }
    return false;
}

struct switches *switches_open(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    size_t size = RING_MOST;
    while (size > RING_LEAST && size * (size_t)cpus > RINGS_MOST)
        size /= 2;
    if (cpus > MOST_CPUS)
        return NULL;
    struct switches *switches = must(calloc(1, sizeof *switches));
    switches->in_container = is_in_container();
    for (int cpu = 0; cpu < cpus; cpu++) {
        struct ring *ring = &switches->ring[switches->count];
        if ((ring->fd = open_cpu(cpu)) < 0)
            continue; // offline; or none of them
        if (ring_map(ring, size))
            switches->count++;
        else
            (void)close(ring->fd);
    }
    if (switches->count > 0)
        return switches;
    free(switches);
    return NULL;
}

// Whoever ran on that CPU until now did so while victims wanted it back.
static void charge(struct switches *switches, struct ring *ring, struct whos *whos, uint64_t now_ns)
{
    struct who *who = ring->running > 0 ? who_find(whos, ring->running) : NULL;
    const bool known = ring->since_ns > 0 && now_ns > ring->since_ns;
    const double s = known ? (double)(now_ns - ring->since_ns) / 1e9 * ring->waiting : 0;
    ring->since_ns = now_ns;
    if (who ? who->own : ring->running == 0 && !switches->in_container)
        return;
    switches->preempted_s += s;
    *(who ? &who->did.preempted_s : &switches->unseen_s) += s;
}

// A thread that waits; 0: room for one more. NULL: none.
static struct waiting *waiting_of(struct switches *switches, pid_t tid)
{
    for (size_t i = 0; i < WAITING; i++)
        if (switches->waiting[i].tid == tid)
            return &switches->waiting[i];
    return NULL;
}

static void begin_waiting(struct switches *switches, size_t ring, pid_t tid)
{
    struct waiting *waiting = waiting_of(switches, 0);
    if (!waiting)
        return;
    *waiting = (struct waiting){tid, ring};
    switches->ring[ring].waiting++;
}

// It runs again, here or on another CPU.
static void end_waiting(struct switches *switches, pid_t tid)
{
    struct waiting *waiting = waiting_of(switches, tid);
    if (!waiting)
        return;
    switches->ring[waiting->ring].waiting--;
    waiting->tid = 0;
}

static void take_switch(struct switches *switches, size_t i, struct whos *whos,
                        const struct record *record)
{
    struct ring *ring = &switches->ring[i];
    const struct who *who = who_find(whos, (pid_t)record->pid);
    const bool victim = who && who->victim;
    charge(switches, ring, whos, record->time_ns);
    if ((record->header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
        ring->running = (pid_t)record->other_pid;
        if (victim && (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0)
            begin_waiting(switches, i, (pid_t)record->tid);
    } else {
        ring->running = (pid_t)record->pid;
        if (victim)
            end_waiting(switches, (pid_t)record->tid);
    }
}

// Of that CPU nobody knows who runs from now on, and of nobody whether it still waits: what was
// counted until now holds, and so does what follows.
static void take_lost(struct switches *switches, size_t i)
{
    switches->ring[i].since_ns = 0;
    memset(switches->waiting, 0, sizeof switches->waiting);
    for (size_t k = 0; k < switches->count; k++)
        switches->ring[k].waiting = 0;
}

// The bytes of a ring from there on, which may go round its end.
static void copy_from_ring(const struct ring *ring, uint64_t at, void *to, size_t size)
{
    const char *data = (const char *)ring->page + ring->page->data_offset;
    const size_t begin = (size_t)(at % ring->size);
    const size_t first = size < ring->size - begin ? size : ring->size - begin;
    memcpy(to, data + begin, first);
    memcpy((char *)to + first, data, size - first);
}

// A process that no scan may ever see.
static void take_fork(struct whos *whos, const struct fork *fork)
{
    const struct who *parent = who_find(whos, (pid_t)fork->parent);
    const struct who *known = who_find(whos, (pid_t)fork->pid);
    struct process process = {.pid = (pid_t)fork->pid, .parent = (pid_t)fork->parent};
    bool added;
    if (fork->pid == fork->parent || !parent || (known && !known->ended))
        return; // a thread, or seen already
    process.user = parent->user;
    memcpy(process.name, parent->name, sizeof process.name);
    struct who *who = who_of(whos, &process, &added);
    who->scan = whos->scan;
    who->victim = parent->victim;
}

// Reads the next record of a ring that is one of ours.
static void read_next(struct ring *ring)
{
    const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = ring->page->data_tail;
    ring->next.header.size = 0;
    while (at < head && ring->next.header.size == 0) {
        struct perf_event_header header;
        copy_from_ring(ring, at, &header, sizeof header);
        if (header.size < sizeof header)
            break;
        if ((header.type == PERF_RECORD_LOST && header.size == sizeof(struct lost)) ||
            (header.type == PERF_RECORD_SWITCH_CPU_WIDE && header.size == sizeof(struct record)) ||
            (header.type == PERF_RECORD_FORK && header.size == sizeof(struct fork)))
            copy_from_ring(ring, at, &ring->next, header.size);
        at += header.size;
    }
    __atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
}

static uint64_t time_of(const union any *any)
{
    if (any->header.type == PERF_RECORD_LOST)
        return any->lost.time_ns;
    return any->header.type == PERF_RECORD_FORK ? any->fork.time_ns : any->record.time_ns;
}

// In the order of time: who goes on elsewhere has stopped before.
void switches_take(struct switches *switches, struct whos *whos)
{
    for (size_t i = 0; i < switches->count; i++)
        if (switches->ring[i].next.header.size == 0)
            read_next(&switches->ring[i]);
    for (;;) {
        size_t first = MOST_CPUS;
        for (size_t i = 0; i < switches->count; i++)
            if (switches->ring[i].next.header.size > 0 &&
                (first == MOST_CPUS ||
                 time_of(&switches->ring[i].next) < time_of(&switches->ring[first].next)))
                first = i;
        if (first == MOST_CPUS)
            break;
        struct ring *ring = &switches->ring[first];
        if (ring->next.header.type == PERF_RECORD_FORK)
            take_fork(whos, &ring->next.fork);
        else if (ring->next.header.type == PERF_RECORD_LOST)
            take_lost(switches, first);
        else
            take_switch(switches, first, whos, &ring->next.record);
        switches->records++;
        read_next(ring);
    }
}

bool switches_too_many(const struct switches *switches, double elapsed_s)
{
    return switches->records > MOST_RECORDS_PER_S * (1 + elapsed_s);
}

double switches_next_window(struct switches *switches, double *unseen_s)
{
    const double preempted_s = switches->preempted_s;
    *unseen_s = switches->unseen_s;
    switches->preempted_s = switches->unseen_s = 0;
    return preempted_s;
}

void switches_close(struct switches *switches)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; switches && i < switches->count; i++) {
        (void)munmap(switches->ring[i].page, page + switches->ring[i].size);
        (void)close(switches->ring[i].fd);
    }
    free(switches);
}
