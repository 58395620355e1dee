#include "net/session.h"

#include "load.h"
#include "net/echo.h"
#include "net/port.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGEST_BLOCK (16u << 20)
#define REPORT_MS     100
#define HELLO_MS      1

/* ---- connections ---- */

static struct net_connection *add_connection(struct net_peer *peer, int fd, bool control)
{
    struct net_server *server = peer->server;
    const int yes = 1;
    struct net_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || uv_poll_init(&server->loop, &connection->poll, fd) != 0) {
        free(connection);
        return NULL;
    }
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    connection->server = server;
    connection->peer = peer;
    connection->control = control;
    connection->fd = fd;
    connection->poll.data = connection;
    connection->next = server->connections;
    if (connection->next != NULL)
        connection->next->previous = connection;
    server->connections = connection;
    server->streams += !control;
    return connection;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void net_connection_drop(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int fd = connection->fd;
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    server->streams -= !connection->control;
    uv_close((uv_handle_t *)&connection->poll, on_closed);
    close(fd);
}

/* ---- sessions ---- */

static struct net_peer *find_peer(const struct net_server *server, uint64_t token)
{
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->token == token)
            return server->peers[i];
    return NULL;
}

/* Streams that are still open are read to their end. */
static void end_peer(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    net_echo_stop(peer);
    net_port_disown(peer);
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (one->peer == peer)
            one->peer = NULL;
    if (server->recent == peer)
        server->recent = NULL;
    pthread_mutex_lock(&server->mutex);
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i] == peer)
            server->peers[i] = server->peers[--server->peer_count];
    pthread_mutex_unlock(&server->mutex);
    free(peer->next);
    free(peer);
}

void net_session_end_all(struct net_server *server)
{
    while (server->peer_count > 0)
        end_peer(server->peers[0]);
    while (server->connections != NULL)
        net_connection_drop(server->connections);
}

/* Where the peer's datagrams should go: to everybody's port, or to one of their own, for round
 * trips and where they are too short to say whose they are. 0: none can be opened. */
static uint16_t open_datagrams(struct net_peer *peer)
{
    const struct net_server *server = peer->server;
    struct net_address own;
    if (peer->mode == NET_UDP && peer->block_bytes < NET_HEAD_BYTES)
        return net_port_own(peer);
    if (peer->mode != NET_UDP_PING)
        return net_address_port(&server->address);
    const int fd = net_address_datagrams(&server->address, 0, &own);
    return fd >= 0 && net_echo_start(peer, fd) == 0 ? net_address_port(&own) : 0;
}

static bool is_plausible(const struct net_server *server, const struct net_message *hello)
{
    return hello->mode >= NET_TCP && hello->mode <= NET_UDP_PING && hello->streams > 0 &&
           hello->streams <= NET_MOST_STREAMS && hello->block_bytes > 0 &&
           hello->block_bytes <= LARGEST_BLOCK && find_peer(server, hello->token) == NULL &&
           (!server->plan.local || hello->token == server->plan.token);
}

static enum net_status begin_session(struct net_server *server, const struct net_message *hello,
                                     int fd, uint16_t *port, struct net_connection **connection)
{
    if (!is_plausible(server, hello))
        return NET_WRONG;
    struct net_peer *peer = calloc(1, sizeof *peer);
    uint64_t *next = calloc(hello->streams, sizeof *next);
    if (server->peer_count == NET_MOST_SESSIONS || peer == NULL || next == NULL) {
        free(next);
        free(peer);
        return NET_FULL;
    }
    *peer = (struct net_peer){.server = server,
                              .control_fd = fd,
                              .mode = hello->mode,
                              .token = hello->token,
                              .block_bytes = hello->block_bytes,
                              .streams = hello->streams,
                              .next = next};
    pthread_mutex_lock(&server->mutex);
    server->peers[server->peer_count++] = peer;
    pthread_mutex_unlock(&server->mutex);
    *port = open_datagrams(peer);
    *connection = *port == 0 ? NULL : add_connection(peer, fd, true);
    if (*connection != NULL)
        return NET_FINE;
    end_peer(peer);
    return NET_FULL;
}

