#include "net/datagram.h"

#include "net/worker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BATCH         64
#define TURNS         16 /* batches before it reads the clock */
#define DRAIN_NS      500000000
#define DRAIN_STEP_NS 2000000

struct batch {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
};

int net_datagram_open(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    struct net_worker *own = worker->state;
    struct batch *batch = calloc(1, sizeof *batch);
    own->batch = batch;
    if (batch == NULL)
        return worker_fail(worker, "out of memory: free some");
    for (int i = 0; i < BATCH; i++) {
        batch->parts[i][0] = (struct iovec){batch->heads[i], NET_HEAD_BYTES};
        if (state->block_bytes <= NET_HEAD_BYTES)
            batch->parts[i][0].iov_len = state->block_bytes;
        else
            batch->parts[i][1] = (struct iovec){state->block, state->block_bytes - NET_HEAD_BYTES};
        batch->messages[i].msg_hdr.msg_iov = batch->parts[i];
        batch->messages[i].msg_hdr.msg_iovlen = state->block_bytes > NET_HEAD_BYTES ? 2 : 1;
    }
    return 0;
}

static void fail(struct net_stream *stream, int error)
{
    struct worker *worker = stream->worker;
    if (error != EMSGSIZE) {
        net_worker_gone(worker, stream->session, error);
        return;
    }
    ((struct net_worker *)worker->state)->failed = true;
    worker_fail(worker,
                "a datagram of %zu bytes is too long for the network: give a smaller --block-size",
                net_state_of(worker->run)->block_bytes);
}

static void write_heads(const struct net_stream *stream, struct batch *batch, unsigned count)
{
    struct net_head head = {.token = (uint32_t)stream->session->token, .stream = stream->number};
    for (unsigned i = 0; i < count; i++) {
        head.number = stream->next + i;
        net_head_write(&head, batch->heads[i]);
    }
}

/* Returns how many of at most BATCH got through; none: the socket is full. */
static unsigned send_batch(struct net_stream *stream, unsigned count)
{
    struct worker *worker = stream->worker;
    struct net_worker *own = worker->state;
    struct batch *batch = own->batch;
    if (!net_is_short(net_state_of(worker->run)))
        write_heads(stream, batch, count);
    const int sent = sendmmsg(stream->fd, batch->messages, count, MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
            fail(stream, errno);
        return 0;
    }
    const double bytes = sent * (double)net_state_of(worker->run)->block_bytes;
    stream->next += (unsigned)sent;
    counter_add(&stream->sent_bytes, (uint64_t)bytes);
    worker_count(worker, bytes, (uint64_t)sent, 0, 0);
    return (unsigned)sent;
}

/* A network card's queue is full: there is no event for when it has room again. */
static void rest(struct worker *worker)
{
    worker_sleep_until(worker, now_ns() + NET_STEP_NS / 8);
}

static void send_freely(struct worker *worker)
{
    struct net_worker *own = worker->state;
    for (int turn = 0; turn < TURNS && worker_running(worker) && !own->failed; turn++)
        if (send_batch(own->streams[own->next++ % own->count], BATCH) == 0 && !own->failed)
            rest(worker);
}

/* ---- at a rate ---- */

/* Takes what is due, as far as one batch goes; *due_ns: when more will be, or at_ns. */
static unsigned take_due(struct worker *worker, int64_t at_ns, int64_t *due_ns)
{
    unsigned count = 0;
    uint64_t late = 0;
    *due_ns = at_ns;
    while (count < BATCH && worker_take_due(worker, at_ns, due_ns)) {
        late += at_ns - *due_ns > PACER_LATE_NS;
        *due_ns = at_ns;
        count++;
    }
    if (late > 0)
        worker_count(worker, 0, 0, late, 0);
    return count;
}

static void send_all(struct worker *worker, struct net_stream *stream, unsigned count)
{
    const struct net_worker *own = worker->state;
    while (count > 0 && !own->failed && worker_running(worker)) {
        const unsigned sent = send_batch(stream, count);
        count -= sent;
        if (sent == 0 && !own->failed)
            rest(worker);
    }
}

static void send_paced(struct worker *worker)
{
    struct net_worker *own = worker->state;
    int64_t at_ns, next_ns;
    unsigned count;
    do {
        at_ns = now_ns();
        count = take_due(worker, at_ns, &next_ns);
        if (count > 0)
            send_all(worker, own->streams[own->next++ % own->count], count);
    } while (count == BATCH && !own->failed && worker_running(worker));
    if (!own->failed)
        worker_sleep_until(worker, net_worker_step(at_ns, next_ns));
}

/* ---- marks ---- */

/* Tells the receiver how many there were, so that what is lost at the end counts. */
static void send_marks(const struct net_worker *own)
{
    unsigned char bytes[NET_HEAD_BYTES];
    for (unsigned i = 0; i < own->count; i++) {
        const struct net_stream *stream = own->streams[i];
        const struct net_head mark = {.token = (uint32_t)stream->session->token,
                                      .stream = stream->number | NET_HEAD_MARK,
                                      .number = stream->next};
        net_head_write(&mark, bytes);
        if (send(stream->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return; /* it is sent again */
    }
}

/* Datagrams without a number are only known to be lost by the marks. */
static void mark_short(struct worker *worker, int64_t at_ns)
{
    struct net_worker *own = worker->state;
    if (!net_is_short(net_state_of(worker->run)) || at_ns - own->marked_ns < NET_CHECK_NS)
        return;
    own->marked_ns = at_ns;
    send_marks(own);
}

/* ---- the end ---- */

static bool accounted(struct worker *worker)
{
    const struct net_worker *own = worker->state;
    const struct net_state *state = net_state_of(worker->run);
    struct net_session *session = own->streams[0]->session;
    struct net_counts counts;
    uint64_t sent = 0;
    if (session->server == NULL && worker->index == 0 && net_worker_hear(worker, session) != 0)
        return true; /* the peer is gone */
    for (unsigned i = 0; i < state->stream_count; i++)
        if (state->streams[i].session == session)
            sent += state->streams[i].next;
    net_worker_counts(session, &counts);
    return (int64_t)counts.datagrams + counts.lost >= (int64_t)sent;
}

static void settle(struct worker *worker)
{
    const struct net_worker *own = worker->state;
    const int64_t until_ns = now_ns() + DRAIN_NS;
    do
        send_marks(own);
    while (!own->failed && now_ns() < until_ns &&
           !worker_sleep_until(worker, now_ns() + DRAIN_STEP_NS) && !accounted(worker));
}

void net_datagram_work(struct worker *worker)
{
    struct net_worker *own = worker->state;
    net_worker_begin(worker);
    while (worker_running(worker) && !own->failed) {
        if (isfinite(worker->orders.rate))
            send_paced(worker);
        else
            send_freely(worker);
        const int64_t at_ns = now_ns();
        net_worker_fine(worker, at_ns);
        mark_short(worker, at_ns);
    }
    settle(worker);
}
