
#include "frame.h"

#include "common/cgroup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

/* Until the next look: as long as it takes at least to fill what there is. So a load does not
 * disturb what is measured beside it while there is plenty. */
#define FASTEST_PER_MS (4.0 * 1048576)
#define SHORTEST_MS    50
#define LONGEST_MS     2000
/* Of room_step(), in bytes: a look takes as long as filling some 100 KiB. */
#define SHORTEST_STEP 1048576.0
#define LONGEST_STEP  (64.0 * 1048576)
/* Of its stack, of its part of the allocator, and in the kernel: 100 KiB were measured. */
#define THREAD_BYTES (128.0 * 1024)

struct room_watch {
    uv_timer_t timer;
};

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
    const bool pairs = run->load->companion_cpu != NULL;
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

/* Fails the run when memory is short. Returns the bytes that are left until then. */
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
    if (failure_of(run) == NULL && is_watched(run))
        (void)look(run);
    return failure_of(run) == NULL;
}

size_t room_step(const struct run *run)
{
    const double bytes = headroom_short_bytes() / (3.0 * run->threads);
    return (size_t)fmin(fmax(bytes, SHORTEST_STEP), LONGEST_STEP) / sizeof(double) * sizeof(double);
}

static void on_time(uv_timer_t *timer)
{
    struct run *run = timer->data;
    const double next_ms = fmax(look(run), 0) / FASTEST_PER_MS;
    if (failure_of(run) == NULL)
        uv_timer_start(timer, on_time, (uint64_t)fmin(fmax(next_ms, SHORTEST_MS), LONGEST_MS), 0);
}

void room_watch(struct run *run)
{
    if (!is_watched(run))
        return;
    run->room = calloc(1, sizeof *run->room);
    if (run->room == NULL)
        return; /* memory is that short: the next allocation ends it */
    uv_timer_init(run->loop, &run->room->timer);
    run->room->timer.data = run;
    uv_timer_start(&run->room->timer, on_time, SHORTEST_MS, 0);
}

void room_free(struct run *run)
{
    free(run->room);
    run->room = NULL;
}
