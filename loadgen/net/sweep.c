#include "net/sweep.h"

#include "load.h"
#include "net/activity.h"
#include "net/connection.h"
#include "net/session.h"

#define HELLO_NS    2000000000  /* the most that a hello may take */
#define REST_NS     10000000000 /* and the rest of a stream whose session has ended */
#define LONGEST_MS  1000        /* between two sweeps */
#define SHORTEST_MS 50

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Those that have said too little, or have nobody any more. */
static void drop_stale(struct net_server *server, int64_t at_ns)
{
    const int64_t hello_ns = smaller(HELLO_NS, server->plan.timeout_ns);
    for (struct net_connection *one = server->connections, *next; one != NULL; one = next) {
        next = one->next;
        const bool fresh = one->part == NET_PART_NEW;
        if (one->peer != NULL || at_ns - one->since_ns < (fresh ? hello_ns : REST_NS))
            continue;
        net_count(&server->counts.rejected, fresh);
        net_connection_drop(one);
    }
}

static void expel_incomplete(struct net_server *server, int64_t at_ns)
{
    for (unsigned i = server->peer_count; i-- > 0;) {
        struct net_peer *peer = server->peers[i];
        if (!peer->complete && at_ns - peer->active_ns >= server->plan.timeout_ns)
            net_session_expel(peer, "it has not opened the streams that it announced");
    }
}

static void on_sweep(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    const int64_t at_ns = now_ns();
    net_activity_note(server);
    drop_stale(server, at_ns);
    if (!server->plan.local)
        expel_incomplete(server, at_ns);
    if (server->plan.local ? server->parts[NET_PART_NEW] == 0 : server->connections == NULL)
        uv_timer_stop(timer);
}

void net_sweep_begin(struct net_server *server)
{
    const int64_t quarter_ms = server->plan.timeout_ns / 4000000;
    const int64_t period_ms =
        quarter_ms < SHORTEST_MS ? SHORTEST_MS : smaller(quarter_ms, LONGEST_MS);
    if (!uv_is_active((uv_handle_t *)&server->sweep))
        uv_timer_start(&server->sweep, on_sweep, (uint64_t)period_ms, (uint64_t)period_ms);
}

void net_sweep_hold(struct net_server *server, bool held)
{
    const int64_t at_ns = now_ns();
    if (held) {
        uv_timer_stop(&server->sweep);
        return;
    }
    for (unsigned i = 0; i < server->peer_count; i++)
        server->peers[i]->active_ns = at_ns;
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        one->since_ns = at_ns;
    if (server->connections != NULL)
        net_sweep_begin(server);
}
