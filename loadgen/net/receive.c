/* Counting what comes in. */

#include "net/receive.h"

#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH   64 /* datagrams of one recvmmsg() */
#define ROUNDS  8  /* before others have their turn */
#define LARGEST 65536

struct net_batch {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
    unsigned char payload[LARGEST]; /* of all: nobody reads it */
};

static void add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static void send_report(struct net_peer *peer)
{
    const struct net_message report = {.kind = NET_REPORT,
                                       .mode = peer->mode,
                                       .token = peer->token,
                                       .values = {[NET_RECEIVED_BYTES] = peer->received_bytes,
                                                  [NET_DATAGRAMS] = peer->datagrams,
                                                  [NET_LOST] = peer->lost,
                                                  [NET_OUT_OF_ORDER] = peer->out_of_order}};
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(&report, bytes);
    const ssize_t sent = send(peer->control->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == (ssize_t)sizeof bytes)
        peer->changed = false;
    else if (sent > 0) /* who has not read its reports for so long has lost the thread */
        shutdown(peer->control->fd, SHUT_RDWR);
}

static void on_report(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (unsigned i = 0; i < server->peer_count; i++) {
        any = any || server->peers[i]->changed;
        if (server->peers[i]->changed)
            send_report(server->peers[i]);
    }
    server->reporting = any;
    if (!any)
        uv_timer_stop(timer);
}

/* Reports go out as long as anything comes in. */
static void note(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    peer->changed = true;
    if (server->reporting || server->plan.local)
        return;
    server->reporting = true;
    uv_timer_start(&server->report, on_report, NET_REPORT_MS, NET_REPORT_MS);
}

void net_received(struct net_peer *peer, uint64_t bytes)
{
    add(&peer->server->counts.bytes, bytes);
    peer->received_bytes += bytes;
    if (!peer->changed)
        note(peer);
}

bool net_receive_bytes(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const ssize_t got = recv(connection->fd, server->buffer, NET_BUFFER_BYTES, flags);
        if (got == 0)
            return false;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (connection->peer != NULL)
            net_received(connection->peer, (uint64_t)got);
        else
            add(&server->counts.bytes, (uint64_t)got);
        net_patience_note(connection, (size_t)got);
        if ((size_t)got < NET_BUFFER_BYTES)
            return true; /* that was all, most likely */
    }
    return true;
}

/* ---- datagrams ---- */

struct net_batch *net_batch_new(bool discard)
{
    struct net_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    for (int i = 0; i < BATCH; i++) {
        batch->parts[i][0] = (struct iovec){batch->heads[i], NET_HEAD_BYTES};
        batch->parts[i][1] = (struct iovec){batch->payload, LARGEST};
        batch->messages[i].msg_hdr.msg_iov = batch->parts[i];
        batch->messages[i].msg_hdr.msg_iovlen = discard ? 1 : 2;
    }
    return batch;
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
    add(&peer->server->counts.out_of_order, 1);
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
        add(&server->counts.strangers, 1);
        return NULL;
    }
    if (head.stream & NET_HEAD_MARK) {
        if (head.number > peer->next[stream]) {
            lose(peer, (int64_t)(head.number - peer->next[stream]));
            peer->next[stream] = head.number;
        }
        note(peer);
        return NULL;
    }
    count_number(peer, stream, head.number);
    peer->datagrams++;
    return peer;
}

unsigned net_receive_datagrams(struct net_server *server)
{
    unsigned all = 0;
    struct net_batch *batch = server->batch;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = recvmmsg(server->udp_fd, batch->messages, BATCH, flags, NULL);
        uint64_t taken = 0, bytes = 0;
        if (count <= 0)
            return all; /* errors of a datagram socket are of single datagrams */
        all += (unsigned)count;
        for (int i = 0; i < count; i++) {
            struct net_peer *peer = take(server, &batch->messages[i], batch->heads[i]);
            if (peer == NULL)
                continue;
            peer->received_bytes += batch->messages[i].msg_len;
            if (!peer->changed)
                note(peer);
            bytes += batch->messages[i].msg_len;
            taken++;
        }
        add(&server->counts.datagrams, taken);
        add(&server->counts.bytes, bytes);
        if (count < BATCH)
            break;
    }
    return all;
}
