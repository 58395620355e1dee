#include "net/activity.h"

#include "load.h"
#include "net/echo.h"

void net_activity_note(struct net_server *server)
{
    const int64_t at_ns = now_ns();
    for (unsigned i = 0; i < server->peer_count; i++) {
        struct net_peer *peer = server->peers[i];
        const uint64_t count = peer->received_bytes + net_echo_answered(peer);
        if (count != peer->active_count)
            peer->active_ns = at_ns;
        peer->active_count = count;
    }
}
