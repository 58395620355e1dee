#include "net/receive-stream.h"

#include "net/receive-batch.h"
#include "net/session.h"

#include <errno.h>
#include <sys/socket.h>

#define ROUNDS 8 /* before others have their turn */

bool net_receive_stream(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const ssize_t got = recv(connection->fd, server->buffer, NET_BUFFER_BYTES, flags);
        if (got == 0)
            return false;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        net_count(&server->counts.bytes, (uint64_t)got);
        if (connection->peer != NULL)
            net_session_received(connection->peer, (uint64_t)got);
        net_batch_received(connection, (size_t)got);
        if ((size_t)got < NET_BUFFER_BYTES)
            return true; /* that was all, most likely */
    }
    return true;
}
