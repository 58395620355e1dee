// The reports to a peer of what has been received from it.

#include "net/net.h"

#define REPORT_MS 100

void net_peer_report(struct net_peer *peer)
{
    struct net_message report = {.kind = NET_REPORT, .mode = peer->mode, .token = peer->token};
    memcpy(report.values, peer->values, sizeof report.values);
    const ssize_t sent = net_message_send(peer->control_fd, &report);
    if (sent == NET_MESSAGE_BYTES)
        peer->changed = false;
    else if (sent > 0) // half a report: a peer that reads none for so long is lost
        shutdown(peer->control_fd, SHUT_RDWR);
}

static void on_report(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (unsigned i = 0; i < server->peer_count; i++) {
        any = any || server->peers[i]->changed;
        if (server->peers[i]->changed)
            net_peer_report(server->peers[i]);
    }
    if (!any)
        uv_timer_stop(timer);
}

// Reports go out as long as anything comes in.
void net_peer_changed(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    peer->changed = true;
    if (!server->local && !uv_is_active((uv_handle_t *)&server->report))
        uv_timer_start(&server->report, on_report, REPORT_MS, REPORT_MS);
}

void net_peer_received(struct net_peer *peer, uint64_t bytes)
{
    peer->values[NET_RECEIVED_BYTES] += bytes;
    if (!peer->changed)
        net_peer_changed(peer);
}
