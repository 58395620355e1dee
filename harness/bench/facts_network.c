// What the cells of the network have to know: the other end, and the way to it.

#include "facts.h"

#include "common/child.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

#define IPERF_BUFFER (4u << 20) // as loadgen's receiver has

// The value of what is known of the other end (peer.bash), to be freed; NULL: there is none.
static char *peer_fact(const struct bench_request *request, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = request->peer_facts; line && *line != '\0';) {
        const char *end = strchrnul(line, '\n');
        if (strncmp(line, name, length) == 0 && line[length] == '\t')
            return must(strndup(line + length + 1, (size_t)(end - line) - length - 1));
        line = *end == '\0' ? end : end + 1;
    }
    return NULL;
}

static bool is_remote(const struct bench_request *request)
{
    return request->host && strcmp(request->host, "localhost") != 0;
}

// The peers that have a server: `serves_NAME`, where it can be measured with, and `lacks_NAME`,
// where the other end has none.
static void facts_of_servers(json_t *variables, const struct bench_request *request)
{
    static const char *const programs[] = {"iperf3", "qperf", "sockperf"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[PATH_MAX];
        const bool is_here = child_find(programs[i], path);
        OWNED char *there = peer_fact(request, programs[i]);
        OWNED char *serves = text_of("serves_%s", programs[i]),
                   *lacks = text_of("lacks_%s", programs[i]);
        facts_put(variables, serves, request->peers && is_here && (there || !is_remote(request)));
        facts_put(variables, lacks, is_remote(request) && !there);
    }
}

// What starts the receiving half at the other end, up to its servers' names; to be freed.
static char *receiver_line(const struct bench_request *request, const char *address)
{
    const char *home = getenv("JOSTLE_HARNESS"), *root = getenv("JOSTLE_ROOT"), *words[10];
    char loadgen[PATH_MAX];
    size_t count = 0;
    OWNED char *far = text_of("%s/jobs/ssh/far", root ? root : ".");
    OWNED char *receive = text_of("%s/bench/receive", home ? home : "harness");
    OWNED char *port = text_of("%ju", (uintmax_t)request->port);
    words[count++] = far;
    words[count++] = "--hold";
    if (is_remote(request) && request->rsh) {
        words[count++] = "--rsh";
        words[count++] = request->rsh;
    }
    words[count++] = is_remote(request) ? request->host : "";
    words[count++] = receive;
    words[count++] = child_path("loadgen", loadgen);
    words[count++] = address;
    words[count++] = port;
    return must(words_quote(words, count));
}

// iperf3 fails where the kernel gives less than was requested.
static double iperf_buffer(void)
{
    const int64_t receive = machine_number("/proc/sys/net/core/rmem_max"),
                  send = machine_number("/proc/sys/net/core/wmem_max");
    return fmin(IPERF_BUFFER,
                fmin(receive < 0 ? INFINITY : (double)receive, send < 0 ? INFINITY : (double)send));
}

void facts_of_network(json_t *variables, json_t *axes, const struct bench_request *request)
{
    (void)axes;
    char source[160];
    const double whole_s = ceil(request->duration_s);
    OWNED char *problem = is_remote(request) ? peer_fact(request, "problem") : NULL;
    OWNED char *found = peer_fact(request, "address");
    const char *address = found || is_remote(request) ? found : "127.0.0.1";
    if (problem || !address) {
        facts_put_text(variables, "problem", problem ? problem : "the other end is not known");
        return;
    }
    double speed = 8 * peak_stated(request, "network", source, sizeof source);
    if (isnan(speed))
        speed = link_speed(address, source, sizeof source);
    OWNED char *bracketed = text_of(strchr(address, ':') ? "[%s]" : "%s", address);
    OWNED char *receiver = receiver_line(request, address);
    // As long as the peers', which know whole seconds, so that what a start costs weighs alike.
    OWNED char *duration =
        request->peers ? text_of("%.0fs", whole_s) : must(strdup(request->duration));
    facts_put_peak(variables, speed, source);
    facts_put_stated(variables, "latency_peak", request, "network-latency");
    facts_put_text(variables, "address", address);
    facts_put_text(variables, "bracketed", bracketed);
    facts_put_text(variables, "receiver", receiver);
    facts_put_text(variables, "net_duration", duration);
    facts_put_text(variables, "host", request->host);
    facts_put(variables, "whole_s", whole_s);
    facts_put(variables, "port", (double)request->port);
    facts_put(variables, "remote", is_remote(request));
    facts_put(variables, "iperf_buffer", iperf_buffer());
    facts_of_servers(variables, request);
}
