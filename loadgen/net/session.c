#include "net/receive.h"

#include "load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_WARNINGS 10 /* of what peers do: they may do it for ever */

static void __attribute__((format(printf, 2, 3)))
warn(struct net_server *server, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (server->plan.local || server->warned > MOST_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (server->warned++ < MOST_WARNINGS)
        run_warn(server->run, "%s", text);
    else
        run_warn(server->run, "more peers of this kind: they are no longer reported");
}

/* ---- sessions ---- */

static struct net_peer *find_peer(const struct net_server *server, uint64_t token)
{
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->token == token)
            return server->peers[i];
    return NULL;
}

/* Streams that are still open are read to their end, for a while. */
static void end_peer(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    net_echo_stop(peer);
    net_port_disown(peer);
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (one->peer == peer) {
            one->peer = NULL;
            one->since_ns = now_ns();
        }
    if (server->recent == peer)
        server->recent = NULL;
    server->echo_bytes -= peer->echo_bytes;
    pthread_mutex_lock(&server->mutex);
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i] == peer)
            server->peers[i] = server->peers[--server->peer_count];
    pthread_mutex_unlock(&server->mutex);
    free(peer->next);
    free(peer);
}

void net_session_expel(struct net_peer *peer, const char *why)
{
    struct net_server *server = peer->server;
    char name[NET_ADDRESS_TEXT];
    warn(server, "the session of %s was ended: %s",
         net_address_peer(peer->control_fd, name, sizeof name), why);
    net_count(&server->counts.rejected, 1);
    for (struct net_connection *one = server->connections, *next; one != NULL; one = next) {
        next = one->next;
        if (one->peer == peer)
            net_connection_drop(one);
    }
    end_peer(peer);
}

void net_session_end_all(struct net_server *server)
{
    while (server->peer_count > 0)
        end_peer(server->peers[0]);
    while (server->connections != NULL)
        net_connection_drop(server->connections);
}

void net_session_stream_ended(struct net_connection *connection)
{
    struct net_peer *peer = connection->peer;
    if (peer != NULL) {
        peer->next[connection->number] = 0;
        peer->joined--;
    }
    net_connection_drop(connection);
}

/* ---- who is let in ---- */

/* That take a descriptor each. */
static unsigned streams_of(const struct net_message *hello)
{
    return hello->mode == NET_UDP ? 0 : hello->mode == NET_UDP_PING ? 1 : hello->streams;
}

static bool is_full(const struct net_server *server, const struct net_message *hello)
{
    const unsigned streams = server->parts[NET_PART_STREAM] + server->echoes;
    return server->peer_count == NET_MOST_SESSIONS ||
           streams + streams_of(hello) > server->most_streams ||
           (!server->plan.local &&
            server->echo_bytes + net_protocol_echo_bytes(hello) > NET_MOST_ECHO_BYTES);
}

/* Others leave for it, if they should. */
static bool make_room(struct net_server *server, const struct net_message *hello,
                      const struct sockaddr_storage *host)
{
    struct net_seat seats[NET_MOST_SESSIONS];
    if (!server->plan.local && (net_protocol_echo_bytes(hello) > NET_MOST_ECHO_BYTES ||
                                streams_of(hello) > server->most_streams))
        return false; /* not in an empty one either */
    net_activity_note(server);
    while (is_full(server, hello)) {
        const int64_t at_ns = now_ns();
        for (unsigned i = 0; i < server->peer_count; i++)
            seats[i] = (struct net_seat){.host = &server->peers[i]->host,
                                         .silent_ns = at_ns - server->peers[i]->active_ns};
        const int leaves = net_seats_free(seats, server->peer_count, server->plan.timeout_ns, host);
        if (leaves < 0)
            return false;
        net_session_expel(server->peers[leaves], "the listener is full, and another has come");
    }
    return true;
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
    if (fd >= 0 && net_echo_start(peer, fd) == 0)
        return net_address_port(&own);
    if (fd >= 0)
        close(fd);
    return 0;
}

/* NULL: no memory. */
static struct net_peer *new_peer(struct net_server *server, const struct net_message *hello, int fd,
                                 const struct sockaddr_storage *host)
{
    struct net_peer *peer = calloc(1, sizeof *peer);
    uint64_t *next = calloc(hello->streams, sizeof *next);
    if (peer == NULL || next == NULL) {
        free(next);
        free(peer);
        return NULL;
    }
    *peer = (struct net_peer){.server = server,
                              .control_fd = fd,
                              .host = *host,
                              .mode = hello->mode,
                              .token = hello->token,
                              .block_bytes = hello->block_bytes,
                              .streams = hello->streams,
                              .complete = net_is_udp(hello->mode),
                              .echo_bytes = net_protocol_echo_bytes(hello),
                              .active_ns = now_ns(),
                              .next = next};
    server->echo_bytes += peer->echo_bytes;
    pthread_mutex_lock(&server->mutex);
    server->peers[server->peer_count++] = peer;
    pthread_mutex_unlock(&server->mutex);
    return peer;
}

