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
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 256,
    REQUEST_SIZE = 512,
    NS_PER_S = 1000000000,
    PATIENCE_NS = NS_PER_S,
    // So many requests a second are far from all that a thread can make: one that is busy makes
    // requests late.
    RATE_OF_THREAD = 20000
};

static const char help[] =
    "Usage: openloop [--threads N] PORT RATE MILLISECONDS [CONNECTIONS [REQUEST [SEED]]]\n"
    "\n"
    "Sends RATE requests a second to 127.0.0.1:PORT for so many MILLISECONDS, at random times\n"
    "that do not depend on the answers, over CONNECTIONS in turn (default: 8). A request is\n"
    "one line (default: PING, which redis-server answers), and so is its answer. SEED (default:\n"
    "another one each time) makes the times those of the run that printed it, with any number\n"
    "of threads. Prints\n"
    "\n"
    "  requests: N            how many were due\n"
    "  errors: N              without an answer a second after the end\n"
    "  offered: R /s          requests / time\n"
    "  achieved: R /s         answers / time, until the last one came\n"
    "  p50: T ms, p99: T ms, max: T ms\n"
    "                         from when a request was due to its answer\n"
    "  seed: S                of the times\n"
    "  threads: N             that had the connections between them\n"
    "\n"
    "  --threads N  threads, at most one a connection (default: one for each 20000 requests a\n"
    "               second, and no more than there are CPUs and connections)\n"
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
    size_t threads; // that have them between them: of T threads the i-th has i, i + T, i + 2 T ...
    char line[REQUEST_SIZE];
    size_t line_size;
    int64_t *due_ns, *latency_ns; // of each request, the first one from the start
    size_t requests, answers;
    int64_t length_ns; // of the time in which requests are due
    int64_t start_ns;
    pthread_barrier_t start; // behind it start_ns is known
    uint32_t seed;
};

