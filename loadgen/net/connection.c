#include "net/connection.h"

#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A host that is gone without a word is found by the kernel, in about a minute. */
#define KEEP_IDLE_S  30
#define KEEP_EVERY_S 10
#define KEEP_TRIES   3

static void keep_alive(int fd)
{
    const int yes = 1, idle_s = KEEP_IDLE_S, every_s = KEEP_EVERY_S, tries = KEEP_TRIES;
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

struct net_connection *net_connection_add(struct net_server *server, struct net_peer *peer, int fd,
                                          enum net_part part)
{
    struct net_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || uv_poll_init(&server->loop, &connection->poll, fd) != 0) {
        free(connection);
        return NULL;
    }
    keep_alive(fd);
    connection->server = server;
    connection->peer = peer;
    connection->part = part;
    connection->since_ns = now_ns();
    connection->fd = fd;
    connection->poll.data = connection;
    connection->next = server->connections;
    if (connection->next != NULL)
        connection->next->previous = connection;
    server->connections = connection;
    server->parts[part]++;
    return connection;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

int net_connection_release(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int fd = connection->fd;
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    server->parts[connection->part]--;
    uv_close((uv_handle_t *)&connection->poll, on_closed);
    return fd;
}

void net_connection_drop(struct net_connection *connection)
{
    close(net_connection_release(connection));
}

int net_connection_hear(struct net_connection *connection)
{
    const ssize_t got = recv(connection->fd, connection->heard + connection->heard_count,
                             sizeof connection->heard - connection->heard_count, MSG_DONTWAIT);
    if (got > 0)
        connection->heard_count += (size_t)got;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return got > 0 ? 1 : -1;
}

void net_connection_make_room(struct net_server *server)
{
    struct net_connection *oldest = NULL;
    if (server->parts[NET_PART_NEW] < NET_MOST_NEW)
        return;
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (one->part == NET_PART_NEW)
            oldest = one;
    net_connection_drop(oldest);
    net_count(&server->counts.rejected, 1);
}
