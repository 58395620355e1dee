// What the network delivers: bandwidth, loss and round trips, between two processes of this
// machine or two machines. The receiving half, and that of each peer, is the service of each
// cell: `receive` starts them at the other end.
#include "bench.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PING_LEAST     16         // bytes of ICMP that have room for the time of sending (ping(8))
#define SOCKPERF_LEAST 14         // bytes of its header (sockperf --help)
#define IPERF_LEAST    16         // bytes of a datagram (iperf3: --length)
#define IPERF_BUFFER   (4u << 20) // as loadgen's receiver has
// A new one for each block, and runs that begin and end.
#define START_S    0.3
#define BLOCK_S    0.3
#define SOCKPERF_S 2.3 // that sockperf takes longer than it is told

// A service has these ports (receive).
enum { OUR_PORT, IPERF_PORT, QPERF_PORT, QPERF_DATA_PORT, SOCKPERF_TCP_PORT, SOCKPERF_UDP_PORT };

#define DATAGRAM_MOST 65507 // bytes of UDP over IPv4

static const uint64_t usual_sizes[] = {1, 1024, 32768};

// A row: what is sent, and in how many streams.
struct test {
    bool udp;
    unsigned bytes, streams;
};

// The way to the other end, found out once.
struct route {
    const struct choice *choice;
    const uint64_t *sizes; // of messages
    size_t size_count;
    char *problem;   // why nothing can be measured; NULL: it can
    char *address;   // in numbers
    char *bracketed; // the same, as loadgen has it in front of a port
    char link[160];  // where `speed` is from, or why it is not known
    double speed;    // bits a second; NAN: not known
    char duration[32];
    unsigned whole_s; // for peers, which know whole seconds
};

// ---- the other end ----

// The value of a fact (peer.bash), to be freed; NULL: there is none.
static char *fact(const struct choice *choice, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = choice->peer_facts; line && *line != '\0';) {
        const char *end = strchrnul(line, '\n');
        if (strncmp(line, name, length) == 0 && line[length] == '\t')
            return must(strndup(line + length + 1, (size_t)(end - line) - length - 1));
        line = *end == '\0' ? end : end + 1;
    }
    return NULL;
}

static bool is_remote(const struct choice *choice)
{
    return choice->host && strcmp(choice->host, "localhost") != 0;
}

static bool is_installed(const char *program)
{
    char path[PATH_MAX];
    return child_find(program, path);
}

// Whether the server of a peer is at the other end.
static bool has_server(const struct route *route, const char *program)
{
    if (!is_remote(route->choice))
        return is_installed(program);
    OWNED char *value = fact(route->choice, program);
    return value != NULL;
}

static struct route find_route(const struct choice *choice)
{
    struct route route = {
        .choice = choice, .sizes = choice->blocks, .size_count = choice->block_count};
    if (route.size_count == 0) {
        route.sizes = usual_sizes;
        route.size_count = sizeof usual_sizes / sizeof *usual_sizes;
    }
    route.problem = is_remote(choice) ? fact(choice, "problem") : NULL;
    route.address = fact(choice, "address");
    if (!route.address && !is_remote(choice))
        route.address = must(strdup("127.0.0.1"));
    if (!route.address && !route.problem)
        route.problem = must(strdup("the other end is not known"));
    if (route.problem)
        return route;
    route.speed = 8 * peak_stated(choice, "network", route.link, sizeof route.link);
    if (isnan(route.speed))
        route.speed = link_speed(route.address, route.link, sizeof route.link);
    route.bracketed = text_of(strchr(route.address, ':') ? "[%s]" : "%s", route.address);
    route.whole_s = (unsigned)ceil(choice->duration_s);
    // As long as the peers', so that what a start costs weighs alike.
    if (choice->peers)
        snprintf(route.duration, sizeof route.duration, "%us", route.whole_s);
    else
        snprintf(route.duration, sizeof route.duration, "%s", choice->duration);
    return route;
}

static void forget_route(struct route *route)
{
    free(route->problem);
    free(route->address);
    free(route->bracketed);
}

// ---- cells ----