static enum net_status add_stream(struct net_server *server, const struct net_message *hello,
                                  int fd, struct net_connection **connection)
{
    struct net_peer *peer = find_peer(server, hello->token);
    if (peer == NULL || hello->number >= peer->streams ||
        (peer->mode != NET_TCP && peer->mode != NET_TCP_PING))
        return NET_WRONG;
    if (server->streams >= NET_MOST_STREAMS)
        return NET_FULL;
    if (peer->mode == NET_TCP_PING)
        return NET_FINE; /* a thread will answer */
    *connection = add_connection(peer, fd, false);
    return *connection != NULL ? NET_FINE : NET_FULL;
}

static void answer(int fd, const struct net_message *hello, enum net_status status, uint16_t port)
{
    const struct net_message message = {.kind = NET_ANSWER,
                                        .mode = hello->mode,
                                        .number = status,
                                        .token = hello->token,
                                        .values = {port}};
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(&message, bytes);
    /* A fresh connection has room for it, or is gone, which its end will show. */
    if (send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof bytes)
        shutdown(fd, SHUT_RDWR);
}

/* The hello of a fresh connection. The kernel hands it over with the connection, but for
 * times of a flood (SYN cookies): then it is worth a moment. False: it is none. */
static bool read_hello(int fd, struct net_message *hello)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN && poll(&wait, 1, HELLO_MS) == 1)
        got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    return got == (ssize_t)sizeof bytes && net_message_read(bytes, sizeof bytes, hello) == 0;
}

struct net_connection *net_session_admit(struct net_server *server, int fd)
{
    struct net_message hello = {0};
    struct net_connection *connection = NULL;
    enum net_status status = NET_WRONG;
    uint16_t port = 0;
    const bool ours = read_hello(fd, &hello);
    if (ours && hello.version == NET_VERSION && hello.kind == NET_SESSION)
        status = begin_session(server, &hello, fd, &port, &connection);
    else if (ours && hello.version == NET_VERSION && hello.kind == NET_STREAM)
        status = add_stream(server, &hello, fd, &connection);
    if (ours)
        answer(fd, &hello, status, port);
    if (status != NET_FINE) {
        net_count(&server->counts.rejected, 1);
        close(fd);
    } else if (connection == NULL) {
        net_echo_start(find_peer(server, hello.token), fd); /* closes it if it cannot */
    }
    return connection;
}

/* ---- reports ---- */

static void send_report(struct net_peer *peer)
{
    const struct net_message report = {.kind = NET_REPORT,
                                       .mode = peer->mode,
                                       .token = peer->token,
                                       .values = {[NET_RECEIVED_BYTES] = peer->received_bytes,
                                                  [NET_DATAGRAMS] = peer->datagrams,
                                                  [NET_LOST] = peer->lost,
                                                  [NET_OUT_OF_ORDER] = peer->out_of_order}};
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(&report, bytes);
    const ssize_t sent = send(peer->control_fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == (ssize_t)sizeof bytes)
        peer->changed = false;
    else if (sent > 0) /* half a report: a peer that reads none for so long is lost */
        shutdown(peer->control_fd, SHUT_RDWR);
}

void net_session_hear(struct net_connection *connection)
{
    const struct net_server *server = connection->server;
    unsigned char bytes[NET_MESSAGE_BYTES];
    struct net_message message = {0};
    char name[NET_ADDRESS_TEXT];
    const ssize_t got = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0 && net_message_read(bytes, (size_t)got, &message) == 0 && message.kind == NET_BYE) {
        connection->said_bye = true;
        return;
    }
    if (got > 0 && message.kind == NET_ASK) {
        if (connection->peer != NULL)
            send_report(connection->peer);
        return;
    }
    if (!connection->said_bye && !server->plan.local)
        run_warn(server->run,
                 "the peer %s disconnected in the middle of its load: check its output",
                 net_address_peer(connection->fd, name, sizeof name));
    if (connection->peer != NULL)
        end_peer(connection->peer);
    net_connection_drop(connection);
}

static void on_report(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (unsigned i = 0; i < server->peer_count; i++) {
        any = any || server->peers[i]->changed;
        if (server->peers[i]->changed)
            send_report(server->peers[i]);
    }
    if (!any)
        uv_timer_stop(timer);
}

/* Reports go out as long as anything comes in. */
void net_session_changed(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    peer->changed = true;
    if (!server->plan.local && !uv_is_active((uv_handle_t *)&server->report))
        uv_timer_start(&server->report, on_report, REPORT_MS, REPORT_MS);
}

void net_session_received(struct net_peer *peer, uint64_t bytes)
{
    peer->received_bytes += bytes;
    if (!peer->changed)
        net_session_changed(peer);
}
