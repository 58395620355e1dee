// loadgen net: sends bytes, datagrams or requests at a rate, to a receiver in this
// process or to another loadgen, and reports what was received.

#include "net/net.h"

#include "common/random.h"

#include <linux/sockios.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

static const struct load net_ping_load;

static const struct option_row options[] = {
    {ROW("tcp", NULL, OPTION_FLAG, tcp), .measured = true, .help = "TCP (the default)"},
    {ROW("udp", NULL, OPTION_FLAG, udp), .measured = true,
     .help = "UDP, with numbered datagrams: lost and reordered ones are counted"},
    {ROW("loopback", NULL, OPTION_FLAG, loopback),
     .help = "send to a receiver in the same process, at 127.0.0.1 (the default)"},
    {ROW("listen", "ADDR:PORT", OPTION_TEXT, listen), .wrong = "[::1",
     .help = "the receiving half, for any --connect; a port alone is at 127.0.0.1, port 0 is any "
             "free one"},
    {ROW("connect", "HOST:PORT", OPTION_TEXT, connect), .measured = true, .wrong = "host:port",
     .help = "the sending half, to a loadgen net --listen; IPv6 as [::1]:5300"},
    {ROW("block-size", "SIZE", OPTION_SIZE, block_bytes), .measured = true, .minimum = 1,
     .maximum = NET_LARGEST_BLOCK,
     .help = "bytes of one write or datagram (default: TCP 128 KiB, with --limit what is due at "
             "the time; UDP 1400; with --ping 1, UDP 16)"},
    {ROW("streams", "N", OPTION_COUNT, streams), .measured = true, .minimum = 1,
     .maximum = NET_MOST_STREAMS, .preset = "1",
     .help = "connections, or with --udp sequences of datagrams, in parallel; --threads share "
             "them, with --ping each has its own (--threads is 1 by default)"},
    {ROW("ping", NULL, OPTION_FLAG, ping), .measured = true,
     .help = "request and response: round trips and their latency"},
    {ROW("discard", NULL, OPTION_FLAG, discard), .measured = true,
     .help = "the receiver has the kernel drop what has arrived instead of copying it (MSG_TRUNC): "
             "less load on memory"},
    {ROW("timeout", "TIME", OPTION_TIME, timeout_ns), .minimum = 1e8, .maximum = 3.6e12,
     .preset = "10s", .help = "a peer that is silent for this long counts as gone"},
    {0},
};

// ---- before anything starts ----

static void check_form(const char *text, int listener)
{
    char host[NI_MAXHOST], port[NI_MAXSERV], error[256];
    if (text && net_address_split(text, listener, host, port, error, sizeof error) != 0)
        usage_error("--%s %s", listener ? "listen" : "connect", error);
}

static void choose_block(struct run *run)
{
    static const size_t usual[] = {[NET_TCP] = NET_BULK_BLOCK,
                                   [NET_UDP] = NET_DATAGRAM_BLOCK,
                                   [NET_TCP_PING] = 1,
                                   [NET_UDP_PING] = NET_HEAD_BYTES};
    struct net_state *state = state_of(run);
    const uint64_t asked = settings_of(run)->block_bytes;
    state->whole_blocks = state->mode != NET_TCP || options_given(run->options, "block-size");
    state->block_bytes = options_given(run->options, "block-size") ? asked : usual[state->mode];
    if (net_is_udp(state->mode) && state->block_bytes > NET_LARGEST_DATAGRAM)
        usage_error("--block-size %zu: no datagram has that size: give at most %d",
                    state->block_bytes, NET_LARGEST_DATAGRAM);
}

static void choose_threads(struct run *run)
{
    struct net_state *state = state_of(run);
    state->stream_count = (unsigned)settings_of(run)->streams;
    if (state->role == NET_LISTEN)
        run->threads = 1;
    else if (!options_given(run->options, "threads"))
        run->threads = net_is_ping(state->mode) ? state->stream_count : 1;
    else if (run->threads > state->stream_count)
        usage_error("--threads %u: more than --streams %u: give as many streams", run->threads,
                    state->stream_count);
    else if (net_is_ping(state->mode) && run->threads != state->stream_count)
        usage_error("--threads %u: with --ping each stream has a thread: give --streams alone",
                    run->threads);
}

static void check(struct run *run)
{
    static const char *const foreign[] = {"tcp",  "udp",   "block-size", "streams",
                                          "ping", "limit", "threads",    "calib"};
    static const enum net_mode modes[2][2] = {{NET_TCP, NET_TCP_PING}, {NET_UDP, NET_UDP_PING}};
    struct net_settings *set = settings_of(run);
    struct net_state *state = state_of(run);
    if (set->tcp && set->udp)
        usage_error("--tcp and --udp: give one of them");
    if (set->loopback + (set->listen != NULL) + (set->connect != NULL) > 1)
        usage_error("--loopback, --listen and --connect: give one of them");
    if (set->connect && set->discard)
        usage_error("--discard is for the receiving half: give it to the listener");
    // A listener takes what the sender asks for.
    for (size_t i = 0; set->listen && i < sizeof foreign / sizeof foreign[0]; i++)
        if (options_given(run->options, foreign[i]))
            usage_error("--listen takes what the sender chooses: give --%s to --connect",
                        foreign[i]);
    check_form(set->listen, 1);
    check_form(set->connect, 0);
    state->role = NET_LOOPBACK;
    if (set->listen || set->connect)
        state->role = set->listen ? NET_LISTEN : NET_CONNECT;
    state->mode = modes[set->udp][set->ping];
    choose_block(run);
    choose_threads(run);
    run->unit = set->ping ? UNIT_OPS : UNIT_BYTES;
    run->quantum = state->whole_blocks ? (double)state->block_bytes : NET_PIECE;
    if (set->ping)
        run->quantum = 1;
    // Writes what was chosen into the options, which a calibration is known by. On one
    // machine it matters whether sender and receiver share a CPU.
    set->tcp = !set->udp;
    if (state->whole_blocks)
        set->block_bytes = state->block_bytes;
    if (state->role == NET_LOOPBACK)
        snprintf(run->subject, sizeof run->subject, "%u CPU%s", run->cpus.count,
                 run->cpus.count == 1 ? "" : "s");
    // Each round trip has a block at both ends.
    const unsigned ends = state->role == NET_LOOPBACK ? 2 : 1;
    if (net_is_ping(state->mode) && state->role != NET_LISTEN)
        room_claim(run, (double)state->block_bytes * state->stream_count * ends, -1, "blocks of",
                   "give a smaller --block-size or fewer --streams");
    if (net_is_ping(state->mode))
        run->load = &net_ping_load;
}

