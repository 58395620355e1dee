// The sending of numbered datagrams, many at a time: without a limit, or at a rate.

#include "net/net.h"

#define BATCH 64 // datagrams that are sent at a time

struct batch {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
};

#define BATCH_TURNS    16 // batches before it reads the clock
#define SETTLE_NS      500000000
#define SETTLE_STEP_NS 2000000

int net_datagram_open(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    struct net_worker *own = worker->state;
    struct batch *batch = own->batch = calloc(1, sizeof *batch);
    if (!batch)
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

// Returns how many of at most BATCH got through; none: the socket is full.
static unsigned send_batch(struct net_stream *stream, unsigned count)
{
    struct worker *worker = stream->worker;
    struct net_worker *own = worker->state;
    struct batch *batch = own->batch;
    const struct net_state *state = net_state_of(worker->run);
    struct net_head head = {.token = (uint32_t)stream->session->token, .stream = stream->number};
    for (unsigned i = 0; i < count && !net_is_short(state); i++) {
        head.number = stream->next + i;
        net_head_write(&head, batch->heads[i]);
    }
    const int sent = sendmmsg(stream->fd, batch->messages, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EMSGSIZE) {
        own->failed = true;
        worker_fail(
            worker,
            "a datagram of %zu bytes is too long for the network: give a smaller --block-size",
            state->block_bytes);
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS) {
        net_worker_gone(worker, stream->session, errno);
    }
    if (sent < 0)
        return 0;
    const double bytes = sent * (double)state->block_bytes;
    stream->next += (unsigned)sent;
    counter_add(&stream->sent_bytes, (uint64_t)bytes);
    worker_count(worker, bytes, (uint64_t)sent, 0, 0);
    return (unsigned)sent;
}

// A network card's queue is full: there is no event for when it has room again.
static void rest(struct worker *worker)
{
    worker_sleep_until(worker, clock_ns() + NET_STEP_NS / 8);
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
    int64_t at_ns, next_ns; // when more will be due, or now
    unsigned count;
    do {
        uint64_t late = 0;
        at_ns = next_ns = clock_ns();
        for (count = 0; count < BATCH && worker_take_due(worker, at_ns, &next_ns); count++) {
            late += at_ns - next_ns > PACER_LATE_NS;
            next_ns = at_ns;
        }
        if (late > 0)
            worker_count(worker, 0, 0, late, 0);
        if (count > 0)
            send_all(worker, own->streams[own->next++ % own->count], count);
    } while (count == BATCH && !own->failed && worker_running(worker));
    if (!own->failed)
        worker_sleep_until(worker, net_worker_step(at_ns, next_ns));
}

// Tells the receiver how many there were, so that what is lost at the end counts.
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
            return; // it is sent again
    }
}

static bool accounted(struct worker *worker)
{
    const struct net_worker *own = worker->state;
    const struct net_state *state = net_state_of(worker->run);
    struct net_session *session = own->streams[0]->session;
    uint64_t sent = 0;
    if (!session->server && worker->index == 0 && net_worker_hear(worker, session) != 0)
        return true; // the peer is gone
    for (unsigned i = 0; i < state->stream_count; i++)
        if (state->streams[i].session == session)
            sent += state->streams[i].next;
    return (int64_t)(counter_read(&session->values[NET_DATAGRAMS]) +
                     counter_read(&session->values[NET_LOST])) >= (int64_t)sent;
}

void net_datagram_work(struct worker *worker)
{
    struct net_worker *own = worker->state;
    net_worker_begin(worker);
    while (worker_running(worker) && !own->failed) {
        const bool paced = isfinite(worker->orders.rate);
        if (paced)
            send_paced(worker);
        for (int turn = 0; !paced && turn < BATCH_TURNS && worker_running(worker) && !own->failed;
             turn++)
            if (send_batch(own->streams[own->next++ % own->count], BATCH) == 0 && !own->failed)
                rest(worker);
        const int64_t at_ns = clock_ns();
        net_worker_fine(worker, at_ns);
        // Datagrams without a number are only known to be lost by the marks.
        if (!net_is_short(net_state_of(worker->run)) || at_ns - own->marked_ns < NET_CHECK_NS)
            continue;
        own->marked_ns = at_ns;
        send_marks(own);
    }
    const int64_t until_ns = clock_ns() + SETTLE_NS;
    do
        send_marks(own);
    while (!own->failed && clock_ns() < until_ns &&
           !worker_sleep_until(worker, clock_ns() + SETTLE_STEP_NS) && !accounted(worker));
}
