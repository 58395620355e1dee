/* loadgen net: sends bytes, datagrams or requests at a rate, to a receiver in this
 * process or to another loadgen, and says what really came. */

#include "net/net.h"
#include "random.h"

#include <linux/sockios.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char details[] =
    "Rates are bytes a second, 10MB/s, or bits, 100Mbit/s; with --ping round trips, 1000iops; "
    "50% is of what --calib measured. --listen counts what it receives, --connect what the peer "
    "has acknowledged (UDP: what was sent), --loopback what was received. See docs/network.md.";

/* What the frame differences for each mark. */
enum {
    SENT_BYTES,
    RECEIVED_BYTES,
    DATAGRAMS,
    LOST,
    OUT_OF_ORDER,
    RETRANSMITS,
    SENDER_CPU,
    RECEIVER_CPU
};

/* ---- sides ---- */

static int prepare_listener(struct run *run)
{
    struct net_state *state = net_state_of(run);
    const struct net_server_plan plan = {.address = net_settings_of(run)->listen,
                                         .discard = net_settings_of(run)->discard};
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
    /* After a failure there is nothing more to do than to wait for the end. */
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

/* ---- what came of it ---- */

static uint64_t sent_bytes(const struct net_stream *stream)
{
    return atomic_load_explicit(&stream->sent_bytes, memory_order_relaxed);
}

/* What the other end's kernel has taken: what was written, but for what waits here. */
static double acknowledged(struct net_state *state)
{
    double sum = 0;
    for (unsigned i = 0; i < state->stream_count; i++) {
        const uint64_t sent = sent_bytes(&state->streams[i]);
        int waiting = 0;
        if (state->mode != NET_TCP || ioctl(state->streams[i].fd, SIOCOUTQ, &waiting) != 0)
            waiting = 0;
        sum += (double)sent - waiting;
    }
    state->acknowledged = fmax(state->acknowledged, sum); /* the queue was read later */
    return state->acknowledged;
}

static double delivered(struct run *run)
{
    struct net_state *state = net_state_of(run);
    struct net_counts counts;
    double sum = 0;
    if (state->role == NET_CONNECT)
        return acknowledged(state);
    for (unsigned i = 0; i < state->server_count; i++) {
        net_server_count(state->servers[i], &counts);
        sum += (double)counts.received_bytes;
    }
    return sum;
}

static double retransmits(const struct net_stream *stream)
{
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return 0;
    return info.tcpi_total_retrans;
}

static void count_receiver(struct run *run, const struct net_counts *counts, double *counters)
{
    const struct net_state *state = net_state_of(run);
    counters[RECEIVED_BYTES] += (double)counts->received_bytes;
    counters[DATAGRAMS] += (double)counts->datagrams;
    counters[LOST] += (double)counts->lost;
    counters[OUT_OF_ORDER] += (double)counts->out_of_order;
    counters[RECEIVER_CPU] += (double)(counts->echo_cpu_ns + counts->thread_cpu_ns);
    if (state->role == NET_LISTEN)
        counters[RECEIVER_CPU] += (double)worker_cpu_ns(&run->workers[0]);
}

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct net_state *state = net_state_of(run);
    struct net_counts counts;
    for (unsigned i = 0; i < state->server_count; i++) {
        net_server_count(state->servers[i], &counts);
        count_receiver(run, &counts, counters);
    }
    for (unsigned i = 0; state->role == NET_CONNECT && i < state->session_count; i++) {
        net_worker_counts(&state->sessions[i], &counts);
        count_receiver(run, &counts, counters);
    }
    if (state->role == NET_LISTEN)
        return;
    for (unsigned i = 0; i < state->stream_count; i++) {
        counters[SENT_BYTES] += (double)sent_bytes(&state->streams[i]);
        counters[LOST] +=
            (double)atomic_load_explicit(&state->streams[i].lost, memory_order_relaxed);
        if (!net_is_udp(state->mode))
            counters[RETRANSMITS] += retransmits(&state->streams[i]);
    }
    for (unsigned i = 0; i < run->threads; i++)
        counters[SENDER_CPU] += (double)worker_cpu_ns(&run->workers[i]);
}

/* Jain's index over what each stream has sent since the start: 1, all the same;
 * 1/n, one has it all (Jain, Chiu and Hawe 1984). */
static double fairness(const struct net_state *state)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < state->stream_count; i++) {
        const double sent = (double)sent_bytes(&state->streams[i]);
        sum += sent;
        squares += sent * sent;
    }
    return squares > 0 ? sum * sum / (state->stream_count * squares) : NAN;
}

