#include "net/net.h"

#include "common/cgroup.h"

#include <stdarg.h>
#include <sys/resource.h>

#define MOST_WARNINGS 10 // of what peers do: they may do it for ever

static void __attribute__((format(printf, 2, 3)))
warn(struct net_server *server, const char *format, ...)
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

// The connections that a listener has accepted: a list, the latest first.

#define MOST_NEW 128 // that have not said hello yet: the oldest leaves for another
// A host that is gone without a word is found by the kernel, in about a minute.
#define KEEP_IDLE_S  30
#define KEEP_EVERY_S 10
#define KEEP_TRIES   3

// Takes a connection into the list, not yet polled; peer: NULL for a new one. NULL: no memory;
// the descriptor is the caller's then.
static struct net_connection *add_connection(struct net_server *server, struct net_peer *peer,
                                             int fd, enum net_part part)
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

// Takes it out of the list. The descriptor remains open, and is returned.
static int release(struct net_connection *connection)
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

static void drop(struct net_connection *connection)
{
    close(release(connection));
}

// ---- sessions ----

static struct net_peer *find_peer(const struct net_server *server, uint64_t token)
{
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->token == token)
            return server->peers[i];
    return NULL;
}

// Streams that are still open are read to their end, for a while.
static void end_peer(struct net_peer *peer)
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

// Ends a session that should not stay: nothing is read from it any more. why: for a warning, of
// which there are few, for anybody may cause them.
static void net_session_expel(struct net_peer *peer, const char *why)
{
    struct net_server *server = peer->server;
    char name[NET_ADDRESS_TEXT];
    warn(server, "the session of %s was ended: %s",
         net_address_peer(peer->control_fd, name, sizeof name), why);
    net_count(&server->rejected, 1);
    for (struct net_connection *one = server->connections, *next; one; one = next) {
        next = one->next;
        if (one->peer == peer)
            drop(one);
    }
    end_peer(peer);
}

// ---- who is let in ----

// That take a descriptor each.
static unsigned streams_of(const struct net_message *hello)
{
    if (net_is_udp(hello->mode))
        return hello->mode == NET_UDP_PING;
    return hello->streams;
}

// Notes of each session whether anything has come since the last call.
static void net_activity_note(struct net_server *server)
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
    *connection = *port == 0 ? NULL : add_connection(server, peer, fd, NET_PART_CONTROL);
    if (*connection)
        return NET_FINE;
    end_peer(peer);
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
        *connection = add_connection(server, peer, fd, NET_PART_STREAM);
    if (peer->mode == NET_TCP ? !*connection : net_echo_start(peer, fd) != 0)
        return NET_FULL;
    if (*connection)
        (*connection)->number = hello->number;
    peer->next[hello->number] = 1;
    peer->complete = ++peer->joined == peer->streams || peer->complete;
    peer->active_ns = clock_ns();
    return NET_FINE;
}

