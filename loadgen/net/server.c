/* The receiving half: who is let in, and as what. */

#include "net/server.h"

#include "load.h"
#include "net/receive.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGEST_BLOCK  (16u << 20)
#define ACCEPT_AT_ONCE 64
#define PORT_TRIES     16
#define SWEEP_MS       500
#define REST_MS        100       /* from accepting, where descriptors have run out */
#define UDP_BUFFER     (4 << 20) /* as much as net.core.rmem_max gives, at most this */

static void on_readable(uv_poll_t *poll, int status, int events);
static void on_listener(uv_poll_t *poll, int status, int events);

/* ---- connections ---- */

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Forgets a connection, all but its descriptor. */
static void drop(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        server->first = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    else
        server->last = connection->previous;
    server->strangers -= connection->standing == NET_STRANGER;
    server->streams -= connection->standing == NET_DATA;
    uv_close((uv_handle_t *)&connection->poll, on_closed);
}

static void drop_and_close(struct net_connection *connection)
{
    const int fd = connection->fd;
    drop(connection);
    close(fd);
}

static void turn_away(struct net_connection *connection)
{
    atomic_fetch_add_explicit(&connection->server->counts.strangers, 1, memory_order_relaxed);
    drop_and_close(connection);
}

static struct net_connection *oldest_stranger(const struct net_server *server)
{
    struct net_connection *one = server->first;
    while (one != NULL && one->standing != NET_STRANGER)
        one = one->next;
    return one;
}

static void on_sweep(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    const int64_t before_ns = now_ns() - NET_HELLO_NS;
    struct net_connection *one;
    while ((one = oldest_stranger(server)) != NULL && one->since_ns < before_ns)
        turn_away(one);
    if (server->strangers == 0)
        uv_timer_stop(timer);
}

static void welcome(struct net_server *server, int fd)
{
    const int yes = 1;
    struct net_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || uv_poll_init(&server->loop, &connection->poll, fd) != 0) {
        free(connection);
        close(fd);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    connection->server = server;
    connection->previous = server->last;
    connection->standing = NET_STRANGER;
    connection->fd = fd;
    connection->since_ns = now_ns();
    connection->poll.data = connection;
    if (server->last != NULL)
        server->last->next = connection;
    else
        server->first = connection;
    server->last = connection;
    if (server->strangers++ == 0)
        uv_timer_start(&server->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    if (server->strangers > NET_MOST_STRANGERS)
        turn_away(oldest_stranger(server));
    uv_poll_start(&connection->poll, UV_READABLE, on_readable);
}

static void listen_again(struct net_server *server)
{
    if (!server->held && !server->listening)
        uv_poll_start(&server->listener, UV_READABLE, on_listener);
    server->listening = !server->held;
}

static void on_rested(uv_timer_t *timer)
{
    listen_again(timer->data);
}

static void on_listener(uv_poll_t *poll, int status, int events)
{
    struct net_server *server = poll->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        const int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            welcome(server, fd);
            continue;
        }
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return; /* nobody more, or somebody who left again */
        /* Those that wait would wake us for ever. */
        uv_poll_stop(poll);
        server->listening = false;
        uv_timer_start(&server->rest, on_rested, REST_MS, 0);
        return;
    }
}

/* ---- sessions ---- */

static struct net_peer *find_peer(const struct net_server *server, uint64_t token)
{
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->token == token)
            return server->peers[i];
    return NULL;
}

/* Connections that are still open go on to their end by themselves. */
static void end_peer(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    net_echo_stop(peer);
    for (struct net_connection *one = server->first; one != NULL; one = one->next)
        if (one->peer == peer)
            one->peer = NULL;
    if (server->recent == peer)
        server->recent = NULL;
    pthread_mutex_lock(&server->mutex);
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i] == peer)
            server->peers[i] = server->peers[--server->peer_count];
    pthread_mutex_unlock(&server->mutex);
    free(peer->next);
    free(peer);
}

static void add_peer(struct net_server *server, struct net_peer *peer)
{
    pthread_mutex_lock(&server->mutex);
    server->peers[server->peer_count++] = peer;
    pthread_mutex_unlock(&server->mutex);
}

