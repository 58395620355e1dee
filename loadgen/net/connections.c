// The connections that a listener has accepted: a list, the latest first.

#include "net/net.h"

#include <netinet/tcp.h>
#include <stdarg.h>

#define MOST_WARNINGS 10 // of what peers do: they may do it for ever

void net_warn(struct net_server *server, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (server->local || server->warned > MOST_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (server->warned++ < MOST_WARNINGS)
        run_warn(server->run, "%s", text);
    else
        run_warn(server->run, "more peers of this kind: they are no longer reported");
}

// A host that is gone without a word is found by the kernel, in about a minute.
#define KEEP_IDLE_S  30
#define KEEP_EVERY_S 10
#define KEEP_TRIES   3

struct net_connection *net_connection_add(struct net_server *server, struct net_peer *peer, int fd,
                                          enum net_part part)
{
    struct net_connection *connection = calloc(1, sizeof *connection);
    if (!connection || uv_poll_init(&server->loop, &connection->poll, fd) != 0) {
        free(connection);
        return NULL;
    }
    const int yes = 1, idle_s = KEEP_IDLE_S, every_s = KEEP_EVERY_S, tries = KEEP_TRIES;
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    connection->server = server;
    connection->peer = peer;
    connection->part = part;
    connection->since_ns = clock_ns();
    connection->fd = fd;
    connection->poll.data = connection;
    connection->next = server->connections;
    if (connection->next)
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
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    server->parts[connection->part]--;
    uv_close((uv_handle_t *)&connection->poll, on_closed);
    return fd;
}

void net_connection_drop(struct net_connection *connection)
{
    close(net_connection_release(connection));
}
