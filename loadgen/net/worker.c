// What the workers of the sending half have in common: their streams, waiting for sockets, and the
// watch over the peer.

#include "net/net.h"

#include <poll.h>
#include <sys/eventfd.h>

#define CHECK_MS  100       // the longest wait of a worker
#define ANSWER_NS 100000000 // that an answer to a question is waited for

int net_worker_open(struct worker *worker)
{
    struct net_state *state = net_state_of(worker->run);
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
    const struct net_state *state = net_state_of(worker->run);
    own->checked_ns = clock_ns();
    if (worker->index < state->session_count)
        state->sessions[worker->index].heard_ns = own->checked_ns;
}

bool net_worker_wait(struct net_worker *own, bool block)
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

int64_t net_worker_step(int64_t at_ns, int64_t next_ns)
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

int net_worker_hear(struct worker *worker, struct net_session *session)
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

void net_worker_ask(struct worker *worker, struct net_session *session)
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
    struct net_state *state = net_state_of(worker->run);
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
