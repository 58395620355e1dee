#include "net/receive-datagrams.h"

#include "net/session.h"

#include <stdlib.h>
#include <string.h>

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
    net_session_changed(peer);
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
        net_session_changed(peer);
        return NULL;
    }
    count_number(peer, stream, head.number);
    peer->datagrams++;
    return peer;
}

unsigned net_receive_datagrams(struct net_port *port)
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
            net_session_received(peer, message->msg_len);
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