// What one thread does: its connections, and the requests of these.
struct worker {
    struct client *client;
    pthread_t thread;
    size_t first;             // of its connections
    size_t requests, answers; // its own
    size_t next;              // request, among those of all
    int64_t took_ns;          // until its last answer, or until it gave up
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

static void plan(struct client *client, double rate)
{
    const int64_t length_ns = client->length_ns;
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

static void receive(struct worker *worker, struct connection *one)
{
    struct client *client = worker->client;
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
        worker->answers++;
    }
}

static void wait_until(struct worker *worker, int64_t until_ns)
{
    struct client *client = worker->client;
    struct pollfd files[MOST_CONNECTIONS];
    nfds_t count = 0;
    const int64_t left = until_ns - (now_ns() - client->start_ns);
    const struct timespec wait = {left > 0 ? left / NS_PER_S : 0, left > 0 ? left % NS_PER_S : 0};
    for (size_t i = worker->first; i < client->connections; i += client->threads) {
        const struct connection *one = &client->connection[i];
        files[count++] = (struct pollfd){
            .fd = one->fd, .events = (short)(POLLIN | (one->unsent > 0 ? POLLOUT : 0))};
    }
    if (ppoll(files, count, &wait, NULL) <= 0)
        return;
    for (nfds_t i = 0; i < count; i++)
        if ((files[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
            receive(worker, &client->connection[worker->first + i * client->threads]);
}

// Moves on to the next request of the worker's own connections.
static void skip_others(struct worker *worker)
{
    const struct client *client = worker->client;
    while (worker->next < client->requests &&
           worker->next % client->connections % client->threads != worker->first)
        worker->next++;
}

// Gives each request that is due by now to its connection.
static void take_due(struct worker *worker, int64_t now)
{
    struct client *client = worker->client;
    for (skip_others(worker);
         worker->next < client->requests && client->due_ns[worker->next] <= now;
         skip_others(worker)) {
        struct connection *one = &client->connection[worker->next++ % client->connections];
        one->due++;
        one->unsent += client->line_size;
    }
}

// All requests of a worker.
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct client *client = worker->client;
    const int64_t end_ns = client->length_ns + PATIENCE_NS;
    (void)pthread_barrier_wait(&client->start);
    while (worker->answers < worker->requests && worker->took_ns < end_ns) {
        take_due(worker, worker->took_ns);
        for (size_t i = worker->first; i < client->connections; i += client->threads)
            send_due(client, &client->connection[i]);
        wait_until(worker, worker->next < client->requests ? client->due_ns[worker->next] : end_ns);
        worker->took_ns = now_ns() - client->start_ns;
    }
    return NULL;
}

static void begin(struct worker *worker, struct client *client, size_t first)
{
    *worker = (struct worker){.client = client, .first = first};
    for (size_t i = first; i < client->connections; i += client->threads)
        worker->requests += client->connection[i].count;
    const int error = pthread_create(&worker->thread, NULL, work, worker);
    if (error != 0)
        fail(1, "no thread: %s: give fewer --threads", strerror(error));
}

// All requests, by all threads. Returns how long it took until the last answer.
static int64_t run(struct client *client)
{
    struct worker worker[MOST_CONNECTIONS];
    int64_t took_ns = 0;
    const int error = pthread_barrier_init(&client->start, NULL, (unsigned)client->threads + 1);
    if (error != 0)
        fail(1, "no barrier for %zu threads: %s", client->threads, strerror(error));
    for (size_t i = 0; i < client->threads; i++)
        begin(&worker[i], client, i);
    client->start_ns = now_ns();
    (void)pthread_barrier_wait(&client->start);
    for (size_t i = 0; i < client->threads; i++) {
        (void)pthread_join(worker[i].thread, NULL); // of ours, and joined once
        client->answers += worker[i].answers;
        took_ns = worker[i].took_ns > took_ns ? worker[i].took_ns : took_ns;
    }
    (void)pthread_barrier_destroy(&client->start);
    return took_ns;
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

static int report(struct client *client, int64_t took_ns)
{
    const int64_t length_ns = client->length_ns;
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
    printf("seed: %u\nthreads: %zu\n", client->seed, client->threads);
    return written();
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// See --help.
static size_t threads_for(uint64_t rate, size_t connections)
{
    cpu_set_t cpus;
    const int allowed = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return least((rate + RATE_OF_THREAD - 1) / RATE_OF_THREAD,
                 least(connections, allowed > 0 ? (size_t)allowed : 1));
}

int main(int argc, char **argv)
{
    struct client client = {.answers = 0};
    uint64_t threads = 0;
    read_options(
        argc, argv,
        (const struct argument[]){{"--threads", .number = &threads, .high = MOST_CONNECTIONS}, {0}},
        help);
    argc -= optind - 1;
    argv += optind - 1;
    if (argc < 4 || argc > 7)
        fail(2, "give PORT RATE MILLISECONDS [CONNECTIONS [REQUEST [SEED]]]: see --help");
    const uint16_t port = (uint16_t)number("PORT", argv[1], 1, 65535);
    const uint64_t rate = number("RATE", argv[2], 1, 10000000);
    client.length_ns = (int64_t)number("MILLISECONDS", argv[3], 1, 3600000) * 1000000;
    client.connections = argc > 4 ? number("CONNECTIONS", argv[4], 1, MOST_CONNECTIONS) : 8;
    if (threads > client.connections)
        fail(2, "--threads %zu for %zu connections: give at most one a connection", (size_t)threads,
             client.connections);
    client.threads = threads > 0 ? threads : threads_for(rate, client.connections);
    const char *request = argc > 5 ? argv[5] : "PING";
    client.line_size = (size_t)snprintf(client.line, sizeof client.line, "%s\r\n", request);
    if (client.line_size >= sizeof client.line)
        fail(2, "REQUEST is longer than %d characters", REQUEST_SIZE - 3);
    if (argc > 6)
        client.seed = (uint32_t)number("SEED", argv[6], 0, UINT32_MAX);
    else if (getrandom(&client.seed, sizeof client.seed, GRND_NONBLOCK) !=
             (ssize_t)sizeof client.seed)
        client.seed = (uint32_t)now_ns();
    plan(&client, (double)rate);
    for (size_t i = 0; i < client.connections; i++)
        client.connection[i].fd = open_connection(port);
    const int code = report(&client, run(&client));
    for (size_t i = 0; i < client.connections; i++)
        free(client.connection[i].request);
    free(client.latency_ns);
    free(client.due_ns);
    return code;
}
