#include "net/port.h"

#include "net/receive-batch.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES (4 << 20) /* as much as net.core.rmem_max gives, at most this */

int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd)
{
    const int buffer = BUFFER_BYTES;
    *port = (struct net_port){.server = server, .owner = owner, .fd = fd};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    const int error = uv_poll_init(&server->loop, &port->poll, fd);
    if (error != 0)
        return error;
    uv_timer_init(&server->loop, &port->drain); /* cannot fail */
    port->poll.data = port->drain.data = port;
    port->handles = 2;
    return 0;
}

void net_port_hold(struct net_port *port, bool held)
{
    uv_timer_stop(&port->drain);
    if (held)
        uv_poll_stop(&port->poll);
    else
        uv_poll_start(&port->poll, UV_READABLE, net_batch_datagrams);
}

uint16_t net_port_own(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    struct net_address bound;
    struct net_port *port = malloc(sizeof *port);
    const int fd = port == NULL ? -1 : net_address_datagrams(&server->address, 0, &bound);
    if (fd < 0 || net_port_open(port, server, peer, fd) != 0) {
        if (fd >= 0)
            close(fd);
        free(port);
        return 0;
    }
    peer->port = port;
    net_port_hold(port, false);
    return net_address_port(&bound);
}

static void on_closed(uv_handle_t *handle)
{
    struct net_port *port = handle->data;
    if (--port->handles == 0)
        free(port);
}

void net_port_disown(struct net_peer *peer)
{
    struct net_port *port = peer->port;
    if (port == NULL)
        return;
    peer->port = NULL;
    uv_close((uv_handle_t *)&port->poll, on_closed);
    uv_close((uv_handle_t *)&port->drain, on_closed);
    close(port->fd);
}
