#include "net/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CHECK_MS 100 /* the longest wait of a worker */

static void nothing_async(uv_async_t *async)
{
    (void)async; /* it has ended the wait, which is all it is for */
}

static void nothing_timer(uv_timer_t *timer)
{
    (void)timer;
}

/* Stream i is worker i % threads's. 0, or libuv's error. */
static int take_streams(struct worker *worker)
{
    struct net_worker *own = worker->state;
    struct net_state *state = net_state_of(worker->run);
    const unsigned threads = worker->run->threads;
    int error = 0;
    own->streams = calloc(state->stream_count / threads + 1, sizeof(struct net_stream *));
    if (own->streams == NULL)
        return UV_ENOMEM;
    for (unsigned i = worker->index; error == 0 && i < state->stream_count; i += threads) {
        struct net_stream *stream = &state->streams[i];
        own->streams[own->count++] = stream;
        stream->worker = worker;
        if (state->mode == NET_TCP)
            error = uv_poll_init(&own->loop, &stream->poll, stream->fd);
        stream->poll.data = stream;
    }
    return error;
}

int net_worker_open(struct worker *worker)
{
    struct net_worker *own = &net_state_of(worker->run)->workers[worker->index];
    worker->state = own;
    int error = uv_loop_init(&own->loop);
    if (error == 0) {
        own->looping = true;
        uv_timer_init(&own->loop, &own->timer);
        error = uv_async_init(&own->loop, &own->wake, nothing_async);
    }
    if (error == 0) {
        pthread_mutex_lock(&own->mutex);
        own->open = true;
        pthread_mutex_unlock(&own->mutex);
        error = take_streams(worker);
    }
    if (error != 0)
        return worker_fail(worker, "cannot make an event loop: %s", uv_strerror(error));
    return 0;
}

static void close_one(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void net_worker_close(struct worker *worker)
{
    struct net_worker *own = worker->state;
    if (own == NULL)
        return;
    pthread_mutex_lock(&own->mutex);
    own->open = false;
    pthread_mutex_unlock(&own->mutex);
    if (own->looping) {
        uv_walk(&own->loop, close_one, NULL);
        while (uv_run(&own->loop, UV_RUN_DEFAULT) != 0)
            continue;
        uv_loop_close(&own->loop);
    }
    free(own->batch);
    free(own->streams);
    worker->state = NULL;
}

void net_worker_interrupt(struct net_worker *own)
{
    pthread_mutex_lock(&own->mutex);
    if (own->open)
        uv_async_send(&own->wake);
    pthread_mutex_unlock(&own->mutex);
}

void net_worker_begin(struct worker *worker)
{
    struct net_worker *own = worker->state;
    const struct net_state *state = net_state_of(worker->run);
    const int64_t at_ns = now_ns();
    uv_update_time(&own->loop);
    uv_timer_start(&own->timer, nothing_timer, CHECK_MS, CHECK_MS);
    own->checked_ns = at_ns;
    if (worker->index < state->session_count)
        state->sessions[worker->index].heard_ns = at_ns;
}

void net_worker_end(struct worker *worker)
{
    struct net_worker *own = worker->state;
    uv_timer_stop(&own->timer);
}

void net_worker_wait(struct net_worker *own, bool block)
{
    uv_run(&own->loop, block ? UV_RUN_ONCE : UV_RUN_NOWAIT);
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
        "the peer has %s for %s: it is stopped or paused, or the network to it is down: "
        "see --timeout",
        what,
        units_format_time((double)net_settings_of(worker->run)->timeout_ns, time, sizeof time));
}

/* ---- what the peer reports ---- */

static void take_report(struct net_session *session, const struct net_message *report)
{
    _Atomic uint64_t *values[NET_VALUES] = {[NET_RECEIVED_BYTES] = &session->received_bytes,
                                            [NET_DATAGRAMS] = &session->datagrams,
                                            [NET_LOST] = &session->lost,
                                            [NET_OUT_OF_ORDER] = &session->out_of_order};
    for (int i = 0; i < NET_VALUES; i++)
        atomic_store_explicit(values[i], report->values[i], memory_order_relaxed);
}

int net_worker_hear(struct worker *worker, struct net_session *session)
{
    for (;;) {
        const ssize_t got = recv(session->fd, session->report + session->report_used,
                                 sizeof session->report - session->report_used, MSG_DONTWAIT);
        struct net_message message;
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (got <= 0) {
            net_worker_gone(worker, session, got == 0 ? 0 : errno);
            return -1;
        }
        session->report_used += (size_t)got;
        if (session->report_used < sizeof session->report)
            continue;
        session->report_used = 0;
        if (net_message_read(session->report, sizeof session->report, &message) != 0 ||
            message.kind != NET_REPORT)
            return worker_fail(
                worker,
                "the peer sent something that is no report: use the same loadgen at both ends");
        session->heard_ns = now_ns();
        take_report(session, &message);
    }
}

bool net_worker_fine(struct worker *worker, int64_t at_ns)
{
    struct net_worker *own = worker->state;
    struct net_state *state = net_state_of(worker->run);
    const int64_t timeout_ns = net_settings_of(worker->run)->timeout_ns;
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

void net_worker_counts(const struct net_session *session, struct net_counts *counts)
{
    if (session->server != NULL) {
        net_server_count(session->server, counts);
        return;
    }
    *counts = (struct net_counts){.received_bytes = counter_read(&session->received_bytes),
                                  .datagrams = counter_read(&session->datagrams),
                                  .lost = (int64_t)counter_read(&session->lost),
                                  .out_of_order = counter_read(&session->out_of_order)};
}