// What runs at the other end for a cell: loadgen, and of the peers' servers those that it has.
static void serve(struct cell *cell, const struct route *route, const char *const *servers)
{
    static const char *const programs[] = {"iperf3", "qperf", "sockperf"};
    const struct choice *choice = route->choice;
    const char *home = getenv("JOSTLE_HARNESS"), *root = getenv("JOSTLE_ROOT"), *words[20];
    char far[PATH_MAX], receive[PATH_MAX], loadgen[PATH_MAX], port[16];
    size_t count = 0;
    snprintf(far, sizeof far, "%s/jobs/ssh/far", root ? root : ".");
    snprintf(receive, sizeof receive, "%s/bench/receive", home ? home : "harness");
    snprintf(port, sizeof port, "%u", choice->port);
    words[count++] = far;
    words[count++] = "--hold";
    if (is_remote(choice) && choice->rsh) {
        words[count++] = "--rsh";
        words[count++] = choice->rsh;
    }
    words[count++] = is_remote(choice) ? choice->host : "";
    words[count++] = receive;
    words[count++] = child_path("loadgen", loadgen);
    words[count++] = route->address;
    words[count++] = port;
    words[count++] = "loadgen";
    for (; choice->peers && *servers != NULL; servers++)
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            if (strncmp(*servers, programs[i], strlen(programs[i])) == 0 &&
                is_installed(programs[i]) && has_server(route, programs[i]))
                words[count++] = *servers;
    OWNED char *line = must(words_quote(words, count));
    cell_service(cell, is_remote(choice), "match:/^ready$/", "%s", line);
}

static void add_peer_limits(struct peer *peer, const struct route *route, const char *program)
{
    if (is_remote(route->choice) && !has_server(route, program))
        peer_skip(peer, "not installed at %s", route->choice->host);
}

// iperf3 fails where the kernel gives less than was requested.
static unsigned iperf_buffer(void)
{
    static const char *const limits[] = {"/proc/sys/net/core/rmem_max",
                                         "/proc/sys/net/core/wmem_max"};
    unsigned least = IPERF_BUFFER, bytes;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(limits[i], "re");
        if (file && fscanf(file, "%u", &bytes) == 1 && bytes < least)
            least = bytes;
        if (file)
            (void)fclose(file);
    }
    return least;
}

// Of JSON with a member on each line the last is that of sum_received: what has arrived.
static void add_iperf(struct cell *cell, const struct route *route, bool udp, unsigned bytes,
                      unsigned streams)
{
    char datagrams[64] = "";
    if (udp)
        snprintf(datagrams, sizeof datagrams, " -u -b 0 -w %u", iperf_buffer());
    struct peer *peer =
        cell_peer(cell, "iperf3", "iperf3", "iperf3",
                  "iperf3 -c %s -p %u --json -t %u -l %u -P %u%s", route->address,
                  route->choice->port + IPERF_PORT, route->whole_s, bytes, streams, datagrams);
    peer_figure(peer, "bandwidth", "stdout:/\"bits_per_second\":[[:space:]]*([0-9.e+]+)/", 1);
    if (udp && bytes < IPERF_LEAST)
        peer_skip(peer, "its smallest datagram has %d bytes", IPERF_LEAST);
    add_peer_limits(peer, route, "iperf3");
}

static void add_qperf(struct cell *cell, const struct route *route, bool udp, unsigned bytes)
{
    struct peer *peer = cell_peer(
        cell, "qperf", "qperf", "qperf", "qperf %s -lp %u -ip %u -t %u -m %u -uu %s_bw",
        route->address, route->choice->port + QPERF_PORT, route->choice->port + QPERF_DATA_PORT,
        route->whole_s, bytes, udp ? "udp" : "tcp");
    // Bytes a second as received: recv_bw of UDP, which has a send_bw, too.
    peer_figure(peer, "bandwidth", "stdout:/bw +=  *([0-9]+) bytes/", 8);
    add_peer_limits(peer, route, "qperf");
}

static void add_peak(struct cell *cell, const struct route *route)
{
    if (isnan(route->speed))
        cell_no_peak(cell, route->link);
    else
        cell_peak_constant(cell, route->speed, route->link);
}

static bool is_possible(struct cell *cell, const struct route *route, const struct test *test)
{
    if (route->problem)
        cell_skip(cell, "%s", route->problem);
    else if (test->udp && test->bytes > DATAGRAM_MOST)
        cell_skip(cell, "a datagram has at most %d bytes", DATAGRAM_MOST);
    else
        return true;
    return false;
}