// Takes an accepted connection, whose hello should be there already, at least in part, and answers
// it: a session's first, or one of its streams. Anything else is rejected: counted and closed.
// Returns the connection, to be polled, or NULL where there is nothing to poll.
static struct net_connection *net_session_greet(struct net_connection *fresh)
{
    struct net_server *server = fresh->server;
    struct net_message hello = {0};
    const int more = net_message_take(fresh->fd, &fresh->heard);
    const enum net_heard heard = net_protocol_hello(fresh->heard.bytes, fresh->heard.count, &hello);
    if (more >= 0 && heard == NET_HEARD_PART)
        return fresh;
    // The thread of a stream of round trips answers nothing before this has been sent: the peer
    // waits for it.
    const int fd = release(fresh);
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

// Descriptors have run out: of the sessions that are silent, the one with the most streams leaves.
static void net_session_free_descriptors(struct net_server *server)
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

// A connection that was just accepted: as net_session_greet(). The oldest that has not said hello
// leaves where there are too many of them.
static struct net_connection *net_session_admit(struct net_server *server, int fd)
{
    if (server->parts[NET_PART_NEW] >= MOST_NEW) {
        struct net_connection *oldest = NULL;
        for (struct net_connection *one = server->connections; one; one = one->next)
            if (one->part == NET_PART_NEW)
                oldest = one;
        drop(oldest);
        net_count(&server->rejected, 1);
    }
    struct net_connection *fresh = add_connection(server, NULL, fd, NET_PART_NEW);
    if (fresh)
        return net_session_greet(fresh);
    net_count(&server->rejected, 1);
    close(fd);
    return NULL;
}

// ---- what it says ----

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

// Something can be read from a control connection: news of its end.
static void net_session_hear(struct net_connection *connection)
{
    char name[NET_ADDRESS_TEXT];
    if (is_heard(connection))
        return;
    if (!connection->said_bye)
        warn(connection->server,
             "the peer %s disconnected in the middle of its load: check its output",
             net_address_peer(connection->fd, name, sizeof name));
    if (connection->peer)
        end_peer(connection->peer);
    drop(connection);
}

// The watch over time: what a peer may hold without a word, and for how long.

#define HELLO_NS    2000000000  // the most that a hello may take
#define REST_NS     10000000000 // and the rest of a stream whose session has ended
#define LONGEST_MS  1000        // between two sweeps
#define SHORTEST_MS 50

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static void on_sweep(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    const int64_t at_ns = clock_ns();
    net_activity_note(server);
    // Those that have said too little, or have nobody any more.
    const int64_t hello_ns = smaller(HELLO_NS, server->settings->timeout_ns);
    for (struct net_connection *one = server->connections, *next; one; one = next) {
        next = one->next;
        const bool fresh = one->part == NET_PART_NEW;
        if (one->peer || at_ns - one->since_ns < (fresh ? hello_ns : REST_NS))
            continue;
        net_count(&server->rejected, fresh);
        drop(one);
    }
    for (unsigned i = server->local ? 0 : server->peer_count; i-- > 0;) {
        struct net_peer *peer = server->peers[i];
        if (!peer->complete && at_ns - peer->active_ns >= server->settings->timeout_ns)
            net_session_expel(peer, "it has not opened the streams that it announced");
    }
    if (server->local ? server->parts[NET_PART_NEW] == 0 : !server->connections)
        uv_timer_stop(timer);
}

// There is a connection to be watched.
static void net_sweep_begin(struct net_server *server)
{
    const int64_t quarter_ms = server->settings->timeout_ns / 4000000;
    const int64_t period_ms =
        quarter_ms < SHORTEST_MS ? SHORTEST_MS : smaller(quarter_ms, LONGEST_MS);
    if (!uv_is_active((uv_handle_t *)&server->sweep))
        uv_timer_start(&server->sweep, on_sweep, (uint64_t)period_ms, (uint64_t)period_ms);
}

// The bytes of a TCP stream: counted, and thrown away.

#define ROUNDS 8 // before others have their turn

// Takes what a connection has, up to a bound; false: it is at its end.
static bool net_receive_stream(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int flags = MSG_DONTWAIT | (server->settings->discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const ssize_t got = recv(connection->fd, server->buffer, NET_BUFFER_BYTES, flags);
        if (got == 0)
            return false;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        net_count(&server->values[NET_RECEIVED_BYTES], (uint64_t)got);
        if (connection->peer)
            net_peer_received(connection->peer, (uint64_t)got);
        net_batch_received(connection, (size_t)got);
        if ((size_t)got < NET_BUFFER_BYTES)
            return true; // that was all, most likely
    }
    return true;
}

#define ACCEPT_AT_ONCE  64
#define PORT_TRIES      16
#define HELLO_S         2
#define OWN_DESCRIPTORS 32  // files, sockets and the loop's
#define REST_MS         100 // from accepting, where descriptors have run out

// ---- connections ----

static void on_readable(uv_poll_t *poll, int status, int events);

// Whatever has come of it; NULL is fine.
static void listen_to(struct net_connection *connection)
{
    if (connection)
        uv_poll_start(&connection->poll, UV_READABLE, on_readable);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct net_connection *connection = poll->data;
    struct net_peer *peer = connection->peer;
    (void)status; // an error is found by reading, too
    (void)events;
    if (connection->part == NET_PART_NEW) {
        listen_to(net_session_greet(connection));
    } else if (connection->part == NET_PART_CONTROL) {
        net_session_hear(connection);
    } else if (!net_receive_stream(connection)) { // the other end has closed it
        if (peer) {
            peer->next[connection->number] = 0;
            peer->joined--;
        }
        drop(connection);
    }
}

static void on_listener(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    uv_poll_start(&server->listener, UV_READABLE, on_listener);
}

static void note_refused(struct net_server *server, int error)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&server->refused, &none, error))
        warn(server, "a connection cannot be accepted: %s: it waits",
             limits_why(error, (char[LIMITS_WHY]){0}, LIMITS_WHY));
}

