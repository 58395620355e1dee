// The watch over time: what a peer may hold without a word, and for how long.

#include "net/net.h"

#define HELLO_NS    2000000000  // the most that a hello may take
#define REST_NS     10000000000 // and the rest of a stream whose session has ended
#define LONGEST_MS  1000        // between two sweeps
#define SHORTEST_MS 50

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static void on_sweep(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    const int64_t at_ns = clock_ns();
    net_activity_note(server);
    // Connections that have said too little, or have no session any more, are closed.
    const int64_t hello_ns = smaller(HELLO_NS, server->settings->timeout_ns);
    for (struct net_connection *one = server->connections, *next; one; one = next) {
        next = one->next;
        const bool fresh = one->part == NET_PART_NEW;
        if (one->peer || at_ns - one->since_ns < (fresh ? hello_ns : REST_NS))
            continue;
        net_count(&server->rejected, fresh);
        net_connection_drop(one);
    }
    for (unsigned i = server->local ? 0 : server->peer_count; i-- > 0;) {
        struct net_peer *peer = server->peers[i];
        if (!peer->complete && at_ns - peer->active_ns >= server->settings->timeout_ns)
            net_session_expel(peer, "it has not opened the streams that it announced");
    }
    if (server->local ? server->parts[NET_PART_NEW] == 0 : !server->connections)
        uv_timer_stop(timer);
}

void net_sweep_begin(struct net_server *server)
{
    const int64_t quarter_ms = server->settings->timeout_ns / 4000000;
    const int64_t period_ms =
        quarter_ms < SHORTEST_MS ? SHORTEST_MS : smaller(quarter_ms, LONGEST_MS);
    if (!uv_is_active((uv_handle_t *)&server->sweep))
        uv_timer_start(&server->sweep, on_sweep, (uint64_t)period_ms, (uint64_t)period_ms);
}