/* Where the peer's datagrams should go: to everybody's port, or for round trips
 * to one of their own. 0: it cannot be had. */
static uint16_t open_datagrams(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    struct net_address own;
    if (peer->mode != NET_UDP_PING)
        return net_address_port(&server->address);
    const int fd = net_address_datagrams(&server->address, 0, &own);
    return fd >= 0 && net_echo_start(peer, fd) == 0 ? net_address_port(&own) : 0;
}

static enum net_status make_peer(struct net_connection *connection, const struct net_message *hello,
                                 uint16_t *port)
{
    struct net_server *server = connection->server;
    struct net_peer *peer;
    if (hello->mode < NET_TCP || hello->mode > NET_UDP_PING || hello->streams == 0 ||
        hello->streams > NET_MOST_STREAMS || hello->block_bytes == 0 ||
        hello->block_bytes > LARGEST_BLOCK || find_peer(server, hello->token) != NULL)
        return NET_WRONG;
    if (server->plan.local && hello->token != server->plan.token)
        return NET_UNKNOWN;
    peer = calloc(1, sizeof *peer);
    if (server->peer_count == NET_MOST_SESSIONS || peer == NULL ||
        (peer->next = calloc(hello->streams, sizeof *peer->next)) == NULL) {
        free(peer);
        return NET_FULL;
    }
    peer->server = server;
    peer->control = connection;
    peer->mode = hello->mode;
    peer->token = hello->token;
    peer->block_bytes = hello->block_bytes;
    peer->streams = hello->streams;
    add_peer(server, peer);
    *port = open_datagrams(peer);
    if (*port == 0) {
        end_peer(peer);
        return NET_FULL;
    }
    connection->peer = peer;
    connection->standing = NET_CONTROL;
    server->strangers--;
    return NET_FINE;
}

static enum net_status join_peer(struct net_connection *connection, const struct net_message *hello)
{
    struct net_server *server = connection->server;
    struct net_peer *peer = find_peer(server, hello->token);
    if (peer == NULL)
        return NET_UNKNOWN;
    if (hello->number >= peer->streams || (peer->mode != NET_TCP && peer->mode != NET_TCP_PING))
        return NET_WRONG;
    if (server->streams >= NET_MOST_STREAMS)
        return NET_FULL;
    connection->peer = peer;
    connection->standing = NET_DATA;
    server->strangers--;
    server->streams++;
    return NET_FINE;
}

static void answer(const struct net_connection *connection, const struct net_message *hello,
                   enum net_status status, uint16_t port)
{
    const struct net_message message = {.kind = NET_ANSWER,
                                        .mode = hello->mode,
                                        .number = status,
                                        .token = hello->token,
                                        .values = {port}};
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(&message, bytes);
    /* A fresh connection has room for it, or is gone, which its end will tell. */
    if (send(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) !=
        (ssize_t)sizeof bytes)
        shutdown(connection->fd, SHUT_RDWR);
}

static void meet(struct net_connection *connection, const struct net_message *hello)
{
    enum net_status status = NET_WRONG;
    uint16_t port = 0;
    if (hello->version == NET_VERSION && hello->kind == NET_SESSION)
        status = make_peer(connection, hello, &port);
    else if (hello->version == NET_VERSION && hello->kind == NET_STREAM)
        status = join_peer(connection, hello);
    answer(connection, hello, status, port);
    connection->used = 0;
    if (status != NET_FINE) {
        turn_away(connection);
    } else if (connection->peer->mode == NET_TCP_PING && connection->standing == NET_DATA) {
        struct net_peer *peer = connection->peer;
        const int fd = connection->fd;
        drop(connection);
        net_echo_start(peer, fd); /* which closes it if it cannot: the peer will see */
    }
}

