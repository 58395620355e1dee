#include "net/net-report.h"

#include "net/net-options.h"
#include "net/net-state.h"
#include "net/worker.h"

#include <linux/sockios.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>

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

double net_delivered(struct run *run)
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

void net_count_all(struct run *run, double counters[LOAD_COUNTERS])
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

void net_fields(struct run *run, const struct snapshot *window, struct line *line)
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
void net_notes(struct run *run, const char *event, const struct snapshot *window)
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

void net_describe(struct run *run, struct line *line)
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
