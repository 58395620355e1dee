// The bytes of a TCP stream, as they are received: counted and thrown away, in batches where they
// come fast.

#include "net/net.h"

#define ROUNDS 8 // before others have their turn

bool net_receive_stream(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int flags = MSG_DONTWAIT | (server->settings->discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const ssize_t got = recv(connection->fd, server->buffer, NET_BUFFER_BYTES, flags);
        if (got == 0)
            return false;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        net_count(&server->values[NET_RECEIVED_BYTES], (uint64_t)got);
        if (connection->peer)
            net_peer_received(connection->peer, (uint64_t)got);
        net_batch_received(connection, (size_t)got);
        if ((size_t)got < NET_BUFFER_BYTES)
            return true; // that was all, most likely
    }
    return true;
}

#define BATCH_RATE  0.5        // bytes a nanosecond
#define CHECK_BYTES (8u << 20) // between two readings of the clock
#define FLUSH_MS    5
#define SLOW_BYTES  1250000    // in FLUSH_MS: half the rate that it began at
#define AGAIN_NS    1000000000 // not sooner: it would stall a sender with small buffers

static void set(struct net_connection *connection, bool on)
{
    const int bytes = on ? NET_BUFFER_BYTES : 1;
    // A mark below what has already arrived takes effect at once.
    if (setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0)
        connection->batch.on = on;
}

static void on_flush(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (struct net_connection *one = server->connections; one; one = one->next) {
        if (!one->batch.on)
            continue;
        if (one->batch.bytes - one->batch.flushed_bytes < SLOW_BYTES) {
            set(one, false);
            one->batch.not_before_ns = clock_ns() + AGAIN_NS;
        }
        one->batch.flushed_bytes = one->batch.bytes;
        any = any || one->batch.on;
    }
    if (!any)
        uv_timer_stop(timer);
}

void net_batch_received(struct net_connection *connection, size_t bytes)
{
    struct net_server *server = connection->server;
    connection->batch.bytes += bytes;
    if (connection->batch.on ||
        connection->batch.bytes - connection->batch.checked_bytes < CHECK_BYTES)
        return;
    const int64_t at_ns = clock_ns();
    const double passed_ns = (double)(at_ns - connection->batch.checked_ns);
    const double more = (double)(connection->batch.bytes - connection->batch.checked_bytes);
    connection->batch.checked_ns = at_ns;
    connection->batch.checked_bytes = connection->batch.bytes;
    if (more < BATCH_RATE * passed_ns || at_ns < connection->batch.not_before_ns)
        return;
    set(connection, true);
    connection->batch.flushed_bytes = connection->batch.bytes;
    if (!uv_is_active((uv_handle_t *)&server->flush)) {
        uv_update_time(&server->loop);
        uv_timer_start(&server->flush, on_flush, FLUSH_MS, FLUSH_MS);
    }
}

void net_batch_end(struct net_server *server)
{
    uv_timer_stop(&server->flush);
    for (struct net_connection *one = server->connections; one; one = one->next)
        if (one->batch.on)
            set(one, false);
}
