/* loadgen net: sends bytes, datagrams or requests at a rate, to a receiver in this
 * process or to another loadgen, and reports what was received. */

#include "load.h"
#include "net/worker.h"

#include "common/random.h"

#include <errno.h>
#include <linux/sockios.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* What a network load has sent and received, and how it reports that. */

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

/* What the other end's kernel has taken: what was written, but for what waits here. */
static double acknowledged(struct net_state *state)
{
    double sum = 0;
    for (unsigned i = 0; i < state->stream_count; i++) {
        const uint64_t sent = net_sent_bytes(&state->streams[i]);
        int waiting = 0;
        if (state->mode != NET_TCP || ioctl(state->streams[i].fd, SIOCOUTQ, &waiting) != 0)
            waiting = 0;
        sum += (double)sent - waiting;
    }
    state->acknowledged = fmax(state->acknowledged, sum); /* the queue was read later */
    return state->acknowledged;
}

static double net_delivered(struct run *run)
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

static void net_count_all(struct run *run, double counters[LOAD_COUNTERS])
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
        counters[SENT_BYTES] += (double)net_sent_bytes(&state->streams[i]);
        counters[LOST] += (double)counter_read(&state->streams[i].lost);
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
        const double sent = (double)net_sent_bytes(&state->streams[i]);
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

static void net_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    struct net_state *state = net_state_of(run);
    struct net_counts counts;
    const bool listens = state->role == NET_LISTEN;
    if (!listens)
        line_fixed(line, "sent", rate_of(window, SENT_BYTES), 6);
    if (state->mode != NET_TCP_PING && (!net_is_ping(state->mode) || state->role != NET_CONNECT))
        line_fixed(line, "received", rate_of(window, RECEIVED_BYTES), 6);
    if (listens || net_is_udp(state->mode)) {
        line_count(line, "lost", whole(window->counters[LOST]));
        line_fixed(line, "loss_percent", loss_percent(window), 6);
        if (!listens && net_is_short(state))
            line_null(line, "out_of_order"); /* they have no numbers */
        else
            line_count(line, "out_of_order", whole(window->counters[OUT_OF_ORDER]));
    }
    if (!listens && !net_is_udp(state->mode))
        line_count(line, "retransmits", whole(window->counters[RETRANSMITS]));
    if (!listens)
        line_fixed(line, "sender_cpu_s", window->counters[SENDER_CPU] / 1e9, 6);
    if (state->role != NET_CONNECT)
        line_fixed(line, "receiver_cpu_s", window->counters[RECEIVER_CPU] / 1e9, 6);
    if (state->stream_count > 1 && !listens)
        line_fixed(line, "fairness", fairness(state), 6);
    if (listens) {
        net_server_count(state->servers[0], &counts);
        line_count(line, "rejected", counts.rejected);
    }
}

/* For people: the parts of the whole. */
static void net_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct net_state *state = net_state_of(run);
    const double *counters = window->counters;
    const bool listens = state->role == NET_LISTEN;
    if (run->report.json || strcmp(event, "summary") != 0)
        return;
    if (!net_is_ping(state->mode) && window->active_ns > 0)
        report_print(&run->report, "  received %.4g Mbit/s\n",
                     rate_of(window, RECEIVED_BYTES) * 8e-6);
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

static void net_describe(struct run *run, struct line *line)
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
    line_bool(line, "whole_blocks", state->whole_blocks);
    line_count(line, "streams", state->stream_count);
    line_bool(line, "discard", net_settings_of(run)->discard);
}

/* Request and response: one at a time in each stream. */

struct worker;

#define LOST_NS 1000000000 /* a datagram without an answer for so long is lost */

/* After a wait of a tenth of a second without anything: whether to wait on. */
static bool wait_on(struct net_stream *stream, int64_t since_ns)
{
    struct worker *worker = stream->worker;
    const int64_t timeout_ns = net_settings_of(worker->run)->timeout_ns, at_ns = now_ns();
    if (!net_worker_fine(worker, at_ns))
        return false;
    if (at_ns - since_ns > timeout_ns) {
        net_worker_silent(worker, "not answered");
        return false;
    }
    return worker_running(worker);
}

/* True if the call should be made once more. */
static bool again(struct net_stream *stream, ssize_t result, int64_t since_ns)
{
    if (result < 0 && (errno == EAGAIN || errno == EINTR))
        return wait_on(stream, since_ns);
    net_worker_gone(stream->worker, stream->session, result == 0 ? 0 : errno);
    return false;
}

/* ---- TCP ---- */

static bool read_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    while (stream->owed > 0) {
        const ssize_t got =
            recv(stream->fd, block, stream->owed < length ? stream->owed : length, 0);
        if (got > 0)
            stream->owed -= (size_t)got;
        else if (!again(stream, got, since_ns))
            return false;
    }
    return true;
}

