// The sending of bytes by TCP: without a limit, or at a rate.

#include "net/net.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#define MOST_OWED     (1u << 20) // bytes that one stream takes upon itself at a time
#define WAITING_S     0.05       // of its rate, that may wait in the sender's kernel
#define LEAST_WAITING 4096.0
#define TURNS         32         // of all streams, before it checks clock and sockets
#define TURN_BYTES    16384      // of one stream in a turn, in whole blocks
#define DRAIN_NS      1000000000 // how long what is under way may take after a pause
#define DRAIN_STEP    200000

// One write of at most `most` bytes. Returns what got through.
static size_t write_once(struct net_stream *stream, size_t most)
{
    const struct net_state *state = net_state_of(stream->worker->run);
    const size_t rest = state->block_bytes - stream->offset;
    const ssize_t sent =
        send(stream->fd, state->block, most < rest ? most : rest, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
        return 0;
    if (sent < 0) {
        stream->blocked = true;
        if (errno != EAGAIN)
            net_worker_gone(stream->worker, stream->session, errno);
        return 0;
    }
    stream->offset = (stream->offset + (size_t)sent) % state->block_bytes;
    counter_add(&stream->sent_bytes, (uint64_t)sent);
    worker_count(stream->worker, (double)sent, stream->offset == 0, 0, 0);
    return (size_t)sent;
}

// Each stream in turn, with some blocks if they are small: to change between
// streams costs more than a small block.
static void write_freely(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const size_t block_bytes = net_state_of(worker->run)->block_bytes;
    bool any = true; // got something through
    for (int turn = 0; any && turn < TURNS && worker_running(worker); turn++) {
        any = false;
        for (unsigned i = 0; i < own->count; i++) {
            struct net_stream *stream = own->streams[i];
            for (size_t sent = 0; sent < TURN_BYTES && !stream->blocked; sent += block_bytes)
                any = write_once(stream, SIZE_MAX) > 0 || any;
        }
    }
    if (any ? own->count > 1 : !own->failed)
        net_worker_wait(own, !any);
}

// A stream that can take more upon itself, or NULL.
static struct net_stream *choose(struct worker *worker)
{
    struct net_worker *own = worker->state;
    for (unsigned i = 0; i < own->count; i++) {
        struct net_stream *stream = own->streams[own->next++ % own->count];
        if (!stream->blocked && stream->owed < MOST_OWED)
            return stream;
    }
    return NULL;
}

// Shares out what is due. Returns when more will be; at_ns: at once.
static int64_t take_due(struct worker *worker, int64_t at_ns)
{
    int64_t due_ns = at_ns;
    uint64_t late = 0;
    struct net_stream *stream;
    while ((stream = choose(worker)) != NULL && worker_take_due(worker, at_ns, &due_ns)) {
        stream->owed += (uint64_t)worker->run->quantum;
        late += at_ns - due_ns > PACER_LATE_NS;
    }
    if (late > 0)
        worker_count(worker, 0, 0, late, 0);
    return due_ns;
}

// The kernel takes no more than what is due in a moment and was not sent yet: else all that a peer
// does not take for seconds would wait in its buffers, count as done, and come at once later. In
// vain it is where the kernel lacks the option (Linux 3.12).
static void bound_waiting(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const double rate = fmax(worker->orders.rate, worker->run->schedule.highest);
    if (own->bounded_rate == rate)
        return;
    own->bounded_rate = rate;
    const double most = rate / net_state_of(worker->run)->stream_count * WAITING_S;
    const unsigned bytes = most < UINT_MAX ? (unsigned)fmax(most, LEAST_WAITING) : UINT_MAX;
    for (unsigned i = 0; i < own->count; i++)
        (void)setsockopt(own->streams[i]->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

static void write_paced(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const int64_t at_ns = clock_ns();
    int64_t next_ns = take_due(worker, at_ns);
    for (unsigned i = 0; i < own->count; i++) {
        struct net_stream *stream = own->streams[i];
        while (stream->owed > 0 && !stream->blocked)
            stream->owed -= write_once(stream, stream->owed);
    }
    if (own->failed)
        return;
    if (net_worker_wait(own, false)) // the other streams must not wait for a blocked one
        next_ns = at_ns + NET_STEP_NS;
    if (next_ns <= at_ns)
        return; // more is due already
    worker_sleep_until(worker, net_worker_step(at_ns, next_ns));
}

static void start(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const int64_t at_ns = clock_ns();
    net_worker_begin(worker);
    for (unsigned i = 0; i < own->count; i++) {
        struct net_stream *stream = own->streams[i];
        stream->blocked = false;
        stream->owed = 0;
        stream->moved_ns = at_ns;
        stream->moved_bytes = stream->sent_bytes;
    }
}

// A peer that takes nothing at all for so long is as good as gone.
static void watch(struct worker *worker, int64_t at_ns)
{
    struct net_worker *own = worker->state;
    const int64_t timeout_ns = settings_of(worker->run)->timeout_ns;
    for (unsigned i = 0; i < own->count && !own->failed; i++) {
        struct net_stream *stream = own->streams[i];
        const uint64_t sent = net_sent_bytes(stream);
        if (!stream->blocked || sent != stream->moved_bytes) {
            stream->moved_bytes = sent;
            stream->moved_ns = at_ns;
        } else if (at_ns - stream->moved_ns > timeout_ns) {
            net_worker_silent(worker, "taken nothing");
        }
    }
}

// Whether all that was written has been taken at the other end.
static bool drained(struct worker *worker)
{
    const struct net_worker *own = worker->state;
    const struct net_session *session = own->streams[0]->session; // of all of them
    uint64_t sent = 0;
    for (unsigned i = 0; i < own->count; i++) {
        const struct net_stream *stream = own->streams[i];
        int waiting = 0;
        if (!session->server && ioctl(stream->fd, SIOCOUTQ, &waiting) == 0 && waiting > 0)
            return false;
        sent += net_sent_bytes(stream);
    }
    return !session->server || counter_read(&session->values[NET_RECEIVED_BYTES]) >= sent;
}

void net_bulk_work(struct worker *worker)
{
    struct net_worker *own = worker->state;
    start(worker);
    while (worker_running(worker) && !own->failed) {
        bound_waiting(worker);
        if (isfinite(worker->orders.rate))
            write_paced(worker);
        else
            write_freely(worker);
        const int64_t at_ns = clock_ns();
        if (net_worker_fine(worker, at_ns))
            watch(worker, at_ns);
    }
    const struct net_state *state = net_state_of(worker->run);
    if (!own->failed && state->role == NET_CONNECT && worker->index < state->session_count)
        net_worker_ask(worker, &state->sessions[worker->index]);
    const int64_t until_ns = clock_ns() + DRAIN_NS;
    while (!own->failed && !drained(worker) && clock_ns() < until_ns &&
           !worker_sleep_until(worker, clock_ns() + DRAIN_STEP))
        continue;
}
