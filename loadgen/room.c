// The memory that a load may hold: what does not fit is refused before it begins, and the load ends
// where memory gets short later.

#include "frame.h"

#include "common/cgroup.h"

// The next look comes when what is left could be full at the earliest. So a load does not
// disturb what is measured beside it while there is plenty.
#define FASTEST_PER_MS (4.0 * 1048576)
#define SHORTEST_MS    50
#define LONGEST_MS     2000
// The bounds of room_step(), in bytes: a look takes as long as filling some 100 KiB.
#define SHORTEST_STEP 1048576.0
#define LONGEST_STEP  (64.0 * 1048576)
// What a thread needs for its stack, in the allocator and in the kernel: 100 KiB were measured.
#define THREAD_BYTES (128.0 * 1024)

static void refuse(double bytes, const struct headroom *headroom, const char *what,
                   const char *advice)
{
    char wanted[32], left[32];
    usage_error("%s %s: %s has %s left: %s, or --force", what,
                units_format_size(bytes, wanted, sizeof wanted), headroom->whose,
                units_format_size((double)headroom->bytes, left, sizeof left), advice);
}

void room_claim(struct run *run, double bytes, int node, const char *what, const char *advice)
{
    const struct headroom machine = headroom_left(node), process = headroom_of_process();
    run->held_bytes = bytes;
    if (run->common.force)
        return;
    if (bytes > (double)machine.bytes)
        refuse(bytes, &machine, what, advice);
    if (bytes > (double)process.bytes)
        refuse(bytes, &process, what, advice);
}

void room_claim_workers(struct run *run)
{
    char what[64];
    const bool pairs = run->load->companion_cpu;
    const double each = sizeof(struct worker) + (pairs ? 2 : 1) * THREAD_BYTES;
    if (run->threads == 0)
        return;
    snprintf(what, sizeof what, "%u workers with all that they hold,", run->threads);
    room_claim(run, run->held_bytes + run->threads * each, -1, what, "give fewer --threads");
}

void room_claim_unknown(struct run *run)
{
    run->held_bytes = INFINITY;
}

static bool is_watched(const struct run *run)
{
    return !run->common.force && run->held_bytes > headroom_short_bytes();
}

// Fails the run when memory is short. Returns the bytes that are left until then.
static double look(struct run *run)
{
    struct headroom headroom;
    char left[32];
    const double slack = headroom_slack(&headroom);
    if (slack < 0)
        run_fail(run,
                 "memory is short: %s has %s left: the load ends before the kernel has to kill "
                 "something: give it less, or --force",
                 headroom.whose, units_format_size((double)headroom.bytes, left, sizeof left));
    return slack;
}

bool room_for_more(struct run *run)
{
    if (!failure_of(run) && is_watched(run))
        (void)look(run);
    return !failure_of(run);
}

size_t room_step(const struct run *run)
{
    const double bytes = headroom_short_bytes() / (3.0 * run->threads);
    return (size_t)fmin(fmax(bytes, SHORTEST_STEP), LONGEST_STEP) / sizeof(double) * sizeof(double);
}

uint64_t room_look(struct run *run)
{
    if (!is_watched(run))
        return 0;
    const double next_ms = look(run) / FASTEST_PER_MS;
    return failure_of(run) ? 0 : (uint64_t)fmin(fmax(next_ms, SHORTEST_MS), LONGEST_MS);
}