static void on_listener(uv_poll_t *poll, int status, int events)
{
    struct net_server *server = poll->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        const int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            net_sweep_begin(server);
            listen_to(net_session_admit(server, fd));
            continue;
        }
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return; // no more, or one that has left again
        note_refused(server, errno);
        net_session_free_descriptors(server);
        // Those still waiting would wake this thread again and again.
        uv_poll_stop(poll);
        uv_timer_start(&server->rest, on_rested, REST_MS, 0);
        return;
    }
}

// ---- running ----

static void on_wake(uv_async_t *wake)
{
    struct net_server *server = wake->data;
    if (atomic_load(&server->quit))
        uv_stop(&server->loop);
}

// Held, it reads nothing, so that senders come to a stop; nobody is heard, and no time passes.
static void hold(struct net_server *server, bool held)
{
    const int64_t at_ns = clock_ns();
    net_echo_hold(server, held);
    if (held) {
        uv_poll_stop(&server->listener);
        uv_timer_stop(&server->rest);
        uv_timer_stop(&server->report);
        uv_timer_stop(&server->sweep);
        net_batch_end(server);
    } else {
        uv_poll_start(&server->listener, UV_READABLE, on_listener);
        if (server->connections)
            net_sweep_begin(server);
    }
    net_port_hold(&server->port, held);
    for (struct net_connection *one = server->connections; one; one = one->next) {
        one->since_ns = at_ns;
        if (held)
            uv_poll_stop(&one->poll);
        else
            listen_to(one);
    }
    for (unsigned i = 0; i < server->peer_count; i++) {
        server->peers[i]->active_ns = at_ns;
        server->peers[i]->changed = false;
        if (server->peers[i]->port)
            net_port_hold(server->peers[i]->port, held);
    }
}

void net_server_run(struct net_server *server, struct worker *worker)
{
    hold(server, false);
    while (worker_running(worker))
        uv_run(&server->loop, UV_RUN_ONCE);
    hold(server, true);
}

static void *server_main(void *argument)
{
    struct net_server *server = argument;
    pthread_setname_np(pthread_self(), "net/receive");
    if (cpus_pin_list(&server->run->cpus) != 0)
        run_warn(server->run, "cannot pin the receiver to the CPUs of --cpus: %s", strerror(errno));
    hold(server, false);
    while (!atomic_load(&server->quit))
        uv_run(&server->loop, UV_RUN_DEFAULT);
    return NULL;
}

int net_server_start(struct net_server *server)
{
    const int error = thread_start(&server->thread, server_main, server);
    server->threaded = error == 0;
    if (error == 0)
        pthread_getcpuclockid(server->thread, &server->cpu_clock);
    return error;
}

// ---- opening and closing ----