static void add_bandwidth(struct matrix *matrix, const struct route *route, const struct test *test,
                          struct chart *sizes_chart, struct chart *streams_chart)
{
    // qperf knows one stream.
    const bool qperf = test->streams == 1 && !route->choice->quick;
    const char *const servers[] = {"iperf3", qperf ? "qperf" : NULL, NULL};
    const char *protocol = test->udp ? "udp" : "tcp";
    char series[64], name[BLOCK_TEXT], text[BLOCK_TEXT];
    struct cell *cell = matrix_cell(matrix, "network.%s.%s.s%u", protocol,
                                    block_text(test->bytes, "", name), test->streams);
    cell_label(cell, "protocol", "%s", test->udp ? "UDP" : "TCP");
    cell_label(cell, "message", "%s", block_text(test->bytes, " ", text));
    cell_label(cell, "streams", "%u", test->streams);
    cell_figure(cell, "bandwidth", "bit/s", HIGHER, SUMMARY("received") ",scale=8");
    if (test->udp)
        cell_more(cell, "loss", "%", LOWER, SUMMARY("loss_percent"));
    if (!is_possible(cell, route, test))
        return;
    bench_cell_command(cell,
                       "loadgen net --%s --connect %s:%u --block-size %u --streams %u --json "
                       "--duration %s",
                       protocol, route->bracketed, route->choice->port + OUR_PORT, test->bytes,
                       test->streams, route->duration);
    cell_seconds(cell,
                 (route->choice->peers ? route->whole_s : route->choice->duration_s) + BLOCK_S,
                 START_S);
    serve(cell, route, servers);
    add_iperf(cell, route, test->udp, test->bytes, test->streams);
    if (qperf)
        add_qperf(cell, route, test->udp, test->bytes);
    add_peak(cell, route);
    snprintf(series, sizeof series, "%u stream%s", test->streams, test->streams == 1 ? "" : "s");
    chart_point(sizes_chart, series, cell, test->bytes);
    chart_point(streams_chart, text, cell, test->streams);
}

// sockperf's percentiles are in microseconds, of round trips with --full-rtt; its header
// makes it send 14 bytes at least, and the row of 1 B says so by the peer's name.
static void add_sockperf(struct cell *cell, const struct route *route, bool udp, unsigned bytes)
{
    const bool larger = bytes < SOCKPERF_LEAST;
    struct peer *peer =
        cell_peer(cell, larger ? "sockperf-14B" : "sockperf", "sockperf", "sockperf",
                  "sockperf ping-pong -i %s -p %u -t %u -m %u --full-rtt%s", route->address,
                  route->choice->port + (udp ? SOCKPERF_UDP_PORT : SOCKPERF_TCP_PORT),
                  route->whole_s, larger ? SOCKPERF_LEAST : bytes, udp ? "" : " --tcp");
    peer_figure(peer, "p50", "stdout:/percentile 50\\.000 = +([0-9.]+)/", 1e-6);
    peer_figure(peer, "p99", "stdout:/percentile 99\\.000 = +([0-9.]+)/", 1e-6);
    add_peer_limits(peer, route, "sockperf");
}

// ICMP, answered by the kernel at the other end; adaptive (-A): the next when the answer is
// there. Its times have three decimals of a millisecond.
static void add_ping(struct cell *cell, const struct route *route, unsigned bytes)
{
    static const char times[] = "stdout:/ time=([0-9.]+) ms/,take=%s";
    char source[64];
    struct peer *peer = cell_peer(cell, bytes < PING_LEAST ? "ping-16B" : "ping", "ping",
                                  "iputils-ping", "ping -n -A -w %u -s %u %s", route->whole_s,
                                  bytes < PING_LEAST ? PING_LEAST : bytes, route->address);
    peer_version(peer, "-V");
    snprintf(source, sizeof source, times, "p50");
    peer_figure(peer, "p50", source, 1e-3);
    snprintf(source, sizeof source, times, "p99");
    peer_figure(peer, "p99", source, 1e-3);
}

#define SERVICE_TIME(name)                                                                         \
    "stdout:/\"event\":\"summary\".*\"service\":\\{[^}]*\"" name "\":([0-9]+)/,scale=1e-9"

static const struct axis over_sizes = {.label = "message", .unit = "B", .log = true};
static const struct axis over_streams = {.label = "streams", .unit = "", .log = true};
static const struct axis bandwidth = {.label = "bandwidth", .unit = "bit/s", .log = true};
static const struct axis trip = {.label = "round trip", .unit = "s", .log = true};

// Round trips over sizes with one stream, and over streams.
static void chart_trips(struct matrix *matrix, const struct cell *cell, const struct test *test,
                        const char *size)
{
    const char *median = test->udp ? "UDP, median" : "TCP, median";
    const char *tail = test->udp ? "UDP, p99" : "TCP, p99";
    char series[64];
    if (test->streams == 1) {
        struct chart *sizes =
            matrix_chart(matrix, "blocks", "Round trip, over message size", over_sizes, trip);
        chart_point(sizes, median, cell, test->bytes);
        chart_point_of(sizes, tail, cell, test->bytes, "p99");
    }
    snprintf(series, sizeof series, "%s %s", test->udp ? "UDP" : "TCP", size);
    chart_point(
        matrix_chart(matrix, "scaling", "Round trip (median), over streams", over_streams, trip),
        series, cell, test->streams);
}

// The peers know one stream.
static void add_trip_peers(struct cell *cell, const struct route *route, const struct test *test)
{
    if (test->streams > 1)
        return;
    add_sockperf(cell, route, test->udp, test->bytes);
    if (test->udp && !route->choice->quick)
        add_ping(cell, route, test->bytes);
}

