// loadgen net: sends bytes, datagrams or requests at a rate, to a receiver in this
// process or to another loadgen, and reports what was received.

#include "net/net.h"

#include "common/random.h"

#include <sys/eventfd.h>

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
    struct net_state *state = net_state_of(run);
    const uint64_t asked = settings_of(run)->block_bytes;
    state->whole_blocks = state->mode != NET_TCP || options_given(run->options, "block-size");
    state->block_bytes = options_given(run->options, "block-size") ? asked : usual[state->mode];
    if (net_is_udp(state->mode) && state->block_bytes > NET_LARGEST_DATAGRAM)
        usage_error("--block-size %zu: no datagram has that size: give at most %d",
                    state->block_bytes, NET_LARGEST_DATAGRAM);
}

static void choose_threads(struct run *run)
{
    struct net_state *state = net_state_of(run);
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
    struct net_state *state = net_state_of(run);
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

static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    if (net_state_of(run)->role != NET_LISTEN)
        return rate_usual(run, text, value, error, size);
    return BECAUSE(error, size, "rate %.64s: a listener has none: give it to the sender", text);
}

static const char details[] =
    "Rates are bytes a second, 10MB/s, or bits, 100Mbit/s; with --ping round trips, 1000iops; 50% "
    "is of what --calib measured. --listen counts what it receives, --connect what the peer has "
    "acknowledged (UDP: what was sent), --loopback what was received. See docs/bench.md#network.";

static int prepare_listener(struct run *run)
{
    struct net_state *state = net_state_of(run);
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
    struct net_state *state = net_state_of(run);
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
    if (net_state_of(run)->role == NET_LISTEN)
        return prepare_listener(run);
    return fill_block(run) != 0 ? -1 : net_open(run);
}

static void cleanup(struct run *run)
{
    net_close(run);
    free(net_state_of(run)->block);
}

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
    // After a failure all that remains is to wait for the end.
    if (worker_running(worker) && worker->state && ((struct net_worker *)worker->state)->failed)
        worker_sleep_until(worker, INT64_MAX);
}

static void interrupt(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    if (state->role == NET_LISTEN)
        uv_async_send(&state->servers[0]->wake);
    else
        eventfd_write(state->workers[worker->index].wake_fd, 1);
}

static void end(struct worker *worker)
{
    if (net_state_of(worker->run)->role != NET_LISTEN)
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