// How many streams there are descriptors for, as many as this process may have, beside sessions
// and those who have not said hello.
static unsigned most_streams(void)
{
    const rlim_t others = OWN_DESCRIPTORS + MOST_NEW + 2 * NET_MOST_SESSIONS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return NET_MOST_STREAMS;
    const rlim_t soft = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = soft;
    const rlim_t most = limit.rlim_cur > 2 * others ? limit.rlim_cur - others : limit.rlim_cur / 2;
    return most < NET_MOST_STREAMS ? (unsigned)most : NET_MOST_STREAMS;
}

// TCP and UDP share a port; where any will do, one that both can have.
static int open_sockets(struct net_server *server, const char *address)
{
    struct net_address bound;
    char error[512];
    const int hello_s = HELLO_S;
    for (int i = 0; i < PORT_TRIES; i++) {
        server->listen_fd = net_address_listen(address, &server->address, error, sizeof error);
        if (server->listen_fd < 0)
            return run_fail(server->run, "%s", error);
        server->port.fd =
            net_address_datagrams(&server->address, net_address_port(&server->address), &bound);
        if (server->port.fd >= 0)
            break;
        close(server->listen_fd);
        server->listen_fd = -1;
    }
    if (server->port.fd < 0)
        return run_fail(
            server->run,
            "cannot listen at %.200s: its UDP port: %s: give another port, or end what holds it",
            address, strerror(errno));
    // The kernel hands a connection over together with its hello: a silent one
    // takes no descriptor of ours.
    setsockopt(server->listen_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &hello_s, sizeof hello_s);
    return 0;
}

static int open_handles(struct net_server *server)
{
    uv_timer_t *timers[] = {&server->report, &server->rest, &server->flush, &server->sweep};
    int error = uv_loop_init(&server->loop);
    if (error != 0)
        return error;
    server->started = true;
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&server->loop, timers[i]);
        timers[i]->data = server;
    }
    error = uv_async_init(&server->loop, &server->wake, on_wake);
    if (error == 0)
        error = uv_poll_init(&server->loop, &server->listener, server->listen_fd);
    if (error == 0)
        error = net_port_open(&server->port, server, NULL, server->port.fd);
    server->wake.data = server->listener.data = server;
    return error;
}

struct net_server *net_server_open(struct run *run, const char *address, uint64_t token)
{
    struct net_server *server = zeroed_lines(1, sizeof *server);
    if (!server) {
        run_fail(run, "out of memory: free some");
        return NULL;
    }
    server->run = run;
    server->settings = settings_of(run);
    server->local = token != 0;
    server->token = token;
    server->listen_fd = server->port.fd = -1;
    server->held = true;
    server->most_streams = server->local ? NET_MOST_STREAMS : most_streams();
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->released, NULL);
    server->messages = net_messages_new(server->settings->discard);
    server->buffer = malloc(NET_BUFFER_BYTES);
    int failed = !server->messages || !server->buffer ? UV_ENOMEM : 0;
    const bool bound = failed == 0 && open_sockets(server, address) == 0;
    if (bound)
        failed = open_handles(server);
    if (bound && failed == 0)
        return server;
    if (failed != 0)
        run_fail(run, "cannot make a receiver: %s", uv_strerror(failed));
    net_server_close(server);
    return NULL;
}

void net_server_close(struct net_server *server)
{
    if (!server)
        return;
    if (server->threaded) {
        atomic_store(&server->quit, true);
        uv_async_send(&server->wake);
        pthread_join(server->thread, NULL);
    }
    while (server->peer_count > 0)
        end_peer(server->peers[0]);
    while (server->connections)
        drop(server->connections);
    if (server->started)
        loop_close(&server->loop);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    if (server->port.fd >= 0)
        close(server->port.fd);
    pthread_cond_destroy(&server->released);
    pthread_mutex_destroy(&server->mutex);
    free(server->messages);
    free(server->buffer);
    free(server);
}