static void add_round_trip(struct matrix *matrix, const struct route *route,
                           const struct test *test)
{
    static const char *const tcp_servers[] = {"sockperf-tcp", NULL};
    static const char *const udp_servers[] = {"sockperf-udp", NULL};
    const char *protocol = test->udp ? "udp" : "tcp";
    char name[BLOCK_TEXT], text[BLOCK_TEXT], suffix[16] = "";
    if (test->streams > 1)
        snprintf(suffix, sizeof suffix, ".s%u", test->streams);
    struct cell *cell = matrix_cell(matrix, "network.ping.%s.%s%s", protocol,
                                    block_text(test->bytes, "", name), suffix);
    cell_label(cell, "protocol", "%s round trip", test->udp ? "UDP" : "TCP");
    cell_label(cell, "message", "%s", block_text(test->bytes, " ", text));
    cell_label(cell, "streams", "%u", test->streams);
    cell_figure(cell, "p50", "s", LOWER, SERVICE_TIME("p50_ns"));
    cell_more(cell, "p99", "s", LOWER, SERVICE_TIME("p99_ns"));
    if (!is_possible(cell, route, test))
        return;
    bench_cell_command(cell,
                       "loadgen net --%s --ping --connect %s:%u --block-size %u --streams %u "
                       "--json --duration %s",
                       protocol, route->bracketed, route->choice->port + OUR_PORT, test->bytes,
                       test->streams, route->duration);
    // Half of the variants are sockperf.
    cell_seconds(cell,
                 route->choice->peers ? route->whole_s + BLOCK_S + SOCKPERF_S / 2
                                      : route->choice->duration_s + BLOCK_S,
                 START_S);
    serve(cell, route, test->udp ? udp_servers : tcp_servers);
    add_trip_peers(cell, route, test);
    cell_no_peak(cell, "a round trip has no peak");
    chart_trips(matrix, cell, test, text);
}

// ---- the matrix ----

// --quick: one stream of each size, and of the largest one the most streams, too.
static bool is_wanted(const struct route *route, size_t size, size_t thread)
{
    const struct choice *choice = route->choice;
    return !choice->quick || thread == 0 ||
           (size == route->size_count - 1 && thread == choice->thread_count - 1);
}

static void add_protocol(struct matrix *matrix, const struct route *route, bool udp)
{
    const struct choice *choice = route->choice;
    struct chart *by_size = matrix_chart(matrix, "blocks",
                                         udp ? "UDP: bandwidth received, over message size"
                                             : "TCP: bandwidth received, over message size",
                                         over_sizes, bandwidth);
    struct chart *by_streams = matrix_chart(matrix, "scaling",
                                            udp ? "UDP: bandwidth received, over streams"
                                                : "TCP: bandwidth received, over streams",
                                            over_streams, bandwidth);
    for (size_t i = 0; i < route->size_count; i++)
        for (size_t j = 0; j < choice->thread_count; j++) {
            const struct test test = {udp, (unsigned)route->sizes[i], choice->threads[j]};
            if (is_wanted(route, i, j))
                add_bandwidth(matrix, route, &test, by_size, by_streams);
        }
}

static void add_round_trips(struct matrix *matrix, const struct route *route)
{
    const struct choice *choice = route->choice;
    for (int udp = 0; udp < 2; udp++)
        for (size_t i = 0; i < route->size_count; i++)
            for (size_t j = 0; j < choice->thread_count; j++) {
                const struct test test = {udp != 0, (unsigned)route->sizes[i], choice->threads[j]};
                if (!choice->quick || (i == 0 && j == 0))
                    add_round_trip(matrix, route, &test);
            }
}

// What one stream of TCP delivers over time.
static void add_series(struct matrix *matrix, const struct route *route)
{
    const struct choice *choice = route->choice;
    static const char *const none[] = {NULL};
    struct cell *cell = matrix_cell(matrix, "network.tcp.series");
    cell_label(cell, "protocol", "TCP");
    cell_label(cell, "message", "32 KiB");
    cell_label(cell, "streams", "1");
    cell_figure(cell, "bandwidth", "bit/s", HIGHER, SUMMARY("received") ",scale=8");
    if (route->problem) {
        cell_skip(cell, "%s", route->problem);
        return;
    }
    bench_cell_command(cell, "loadgen net --tcp --connect %s:%u --block-size 32K --json %s",
                       route->bracketed, choice->port + OUR_PORT, choice->series);
    serve(cell, route, none);
    add_peak(cell, route);
    cell_series(cell, "achieved", 8);
}

void part_network(struct matrix *matrix, const struct choice *choice)
{
    struct route route = find_route(choice);
    add_protocol(matrix, &route, false);
    add_protocol(matrix, &route, true);
    add_round_trips(matrix, &route);
    if (choice->series)
        add_series(matrix, &route);
    forget_route(&route);
}