static bool write_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    while (stream->offset > 0) {
        const ssize_t sent = send(stream->fd, block, stream->offset, MSG_NOSIGNAL);
        if (sent > 0)
            stream->offset -= (size_t)sent;
        else if (!again(stream, sent, since_ns))
            return false;
    }
    stream->owed = length; /* to be read */
    return true;
}

/* False: a pause came in between, or it failed. */
static bool round_trip(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    stream->offset = net_state_of(stream->worker->run)->block_bytes;
    return write_rest(stream, block, since_ns) && read_rest(stream, block, since_ns);
}

/* ---- UDP ---- */

/* Numbers a request: in its head, or in as many low bytes as there are. */
static void write_number(const struct net_stream *stream, unsigned char *block)
{
    const struct net_state *state = net_state_of(stream->worker->run);
    const struct net_head head = {.token = (uint32_t)stream->session->token,
                                  .stream = stream->number,
                                  .number = stream->next};
    if (!net_is_short(state)) {
        net_head_write(&head, block);
        return;
    }
    for (size_t i = 0; i < state->block_bytes && i < sizeof head.number; i++)
        block[i] = (unsigned char)(head.number >> (8 * i));
}

/* Whether this is the answer; older ones come late, and count no more. */
static bool is_answer(const struct net_stream *stream, const unsigned char *block, ssize_t got)
{
    const struct net_state *state = net_state_of(stream->worker->run);
    if (!net_is_short(state))
        return got >= NET_HEAD_BYTES && net_head_read(block).number == stream->next;
    bool same = got == (ssize_t)state->block_bytes;
    for (size_t i = 0; same && i < state->block_bytes && i < sizeof stream->next; i++)
        same = block[i] == (unsigned char)(stream->next >> (8 * i));
    return same;
}

static bool datagram_trip(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    ssize_t got;
    int64_t sent_ns = since_ns;
    stream->next++;
    write_number(stream, block);
    do {
        got = send(stream->fd, block, length, MSG_NOSIGNAL);
    } while (got < 0 && again(stream, got, since_ns));
    if (got < 0)
        return false;
    while (!is_answer(stream, block, got = recv(stream->fd, block, length, 0))) {
        if (got <= 0 && !again(stream, got, since_ns))
            return false;
        if (now_ns() - sent_ns < LOST_NS)
            continue;
        atomic_fetch_add_explicit(&stream->lost, 1, memory_order_relaxed);
        sent_ns = now_ns();
        stream->next++;
        write_number(stream, block);
        if (send(stream->fd, block, length, MSG_NOSIGNAL) < 0 && !again(stream, -1, since_ns))
            return false;
    }
    return true;
}

/* A round trip that a pause has cut short is completed before the next. */
static bool finish_old(struct net_stream *stream, unsigned char *block)
{
    const int64_t since_ns = now_ns();
    return (stream->offset == 0 || write_rest(stream, block, since_ns)) &&
           read_rest(stream, block, since_ns);
}

static void net_ping_work(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    struct net_worker *own = worker->state;
    struct net_stream *stream = own->streams[0];
    unsigned char *block = state->block + (size_t)worker->index * state->block_bytes;
    int64_t due_ns;
    net_worker_begin(worker);
    if (!finish_old(stream, block))
        return;
    while (!own->failed && worker_wait_due(worker, &due_ns)) {
        const int64_t start_ns = now_ns();
        const bool done = state->mode == NET_UDP_PING ? datagram_trip(stream, block, start_ns)
                                                      : round_trip(stream, block, start_ns);
        if (!done)
            continue;
        counter_add(&stream->sent_bytes, state->block_bytes);
        worker_done(worker, due_ns, start_ns, now_ns(), 1);
    }
}

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
    net_close(run);
    free(net_state_of(run)->block);
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

/* Round trips are operations, and have a latency. */
static const char *const calibrations[] = {"--tcp", "--udp", NULL};

#define NET_LOAD                                                                                   \
    .name = "net", .summary = "sends or receives over the network: TCP, UDP, round trips",         \
    .details = details, .options = net_options, .options_size = sizeof(struct net_settings),       \
    .state_size = sizeof(struct net_state), .calibrations = calibrations, .settle_ns = 100000000,  \
    .check = check, .prepare = prepare, .begin = begin, .work = work, .end = end,                  \
    .cleanup = cleanup, .describe = net_describe, .fields = net_fields, .notes = net_notes,        \
    .rate = net_rate, .interrupt = interrupt

static const struct load net_load = {NET_LOAD, .delivered = net_delivered, .count = net_count_all};
static const struct load net_ping_load = {NET_LOAD, .timed = true, .count = net_count_all};
LOADGEN_REGISTER(net_load);
