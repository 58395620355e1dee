// openloop: a client that sends requests at a rate of its own, however slowly the server
// answers, and prints how long the answers took.
//
// Requests are due at times drawn beforehand (Poisson arrivals: exponential gaps), of each
// run anew: users do not come in the same order each time either, and what the same arrivals
// have in common (their number, their worst burst) no number of runs would show. The seed is
// printed, and may be given. Their latency counts from when they were due: one that has to wait for
// the client or for the requests before it is as late as a user sees it. A closed loop, which sends
// the next request after the answer to the last, does not see that (G. Tene, "How NOT to measure
// latency", 2013). A request that is not answered within a second of the end is an error, and
// as late as it is then.

#define PROGRAM "openloop"

#include "arguments.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, REQUEST_SIZE = 512, NS_PER_S = 1000000000, PATIENCE_NS = NS_PER_S };

static const char help[] =
    "Usage: openloop PORT RATE MILLISECONDS [CONNECTIONS [REQUEST [SEED]]]\n"
    "\n"
    "Sends RATE requests a second to 127.0.0.1:PORT for so many MILLISECONDS, at random times\n"
    "that do not depend on the answers, over CONNECTIONS in turn (default: 8). A request is\n"
    "one line (default: PING, which redis-server answers), and so is its answer. SEED (default:\n"
    "another one each time) makes the times those of the run that printed it. Prints\n"
    "\n"
    "  requests: N            how many were due\n"
    "  errors: N              without an answer a second after the end\n"
    "  offered: R /s          requests / time\n"
    "  achieved: R /s         answers / time, until the last one came\n"
    "  p50: T ms, p99: T ms, max: T ms\n"
    "                         from when a request was due to its answer\n"
    "  seed: S                of the times\n"
    "\n"
    "Exit status: 0 done; 1 no connection, or it broke; 2 wrong arguments.\n";

// The requests of one connection: those between `answered` and `sent` are on their way.
struct connection {
    int fd;
    uint32_t *request; // numbers, in the order in which they are due
    size_t count, due, answered;
    size_t unsent; // bytes of the requests before `due` that the socket did not take yet
};

struct client {
    struct connection connection[MOST_CONNECTIONS];
    size_t connections;
    char line[REQUEST_SIZE];
    size_t line_size;
    int64_t *due_ns, *latency_ns; // of each request, the first one from the start
    size_t requests, answers, next;
    int64_t start_ns;
    uint32_t seed;
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

// xorshift64*, S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
// scrambled", ACM Trans. Math. Softw. 42 (2016); from 0, excluded, to 1.
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)((*state * 2685821657736338717U) >> 11) + 1) / 9007199254740992.0;
}

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        fail(1, "no memory for %zu requests: give a lower rate or less time", count);
    return memory;
}

static void plan(struct client *client, double rate, int64_t length_ns)
{
    // splitmix64, as Vigna advises; seeds that follow each other have nothing in common then, and
    // the state is not 0.
    uint64_t seed = client->seed * UINT64_C(0x9e3779b97f4a7c15), state = next_random(&seed);
    const double expected = rate * (double)length_ns / NS_PER_S;
    const size_t most = (size_t)(expected + 10 * sqrt(expected) + 10);
    double at_ns = 0;
    client->due_ns = take(most, sizeof *client->due_ns);
    while (client->requests < most) {
        at_ns += -log(uniform(&state)) / rate * NS_PER_S;
        if (at_ns >= (double)length_ns)
            break;
        client->due_ns[client->requests++] = (int64_t)at_ns;
    }
    client->latency_ns = take(client->requests, sizeof *client->latency_ns);
    for (size_t i = 0; i < client->connections; i++)
        client->connection[i].request =
            take(client->requests / client->connections + 1, sizeof(uint32_t));
    for (size_t i = 0; i < client->requests; i++) {
        struct connection *one = &client->connection[i % client->connections];
        one->request[one->count++] = (uint32_t)i;
    }
}

static int open_connection(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        fail(1, "no connection to port %u: %s", port, strerror(errno));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

// Sends what is due and what the socket takes. A line may be cut; its rest goes first.
static void send_due(struct client *client, struct connection *one)
{
    while (one->unsent > 0) {
        const char *from = client->line + (client->line_size - one->unsent % client->line_size) %
                                              client->line_size;
        const size_t left = one->unsent % client->line_size;
        const size_t size = left > 0 ? left : client->line_size;
        const ssize_t sent = send(one->fd, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent <= 0)
            fail(1, "the connection broke: %s", strerror(errno));
        one->unsent -= (size_t)sent;
    }
}

static void receive(struct client *client, struct connection *one)
{
    char text[16384];
    const ssize_t size = recv(one->fd, text, sizeof text, MSG_DONTWAIT);
    const int64_t now = now_ns() - client->start_ns;
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0)
        fail(1, "the server closed the connection%s%s", size < 0 ? ": " : "",
             size < 0 ? strerror(errno) : "");
    for (ssize_t i = 0; i < size; i++) {
        if (text[i] != '\n' || one->answered == one->due)
            continue;
        const uint32_t request = one->request[one->answered++];
        client->latency_ns[request] = now - client->due_ns[request];
        client->answers++;
    }
}