/* Reads towards a message; 1: it is whole, 0: not yet, -1: end, error, or none of ours. */
static int read_message(struct net_connection *connection, struct net_message *message)
{
    const ssize_t got = recv(connection->fd, connection->message + connection->used,
                             sizeof connection->message - connection->used, MSG_DONTWAIT);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    connection->used += (size_t)got;
    if (net_message_read(connection->message, connection->used, message) != 0)
        return -1;
    return connection->used == sizeof connection->message;
}

/* The end of a session. */
static void part(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    char name[NET_ADDRESS_TEXT];
    if (!connection->polite && !server->plan.local)
        run_warn(server->run, "the peer %s went away without a good-bye: see what it says",
                 net_address_peer(connection->fd, name, sizeof name));
    if (connection->peer != NULL)
        end_peer(connection->peer);
    drop_and_close(connection);
}

static void hear(struct net_connection *connection)
{
    struct net_message message = {0};
    const int whole = read_message(connection, &message);
    if (whole < 0 && connection->standing == NET_STRANGER) {
        turn_away(connection);
    } else if (whole < 0) {
        part(connection);
    } else if (whole > 0 && connection->standing == NET_STRANGER) {
        meet(connection, &message);
    } else if (whole > 0) {
        connection->polite = connection->polite || message.kind == NET_BYE;
        connection->used = 0;
    }
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct net_connection *connection = poll->data;
    (void)status; /* an error is found by reading, too */
    (void)events;
    if (connection->standing != NET_DATA)
        hear(connection);
    else if (!net_receive_bytes(connection))
        drop_and_close(connection);
}

/* ---- running ---- */

static void on_wake(uv_async_t *wake)
{
    struct net_server *server = wake->data;
    if (atomic_load(&server->quit))
        uv_stop(&server->loop);
}

/* Reads nothing, so that senders come to a stop; or goes on. */
static void hold(struct net_server *server, bool held)
{
    net_echo_hold(server, held);
    if (!held) {
        listen_again(server);
        uv_poll_start(&server->datagrams, UV_READABLE, net_patience_datagrams);
        uv_timer_start(&server->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    } else {
        uv_poll_stop(&server->listener);
        server->listening = false;
        uv_poll_stop(&server->datagrams);
        uv_timer_stop(&server->sweep);
        uv_timer_stop(&server->rest);
        uv_timer_stop(&server->report);
        net_patience_end(server);
        server->reporting = false;
    }
    for (struct net_connection *one = server->first; one != NULL; one = one->next) {
        if (held)
            uv_poll_stop(&one->poll);
        else
            uv_poll_start(&one->poll, UV_READABLE, on_readable);
        one->since_ns = held ? one->since_ns : now_ns(); /* a stranger's time is not ours */
    }
    for (unsigned i = 0; i < server->peer_count; i++)
        server->peers[i]->changed = false;
}

void net_server_run(struct net_server *server, struct worker *worker)
{
    hold(server, false);
    while (worker_running(worker))
        uv_run(&server->loop, UV_RUN_ONCE);
    hold(server, true);
}

static void *server_main(void *argument)
{
    struct net_server *server = argument;
    pthread_setname_np(pthread_self(), "net/receive");
    if (cpus_pin_list(&server->run->cpus) != 0)
        run_warn(server->run, "the receiver cannot be kept to the CPUs asked for: %s",
                 strerror(errno));
    hold(server, false);
    while (!atomic_load(&server->quit))
        uv_run(&server->loop, UV_RUN_DEFAULT);
    return NULL;
}

int net_server_start(struct net_server *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&server->thread, NULL, server_main, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    server->threaded = error == 0;
    if (error == 0)
        pthread_getcpuclockid(server->thread, &server->cpu_clock);
    return error;
}

void net_server_wake(struct net_server *server)
{
    uv_async_send(&server->wake);
}

/* ---- opening and closing ---- */

/* TCP and UDP share a port; where any will do, one that both can have. */
static int open_sockets(struct net_server *server, char *error, size_t size)
{
    struct net_address bound;
    const int buffer = UDP_BUFFER;
    for (int i = 0; i < PORT_TRIES; i++) {
        server->listen_fd = net_address_listen(server->plan.address, &server->address, error, size);
        if (server->listen_fd < 0)
            return -1;
        server->udp_fd =
            net_address_datagrams(&server->address, net_address_port(&server->address), &bound);
        if (server->udp_fd >= 0)
            break;
        snprintf(error, size,
                 "cannot listen at %.200s: its UDP port: %s: give another port, or end what holds "
                 "it",
                 server->plan.address, strerror(errno));
        close(server->listen_fd);
        server->listen_fd = -1;
    }
    if (server->udp_fd < 0)
        return -1;
    setsockopt(server->udp_fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    return 0;
}

static int open_handles(struct net_server *server)
{
    uv_timer_t *timers[] = {&server->sweep, &server->report, &server->rest, &server->flush,
                            &server->drain};
    int error = uv_loop_init(&server->loop);
    if (error != 0)
        return error;
    server->started = true;
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&server->loop, timers[i]);
        timers[i]->data = server;
    }
    error = uv_async_init(&server->loop, &server->wake, on_wake);
    if (error == 0)
        error = uv_poll_init(&server->loop, &server->listener, server->listen_fd);
    if (error == 0)
        error = uv_poll_init(&server->loop, &server->datagrams, server->udp_fd);
    server->wake.data = server->listener.data = server->datagrams.data = server;
    return error;
}

