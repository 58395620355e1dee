#include "net/net-options.h"

#include "net/net-state.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_DATAGRAM 65507 /* that IPv4 can carry */
#define LARGEST_RATE_OPS 1e8

#define FIELD(name) offsetof(struct net_settings, name)
const struct option_row net_options[] = {
    {.name = "tcp", .type = OPTION_FLAG, .offset = FIELD(tcp), .help = "TCP (the default)"},
    {.name = "udp",
     .type = OPTION_FLAG,
     .offset = FIELD(udp),
     .help = "UDP, with numbered datagrams: lost and reordered ones are counted"},
    {.name = "loopback",
     .type = OPTION_FLAG,
     .offset = FIELD(loopback),
     .help = "send to a receiver in the same process, at 127.0.0.1 (the default)"},
    {.name = "listen",
     .argument = "ADDR:PORT",
     .type = OPTION_TEXT,
     .offset = FIELD(listen),
     .help = "the receiving half, for any --connect; a port alone is at 127.0.0.1, port 0 is any "
             "free one"},
    {.name = "connect",
     .argument = "HOST:PORT",
     .type = OPTION_TEXT,
     .offset = FIELD(connect),
     .help = "the sending half, to a loadgen net --listen; IPv6 as [::1]:5300"},
    {.name = "block-size",
     .argument = "SIZE",
     .type = OPTION_SIZE,
     .offset = FIELD(block_bytes),
     .minimum = 1,
     .maximum = NET_LARGEST_BLOCK,
     .help = "bytes of one write or datagram (default: TCP 128 KiB, with --limit what is due at "
             "the time; "
             "UDP 1400; with --ping 1, UDP 16)"},
    {.name = "streams",
     .argument = "N",
     .type = OPTION_COUNT,
     .offset = FIELD(streams),
     .minimum = 1,
     .maximum = 1024,
     .preset = "1",
     .help = "connections, or with --udp sequences of datagrams, in parallel; --threads share "
             "them, with --ping each has its own (--threads is 1 by default)"},
    {.name = "ping",
     .type = OPTION_FLAG,
     .offset = FIELD(ping),
     .help = "request and response: round trips and their latency"},
    {.name = "discard",
     .type = OPTION_FLAG,
     .offset = FIELD(discard),
     .help = "the receiver has the kernel drop what has arrived instead of copying it "
             "(MSG_TRUNC): less load on memory"},
    {.name = "timeout",
     .argument = "TIME",
     .type = OPTION_TIME,
     .offset = FIELD(timeout_ns),
     .minimum = 1e8,
     .maximum = 3.6e12,
     .preset = "10s",
     .help = "a peer that is silent for this long counts as gone"},
    {.name = "calib",
     .type = OPTION_FLAG,
     .offset = FIELD(calib),
     .help =
         "instead of making load: measure for SECONDS (10) what these options reach, and keep it"},
    {.name = "calibration",
     .argument = "FILE",
     .type = OPTION_TEXT,
     .offset = FIELD(calibration),
     .help = CALIBRATION_HELP_FILE},
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
    if (net_is_udp(state->mode) &&
        (state->block_bytes < NET_HEAD_BYTES || state->block_bytes > LARGEST_DATAGRAM))
        usage_error("--block-size %zu: no datagram has that size: give %d to %d, of which %d are "
                    "its number",
                    state->block_bytes, NET_HEAD_BYTES, LARGEST_DATAGRAM, NET_HEAD_BYTES);
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

void net_check(struct run *run)
{
    const struct net_settings *set = net_settings_of(run);
    struct net_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        usage_error("out of memory: free some");
    run->state = state;
    check_exclusive(run);
    if (set->listen != NULL)
        check_listener(run);
    check_form(set->listen, 1);
    check_form(set->connect, 0);
    calibration_check_options(run, set->calib);
    state->role = set->listen != NULL    ? NET_LISTEN
                  : set->connect != NULL ? NET_CONNECT
                                         : NET_LOOPBACK;
    state->mode = mode_of(set);
    choose_block(run);
    choose_threads(run);
    run->unit = set->ping ? UNIT_OPS : UNIT_BYTES;
    run->quantum = set->ping ? 1 : state->whole_blocks ? (double)state->block_bytes : NET_PIECE;
}

/* ---- rates ---- */

void net_key(const struct run *run, struct calibration_key *key)
{
    const struct net_state *state = net_state_of(run);
    const struct net_settings *set = net_settings_of(run);
    calibration_key(key, "net");
    calibration_key_text(key, "protocol", net_mode_name(state->mode));
    calibration_key_text(key, "peer", set->connect != NULL ? set->connect : "loopback");
    calibration_key_count(key, "block_bytes", state->block_bytes);
    calibration_key_count(key, "streams", state->stream_count);
    calibration_key_count(key, "threads", run->threads);
    if (set->connect == NULL) /* whether sender and receiver share one */
        calibration_key_count(key, "cpus", run->cpus.count);
    calibration_key_flag(key, "discard", set->discard);
}

static int percent_rate(struct run *run, double percent, double *rate, char *error, size_t size)
{
    struct net_state *state = net_state_of(run);
    const struct net_settings *set = net_settings_of(run);
    struct calibration_key key;
    char what[256], make[1024], block[48] = "", peer[320] = "", cpus[256] = "", list[224];
    net_key(run, &key);
    if (options_given(run->options, "block-size"))
        snprintf(block, sizeof block, " --block-size %zu", state->block_bytes);
    if (set->connect != NULL)
        snprintf(peer, sizeof peer, " --connect %.256s", set->connect);
    snprintf(what, sizeof what, "%s with blocks of %zu bytes, %u stream%s",
             net_mode_name(state->mode), state->block_bytes, state->stream_count,
             state->stream_count == 1 ? "" : "s");
    if (set->connect == NULL && run->cpus.count < (unsigned)sysconf(_SC_NPROCESSORS_ONLN))
        snprintf(cpus, sizeof cpus, " --cpus %s", cpus_format(&run->cpus, list, sizeof list));
    snprintf(make, sizeof make, "loadgen net --%s%s%s --streams %u%s%s --calib",
             set->udp ? "udp" : "tcp", set->ping ? " --ping" : "", block, state->stream_count, peer,
             cpus);
    const struct calibration_query query = {
        .key = &key, .file = set->calibration, .what = what, .make = make};
    return calibration_percent(run, &query, percent, &state->found, rate, error, size);
}

int net_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    const struct net_state *state = net_state_of(run);
    const bool ping = net_is_ping(state->mode);
    const double most = ping ? LARGEST_RATE_OPS : NET_LARGEST_RATE;
    const char *example = ping ? "1000iops" : "100Mbit/s or 10MB/s";
    struct rate given;
    if (state->role == NET_LISTEN)
        snprintf(error, size, "rate %.64s: a listener has none: give it to the sender", text);
    else if (units_rate(text, &given) != 0)
        snprintf(error, size, "%.64s: not a rate: give one such as %s, or 50%%", text, example);
    else if (!(given.value > 0))
        snprintf(error, size, "%.64s: nothing would happen: give more than 0", text);
    else if (given.kind == RATE_PERCENT)
        return percent_rate(run, given.value, rate, error, size);
    else if (given.kind == (ping ? RATE_BYTES : RATE_OPS))
        snprintf(error, size, "%.64s: this load counts in %s: give a rate such as %s", text,
                 run->unit, example);
    else if (given.value > most)
        snprintf(error, size, "%.64s: no network does that: give %g %s or less", text, most,
                 run->unit);
    else {
        *rate = given.value;
        return 0;
    }
    return -1;
}
