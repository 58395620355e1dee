/* loadgen net: sends bytes, datagrams or requests at a rate, to a receiver in this
 * process or to another loadgen, and reports what was received. */

#include "common/random.h"
#include "net/bulk.h"
#include "net/client.h"
#include "net/datagram.h"
#include "net/net-options.h"
#include "net/net-report.h"
#include "net/net-state.h"
#include "net/ping.h"
#include "net/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char details[] =
    "Rates are bytes a second, 10MB/s, or bits, 100Mbit/s; with --ping round trips, 1000iops; "
    "50% is of what --calib measured. --listen counts what it receives, --connect what the peer "
    "has acknowledged (UDP: what was sent), --loopback what was received. See docs/network.md.";

static const struct load net_ping_load;

static void check(struct run *run)
{
    net_check(run);
    if (net_is_ping(net_state_of(run)->mode))
        run->load = &net_ping_load;
}

/* ---- sides ---- */

static int prepare_listener(struct run *run)
{
    struct net_state *state = net_state_of(run);
    const struct net_server_plan plan = {.address = net_settings_of(run)->listen,
                                         .discard = net_settings_of(run)->discard,
                                         .timeout_ns = net_settings_of(run)->timeout_ns};
    char error[400], text[NET_ADDRESS_TEXT];
    state->servers = calloc(1, sizeof(struct net_server *));
    if (state->servers == NULL)
        return run_fail(run, "out of memory: free some");
    state->servers[0] = net_server_open(run, &plan, error, sizeof error);
    if (state->servers[0] == NULL)
        return run_fail(run, "%s", error);
    state->server_count = 1;
    state->address = *net_server_address(state->servers[0]);
    report_print(&run->report, "listening at %s\n",
                 net_address_format(&state->address, text, sizeof text));
    return 0;
}

/* Content that differs from page to page; the ping's workers have a block each. */
static int fill_block(struct run *run)
{
    struct net_state *state = net_state_of(run);
    const size_t count = net_is_ping(state->mode) ? run->threads : 1;
    uint64_t random = 88172645463325252u;
    state->block = calloc(count, state->block_bytes);
    if (state->block == NULL)
        return run_fail(run, "no memory for blocks of %zu bytes: give a smaller --block-size",
                        state->block_bytes);
    for (size_t i = 0; i < state->block_bytes; i++)
        state->block[i] = (unsigned char)random_next(&random);
    return 0;
}

static int prepare(struct run *run)
{
    if (net_state_of(run)->role == NET_LISTEN)
        return prepare_listener(run);
    return fill_block(run) != 0 ? -1 : net_open(run);
}

static void cleanup(struct run *run)
{
    struct net_state *state = net_state_of(run);
    if (state == NULL)
        return;
    net_close(run);
    free(state->block);
    free(state);
    run->state = NULL;
}

/* ---- workers ---- */

static int begin(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    if (state->role == NET_LISTEN)
        return 0;
    if (net_worker_open(worker) != 0)
        return -1;
    return state->mode == NET_UDP ? net_datagram_open(worker) : 0;
}

static void work(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    if (state->role == NET_LISTEN)
        net_server_run(state->servers[0], worker);
    else if (net_is_ping(state->mode))
        net_ping_work(worker);
    else if (state->mode == NET_UDP)
        net_datagram_work(worker);
    else
        net_bulk_work(worker);
    /* After a failure all that remains is to wait for the end. */
    if (worker_running(worker) && worker->state != NULL &&
        ((struct net_worker *)worker->state)->failed)
        worker_sleep_until(worker, INT64_MAX);
}

static void interrupt(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    if (state->role == NET_LISTEN)
        net_server_wake(state->servers[0]);
    else
        net_worker_interrupt(&state->workers[worker->index]);
}

static void end(struct worker *worker)
{
    if (net_state_of(worker->run)->role != NET_LISTEN)
        net_worker_close(worker);
}

static const struct load_report reports = {
    .describe = net_describe, .fields = net_fields, .notes = net_notes};
static const struct load_accounting accounting = {.delivered = net_delivered,
                                                  .count = net_count_all};
/* Round trips are operations, and have a latency. */
static const struct load_accounting ping_accounting = {.count = net_count_all};
static const struct load_special special = {.rate = net_rate, .interrupt = interrupt};
static const char *const calibrations[] = {"--tcp", "--udp", NULL};

#define NET_LOAD                                                                                   \
    .name = "net", .summary = "sends or receives over the network: TCP, UDP, round trips",         \
    .details = details, .options = net_options, .options_size = sizeof(struct net_settings),       \
    .calibrations = calibrations, .settle_ns = 100000000, .check = check, .prepare = prepare,      \
    .begin = begin, .work = work, .end = end, .cleanup = cleanup, .report = &reports,              \
    .special = &special

static const struct load net_load = {NET_LOAD, .accounting = &accounting};
static const struct load net_ping_load = {NET_LOAD, .timed = true, .accounting = &ping_accounting};
LOADGEN_REGISTER(net_load);
