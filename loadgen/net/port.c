#include "net/receive.h"

#include "load.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- datagrams: counted, and judged by their numbers ---- */

#define BATCH   64 /* datagrams of one recvmmsg() */
#define ROUNDS  8  /* before others have their turn */
#define LARGEST 65536

struct net_messages {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
    unsigned char payload[LARGEST]; /* of all: never read */
};

struct net_messages *net_messages_new(bool discard)
{
    struct net_messages *messages = calloc(1, sizeof *messages);
    if (messages == NULL)
        return NULL;
    for (int i = 0; i < BATCH; i++) {
        messages->parts[i][0] = (struct iovec){messages->heads[i], NET_HEAD_BYTES};
        messages->parts[i][1] = (struct iovec){messages->payload, LARGEST};
        messages->messages[i].msg_hdr.msg_iov = messages->parts[i];
        messages->messages[i].msg_hdr.msg_iovlen = discard ? 1 : 2;
    }
    return messages;
}

static struct net_peer *peer_of(struct net_server *server, uint32_t token)
{
    if (server->recent != NULL && (uint32_t)server->recent->token == token)
        return server->recent;
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->mode == NET_UDP && (uint32_t)server->peers[i]->token == token)
            return server->recent = server->peers[i];
    return NULL;
}

static void lose(struct net_peer *peer, int64_t more)
{
    peer->lost = (uint64_t)((int64_t)peer->lost + more);
    atomic_fetch_add_explicit(&peer->server->counts.lost, more, memory_order_relaxed);
}

/* Loss is a gap in the numbers; one that comes late was no loss after all, but
 * is out of order (as iperf3 counts; one that comes twice is taken for that, too). */
static void count_number(struct net_peer *peer, uint32_t stream, uint64_t number)
{
    uint64_t *next = &peer->next[stream];
    if (number >= *next) {
        if (number > *next)
            lose(peer, (int64_t)(number - *next));
        *next = number + 1;
        return;
    }
    peer->out_of_order++;
    net_count(&peer->server->counts.out_of_order, 1);
    if (peer->lost > 0)
        lose(peer, -1);
}

static struct net_peer *reject(struct net_server *server)
{
    net_count(&server->counts.rejected, 1);
    return NULL;
}

/* Lost is what the marks say was sent, less what has come. */
static void count_short(struct net_peer *peer, uint32_t stream, uint64_t sent)
{
    uint64_t all = 0;
    if (sent > peer->next[stream])
        peer->next[stream] = sent;
    for (uint32_t i = 0; i < peer->streams; i++)
        all += peer->next[i];
    const uint64_t lost = all > peer->datagrams ? all - peer->datagrams : 0;
    if (lost != peer->lost)
        lose(peer, (int64_t)(lost - peer->lost));
    net_peer_changed(peer);
}

/* A datagram at a session's own port: a mark, or data of which the length is all that is known.
 * Returns as take(). */
static struct net_peer *take_short(struct net_port *port, const struct mmsghdr *message,
                                   const unsigned char *bytes)
{
    struct net_peer *peer = port->owner;
    if (message->msg_len == peer->block_bytes) {
        peer->datagrams++;
        return peer;
    }
    if (message->msg_len != NET_HEAD_BYTES)
        return reject(port->server);
    const struct net_head head = net_head_read(bytes);
    const uint32_t stream = head.stream & ~NET_HEAD_MARK;
    if (head.token != (uint32_t)peer->token || stream == head.stream || stream >= peer->streams ||
        head.number > NET_LARGEST_NUMBER)
        return reject(port->server);
    count_short(peer, stream, head.number);
    return NULL;
}

/* Returns the session's peer that a datagram counted for, or NULL. */
static struct net_peer *take(struct net_server *server, const struct mmsghdr *message,
                             const unsigned char *bytes)
{
    const struct net_head head = net_head_read(bytes);
    const uint32_t stream = head.stream & ~NET_HEAD_MARK;
    struct net_peer *peer = message->msg_len < NET_HEAD_BYTES ? NULL : peer_of(server, head.token);
    if (peer == NULL || peer->port != NULL || stream >= peer->streams ||
        head.number > NET_LARGEST_NUMBER)
        return reject(server);
    if (head.stream & NET_HEAD_MARK) {
        if (head.number > peer->next[stream]) {
            lose(peer, (int64_t)(head.number - peer->next[stream]));
            peer->next[stream] = head.number;
        }
        net_peer_changed(peer);
        return NULL;
    }
    count_number(peer, stream, head.number);
    peer->datagrams++;
    return peer;
}

/* Takes what is there, up to a bound. Returns how many came, rejected ones included. */
static unsigned receive_datagrams(struct net_port *port)
{
    unsigned all = 0;
    struct net_server *server = port->server;
    struct net_messages *messages = server->messages;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = recvmmsg(port->fd, messages->messages, BATCH, flags, NULL);
        uint64_t taken = 0, bytes = 0;
        if (count <= 0)
            return all; /* errors of a datagram socket are of single datagrams */
        all += (unsigned)count;
        for (int i = 0; i < count; i++) {
            const struct mmsghdr *message = &messages->messages[i];
            struct net_peer *peer = port->owner != NULL
                                        ? take_short(port, message, messages->heads[i])
                                        : take(server, message, messages->heads[i]);
            if (peer == NULL)
                continue;
            net_peer_received(peer, message->msg_len);
            bytes += message->msg_len;
            taken++;
        }
        net_count(&server->counts.datagrams, taken);
        net_count(&server->counts.bytes, bytes);
        if (count < BATCH)
            break;
    }
    return all;
}

/* ---- batches ---- */

