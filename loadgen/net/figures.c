// What a network load has sent and received, and how it reports that.

#include "net/net.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

// What the frame differences for each mark: what a report has, and these.
enum { SENT_BYTES = NET_VALUES, RETRANSMITS, SENDER_CPU, RECEIVER_CPU };

// What the other end's kernel has taken: what was written, but for what waits here.
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
    state->acknowledged = fmax(state->acknowledged, sum); // the queue was read later
    return state->acknowledged;
}

double net_delivered(struct run *run)
{
    struct net_state *state = net_state_of(run);
    double sum = 0;
    if (state->role == NET_CONNECT)
        return acknowledged(state);
    for (unsigned i = 0; i < state->server_count; i++)
        sum += (double)counter_read(&state->servers[i]->values[NET_RECEIVED_BYTES]);
    return sum;
}

static void add_values(const _Atomic uint64_t values[NET_VALUES], double *counters)
{
    for (int i = 0; i < NET_VALUES; i++)
        counters[i] += (double)(int64_t)counter_read(&values[i]);
}

void net_count_all(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct net_state *state = net_state_of(run);
    for (unsigned i = 0; i < state->server_count; i++) {
        add_values(state->servers[i]->values, counters);
        counters[RECEIVER_CPU] += (double)net_server_cpu_ns(state->servers[i]);
    }
    if (state->role == NET_LISTEN) {
        counters[RECEIVER_CPU] += (double)worker_cpu_ns(&run->workers[0]);
        return;
    }
    for (unsigned i = 0; state->role == NET_CONNECT && i < state->session_count; i++)
        add_values(state->sessions[i].reported, counters);
    for (unsigned i = 0; i < state->stream_count; i++) {
        const struct net_stream *stream = &state->streams[i];
        struct tcp_info info = {0};
        socklen_t length = sizeof info;
        counters[SENT_BYTES] += (double)net_sent_bytes(stream);
        counters[NET_LOST] += (double)counter_read(&stream->lost);
        if (!net_is_udp(state->mode) &&
            getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0)
            counters[RETRANSMITS] += info.tcpi_total_retrans;
    }
    for (unsigned i = 0; i < run->threads; i++)
        counters[SENDER_CPU] += (double)worker_cpu_ns(&run->workers[i]);
}

// Jain's index over what each stream has sent since the start: 1, all the same;
// 1/n, one has it all (Jain, Chiu and Hawe 1984).
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
    const double all = window->counters[NET_LOST] + window->counters[NET_DATAGRAMS];
    return all > 0 ? 100 * fmax(window->counters[NET_LOST], 0) / all : NAN;
}

static uint64_t whole(double value)
{
    return value > 0 ? (uint64_t)value : 0;
}

void net_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct net_state *state = net_state_of(run);
    const bool listens = state->role == NET_LISTEN;
    if (!listens)
        line_fixed(line, "sent", per_second(window->counters[SENT_BYTES], window), 6);
    if (state->mode != NET_TCP_PING && (!net_is_ping(state->mode) || state->role != NET_CONNECT))
        line_fixed(line, "received", per_second(window->counters[NET_RECEIVED_BYTES], window), 6);
    if (listens || net_is_udp(state->mode)) {
        line_count(line, "lost", whole(window->counters[NET_LOST]));
        line_fixed(line, "loss_percent", loss_percent(window), 6);
        // Short ones have no numbers.
        line_fixed(
            line, "out_of_order",
            !listens && net_is_short(state) ? NAN : fmax(window->counters[NET_OUT_OF_ORDER], 0), 0);
    }
    if (!listens && !net_is_udp(state->mode))
        line_count(line, "retransmits", whole(window->counters[RETRANSMITS]));
    if (!listens)
        line_fixed(line, "sender_cpu_s", window->counters[SENDER_CPU] / 1e9, 6);
    if (state->role != NET_CONNECT)
        line_fixed(line, "receiver_cpu_s", window->counters[RECEIVER_CPU] / 1e9, 6);
    if (state->stream_count > 1 && !listens)
        line_fixed(line, "fairness", fairness(state), 6);
    if (listens)
        line_count(line, "rejected", counter_read(&state->servers[0]->rejected));
}

// For people: the parts of the whole.
void net_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct net_state *state = net_state_of(run);
    const double *counters = window->counters;
    const bool listens = state->role == NET_LISTEN;
    if (run->report.json || strcmp(event, "summary") != 0)
        return;
    if (!net_is_ping(state->mode) && window->active_ns > 0)
        report_print(&run->report, "  received %.4g Mbit/s\n",
                     per_second(window->counters[NET_RECEIVED_BYTES], window) * 8e-6);
    if (listens || net_is_udp(state->mode))
        report_print(&run->report, "  lost %.0f datagrams (%.2f %%), out of order %.0f\n",
                     fmax(counters[NET_LOST], 0),
                     isnan(loss_percent(window)) ? 0 : loss_percent(window),
                     counters[NET_OUT_OF_ORDER]);
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
    static const char *const roles[] = {"loopback", "listen", "connect"};
    static const char *const modes[] = {[NET_TCP] = "tcp",
                                        [NET_UDP] = "udp",
                                        [NET_TCP_PING] = "tcp-ping",
                                        [NET_UDP_PING] = "udp-ping"};
    const struct net_state *state = net_state_of(run);
    char text[NET_ADDRESS_TEXT];
    line_text(line, "role", roles[state->role]);
    if (state->role == NET_LISTEN) {
        line_text(line, "address", net_address_format(&state->address, text, sizeof text));
        return;
    }
    line_text(line, "address", net_address_format(&state->sessions[0].peer, text, sizeof text));
    line_text(line, "protocol", modes[state->mode]);
    line_count(line, "block_bytes", state->block_bytes);
    line_bool(line, "whole_blocks", state->whole_blocks);
    line_count(line, "streams", state->stream_count);
    line_bool(line, "discard", settings_of(run)->discard);
}
