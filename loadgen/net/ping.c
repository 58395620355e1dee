// Requests and responses: the round trips of --ping, one at a time in each stream.

#include "net/net.h"

#define LOST_NS 1000000000 // a datagram without an answer for so long is lost

// True if the call should be made once more: after a wait of a tenth of a second without anything.
static bool again(struct net_stream *stream, ssize_t result, int64_t since_ns)
{
    struct worker *worker = stream->worker;
    const int64_t at_ns = clock_ns();
    if (result >= 0 || (errno != EAGAIN && errno != EINTR)) {
        net_worker_gone(worker, stream->session, result == 0 ? 0 : errno);
        return false;
    }
    if (!net_worker_fine(worker, at_ns))
        return false;
    if (at_ns - since_ns > settings_of(worker->run)->timeout_ns) {
        net_worker_silent(worker, "not answered");
        return false;
    }
    return worker_running(worker);
}

static bool read_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    while (stream->owed > 0) {
        const ssize_t got =
            recv(stream->fd, block, stream->owed < length ? stream->owed : length, 0);
        if (got > 0)
            stream->owed -= (size_t)got;
        else if (!again(stream, got, since_ns))
            return false;
    }
    return true;
}

static bool write_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    while (stream->offset > 0) {
        const ssize_t sent = send(stream->fd, block, stream->offset, MSG_NOSIGNAL);
        if (sent > 0)
            stream->offset -= (size_t)sent;
        else if (!again(stream, sent, since_ns))
            return false;
    }
    stream->owed = length; // to be read
    return true;
}

// Numbers a request: in its head, or in as many low bytes as there are.
static void write_number(const struct net_stream *stream, unsigned char *block)
{
    const struct net_state *state = net_state_of(stream->worker->run);
    const struct net_head head = {.token = (uint32_t)stream->session->token,
                                  .stream = stream->number,
                                  .number = stream->next};
    if (!net_is_short(state)) {
        net_head_write(&head, block);
        return;
    }
    for (size_t i = 0; i < state->block_bytes && i < sizeof head.number; i++)
        block[i] = (unsigned char)(head.number >> (8 * i));
}

// Whether this is the answer; older ones come late, and count no more.
static bool is_answer(const struct net_stream *stream, const unsigned char *block, ssize_t got)
{
    const struct net_state *state = net_state_of(stream->worker->run);
    if (!net_is_short(state))
        return got >= NET_HEAD_BYTES && net_head_read(block).number == stream->next;
    bool same = got == (ssize_t)state->block_bytes;
    for (size_t i = 0; same && i < state->block_bytes && i < sizeof stream->next; i++)
        same = block[i] == (unsigned char)(stream->next >> (8 * i));
    return same;
}

static bool datagram_trip(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = net_state_of(stream->worker->run)->block_bytes;
    ssize_t got;
    int64_t sent_ns = since_ns;
    stream->next++;
    write_number(stream, block);
    do {
        got = send(stream->fd, block, length, MSG_NOSIGNAL);
    } while (got < 0 && again(stream, got, since_ns));
    if (got < 0)
        return false;
    while (!is_answer(stream, block, got = recv(stream->fd, block, length, 0))) {
        if (got <= 0 && !again(stream, got, since_ns))
            return false;
        if (clock_ns() - sent_ns < LOST_NS)
            continue;
        atomic_fetch_add_explicit(&stream->lost, 1, memory_order_relaxed);
        sent_ns = clock_ns();
        stream->next++;
        write_number(stream, block);
        if (send(stream->fd, block, length, MSG_NOSIGNAL) < 0 && !again(stream, -1, since_ns))
            return false;
    }
    return true;
}

void net_ping_work(struct worker *worker)
{
    const struct net_state *state = net_state_of(worker->run);
    struct net_worker *own = worker->state;
    struct net_stream *stream = own->streams[0];
    unsigned char *block = state->block + (size_t)worker->index * state->block_bytes;
    int64_t due_ns, start_ns = clock_ns();
    net_worker_begin(worker);
    // A round trip that a pause has cut short is completed before the next.
    if ((stream->offset > 0 && !write_rest(stream, block, start_ns)) ||
        !read_rest(stream, block, start_ns))
        return;
    while (!own->failed && worker_wait_due(worker, &due_ns)) {
        start_ns = clock_ns();
        if (state->mode == NET_TCP_PING)
            stream->offset = state->block_bytes;
        if (state->mode == NET_UDP_PING
                ? !datagram_trip(stream, block, start_ns)
                : !write_rest(stream, block, start_ns) || !read_rest(stream, block, start_ns))
            continue; // a pause came in between, or it failed
        counter_add(&stream->sent_bytes, state->block_bytes);
        worker_done(worker, due_ns, start_ns, clock_ns(), 1);
    }
}
