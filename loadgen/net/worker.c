#include "net/net.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#define CHECK_MS  100       // the longest wait of a worker
#define ANSWER_NS 100000000 // that an answer to a question is waited for

#define BATCH 64 // datagrams that are sent at a time

struct batch {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
};

int net_worker_open(struct worker *worker)
{
    struct net_state *state = state_of(worker->run);
    struct net_worker *own = &state->workers[worker->index];
    const unsigned threads = worker->run->threads;
    worker->state = own;
    own->streams = calloc(state->stream_count / threads + 1, sizeof(struct net_stream *));
    own->polls = calloc(state->stream_count / threads + 2, sizeof *own->polls);
    if (!own->streams || !own->polls)
        return worker_fail(worker, "out of memory: give fewer --streams");
    for (unsigned i = worker->index; i < state->stream_count; i += threads) {
        state->streams[i].worker = worker;
        own->streams[own->count++] = &state->streams[i];
    }
    if (state->mode != NET_UDP)
        return 0;
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

void net_worker_close(struct worker *worker)
{
    struct net_worker *own = worker->state;
    if (!own)
        return;
    free(own->batch);
    free(own->polls);
    free(own->streams);
    worker->state = NULL;
}

void net_worker_begin(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const struct net_state *state = state_of(worker->run);
    own->checked_ns = clock_ns();
    if (worker->index < state->session_count)
        state->sessions[worker->index].heard_ns = own->checked_ns;
}

// Marks streams whose socket has room again as no longer blocked. block: waits until
// one has, orders change, or 0.1 s is over. Returns whether any was blocked.
static bool net_worker_wait(struct net_worker *own, bool block)
{
    unsigned blocked = 0;
    eventfd_t wakes;
    own->polls[0] = (struct pollfd){.fd = own->wake_fd, .events = POLLIN};
    for (unsigned i = 0; i < own->count; i++) {
        const struct net_stream *stream = own->streams[i];
        own->polls[i + 1] =
            (struct pollfd){.fd = stream->blocked ? stream->fd : -1, .events = POLLOUT};
        blocked += stream->blocked;
    }
    if (blocked == 0 || poll(own->polls, own->count + 1, block ? CHECK_MS : 0) <= 0)
        return blocked > 0;
    if (own->polls[0].revents != 0)
        eventfd_read(own->wake_fd, &wakes); // cannot fail: it is readable
    for (unsigned i = 0; i < own->count; i++)
        if (own->polls[i + 1].revents != 0)
            own->streams[i]->blocked = false; // or broken, which the next write will show
    return true;
}

// When to wake for work that is due at next_ns: late enough that writes grow, early
// enough to check on the peer.
static int64_t net_worker_step(int64_t at_ns, int64_t next_ns)
{
    if (next_ns < at_ns + NET_STEP_NS)
        return at_ns + NET_STEP_NS;
    return next_ns > at_ns + NET_CHECK_NS ? at_ns + NET_CHECK_NS : next_ns;
}

void net_worker_gone(struct worker *worker, const struct net_session *session, int error)
{
    struct net_worker *own = worker->state;
    char name[NET_ADDRESS_TEXT];
    own->failed = true;
    worker_fail(worker, "the peer %s went away (%s): check its output",
                net_address_format(&session->peer, name, sizeof name),
                error == 0 ? "end of file" : strerror(error));
}

void net_worker_silent(struct worker *worker, const char *what)
{
    struct net_worker *own = worker->state;
    char time[32];
    own->failed = true;
    worker_fail(
        worker,
        "the peer has %s for %s: it is stopped or paused, or the network to it is down: see "
        "--timeout",
        what, units_format_time((double)settings_of(worker->run)->timeout_ns, time, sizeof time));
}

// ---- what the peer reports ----

// Takes what the peer has reported: 0, or -1 after worker_fail() when it is gone.
static int net_worker_hear(struct worker *worker, struct net_session *session)
{
    struct net_arriving *report = &session->report;
    struct net_message message;
    int more;
    while ((more = net_message_take(session->fd, report)) > 0) {
        if (report->count < sizeof report->bytes)
            continue;
        report->count = 0;
        if (net_message_read(report->bytes, sizeof report->bytes, &message) != 0 ||
            message.kind != NET_REPORT)
            return worker_fail(
                worker,
                "the peer sent something that is no report: use the same loadgen at both ends");
        session->heard_ns = clock_ns();
        for (int i = 0; i < NET_VALUES; i++)
            atomic_store_explicit(&session->reported[i], message.values[i], memory_order_relaxed);
    }
    if (more < 0)
        net_worker_gone(worker, session, errno);
    return more;
}

// Has the peer report what it has received by now, and waits for that for a moment: a report
// that came by itself may be a tenth of a second old.
static void net_worker_ask(struct worker *worker, struct net_session *session)
{
    const struct net_message ask = {.kind = NET_ASK, .token = session->token};
    const int64_t until_ns = clock_ns() + ANSWER_NS;
    // What has come before is no answer.
    if (net_worker_hear(worker, session) != 0)
        return;
    const int64_t heard_ns = session->heard_ns;
    if (net_message_send(session->fd, &ask) != NET_MESSAGE_BYTES)
        return; // the reports that come by themselves have to do
    for (int64_t at_ns = clock_ns(); session->heard_ns == heard_ns && at_ns < until_ns;
         at_ns = clock_ns()) {
        struct pollfd wait = {.fd = session->fd, .events = POLLIN};
        if (poll(&wait, 1, (int)((until_ns - at_ns) / 1000000) + 1) > 0 &&
            net_worker_hear(worker, session) != 0)
            return;
    }
}

bool net_worker_fine(struct worker *worker, int64_t at_ns)
{
    struct net_worker *own = worker->state;
    struct net_state *state = state_of(worker->run);
    const int64_t timeout_ns = settings_of(worker->run)->timeout_ns;
    if (own->failed || at_ns - own->checked_ns < NET_CHECK_NS)
        return !own->failed;
    own->checked_ns = at_ns;
    if (worker->index < state->session_count && state->role == NET_CONNECT) {
        struct net_session *session = &state->sessions[worker->index];
        own->failed = net_worker_hear(worker, session) != 0;
        if (!own->failed && state->mode == NET_UDP && at_ns - session->heard_ns > timeout_ns)
            net_worker_silent(worker, "reported nothing");
    }
    return !own->failed;
}

// ==== TCP ====

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
    const struct net_state *state = state_of(stream->worker->run);
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

// ---- without a limit ----

// Each stream in turn, with some blocks if they are small: to change between
// streams costs more than a small block.
static void write_freely(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const size_t block_bytes = state_of(worker->run)->block_bytes;
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

// ---- at a rate ----

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
    const double most = rate / state_of(worker->run)->stream_count * WAITING_S;
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

// ---- both ----

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
    const struct net_state *state = state_of(worker->run);
    if (!own->failed && state->role == NET_CONNECT && worker->index < state->session_count)
        net_worker_ask(worker, &state->sessions[worker->index]);
    const int64_t until_ns = clock_ns() + DRAIN_NS;
    while (!own->failed && !drained(worker) && clock_ns() < until_ns &&
           !worker_sleep_until(worker, clock_ns() + DRAIN_STEP))
        continue;
}

// ==== UDP: numbered datagrams, many at a time ====

#define BATCH_TURNS    16 // batches before it reads the clock
#define SETTLE_NS      500000000
#define SETTLE_STEP_NS 2000000

// Returns how many of at most BATCH got through; none: the socket is full.
static unsigned send_batch(struct net_stream *stream, unsigned count)
{
    struct worker *worker = stream->worker;
    struct net_worker *own = worker->state;
    struct batch *batch = own->batch;
    const struct net_state *state = state_of(worker->run);
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

// ---- at a rate ----

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

// ---- marks ----

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

// ---- the end ----

static bool accounted(struct worker *worker)
{
    const struct net_worker *own = worker->state;
    const struct net_state *state = state_of(worker->run);
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
        if (!net_is_short(state_of(worker->run)) || at_ns - own->marked_ns < NET_CHECK_NS)
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