static void wait_until(struct client *client, int64_t until_ns)
{
    struct pollfd files[MOST_CONNECTIONS];
    const int64_t left = until_ns - (now_ns() - client->start_ns);
    const struct timespec wait = {left > 0 ? left / NS_PER_S : 0, left > 0 ? left % NS_PER_S : 0};
    for (size_t i = 0; i < client->connections; i++) {
        const struct connection *one = &client->connection[i];
        files[i] = (struct pollfd){.fd = one->fd,
                                   .events = (short)(POLLIN | (one->unsent > 0 ? POLLOUT : 0))};
    }
    if (ppoll(files, client->connections, &wait, NULL) <= 0)
        return;
    for (size_t i = 0; i < client->connections; i++)
        if ((files[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
            receive(client, &client->connection[i]);
}

// All requests. Returns how long it took until the last answer.
static int64_t run(struct client *client, int64_t length_ns)
{
    int64_t now = 0;
    client->start_ns = now_ns();
    while (client->answers < client->requests && now < length_ns + PATIENCE_NS) {
        // Gives each request that is due by now to its connection, and sends.
        for (; client->next < client->requests && client->due_ns[client->next] <= now;
             client->next++) {
            struct connection *one = &client->connection[client->next % client->connections];
            one->due++;
            one->unsent += client->line_size;
        }
        for (size_t i = 0; i < client->connections; i++)
            send_due(client, &client->connection[i]);
        wait_until(client, client->next < client->requests ? client->due_ns[client->next]
                                                           : length_ns + PATIENCE_NS);
        now = now_ns() - client->start_ns;
    }
    return now;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Nearest rank.
static double quantile_ms(const struct client *client, double share)
{
    const size_t rank = (size_t)ceil(share * (double)client->requests);
    return (double)client->latency_ns[rank > 0 ? rank - 1 : 0] / 1e6;
}

static int report(struct client *client, int64_t length_ns, int64_t took_ns)
{
    const double length_s = (double)length_ns / NS_PER_S;
    const double took_s = (double)(took_ns > length_ns ? took_ns : length_ns) / NS_PER_S;
    for (size_t i = 0; i < client->connections; i++) {
        const struct connection *one = &client->connection[i];
        for (size_t k = one->answered; k < one->count; k++)
            client->latency_ns[one->request[k]] = took_ns - client->due_ns[one->request[k]];
    }
    if (client->requests == 0)
        fail(1, "no request was due: give a higher rate or more time");
    qsort(client->latency_ns, client->requests, sizeof *client->latency_ns, compare);
    printf("requests: %zu\nerrors: %zu\noffered: %.6g /s\nachieved: %.6g /s\n", client->requests,
           client->requests - client->answers, (double)client->requests / length_s,
           (double)client->answers / took_s);
    printf("p50: %.6g ms\np99: %.6g ms\nmax: %.6g ms\n", quantile_ms(client, 0.5),
           quantile_ms(client, 0.99), quantile_ms(client, 1));
    printf("seed: %u\n", client->seed);
    return written();
}

int main(int argc, char **argv)
{
    struct client client = {.next = 0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        show_help(help);
    if (argc < 4 || argc > 7)
        fail(2, "give PORT RATE MILLISECONDS [CONNECTIONS [REQUEST [SEED]]]: see --help");
    const uint16_t port = (uint16_t)number("PORT", argv[1], 1, 65535);
    const uint64_t rate = number("RATE", argv[2], 1, 10000000);
    const int64_t length_ns = (int64_t)number("MILLISECONDS", argv[3], 1, 3600000) * 1000000;
    client.connections = argc > 4 ? number("CONNECTIONS", argv[4], 1, MOST_CONNECTIONS) : 8;
    const char *request = argc > 5 ? argv[5] : "PING";
    client.line_size = (size_t)snprintf(client.line, sizeof client.line, "%s\r\n", request);
    if (client.line_size >= sizeof client.line)
        fail(2, "REQUEST is longer than %d characters", REQUEST_SIZE - 3);
    if (argc > 6)
        client.seed = (uint32_t)number("SEED", argv[6], 0, UINT32_MAX);
    else if (getrandom(&client.seed, sizeof client.seed, GRND_NONBLOCK) !=
             (ssize_t)sizeof client.seed)
        client.seed = (uint32_t)now_ns();
    plan(&client, (double)rate, length_ns);
    for (size_t i = 0; i < client.connections; i++)
        client.connection[i].fd = open_connection(port);
    const int code = report(&client, length_ns, run(&client, length_ns));
    for (size_t i = 0; i < client.connections; i++)
        free(client.connection[i].request);
    free(client.latency_ns);
    free(client.due_ns);
    return code;
}