// ---- rates ----

static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    if (state_of(run)->role != NET_LISTEN)
        return rate_usual(run, text, value, error, size);
    return BECAUSE(error, size, "rate %.64s: a listener has none: give it to the sender", text);
}

// What a network load has sent and received, and how it reports that.

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

static double net_delivered(struct run *run)
{
    struct net_state *state = state_of(run);
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

static void net_count_all(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct net_state *state = state_of(run);
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

static void net_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct net_state *state = state_of(run);
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
static void net_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct net_state *state = state_of(run);
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

static void net_describe(struct run *run, struct line *line)
{
    static const char *const roles[] = {"loopback", "listen", "connect"};
    static const char *const modes[] = {[NET_TCP] = "tcp",
                                        [NET_UDP] = "udp",
                                        [NET_TCP_PING] = "tcp-ping",
                                        [NET_UDP_PING] = "udp-ping"};
    const struct net_state *state = state_of(run);
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

static const char details[] =
    "Rates are bytes a second, 10MB/s, or bits, 100Mbit/s; with --ping round trips, 1000iops; 50% "
    "is of what --calib measured. --listen counts what it receives, --connect what the peer has "
    "acknowledged (UDP: what was sent), --loopback what was received. See docs/bench.md#network.";

// ---- sides ----

static int prepare_listener(struct run *run)
{
    struct net_state *state = state_of(run);
    char text[NET_ADDRESS_TEXT];
    state->servers = calloc(1, sizeof(struct net_server *));
    if (!state->servers)
        return run_fail(run, "out of memory: free some");
    state->servers[0] = net_server_open(run, settings_of(run)->listen, 0);
    if (!state->servers[0])
        return -1;
    state->server_count = 1;
    state->address = state->servers[0]->address;
    report_print(&run->report, "listening at %s\n",
                 net_address_format(&state->address, text, sizeof text));
    return 0;
}

// Content that differs from page to page; the ping's workers have a block each.
static int fill_block(struct run *run)
{
    struct net_state *state = state_of(run);
    const size_t count = net_is_ping(state->mode) ? run->threads : 1;
    uint64_t random = 88172645463325252u;
    state->block = calloc(count, state->block_bytes);
    if (!state->block)
        return run_fail(run, "no memory for blocks of %zu bytes: give a smaller --block-size",
                        state->block_bytes);
    for (size_t i = 0; i < state->block_bytes; i++)
        state->block[i] = (unsigned char)random_next(&random);
    return 0;
}

static int prepare(struct run *run)
{
    if (state_of(run)->role == NET_LISTEN)
        return prepare_listener(run);
    return fill_block(run) != 0 ? -1 : net_open(run);
}

static void cleanup(struct run *run)
{
    net_close(run);
    free(state_of(run)->block);
}

// ---- workers ----

static int begin(struct worker *worker)
{
    return state_of(worker->run)->role == NET_LISTEN ? 0 : net_worker_open(worker);
}

static void work(struct worker *worker)
{
    const struct net_state *state = state_of(worker->run);
    if (state->role == NET_LISTEN)
        net_server_run(state->servers[0], worker);
    else if (net_is_ping(state->mode))
        net_ping_work(worker);
    else if (state->mode == NET_UDP)
        net_datagram_work(worker);
    else
        net_bulk_work(worker);
    // After a failure all that remains is to wait for the end.
    if (worker_running(worker) && worker->state && ((struct net_worker *)worker->state)->failed)
        worker_sleep_until(worker, INT64_MAX);
}

static void interrupt(struct worker *worker)
{
    const struct net_state *state = state_of(worker->run);
    if (state->role == NET_LISTEN)
        uv_async_send(&state->servers[0]->wake);
    else
        eventfd_write(state->workers[worker->index].wake_fd, 1);
}

static void end(struct worker *worker)
{
    if (state_of(worker->run)->role != NET_LISTEN)
        net_worker_close(worker);
}

// Round trips are operations, and have a latency.
#define NET_LOAD                                                                                   \
    .name = "net", .summary = "sends or receives over the network: TCP, UDP, round trips",         \
    .details = details, .options = options, .options_size = sizeof(struct net_settings),           \
    .state_size = sizeof(struct net_state),                                                        \
    .calibrations = (const char *const[]){"--tcp", "--udp", NULL}, .settle_ns = 100000000,         \
    .check = check, .prepare = prepare, .begin = begin, .work = work, .end = end,                  \
    .cleanup = cleanup, .describe = net_describe, .fields = net_fields, .notes = net_notes,        \
    .rate = rate, .listens = "listen", .interrupt = interrupt

static const struct load net_load = {NET_LOAD, .delivered = net_delivered, .count = net_count_all};
static const struct load net_ping_load = {NET_LOAD, .timed = true, .count = net_count_all};
LOADGEN_REGISTER(net_load);