static enum net_status begin_session(struct net_server *server, const struct net_message *hello,
                                     int fd, uint16_t *port, struct net_connection **connection)
{
    struct sockaddr_storage host = {0};
    socklen_t length = sizeof host;
    if (find_peer(server, hello->token) != NULL ||
        (server->plan.local && hello->token != server->plan.token) ||
        getpeername(fd, (struct sockaddr *)&host, &length) != 0)
        return NET_WRONG;
    struct net_peer *peer =
        make_room(server, hello, &host) ? new_peer(server, hello, fd, &host) : NULL;
    if (peer == NULL)
        return NET_FULL;
    *port = open_datagrams(peer);
    *connection = *port == 0 ? NULL : net_connection_add(server, peer, fd, NET_PART_CONTROL);
    if (*connection != NULL)
        return NET_FINE;
    end_peer(peer);
    return NET_FULL;
}

/* Each stream of a session joins once: what it declared bounds what it can hold. */
static enum net_status add_stream(struct net_server *server, const struct net_message *hello,
                                  int fd, struct net_connection **connection)
{
    struct net_peer *peer = find_peer(server, hello->token);
    if (peer == NULL || !net_protocol_joins(hello, peer->mode, peer->streams) ||
        peer->next[hello->number] != 0)
        return NET_WRONG;
    if (server->parts[NET_PART_STREAM] + server->echoes >= server->most_streams)
        return NET_FULL;
    if (peer->mode == NET_TCP)
        *connection = net_connection_add(server, peer, fd, NET_PART_STREAM);
    if (peer->mode == NET_TCP ? *connection == NULL : net_echo_start(peer, fd) != 0)
        return NET_FULL;
    if (*connection != NULL)
        (*connection)->number = hello->number;
    peer->next[hello->number] = 1;
    peer->complete = ++peer->joined == peer->streams || peer->complete;
    peer->active_ns = now_ns();
    return NET_FINE;
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

/* The thread of a stream of round trips answers nothing before this has been sent: the peer waits
 * for it. */
static struct net_connection *decide(struct net_server *server, int fd, enum net_heard heard,
                                     const struct net_message *hello)
{
    struct net_connection *connection = NULL;
    enum net_status status = NET_WRONG;
    uint16_t port = 0;
    if (heard == NET_HEARD_FINE)
        status = hello->kind == NET_SESSION ? begin_session(server, hello, fd, &port, &connection)
                                            : add_stream(server, hello, fd, &connection);
    if (status != NET_FINE) /* first: who has the answer may ask for the count */
        net_count(&server->counts.rejected, 1);
    if (heard == NET_HEARD_FINE || heard == NET_HEARD_WRONG)
        answer(fd, hello, status, port);
    if (status != NET_FINE)
        close(fd);
    return connection;
}

struct net_connection *net_session_greet(struct net_connection *fresh)
{
    struct net_server *server = fresh->server;
    struct net_message hello = {0};
    const int more = net_connection_hear(fresh);
    const enum net_heard heard = net_protocol_hello(fresh->heard, fresh->heard_count, &hello);
    if (more >= 0 && heard == NET_HEARD_PART)
        return fresh;
    return decide(server, net_connection_release(fresh), heard, &hello);
}

void net_session_free_descriptors(struct net_server *server)
{
    const int64_t at_ns = now_ns();
    struct net_peer *chosen = NULL;
    net_activity_note(server);
    for (unsigned i = 0; i < server->peer_count; i++) {
        struct net_peer *peer = server->peers[i];
        if (at_ns - peer->active_ns >= server->plan.timeout_ns &&
            (chosen == NULL || peer->joined > chosen->joined))
            chosen = peer;
    }
    if (chosen != NULL)
        net_session_expel(chosen, "descriptors have run out, and another has come");
}

struct net_connection *net_session_admit(struct net_server *server, int fd)
{
    net_connection_make_room(server);
    struct net_connection *fresh = net_connection_add(server, NULL, fd, NET_PART_NEW);
    if (fresh == NULL) {
        net_count(&server->counts.rejected, 1);
        close(fd);
        return NULL;
    }
    return net_session_greet(fresh);
}

/* ---- what it says ---- */

/* Whether its session continues. */
static bool is_heard(struct net_connection *connection)
{
    struct net_message message;
    const int more = net_connection_hear(connection);
    if (more <= 0 || connection->peer == NULL)
        return more == 0;
    const enum net_heard heard = net_protocol_control(connection->heard, connection->heard_count,
                                                      connection->peer->token, &message);
    if (heard == NET_HEARD_PART)
        return true;
    connection->heard_count = 0;
    if (heard != NET_HEARD_FINE)
        return false;
    connection->peer->active_ns = now_ns();
    if (message.kind == NET_BYE)
        connection->said_bye = true;
    else
        net_peer_report(connection->peer);
    return true;
}

void net_session_hear(struct net_connection *connection)
{
    char name[NET_ADDRESS_TEXT];
    if (is_heard(connection))
        return;
    if (!connection->said_bye)
        warn(connection->server,
             "the peer %s disconnected in the middle of its load: check its output",
             net_address_peer(connection->fd, name, sizeof name));
    if (connection->peer != NULL)
        end_peer(connection->peer);
    net_connection_drop(connection);
}

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
