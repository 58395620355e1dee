// The datagrams that are received: counted, and judged by their numbers.

#include "net/net.h"

#define BATCH   64 // datagrams of one recvmmsg()
#define ROUNDS  8  // before others have their turn
#define LARGEST 65536

struct net_messages {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
    unsigned char payload[LARGEST]; // of all: never read
};

struct net_messages *net_messages_new(bool discard)
{
    struct net_messages *messages = calloc(1, sizeof *messages);
    if (!messages)
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
    if (server->recent && (uint32_t)server->recent->token == token)
        return server->recent;
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->mode == NET_UDP && (uint32_t)server->peers[i]->token == token)
            return server->recent = server->peers[i];
    return NULL;
}

static void lose(struct net_peer *peer, int64_t more)
{
    peer->values[NET_LOST] += (uint64_t)more;
    net_count(&peer->server->values[NET_LOST], (uint64_t)more);
}

// Loss is a gap in the numbers; one that comes late was no loss after all, but
// is out of order (as iperf3 counts; one that comes twice is taken for that, too).
static void count_number(struct net_peer *peer, uint32_t stream, uint64_t number)
{
    uint64_t *next = &peer->next[stream];
    if (number >= *next) {
        if (number > *next)
            lose(peer, (int64_t)(number - *next));
        *next = number + 1;
        return;
    }
    peer->values[NET_OUT_OF_ORDER]++;
    net_count(&peer->server->values[NET_OUT_OF_ORDER], 1);
    if (peer->values[NET_LOST] > 0)
        lose(peer, -1);
}

// A mark: so many datagrams of a stream have been sent. At a session's own port, where data have no
// numbers, lost is what the marks say of all streams, less what has come.
static void take_mark(struct net_peer *peer, uint32_t stream, uint64_t number)
{
    uint64_t *next = &peer->next[stream];
    int64_t lost = number > *next ? (int64_t)(number - *next) : 0;
    *next += (uint64_t)lost;
    if (peer->port) {
        uint64_t all = 0;
        for (uint32_t i = 0; i < peer->streams; i++)
            all += peer->next[i];
        const uint64_t come = peer->values[NET_DATAGRAMS];
        lost = (int64_t)((all > come ? all - come : 0) - peer->values[NET_LOST]);
    }
    if (lost != 0)
        lose(peer, lost);
    net_peer_changed(peer);
}

// Returns the session's peer that a datagram counted for, or NULL. At a session's own port it is a
// mark, or data of which the length is all that is known.
static struct net_peer *take(struct net_port *port, const struct mmsghdr *message,
                             const unsigned char *bytes)
{
    const struct net_head head = net_head_read(bytes);
    const uint32_t stream = head.stream & ~NET_HEAD_MARK;
    const bool mark = stream != head.stream;
    struct net_peer *peer = port->owner;
    if (peer && message->msg_len == peer->block_bytes) {
        peer->values[NET_DATAGRAMS]++;
        return peer;
    }
    if (!peer && message->msg_len >= NET_HEAD_BYTES)
        peer = peer_of(port->server, head.token);
    if (!peer ||
        (port->owner
             ? message->msg_len != NET_HEAD_BYTES || !mark || head.token != (uint32_t)peer->token
             : peer->port != NULL) ||
        stream >= peer->streams || head.number > NET_LARGEST_NUMBER) {
        net_count(&port->server->rejected, 1);
        return NULL;
    }
    if (mark) {
        take_mark(peer, stream, head.number);
        return NULL;
    }
    count_number(peer, stream, head.number);
    peer->values[NET_DATAGRAMS]++;
    return peer;
}

// Takes what is there, up to a bound. Returns how many came, rejected ones included.
static unsigned receive_datagrams(struct net_port *port)
{
    unsigned all = 0;
    struct net_server *server = port->server;
    struct net_messages *messages = server->messages;
    const int flags = MSG_DONTWAIT | (server->settings->discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = recvmmsg(port->fd, messages->messages, BATCH, flags, NULL);
        uint64_t taken = 0, bytes = 0;
        if (count <= 0)
            return all; // errors of a datagram socket are of single datagrams
        all += (unsigned)count;
        for (int i = 0; i < count; i++) {
            const struct mmsghdr *message = &messages->messages[i];
            struct net_peer *peer = take(port, message, messages->heads[i]);
            if (!peer)
                continue;
            net_peer_received(peer, message->msg_len);
            bytes += message->msg_len;
            taken++;
        }
        net_count(&server->values[NET_DATAGRAMS], taken);
        net_count(&server->values[NET_RECEIVED_BYTES], bytes);
        if (count < BATCH)
            break;
    }
    return all;
}

#define BURST_COUNT  1000
#define BURST_RATE   1e-4 // datagrams a nanosecond
#define FITTING_RATE 2.0  // bytes a nanosecond

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

static void on_datagrams(uv_poll_t *poll, int status, int events)
{
    struct net_port *port = poll->data;
    (void)status;
    (void)events;
    port->burst.count += receive_datagrams(port);
    if (port->burst.count < BURST_COUNT)
        return;
    // Whether they come so fast that a millisecond's is worth waiting for, and not so
    // fast that they would not fit into the socket's buffer.
    const uint64_t bytes = counter_read(&port->server->values[NET_RECEIVED_BYTES]);
    const int64_t at_ns = clock_ns();
    const double passed_ns = (double)(at_ns - port->burst.checked_ns);
    const bool burst = port->burst.count > BURST_RATE * passed_ns &&
                       (double)(bytes - port->burst.checked_bytes) < FITTING_RATE * passed_ns;
    port->burst.count = 0;
    port->burst.checked_ns = at_ns;
    port->burst.checked_bytes = bytes;
    if (!burst)
        return;
    uv_poll_stop(poll);
    uv_update_time(&port->server->loop);
    uv_timer_start(&port->drain, on_drain, 1, 1);
}

#define BUFFER_BYTES (4 << 20) // as much as net.core.rmem_max gives, at most this

int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd)
{
    const int buffer = BUFFER_BYTES;
    *port = (struct net_port){.server = server, .owner = owner, .fd = fd};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    const int error = uv_poll_init(&server->loop, &port->poll, fd);
    if (error != 0)
        return error;
    uv_timer_init(&server->loop, &port->drain); // cannot fail
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
    const int fd = port ? net_address_datagrams(&server->address, 0, &bound) : -1;
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

static void on_port_closed(uv_handle_t *handle)
{
    struct net_port *port = handle->data;
    if (--port->handles == 0)
        free(port);
}

void net_port_disown(struct net_peer *peer)
{
    struct net_port *port = peer->port;
    if (!port)
        return;
    peer->port = NULL;
    uv_close((uv_handle_t *)&port->poll, on_port_closed);
    uv_close((uv_handle_t *)&port->drain, on_port_closed);
    close(port->fd);
}
