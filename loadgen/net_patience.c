/* Who receives gigabytes a second would be woken for every few kilobytes, and each
 * wake-up of an idle CPU costs more than the copy. So a connection that is that
 * fast asks for NET_BUFFER_BYTES to be there first (SO_RCVLOWAT), until it is slow
 * again: what is left in between is taken by a timer. Loads below PATIENT_RATE,
 * and that is all that are paced finely, are not touched. */

#include "load.h"
#include "net_receive.h"

#include <sys/socket.h>

#define PATIENT_RATE 0.5        /* bytes a nanosecond */
#define LOOK_BYTES   (8u << 20) /* between two looks at the clock */
#define FLUSH_MS     5
#define SLOW_BYTES   1250000    /* in FLUSH_MS: half the rate that it began at */
#define AGAIN_NS     1000000000 /* not sooner: a sender with small buffers would stumble */

static void set(struct net_connection *connection, bool on)
{
    const int bytes = on ? NET_BUFFER_BYTES : 1;
    /* Less than there is wakes at once. */
    if (setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0)
        connection->patience.on = on;
}

static void on_flush(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (struct net_connection *one = server->first; one != NULL; one = one->next) {
        if (!one->patience.on)
            continue;
        if (one->patience.bytes - one->patience.flushed_bytes < SLOW_BYTES) {
            set(one, false);
            one->patience.not_before_ns = now_ns() + AGAIN_NS;
        }
        one->patience.flushed_bytes = one->patience.bytes;
        any = any || one->patience.on;
    }
    if (!any)
        uv_timer_stop(timer);
}

void net_patience_note(struct net_connection *connection, size_t bytes)
{
    struct net_server *server = connection->server;
    connection->patience.bytes += bytes;
    if (connection->patience.on ||
        connection->patience.bytes - connection->patience.looked_bytes < LOOK_BYTES)
        return;
    const int64_t at_ns = now_ns();
    const double passed_ns = (double)(at_ns - connection->patience.looked_ns);
    const double more = (double)(connection->patience.bytes - connection->patience.looked_bytes);
    connection->patience.looked_ns = at_ns;
    connection->patience.looked_bytes = connection->patience.bytes;
    if (more < PATIENT_RATE * passed_ns || at_ns < connection->patience.not_before_ns)
        return;
    set(connection, true);
    connection->patience.flushed_bytes = connection->patience.bytes;
    if (!uv_is_active((uv_handle_t *)&server->flush)) {
        uv_update_time(&server->loop);
        uv_timer_start(&server->flush, on_flush, FLUSH_MS, FLUSH_MS);
    }
}

void net_patience_end(struct net_server *server)
{
    uv_timer_stop(&server->flush);
    for (struct net_connection *one = server->first; one != NULL; one = one->next)
        if (one->patience.on)
            set(one, false);
}
