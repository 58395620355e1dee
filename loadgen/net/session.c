// Who is let in by a listener, what a session says, and how it ends.

#include "net/net.h"

static struct net_peer *find_peer(const struct net_server *server, uint64_t token)
{
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->token == token)
            return server->peers[i];
    return NULL;
}

void net_session_end(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    net_echo_stop(peer);
    net_port_disown(peer);
    for (struct net_connection *one = server->connections; one; one = one->next)
        if (one->peer == peer) {
            one->peer = NULL;
            one->since_ns = clock_ns();
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
    net_warn(server, "the session of %s was ended: %s",
             net_address_peer(peer->control_fd, name, sizeof name), why);
    net_count(&server->rejected, 1);
    for (struct net_connection *one = server->connections, *next; one; one = next) {
        next = one->next;
        if (one->peer == peer)
            net_connection_drop(one);
    }
    net_session_end(peer);
}

// That take a descriptor each.
static unsigned streams_of(const struct net_message *hello)
{
    if (net_is_udp(hello->mode))
        return hello->mode == NET_UDP_PING;
    return hello->streams;
}

void net_activity_note(struct net_server *server)
{
    const int64_t at_ns = clock_ns();
    for (unsigned i = 0; i < server->peer_count; i++) {
        struct net_peer *peer = server->peers[i];
        const uint64_t count = peer->values[NET_RECEIVED_BYTES] + net_echo_answered(peer);
        if (count != peer->active_count)
            peer->active_ns = at_ns;
        peer->active_count = count;
    }
}

static bool is_full(const struct net_server *server, const struct net_message *hello)
{
    const unsigned streams = server->parts[NET_PART_STREAM] + server->echoes;
    return server->peer_count == NET_MOST_SESSIONS ||
           streams + streams_of(hello) > server->most_streams ||
           (!server->local &&
            server->echo_bytes + net_protocol_echo_bytes(hello) > NET_MOST_ECHO_BYTES);
}

// Others leave for it, if they should.
static bool make_room(struct net_server *server, const struct net_message *hello,
                      const struct sockaddr_storage *host)
{
    struct net_seat seats[NET_MOST_SESSIONS];
    if (!server->local && (net_protocol_echo_bytes(hello) > NET_MOST_ECHO_BYTES ||
                           streams_of(hello) > server->most_streams))
        return false; // not in an empty one either
    net_activity_note(server);
    while (is_full(server, hello)) {
        const int64_t at_ns = clock_ns();
        for (unsigned i = 0; i < server->peer_count; i++)
            seats[i] = (struct net_seat){.host = &server->peers[i]->host,
                                         .silent_ns = at_ns - server->peers[i]->active_ns};
        const int leaves =
            net_seats_free(seats, server->peer_count, server->settings->timeout_ns, host);
        if (leaves < 0)
            return false;
        net_session_expel(server->peers[leaves], "the listener is full, and another has come");
    }
    return true;
}

// Where the peer's datagrams should go: to everybody's port, or to one of their own, for round
// trips and where they are too short to say whose they are. 0: none can be opened.
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

// NULL: no memory.
static struct net_peer *new_peer(struct net_server *server, const struct net_message *hello, int fd,
                                 const struct sockaddr_storage *host)
{
    struct net_peer *peer = calloc(1, sizeof *peer);
    uint64_t *next = calloc(hello->streams, sizeof *next);
    if (!peer || !next) {
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
                              .active_ns = clock_ns(),
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
    if (find_peer(server, hello->token) || (server->local && hello->token != server->token) ||
        getpeername(fd, (struct sockaddr *)&host, &length) != 0)
        return NET_WRONG;
    struct net_peer *peer =
        make_room(server, hello, &host) ? new_peer(server, hello, fd, &host) : NULL;
    if (!peer)
        return NET_FULL;
    *port = open_datagrams(peer);
    *connection = *port == 0 ? NULL : net_connection_add(server, peer, fd, NET_PART_CONTROL);
    if (*connection)
        return NET_FINE;
    net_session_end(peer);
    return NET_FULL;
}

// Each stream of a session joins once: what it declared bounds what it can hold.
static enum net_status add_stream(struct net_server *server, const struct net_message *hello,
                                  int fd, struct net_connection **connection)
{
    struct net_peer *peer = find_peer(server, hello->token);
    if (!peer || !net_protocol_joins(hello, peer->mode, peer->streams) ||
        peer->next[hello->number] != 0)
        return NET_WRONG;
    if (server->parts[NET_PART_STREAM] + server->echoes >= server->most_streams)
        return NET_FULL;
    if (peer->mode == NET_TCP)
        *connection = net_connection_add(server, peer, fd, NET_PART_STREAM);
    if (peer->mode == NET_TCP ? !*connection : net_echo_start(peer, fd) != 0)
        return NET_FULL;
    if (*connection)
        (*connection)->number = hello->number;
    peer->next[hello->number] = 1;
    peer->complete = ++peer->joined == peer->streams || peer->complete;
    peer->active_ns = clock_ns();
    return NET_FINE;
}

struct net_connection *net_session_greet(struct net_connection *fresh)
{
    struct net_server *server = fresh->server;
    struct net_message hello = {0};
    const int more = net_message_take(fresh->fd, &fresh->heard);
    const enum net_heard heard = net_protocol_hello(fresh->heard.bytes, fresh->heard.count, &hello);
    if (more >= 0 && heard == NET_HEARD_PART)
        return fresh;
    // The thread of a stream of round trips answers nothing before this has been sent: the peer
    // waits for it.
    const int fd = net_connection_release(fresh);
    struct net_connection *connection = NULL;
    enum net_status status = NET_WRONG;
    uint16_t port = 0;
    if (heard == NET_HEARD_FINE)
        status = hello.kind == NET_SESSION ? begin_session(server, &hello, fd, &port, &connection)
                                           : add_stream(server, &hello, fd, &connection);
    if (status != NET_FINE) // first: who has the answer may ask for the count
        net_count(&server->rejected, 1);
    const struct net_message answer = {.kind = NET_ANSWER,
                                       .mode = hello.mode,
                                       .number = status,
                                       .token = hello.token,
                                       .values = {port}};
    // A fresh connection has room for it, or is gone, which its end will show.
    if ((heard == NET_HEARD_FINE || heard == NET_HEARD_WRONG) &&
        net_message_send(fd, &answer) != NET_MESSAGE_BYTES)
        shutdown(fd, SHUT_RDWR);
    if (status != NET_FINE)
        close(fd);
    return connection;
}

void net_session_free_descriptors(struct net_server *server)
{
    const int64_t at_ns = clock_ns();
    struct net_peer *chosen = NULL;
    net_activity_note(server);
    for (unsigned i = 0; i < server->peer_count; i++) {
        struct net_peer *peer = server->peers[i];
        if (at_ns - peer->active_ns >= server->settings->timeout_ns &&
            (!chosen || peer->joined > chosen->joined))
            chosen = peer;
    }
    if (chosen)
        net_session_expel(chosen, "descriptors have run out, and another has come");
}

struct net_connection *net_session_admit(struct net_server *server, int fd)
{
    if (server->parts[NET_PART_NEW] >= NET_MOST_NEW) {
        struct net_connection *oldest = NULL;
        for (struct net_connection *one = server->connections; one; one = one->next)
            if (one->part == NET_PART_NEW)
                oldest = one;
        net_connection_drop(oldest);
        net_count(&server->rejected, 1);
    }
    struct net_connection *fresh = net_connection_add(server, NULL, fd, NET_PART_NEW);
    if (fresh)
        return net_session_greet(fresh);
    net_count(&server->rejected, 1);
    close(fd);
    return NULL;
}

// Whether its session continues.
static bool is_heard(struct net_connection *connection)
{
    struct net_arriving *arriving = &connection->heard;
    struct net_message message;
    const int more = net_message_take(connection->fd, arriving);
    if (more <= 0 || !connection->peer)
        return more == 0;
    const enum net_heard heard =
        net_protocol_control(arriving->bytes, arriving->count, connection->peer->token, &message);
    if (heard == NET_HEARD_PART)
        return true;
    arriving->count = 0;
    if (heard != NET_HEARD_FINE)
        return false;
    connection->peer->active_ns = clock_ns();
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
        net_warn(connection->server,
                 "the peer %s disconnected in the middle of its load: check its output",
                 net_address_peer(connection->fd, name, sizeof name));
    if (connection->peer)
        net_session_end(connection->peer);
    net_connection_drop(connection);
}
