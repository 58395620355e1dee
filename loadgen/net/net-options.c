#include "calibration.h"
#include "net/worker.h"
#include "room.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct net_settings, name, argument, type, member)
const struct option_row net_options[] = {
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
             "the time; "
             "UDP 1400; with --ping 1, UDP 16)"},
    {ROW("streams", "N", OPTION_COUNT, streams), .measured = true, .minimum = 1,
     .maximum = NET_MOST_STREAMS, .preset = "1",
     .help = "connections, or with --udp sequences of datagrams, in parallel; --threads share "
             "them, with --ping each has its own (--threads is 1 by default)"},
    {ROW("ping", NULL, OPTION_FLAG, ping), .measured = true,
     .help = "request and response: round trips and their latency"},
    {ROW("discard", NULL, OPTION_FLAG, discard), .measured = true,
     .help = "the receiver has the kernel drop what has arrived instead of copying it "
             "(MSG_TRUNC): less load on memory"},
    {ROW("timeout", "TIME", OPTION_TIME, timeout_ns), .minimum = 1e8, .maximum = 3.6e12,
     .preset = "10s", .help = "a peer that is silent for this long counts as gone"},
    {0},
};

const char *net_mode_name(enum net_mode mode)
{
    static const char *const names[] = {[NET_TCP] = "tcp",
                                        [NET_UDP] = "udp",
                                        [NET_TCP_PING] = "tcp-ping",
                                        [NET_UDP_PING] = "udp-ping"};
    return names[mode];
}

/* ---- before anything starts ---- */

static void check_exclusive(const struct run *run)
{
    const struct net_settings *set = net_settings_of(run);
    if (set->tcp && set->udp)
        usage_error("--tcp and --udp: give one of them");
    if (set->loopback + (set->listen != NULL) + (set->connect != NULL) > 1)
        usage_error("--loopback, --listen and --connect: give one of them");
    if (set->connect != NULL && set->discard)
        usage_error("--discard is for the receiving half: give it to the listener");
}

/* A listener takes what the sender asks for. */
static void check_listener(const struct run *run)
{
    static const char *const foreign[] = {"tcp",  "udp",   "block-size", "streams",
                                          "ping", "limit", "threads",    "calib"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (options_given(run->options, foreign[i]))
            usage_error("--listen takes what the sender chooses: give --%s to --connect",
                        foreign[i]);
}

static void check_form(const char *text, int listener)
{
    char host[NI_MAXHOST], port[NI_MAXSERV], error[256];
    if (text != NULL && net_address_split(text, listener, host, port, error, sizeof error) != 0)
        usage_error("--%s %s", listener ? "listen" : "connect", error);
}

static enum net_mode mode_of(const struct net_settings *set)
{
    if (set->ping)
        return set->udp ? NET_UDP_PING : NET_TCP_PING;
    return set->udp ? NET_UDP : NET_TCP;
}

static void choose_block(struct run *run)
{
    static const size_t usual[] = {[NET_TCP] = NET_BULK_BLOCK,
                                   [NET_UDP] = NET_DATAGRAM_BLOCK,
                                   [NET_TCP_PING] = 1,
                                   [NET_UDP_PING] = NET_HEAD_BYTES};
    struct net_state *state = net_state_of(run);
    const uint64_t asked = net_settings_of(run)->block_bytes;
    state->whole_blocks = state->mode != NET_TCP || options_given(run->options, "block-size");
    state->block_bytes = options_given(run->options, "block-size") ? asked : usual[state->mode];
    if (net_is_udp(state->mode) && state->block_bytes > NET_LARGEST_DATAGRAM)
        usage_error("--block-size %zu: no datagram has that size: give at most %d",
                    state->block_bytes, NET_LARGEST_DATAGRAM);
}

static void choose_threads(struct run *run)
{
    struct net_state *state = net_state_of(run);
    state->stream_count = (unsigned)net_settings_of(run)->streams;
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

/* Writes what was chosen into the options, which a calibration is known by. On one
 * machine it matters whether sender and receiver share a CPU. */
static void settle(struct run *run)
{
    struct net_settings *set = net_settings_of(run);
    const struct net_state *state = net_state_of(run);
    set->tcp = !set->udp;
    if (state->whole_blocks)
        set->block_bytes = state->block_bytes;
    if (state->role == NET_LOOPBACK)
        snprintf(run->subject, sizeof run->subject, "%u CPU%s", run->cpus.count,
                 run->cpus.count == 1 ? "" : "s");
}

/* Each round trip has a block at both ends. */
static void claim(struct run *run)
{
    const struct net_state *state = net_state_of(run);
    const unsigned ends = state->role == NET_LOOPBACK ? 2 : 1;
    if (net_is_ping(state->mode) && state->role != NET_LISTEN)
        room_claim(run, (double)state->block_bytes * state->stream_count * ends, -1, "blocks of",
                   "give a smaller --block-size or fewer --streams");
}

void net_check(struct run *run)
{
    const struct net_settings *set = net_settings_of(run);
    struct net_state *state = net_state_of(run);
    check_exclusive(run);
    if (set->listen != NULL)
        check_listener(run);
    check_form(set->listen, 1);
    check_form(set->connect, 0);
    state->role = set->listen != NULL    ? NET_LISTEN
                  : set->connect != NULL ? NET_CONNECT
                                         : NET_LOOPBACK;
    state->mode = mode_of(set);
    choose_block(run);
    choose_threads(run);
    run->unit = set->ping ? UNIT_OPS : UNIT_BYTES;
    run->quantum = set->ping ? 1 : state->whole_blocks ? (double)state->block_bytes : NET_PIECE;
    settle(run);
    claim(run);
}

/* ---- rates ---- */

int net_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    if (net_state_of(run)->role != NET_LISTEN)
        return rate_usual(run, text, rate, error, size);
    snprintf(error, size, "rate %.64s: a listener has none: give it to the sender", text);
    return -1;
}