struct net_server *net_server_open(struct run *run, const struct net_server_plan *plan, char *error,
                                   size_t size)
{
    struct net_server *server = aligned_alloc(64, (sizeof *server + 63) / 64 * 64);
    if (server == NULL) {
        snprintf(error, size, "out of memory: free some");
        return NULL;
    }
    memset(server, 0, sizeof *server);
    server->run = run;
    server->plan = *plan;
    server->listen_fd = server->udp_fd = -1;
    server->held = true;
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->released, NULL);
    server->batch = net_batch_new(plan->discard);
    server->buffer = malloc(NET_BUFFER_BYTES);
    int failed = server->batch == NULL || server->buffer == NULL ? UV_ENOMEM : 0;
    if (failed == 0 && open_sockets(server, error, size) != 0) {
        net_server_close(server);
        return NULL;
    }
    if (failed == 0)
        failed = open_handles(server);
    if (failed != 0) {
        snprintf(error, size, "cannot make a receiver: %s", uv_strerror(failed));
        net_server_close(server);
        return NULL;
    }
    return server;
}

static void close_one(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void net_server_close(struct net_server *server)
{
    if (server == NULL)
        return;
    if (server->threaded) {
        atomic_store(&server->quit, true);
        uv_async_send(&server->wake);
        pthread_join(server->thread, NULL);
    }
    while (server->peer_count > 0)
        end_peer(server->peers[0]);
    while (server->first != NULL)
        drop_and_close(server->first);
    if (server->started) {
        uv_walk(&server->loop, close_one, NULL);
        while (uv_run(&server->loop, UV_RUN_DEFAULT) != 0)
            continue;
        uv_loop_close(&server->loop);
    }
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    if (server->udp_fd >= 0)
        close(server->udp_fd);
    pthread_cond_destroy(&server->released);
    pthread_mutex_destroy(&server->mutex);
    free(server->batch);
    free(server->buffer);
    free(server);
}

void net_server_count(struct net_server *server, struct net_counts *counts)
{
    struct timespec used = {0};
    if (server->threaded)
        clock_gettime(server->cpu_clock, &used);
    *counts = (struct net_counts){
        .received_bytes = atomic_load_explicit(&server->counts.bytes, memory_order_relaxed),
        .datagrams = atomic_load_explicit(&server->counts.datagrams, memory_order_relaxed),
        .lost = atomic_load_explicit(&server->counts.lost, memory_order_relaxed),
        .out_of_order = atomic_load_explicit(&server->counts.out_of_order, memory_order_relaxed),
        .strangers = atomic_load_explicit(&server->counts.strangers, memory_order_relaxed),
        .echo_cpu_ns = net_echo_cpu_ns(server),
        .thread_cpu_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec};
}

const struct net_address *net_server_address(const struct net_server *server)
{
    return &server->address;
}