static double loss_percent(const struct snapshot *window)
{
    const double all = window->counters[LOST] + window->counters[DATAGRAMS];
    return all > 0 ? 100 * fmax(window->counters[LOST], 0) / all : NAN;
}

static double rate_of(const struct snapshot *window, int counter)
{
    return window->active_ns > 0 ? window->counters[counter] * 1e9 / (double)window->active_ns
                                 : NAN;
}

static uint64_t whole(double value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    struct net_state *state = net_state_of(run);
    struct net_counts counts;
    const bool listens = state->role == NET_LISTEN;
    if (!listens)
        line_real(line, "sent", rate_of(window, SENT_BYTES));
    if (state->mode != NET_TCP_PING && (!net_is_ping(state->mode) || state->role != NET_CONNECT))
        line_real(line, "received", rate_of(window, RECEIVED_BYTES));
    if (listens || net_is_udp(state->mode)) {
        line_count(line, "lost", whole(window->counters[LOST]));
        line_real(line, "loss_percent", loss_percent(window));
        line_count(line, "out_of_order", whole(window->counters[OUT_OF_ORDER]));
    }
    if (!listens && !net_is_udp(state->mode))
        line_count(line, "retransmits", whole(window->counters[RETRANSMITS]));
    if (!listens)
        line_real(line, "sender_cpu_s", window->counters[SENDER_CPU] / 1e9);
    if (state->role != NET_CONNECT)
        line_real(line, "receiver_cpu_s", window->counters[RECEIVER_CPU] / 1e9);
    if (state->stream_count > 1 && !listens)
        line_real(line, "fairness", fairness(state));
    if (listens) {
        net_server_count(state->servers[0], &counts);
        line_count(line, "strangers", counts.strangers);
    }
}

/* For people: the parts of the whole. */
static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct net_state *state = net_state_of(run);
    const double *counters = window->counters;
    const bool listens = state->role == NET_LISTEN;
    if (run->report.json || strcmp(event, "summary") != 0)
        return;
    if (listens || net_is_udp(state->mode))
        report_print(&run->report, "  lost %.0f datagrams (%.2f %%), out of order %.0f\n",
                     fmax(counters[LOST], 0),
                     isnan(loss_percent(window)) ? 0 : loss_percent(window),
                     counters[OUT_OF_ORDER]);
    else
        report_print(&run->report, "  retransmits %.0f\n", counters[RETRANSMITS]);
    if (state->role == NET_LOOPBACK)
        report_print(&run->report, "  CPU: sender %.3f s, receiver %.3f s\n",
                     counters[SENDER_CPU] / 1e9, counters[RECEIVER_CPU] / 1e9);
    if (state->stream_count > 1 && !listens)
        report_print(&run->report, "  fairness between streams %.3f (1: all the same)\n",
                     fairness(state));
}

static void describe(struct run *run, struct line *line)
{
    const struct net_state *state = net_state_of(run);
    static const char *const roles[] = {"loopback", "listen", "connect"};
    char text[NET_ADDRESS_TEXT];
    line_text(line, "role", roles[state->role]);
    if (state->role == NET_LISTEN) {
        line_text(line, "address", net_address_format(&state->address, text, sizeof text));
        return;
    }
    line_text(line, "address", net_address_format(&state->sessions[0].peer, text, sizeof text));
    line_text(line, "protocol", net_mode_name(state->mode));
    line_count(line, "block_bytes", state->block_bytes);
    line_flag(line, "whole_blocks", state->whole_blocks);
    line_count(line, "streams", state->stream_count);
    line_flag(line, "discard", net_settings_of(run)->discard);
    calibration_describe(line, &state->found);
}

static int instead(struct run *run)
{
    if (!net_settings_of(run)->calib)
        return -1;
    const int status = net_calibrate(run);
    cleanup(run);
    return status;
}

#define NET_LOAD                                                                                   \
    .name = "net", .summary = "sends over the network, or answers: TCP, UDP, round trips",         \
    .details = details, .arguments = "[SECONDS]", .settings = net_options,                         \
    .settings_size = sizeof(struct net_settings), .settle_ns = 100000000, .check = net_check,      \
    .instead = instead, .prepare = prepare, .rate = net_rate, .begin = begin, .work = work,        \
    .interrupt = interrupt, .end = end, .cleanup = cleanup, .count = count, .fields = fields,      \
    .notes = notes, .describe = describe

const struct load net_load = {NET_LOAD, .delivered = delivered};
/* Round trips are operations, and have a latency. */
const struct load net_ping_load = {NET_LOAD, .timed = true};