#define BATCH_RATE   0.5        /* bytes a nanosecond */
#define CHECK_BYTES  (8u << 20) /* between two readings of the clock */
#define BURST_COUNT  1000
#define BURST_RATE   1e-4 /* datagrams a nanosecond */
#define FITTING_RATE 2.0  /* bytes a nanosecond */
#define FLUSH_MS     5
#define SLOW_BYTES   1250000    /* in FLUSH_MS: half the rate that it began at */
#define AGAIN_NS     1000000000 /* not sooner: it would stall a sender with small buffers */

static void set(struct net_connection *connection, bool on)
{
    const int bytes = on ? NET_BUFFER_BYTES : 1;
    /* A mark below what has already arrived takes effect at once. */
    if (setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0)
        connection->batch.on = on;
}

static void on_flush(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (struct net_connection *one = server->connections; one != NULL; one = one->next) {
        if (!one->batch.on)
            continue;
        if (one->batch.bytes - one->batch.flushed_bytes < SLOW_BYTES) {
            set(one, false);
            one->batch.not_before_ns = now_ns() + AGAIN_NS;
        }
        one->batch.flushed_bytes = one->batch.bytes;
        any = any || one->batch.on;
    }
    if (!any)
        uv_timer_stop(timer);
}

void net_batch_received(struct net_connection *connection, size_t bytes)
{
    struct net_server *server = connection->server;
    connection->batch.bytes += bytes;
    if (connection->batch.on ||
        connection->batch.bytes - connection->batch.checked_bytes < CHECK_BYTES)
        return;
    const int64_t at_ns = now_ns();
    const double passed_ns = (double)(at_ns - connection->batch.checked_ns);
    const double more = (double)(connection->batch.bytes - connection->batch.checked_bytes);
    connection->batch.checked_ns = at_ns;
    connection->batch.checked_bytes = connection->batch.bytes;
    if (more < BATCH_RATE * passed_ns || at_ns < connection->batch.not_before_ns)
        return;
    set(connection, true);
    connection->batch.flushed_bytes = connection->batch.bytes;
    if (!uv_is_active((uv_handle_t *)&server->flush)) {
        uv_update_time(&server->loop);
        uv_timer_start(&server->flush, on_flush, FLUSH_MS, FLUSH_MS);
    }
}

static void on_datagrams(uv_poll_t *poll, int status, int events);

static void on_drain(uv_timer_t *timer)
{
    struct net_port *port = timer->data;
    if (receive_datagrams(port) > 0)
        return;
    uv_timer_stop(timer);
    port->burst.count = 0;
    uv_poll_start(&port->poll, UV_READABLE, on_datagrams);
}

/* Whether they come so fast that a millisecond's is worth waiting for, and not so
 * fast that they would not fit into the socket's buffer. */
static bool is_burst(struct net_port *port)
{
    const uint64_t bytes = atomic_load_explicit(&port->server->counts.bytes, memory_order_relaxed);
    const int64_t at_ns = now_ns();
    const double passed_ns = (double)(at_ns - port->burst.checked_ns);
    const bool burst = port->burst.count > BURST_RATE * passed_ns &&
                       (double)(bytes - port->burst.checked_bytes) < FITTING_RATE * passed_ns;
    port->burst.count = 0;
    port->burst.checked_ns = at_ns;
    port->burst.checked_bytes = bytes;
    return burst;
}

static void on_datagrams(uv_poll_t *poll, int status, int events)
{
    struct net_port *port = poll->data;
    (void)status;
    (void)events;
    port->burst.count += receive_datagrams(port);
    if (port->burst.count < BURST_COUNT || !is_burst(port))
        return;
    uv_poll_stop(poll);
    uv_update_time(&port->server->loop);
    uv_timer_start(&port->drain, on_drain, 1, 1);
}

void net_batch_end(struct net_server *server)
{
    uv_timer_stop(&server->flush);
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (one->batch.on)
            set(one, false);
}

/* ---- sockets ---- */

#define BUFFER_BYTES (4 << 20) /* as much as net.core.rmem_max gives, at most this */

int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd)
{
    const int buffer = BUFFER_BYTES;
    *port = (struct net_port){.server = server, .owner = owner, .fd = fd};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    const int error = uv_poll_init(&server->loop, &port->poll, fd);
    if (error != 0)
        return error;
    uv_timer_init(&server->loop, &port->drain); /* cannot fail */
    port->poll.data = port->drain.data = port;
    port->handles = 2;
    return 0;
}

void net_port_hold(struct net_port *port, bool held)
{
    uv_timer_stop(&port->drain);
    if (held)
        uv_poll_stop(&port->poll);
    else
        uv_poll_start(&port->poll, UV_READABLE, on_datagrams);
}

uint16_t net_port_own(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    struct net_address bound;
    struct net_port *port = malloc(sizeof *port);
    const int fd = port == NULL ? -1 : net_address_datagrams(&server->address, 0, &bound);
    if (fd < 0 || net_port_open(port, server, peer, fd) != 0) {
        if (fd >= 0)
            close(fd);
        free(port);
        return 0;
    }
    peer->port = port;
    net_port_hold(port, false);
    return net_address_port(&bound);
}

static void on_closed(uv_handle_t *handle)
{
    struct net_port *port = handle->data;
    if (--port->handles == 0)
        free(port);
}

void net_port_disown(struct net_peer *peer)
{
    struct net_port *port = peer->port;
    if (port == NULL)
        return;
    peer->port = NULL;
    uv_close((uv_handle_t *)&port->poll, on_closed);
    uv_close((uv_handle_t *)&port->drain, on_closed);
    close(port->fd);
}
