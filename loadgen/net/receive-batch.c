#include "net/receive-batch.h"

#include "load.h"
#include "net/receive-datagrams.h"

#include <sys/socket.h>

#define BATCH_RATE   0.5        /* bytes a nanosecond */
#define CHECK_BYTES  (8u << 20) /* between two readings of the clock */
#define BURST_COUNT  1000
#define BURST_RATE   1e-4 /* datagrams a nanosecond */
#define FITTING_RATE 2.0  /* bytes a nanosecond */
#define FLUSH_MS     5
#define SLOW_BYTES   1250000    /* in FLUSH_MS: half the rate that it began at */
#define AGAIN_NS     1000000000 /* not sooner: it would stall a sender with small buffers */

static void set(struct net_connection *connection, bool on)
{
    const int bytes = on ? NET_BUFFER_BYTES : 1;
    /* A mark below what has already arrived takes effect at once. */
    if (setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0)
        connection->batch.on = on;
}

static void on_flush(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (struct net_connection *one = server->connections; one != NULL; one = one->next) {
        if (!one->batch.on)
            continue;
        if (one->batch.bytes - one->batch.flushed_bytes < SLOW_BYTES) {
            set(one, false);
            one->batch.not_before_ns = now_ns() + AGAIN_NS;
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
    const int64_t at_ns = now_ns();
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

/* ---- datagrams ---- */

static void on_drain(uv_timer_t *timer)
{
    struct net_port *port = timer->data;
    if (net_receive_datagrams(port) > 0)
        return;
    uv_timer_stop(timer);
    port->burst.count = 0;
    uv_poll_start(&port->poll, UV_READABLE, net_batch_datagrams);
}

/* Whether they come so fast that a millisecond's is worth waiting for, and not so
 * fast that they would not fit into the socket's buffer. */
static bool is_burst(struct net_port *port)
{
    const uint64_t bytes = atomic_load_explicit(&port->server->counts.bytes, memory_order_relaxed);
    const int64_t at_ns = now_ns();
    const double passed_ns = (double)(at_ns - port->burst.checked_ns);
    const bool burst = port->burst.count > BURST_RATE * passed_ns &&
                       (double)(bytes - port->burst.checked_bytes) < FITTING_RATE * passed_ns;
    port->burst.count = 0;
    port->burst.checked_ns = at_ns;
    port->burst.checked_bytes = bytes;
    return burst;
}

void net_batch_datagrams(uv_poll_t *poll, int status, int events)
{
    struct net_port *port = poll->data;
    (void)status;
    (void)events;
    port->burst.count += net_receive_datagrams(port);
    if (port->burst.count < BURST_COUNT || !is_burst(port))
        return;
    uv_poll_stop(poll);
    uv_update_time(&port->server->loop);
    uv_timer_start(&port->drain, on_drain, 1, 1);
}

void net_batch_end(struct net_server *server)
{
    uv_timer_stop(&server->flush);
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (one->batch.on)
            set(one, false);
}
