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

/* Returns the session's peer that a datagram counted for, or NULL. */
static struct net_peer *take(struct net_server *server, const struct mmsghdr *message,
                             const unsigned char *bytes)
{
    const struct net_head head = net_head_read(bytes);
    const uint32_t stream = head.stream & ~NET_HEAD_MARK;
    struct net_peer *peer = message->msg_len < NET_HEAD_BYTES ? NULL : peer_of(server, head.token);
    if (peer == NULL || stream >= peer->streams || head.number >= UINT64_MAX / 2) {
        net_count(&server->counts.rejected, 1);
        return NULL;
    }
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

unsigned net_receive_datagrams(struct net_server *server)
{
    unsigned all = 0;
    struct net_messages *messages = server->messages;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = recvmmsg(server->udp_fd, messages->messages, BATCH, flags, NULL);
        uint64_t taken = 0, bytes = 0;
        if (count <= 0)
            return all; /* errors of a datagram socket are of single datagrams */
        all += (unsigned)count;
        for (int i = 0; i < count; i++) {
            struct net_peer *peer = take(server, &messages->messages[i], messages->heads[i]);
            if (peer == NULL)
                continue;
            net_session_received(peer, messages->messages[i].msg_len);
            bytes += messages->messages[i].msg_len;
            taken++;
        }
        net_count(&server->counts.datagrams, taken);
        net_count(&server->counts.bytes, bytes);
        if (count < BATCH)
            break;
    }
    return all;
}
